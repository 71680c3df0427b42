// SPDX-License-Identifier: Apache-2.0
// An advisory lock on a directory, so that one host has one measurer.
//
// flock works on a bpffs directory, where no ordinary file can be made, and the kernel releases it
// when the process dies in any way. Nothing is written, so nothing can go stale.
#ifndef WATTFEED_DIRECTORY_LOCK_HH_
#define WATTFEED_DIRECTORY_LOCK_HH_

#include <string>

#include <vector>

#include "result.hh"
#include "unique_fd.hh"

namespace wattfeed {

// The returned fd holds the lock. EWOULDBLOCK if another holds it; detail is then the holder's pid,
// or empty where /proc/locks does not show it (a holder in a pid namespace above this one).
Result<UniqueFd> LockDirectory(const std::string& path);

// The locks that one owner holds until it goes.
class DirectoryLocks {
 public:
  // Taking a lock that this owner has already is fine: nobody else has it.
  Status Lock(const std::string& path);

 private:
  std::vector<UniqueFd> held_;
};

}  // namespace wattfeed

#endif  // WATTFEED_DIRECTORY_LOCK_HH_
