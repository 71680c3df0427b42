// SPDX-License-Identifier: Apache-2.0
#include "perf_event.hh"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clocks.hh"

namespace wattfeed {

int OpenPerfEvent(const PerfEventSpec& spec) {
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  attr.type = spec.pmu_type;
  attr.config = spec.config;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr pid_t kAllTasks = -1;
  constexpr int kNoGroup = -1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attr, kAllTasks, spec.cpu, kNoGroup, PERF_FLAG_FD_CLOEXEC));
}

int ReadPerfEvent(int fd, PerfValue& value) {
  uint64_t words[3] = {};  // as read_format orders them
  const ssize_t size = read(fd, words, sizeof(words));
  if (size < 0) return errno;
  if (size != sizeof(words)) return ENODEV;
  value = PerfValue{.value = words[0], .enabled_ns = words[1], .running_ns = words[2]};
  return 0;
}

Result<PerfProbe> ProbePerfEvent(const PerfEventSpec& spec, uint64_t wait_ns) {
  const UniqueFd fd(OpenPerfEvent(spec));
  if (!fd.is_open()) return ErrorFromErrno("perf_event_open");
  PerfValue first;
  PerfValue last;
  if (const int failed = ReadPerfEvent(fd.get(), first); failed != 0)
    return Error{"read perf event", failed, {}};
  timespec left{.tv_sec = static_cast<time_t>(wait_ns / kNsPerSec),
                .tv_nsec = static_cast<long>(wait_ns % kNsPerSec)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  if (const int failed = ReadPerfEvent(fd.get(), last); failed != 0)
    return Error{"read perf event", failed, {}};
  return PerfProbe{.first = first.value, .last = last.value};
}

}  // namespace wattfeed
