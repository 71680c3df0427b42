// SPDX-License-Identifier: Apache-2.0
// Runs the window-edge programs: the flush on a CPU, and the copy of the kernel's per-CPU times.
#ifndef WATTFEED_CPU_FLUSHER_HH_
#define WATTFEED_CPU_FLUSHER_HH_

#include <cstdint>
#include <span>
#include <vector>

#include "cpu_ticks.hh"
#include "records.hh"
#include "result.hh"

namespace wattfeed {

class CpuFlusher {
 public:
  // `ticks`: where the times come from if `cpu_times_fd` is -1. Outlives this.
  CpuFlusher(int flush_fd, int cpu_times_fd, CpuTicks* ticks, std::span<cpu_record> cpus)
      : flush_fd_(flush_fd), cpu_times_fd_(cpu_times_fd), ticks_(ticks), cpus_(cpus) {}

  // CPUs that run a task other than this thread, and online ones on which nothing was seen yet.
  // Idle CPUs are not woken: they charge nothing. This thread has run for some 50 us, which the
  // next window gets: cheaper than a call into the kernel. Returns how many were flushed.
  uint32_t FlushBusy(const std::vector<bool>& online) const;
  // Every online CPU. A program that was still running on one has ended when this returns.
  uint32_t FlushAll(const std::vector<bool>& online) const;
  // Copies irq, softirq and steal of every CPU into its record.
  Status CopyCpuTimes() const;
  Status Flush(uint32_t cpu) const;

 private:
  int flush_fd_;
  int cpu_times_fd_;
  CpuTicks* ticks_;
  std::span<cpu_record> cpus_;
};

}  // namespace wattfeed

#endif  // WATTFEED_CPU_FLUSHER_HH_
