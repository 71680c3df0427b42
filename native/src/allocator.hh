// SPDX-License-Identifier: Apache-2.0
// glibc's malloc, told to keep less of what was freed.
#ifndef WATTFEED_ALLOCATOR_HH_
#define WATTFEED_ALLOCATOR_HH_

namespace wattfeed {

// Settings of the whole process; they hold for what is allocated from now on. Twice is fine.
void TuneAllocator();

// Gives free pages of every arena back to the kernel; takes about 1 ms.
void ReturnFreedMemory();

}  // namespace wattfeed

#endif  // WATTFEED_ALLOCATOR_HH_
