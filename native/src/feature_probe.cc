// SPDX-License-Identifier: Apache-2.0
#include "feature_probe.hh"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "perf_event.hh"
#include "probe_programs.hh"
#include "result.hh"
#include "unique_fd.hh"

namespace wattfeed {

namespace {

constexpr int kCapSysAdmin = 21;  // include/uapi/linux/capability.h
constexpr int kCapPerfmon = 38;
constexpr int kCapBpf = 39;

Status ProbeCapability(int capability) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/proc/self/status", "re"), &fclose);
  if (!file) return ErrorFromErrno("open /proc/self/status");
  char line[256];
  unsigned long long effective = 0;
  while (fgets(line, sizeof(line), file.get()) != nullptr) {
    if (sscanf(line, "CapEff: %llx", &effective) == 1) break;
  }
  // CAP_SYS_ADMIN implies both, as before Linux 5.8.
  if ((effective >> capability & 1) != 0 || (effective >> kCapSysAdmin & 1) != 0) return Done{};
  return Error{"read CapEff", EPERM, "not in the effective set"};
}

// Iterators show the pid namespace of the process that opens them: from inside a container's own
// one most tasks would never be seeded.
Status ProbeInitialPidNamespace() {
  constexpr ino_t kInitialPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO of the kernel
  struct stat status {};
  if (stat("/proc/self/ns/pid", &status) != 0) return ErrorFromErrno("stat /proc/self/ns/pid");
  if (status.st_ino == kInitialPidNamespace) return Done{};
  return Error{"compare pid namespace", EXDEV, "not the host's; run with hostPID / --pid=host"};
}

Status ProbePerfEvents() {
  // PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK on the CPU this thread is on: there on any kernel.
  const UniqueFd fd(OpenPerfEvent({.pmu_type = 1, .config = 0, .cpu = sched_getcpu()}));
  if (!fd.is_open()) return ErrorFromErrno("perf_event_open");
  return Done{};
}

KernelFeature Describe(const char* name, const Status& status) {
  if (status.ok()) return {.name = name, .is_available = true, .errno_value = 0, .detail = {}};
  const Error& error = status.error();
  std::string detail = error.operation + ": " + std::strerror(error.errno_value);
  if (!error.detail.empty()) detail += "; " + error.detail;
  return {.name = name,
          .is_available = false,
          .errno_value = error.errno_value,
          .detail = std::move(detail)};
}

}  // namespace

std::vector<KernelFeature> ProbeKernelFeatures() {
  return {
      Describe("cap_bpf", ProbeCapability(kCapBpf)),
      Describe("cap_perfmon", ProbeCapability(kCapPerfmon)),
      Describe("initial_pid_namespace", ProbeInitialPidNamespace()),
      Describe("btf", ProbeBtf()),
      Describe("mmapable_array", ProbeMmapableArray()),
      Describe("tp_btf", ProbeTpBtf()),
      Describe("task_storage", ProbeTaskStorage()),
      Describe("task_iterator", ProbeTaskIterator()),
      Describe("raw_tp_test_run", ProbeRawTpTestRun()),
      Describe("bpffs", ProbeBpffs()),
      Describe("perf_events", ProbePerfEvents()),
      Describe("cpu_times", ProbeCpuTimes()),
  };
}

}  // namespace wattfeed
