// SPDX-License-Identifier: Apache-2.0
#include "cpu_ticks.hh"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace wattfeed {

namespace {

constexpr uint64_t kNanosPerSecond = 1'000'000'000;
constexpr size_t kFirstBytes = 16 * 1024;

// Fields behind the name: user nice system idle iowait irq softirq steal …
constexpr int kIrqField = 5;
constexpr int kStealField = 7;

}  // namespace

bool ParseCpuTickLine(std::string_view line, CpuTickLine& out) {
  if (!line.starts_with("cpu")) return false;
  const char* at = line.data() + 3;
  const char* const end = line.data() + line.size();
  auto [next, failed] = std::from_chars(at, end, out.cpu);
  if (failed != std::errc{}) return false;  // the line of all CPUs together
  uint64_t* const wanted[] = {&out.irq, &out.softirq, &out.steal};
  for (int field = 0; field <= kStealField; field++) {
    while (next != end && *next == ' ') next++;
    uint64_t value = 0;
    const auto parsed = std::from_chars(next, end, value);
    if (parsed.ec != std::errc{}) return false;
    if (field >= kIrqField) *wanted[field - kIrqField] = value;
    next = parsed.ptr;
  }
  return true;
}

CpuTicks::CpuTicks(bool has_irq_time, const char* path)
    : fd_(open(path, O_RDONLY | O_CLOEXEC)),
      has_irq_time_(has_irq_time),
      tick_ns_(kNanosPerSecond / static_cast<uint64_t>(sysconf(_SC_CLK_TCK))),
      text_(kFirstBytes, '\0') {}

// The CPUs come first and the long line of interrupts behind them: a buffer that is full is enough
// if another line follows the last CPU's; if not, it grows and the file is read again.
bool CpuTicks::ReadText() {
  for (;;) {
    const ssize_t size = fd_.is_open() ? pread(fd_.get(), text_.data(), text_.size(), 0) : -1;
    if (size <= 0) return false;
    const std::string_view text(text_.data(), static_cast<size_t>(size));
    if (text.size() < text_.size() || text.find("\nintr") != std::string_view::npos) {
      text_.resize(text.size());
      return true;
    }
    text_.resize(text_.size() * 2);
  }
}

void CpuTicks::CopyInto(std::span<cpu_record> records) {
  text_.resize(std::max(text_.capacity(), kFirstBytes));
  if (!ReadText()) {
    for (cpu_record& record : records)
      record.irq_ns = record.softirq_ns = record.steal_ns = RECORDS_UNAVAILABLE;
    return;
  }
  std::string_view rest(text_);
  while (rest.starts_with("cpu")) {
    CpuTickLine line;
    const size_t end = rest.find('\n');
    if (ParseCpuTickLine(rest.substr(0, end), line) && line.cpu < records.size()) {
      cpu_record& record = records[line.cpu];
      record.irq_ns = has_irq_time_ ? line.irq * tick_ns_ : RECORDS_UNAVAILABLE;
      record.softirq_ns = has_irq_time_ ? line.softirq * tick_ns_ : RECORDS_UNAVAILABLE;
      record.steal_ns = line.steal * tick_ns_;
    }
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
}

}  // namespace wattfeed
