// SPDX-License-Identifier: Apache-2.0
#include "frequency_reader.hh"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "slice_math.hh"

namespace wattfeed {

namespace {

// A CPU that counts has a few uncounted slices all the same, behind a switch that was not seen.
constexpr uint64_t kUncountedPart = 16;

}  // namespace

uint32_t ParseKilohertz(std::string_view text) {
  uint32_t khz = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), khz);
  const std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
  return failed == std::errc{} && (rest.empty() || rest == "\n") ? khz : 0;
}

FrequencyReader::FrequencyReader(const std::vector<std::string>& paths, std::span<cpu_record> cpus,
                                 std::span<const domain_model> models,
                                 std::vector<uint8_t> domain_of)
    : files_(paths.size()), cpus_(cpus), models_(models), domain_of_(std::move(domain_of)) {
  for (size_t cpu = 0; cpu < paths.size(); cpu++) {
    if (!paths[cpu].empty())
      files_[cpu].fd.Reset(open(paths[cpu].c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  }
}

void FrequencyReader::Refresh() {
  for (uint32_t cpu = 0; cpu < files_.size(); cpu++) {
    Cpu& file = files_[cpu];
    if (!file.fd.is_open()) continue;
    const bool is_busy = (LoadRelaxed(cpus_[cpu].busy_word) & 1) != 0;
    const uint64_t task_ns = TakeRise(cpus_[cpu].task_ns, file.task_ns);
    const uint64_t counted_ns = TakeRise(cpus_[cpu].counted_ns, file.counted_ns);
    const bool counts = LoadRelaxed(cpus_[cpu].counter_kinds) != 0;
    const uint64_t uncounted_ns = task_ns - std::min(task_ns, counted_ns);
    if (uncounted_ns > task_ns / kUncountedPart || (is_busy && !counts)) Read(cpu);
  }
}

// A failed read leaves what was known: a CPU that is offline runs nothing that would be weighed.
void FrequencyReader::Read(uint32_t cpu) {
  char text[32];
  const ssize_t size = pread(files_[cpu].fd.get(), text, sizeof(text), 0);
  if (size <= 0) return;
  const uint32_t khz = ParseKilohertz({text, static_cast<size_t>(size)});
  if (khz == 0) return;
  const uint32_t rate = uncounted_rate(models_[domain_of_[cpu]].factor_q16, khz);
  StoreRelease(cpus_[cpu].frequency_khz, __u32{khz});
  StoreRelease(cpus_[cpu].uncounted_rate_q16, __u32{rate});
}

}  // namespace wattfeed
