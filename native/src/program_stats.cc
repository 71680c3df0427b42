// SPDX-License-Identifier: Apache-2.0
#include "program_stats.hh"

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <utility>

namespace wattfeed {

Result<ProgramStats> ReadProgramStats(int program_fd, std::string name) {
  bpf_prog_info info{};
  __u32 size = sizeof(info);
  if (bpf_obj_get_info_by_fd(program_fd, &info, &size) != 0)
    return ErrorFromErrno("read statistics of " + name);
  return ProgramStats{.name = std::move(name),
                      .run_count = info.run_cnt,
                      .run_time_ns = info.run_time_ns,
                      .recursion_misses = info.recursion_misses,
                      .verified_instructions = info.verified_insns};
}

}  // namespace wattfeed
