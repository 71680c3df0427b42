// SPDX-License-Identifier: Apache-2.0
// Runs the window-edge programs: the flush on a CPU, and the copy of the kernel's per-CPU times.
#ifndef WATTFEED_CPU_FLUSHER_HH_
#define WATTFEED_CPU_FLUSHER_HH_

#include <cstdint>
#include <span>
#include <vector>

#include "records.hh"
#include "result.hh"

namespace wattfeed {

class CpuFlusher {
 public:
  CpuFlusher(int flush_fd, int cpu_times_fd, std::span<const cpu_record> cpus)
      : flush_fd_(flush_fd), cpu_times_fd_(cpu_times_fd), cpus_(cpus) {}

  // CPUs that run a task, or on which nothing was seen yet. Idle CPUs are not woken: they charge
  // nothing. Returns how many were flushed.
  uint32_t FlushBusy(const std::vector<bool>& online) const;
  // Every online CPU. A program that was still running on one has ended when this returns.
  uint32_t FlushAll(const std::vector<bool>& online) const;
  // Copies irq, softirq and steal of every CPU into its record. Nothing to do where the kernel does
  // not give them: the records then say so themselves.
  Status CopyCpuTimes() const;
  Status Flush(uint32_t cpu) const;

 private:
  int flush_fd_;
  int cpu_times_fd_;
  std::span<const cpu_record> cpus_;
};

}  // namespace wattfeed

#endif  // WATTFEED_CPU_FLUSHER_HH_
