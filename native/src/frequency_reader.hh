// SPDX-License-Identifier: Apache-2.0
// The frequency of CPUs that do not count cycles, read from cpufreq at a window's edge.
#ifndef WATTFEED_FREQUENCY_READER_HH_
#define WATTFEED_FREQUENCY_READER_HH_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records.hh"
#include "unique_fd.hh"

namespace wattfeed {

// kHz from the text of scaling_cur_freq; 0 where it is none ("<unknown>", empty).
uint32_t ParseKilohertz(std::string_view text);

class FrequencyReader {
 public:
  FrequencyReader() = default;
  // `paths` by possible CPU, empty = no such file. `models` by CPU domain, `domain_of` by CPU.
  FrequencyReader(const std::vector<std::string>& paths, std::span<cpu_record> cpus,
                  std::span<const domain_model> models, std::vector<uint8_t> domain_of);

  // Only CPUs that ran something since the last call and have slices without cycles: a read costs
  // 1-2 us and, on some processors, an interrupt of the CPU it asks about.
  void Refresh();

 private:
  struct Cpu {
    UniqueFd fd;
    uint64_t task_ns = 0;
    uint64_t counted_ns = 0;
  };

  void Read(uint32_t cpu);

  std::vector<Cpu> files_;
  std::span<cpu_record> cpus_;
  std::span<const domain_model> models_;
  std::vector<uint8_t> domain_of_;
};

}  // namespace wattfeed

#endif  // WATTFEED_FREQUENCY_READER_HH_
