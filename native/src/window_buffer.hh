// SPDX-License-Identifier: Apache-2.0
// Bytes of one batch: windows of records.h, one behind the other.
#ifndef WATTFEED_WINDOW_BUFFER_HH_
#define WATTFEED_WINDOW_BUFFER_HH_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "records.hh"

namespace wattfeed {

class WindowBuffer {
 public:
  // Leaves room for the header, which is known only when the window's records are.
  void BeginWindow() {
    header_at_ = bytes_.size();
    bytes_.resize(header_at_ + sizeof(window_header));
  }

  template <typename Record>
  void Append(const std::vector<Record>& records) {
    static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % sizeof(uint64_t) == 0);
    const auto* first = reinterpret_cast<const uint8_t*>(records.data());
    bytes_.insert(bytes_.end(), first, first + records.size() * sizeof(Record));
  }

  // A thread did not sleep in one of the windows: somebody may want to know soon.
  void MarkBusy() { is_busy_ = true; }
  bool is_busy() const { return is_busy_; }

  // Puts the header in its place, with the window's size filled in.
  void EndWindow(window_header header) {
    header.size_bytes = bytes_.size() - header_at_;
    std::memcpy(&bytes_[header_at_], &header, sizeof(header));
    window_count_++;
  }

  size_t size_bytes() const { return bytes_.size(); }
  size_t window_count() const { return window_count_; }

  std::vector<uint8_t> Take() {
    window_count_ = 0;
    is_busy_ = false;
    return std::exchange(bytes_, {});
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t header_at_ = 0;
  size_t window_count_ = 0;
  bool is_busy_ = false;
};

}  // namespace wattfeed

#endif  // WATTFEED_WINDOW_BUFFER_HH_
