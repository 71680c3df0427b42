// SPDX-License-Identifier: Apache-2.0
// An mmapped BPF array, as a span of records.
#ifndef WATTFEED_MAPPED_ARRAY_HH_
#define WATTFEED_MAPPED_ARRAY_HH_

#include <sys/mman.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "result.hh"

namespace wattfeed {

template <typename Record>
class MappedArray {
  // The kernel rounds an array's stride up to 8: a smaller record would be found at wrong offsets.
  static_assert(sizeof(Record) % 8 == 0);

 public:
  MappedArray() = default;
  MappedArray(MappedArray&& other) noexcept
      : records_(std::exchange(other.records_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  MappedArray& operator=(MappedArray&& other) noexcept {
    std::swap(records_, other.records_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~MappedArray() {
    if (records_ != nullptr) munmap(records_, count_ * sizeof(Record));
  }

  static Result<MappedArray> Map(int map_fd, size_t count, const char* name) {
    void* memory =
        mmap(nullptr, count * sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
    if (memory == MAP_FAILED) return ErrorFromErrno(std::string("mmap ") + name);
    MappedArray mapped;
    mapped.records_ = static_cast<Record*>(memory);
    mapped.count_ = count;
    return mapped;
  }

  std::span<Record> span() { return {records_, count_}; }

 private:
  Record* records_ = nullptr;
  size_t count_ = 0;
};

}  // namespace wattfeed

#endif  // WATTFEED_MAPPED_ARRAY_HH_
