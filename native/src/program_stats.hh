// SPDX-License-Identifier: Apache-2.0
// What the kernel says about a loaded program.
#ifndef WATTFEED_PROGRAM_STATS_HH_
#define WATTFEED_PROGRAM_STATS_HH_

#include <cstdint>
#include <string>

#include "result.hh"

namespace wattfeed {

struct ProgramStats {
  std::string name;
  uint64_t run_count = 0;  // 0 while kernel.bpf_stats is off
  uint64_t run_time_ns = 0;
  uint64_t recursion_misses = 0;
  uint32_t verified_instructions = 0;  // 0 before Linux 5.16
};

Result<ProgramStats> ReadProgramStats(int program_fd, std::string name);

}  // namespace wattfeed

#endif  // WATTFEED_PROGRAM_STATS_HH_
