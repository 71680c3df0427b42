// SPDX-License-Identifier: Apache-2.0
#include "online_cpus.hh"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

namespace wattfeed {

namespace {

struct Range {
  size_t first = 1;
  size_t last = 0;  // below first: empty
};

Range ParseRange(std::string_view part) {
  const char* end = part.data() + part.size();
  Range range;
  auto [next, failed] = std::from_chars(part.data(), end, range.first);
  if (failed != std::errc{}) return Range{};
  range.last = range.first;
  if (next != end && *next == '-') {
    const auto [unused, last_failed] = std::from_chars(next + 1, end, range.last);
    if (last_failed != std::errc{}) return Range{};
  }
  return range;
}

}  // namespace

std::vector<bool> ParseCpuList(std::string_view list, size_t cpu_count) {
  std::vector<bool> cpus(cpu_count, false);
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const Range range = ParseRange(list.substr(0, comma));
    for (size_t cpu = range.first; cpu <= range.last && cpu < cpu_count; cpu++) cpus[cpu] = true;
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return cpus;
}

OnlineCpus::OnlineCpus(size_t possible_count, const char* path)
    : fd_(open(path, O_RDONLY | O_CLOEXEC)), online_(possible_count, true) {}

const std::vector<bool>& OnlineCpus::At(uint64_t now_ns) {
  if (read_ns_ == 0 || now_ns - read_ns_ >= kFreshNs) {
    Read();
    read_ns_ = now_ns;
  }
  return online_;
}

void OnlineCpus::Read() {
  char buffer[4096];
  const ssize_t size = fd_.is_open() ? pread(fd_.get(), buffer, sizeof(buffer), 0) : -1;
  if (size <= 0) {
    online_.assign(online_.size(), true);
    text_.clear();
    return;
  }
  const std::string_view text(buffer, static_cast<size_t>(size));
  if (text == text_) return;
  text_ = text;
  online_ = ParseCpuList(text, online_.size());
}

}  // namespace wattfeed
