// SPDX-License-Identifier: Apache-2.0
#include "energy_reader.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "clocks.hh"

namespace wattfeed {

namespace {

// sysfs hands out at most one page; a longer file is not a sysfs attribute, its size tells its
// length.
constexpr size_t kReadSize = 4096;

// O_NONBLOCK: a path that is really a FIFO or a device must not stop the window thread.
int OpenSource(const EnergySourceSpec& spec) {
  if (const auto* file = std::get_if<EnergyFileSpec>(&spec))
    return open(file->path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return OpenPerfEvent(std::get<PerfEventSpec>(spec));
}

// Returns 0 or an errno. From offset 0 each time: sysfs then calls the driver anew.
int ReadFile(int fd, window_source& row) {
  char buffer[kReadSize];
  const ssize_t size = pread(fd, buffer, sizeof(buffer), 0);
  if (size < 0) return errno;
  auto length = static_cast<uint64_t>(size);
  struct stat status {};
  if (length == kReadSize && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    length = std::max(length, static_cast<uint64_t>(status.st_size));
  row.text_len = static_cast<uint32_t>(std::min<uint64_t>(length, UINT32_MAX));
  std::memcpy(row.text, buffer, std::min<size_t>(static_cast<size_t>(size), sizeof(row.text)));
  return 0;
}

int ReadOnce(int fd, const EnergySourceSpec& spec, window_source& row) {
  if (std::holds_alternative<EnergyFileSpec>(spec)) return ReadFile(fd, row);
  PerfValue value;
  const int failed = ReadPerfEvent(fd, value);
  row.value = value.value;
  row.enabled_ns = value.enabled_ns;
  row.running_ns = value.running_ns;
  return failed;
}

// The device behind the fd was removed or replaced; the path may lead to its successor.
bool IsStale(int failed) { return failed == ESTALE || failed == ENODEV || failed == EBADF; }

// Unlinked or renamed over: such a file goes on to be readable, with its last content for ever.
bool IsUnlinked(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

}  // namespace

EnergyReader::EnergyReader(std::vector<EnergySourceSpec> specs) {
  sources_.reserve(specs.size());
  for (auto& spec : specs) {
    const int fd = OpenSource(spec);
    sources_.push_back(Source{.spec = std::move(spec), .fd = UniqueFd(fd)});
  }
}

void EnergyReader::AppendRows(std::vector<window_source>& rows) {
  for (Source& source : sources_) rows.push_back(Read(source));
}

window_source EnergyReader::Read(Source& source) {
  window_source row{};
  const bool is_file = std::holds_alternative<EnergyFileSpec>(source.spec);
  row.kind = is_file ? WINDOW_SOURCE_FILE : WINDOW_SOURCE_PERF;
  if (is_file && source.fd.is_open() && IsUnlinked(source.fd.get())) source.fd.Reset();
  row.before_ns = MonotonicNs();
  int failed = source.fd.is_open() ? ReadOnce(source.fd.get(), source.spec, row) : ESTALE;
  if (IsStale(failed)) {
    source.fd.Reset();
    row.before_ns = MonotonicNs();
    source.fd.Reset(OpenSource(source.spec));
    failed = source.fd.is_open() ? ReadOnce(source.fd.get(), source.spec, row) : errno;
  }
  row.after_ns = MonotonicNs();
  row.error = static_cast<uint32_t>(failed);
  return row;
}

}  // namespace wattfeed
