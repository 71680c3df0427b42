// SPDX-License-Identifier: Apache-2.0
// The boundary header as C++ sees it, and the loads and stores that shared memory needs.
//
// The kernel programs write these records on other CPUs while this process reads them. Each member
// is naturally aligned and read with one load, so no value is ever torn; which members belong
// together is ordered by `state` (see slot_scanner.hh).
#ifndef WATTFEED_RECORDS_HH_
#define WATTFEED_RECORDS_HH_

#include <linux/types.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "../../bpf/include/records.h"

namespace wattfeed {

template <typename T>
T LoadRelaxed(const T& shared) {
  return __atomic_load_n(&shared, __ATOMIC_RELAXED);
}

template <typename T>
T LoadAcquire(const T& shared) {
  return __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
}

template <typename T>
void StoreRelease(T& shared, T value) {
  __atomic_store_n(&shared, value, __ATOMIC_RELEASE);
}

// The rise of one shared counter since `kept`. Counters only rise; one that does not is a defect of
// the kernel side, and a wrapped difference of 2^64 would poison every sum behind it.
inline uint64_t TakeRise(const __u64& shared, uint64_t& kept) {
  const uint64_t now = LoadRelaxed(shared);
  return now <= kept ? 0 : now - std::exchange(kept, now);
}

// A name that the kernel may be rewriting: two 8-byte loads, so at worst the first half is the old
// name's and the second half the new one's, until the next window.
inline void CopyComm(char (&to)[RECORDS_COMM_LEN], const char (&shared)[RECORDS_COMM_LEN]) {
  using Word [[gnu::may_alias]] = __u64;
  static_assert(RECORDS_COMM_LEN == 2 * sizeof(Word));
  const auto* words = reinterpret_cast<const Word*>(&shared[0]);
  const Word copy[2] = {__atomic_load_n(&words[0], __ATOMIC_RELAXED),
                        __atomic_load_n(&words[1], __ATOMIC_RELAXED)};
  std::memcpy(to, copy, sizeof(to));
}

}  // namespace wattfeed

#endif  // WATTFEED_RECORDS_HH_
