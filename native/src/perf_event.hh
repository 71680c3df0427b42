// SPDX-License-Identifier: Apache-2.0
// One perf event on one CPU, counting all tasks. Raw values only.
#ifndef WATTFEED_PERF_EVENT_HH_
#define WATTFEED_PERF_EVENT_HH_

#include <cstdint>

#include "result.hh"
#include "unique_fd.hh"

namespace wattfeed {

struct PerfEventSpec {
  uint32_t pmu_type = 0;
  uint64_t config = 0;
  int cpu = 0;
};

struct PerfValue {
  uint64_t value = 0;
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;
};

// Returns the fd or -1 with errno set. The event counts at once.
int OpenPerfEvent(const PerfEventSpec& spec);

// Returns 0 or an errno. ENODEV where the kernel says end of file: the event's CPU or device is
// gone.
int ReadPerfEvent(int fd, PerfValue& value);

struct PerfProbe {
  uint64_t first = 0;
  uint64_t last = 0;
};

// Opens, reads, waits, reads: to see whether the event counts at all.
Result<PerfProbe> ProbePerfEvent(const PerfEventSpec& spec, uint64_t wait_ns);

}  // namespace wattfeed

#endif  // WATTFEED_PERF_EVENT_HH_
