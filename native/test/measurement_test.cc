// SPDX-License-Identifier: Apache-2.0
// The real kernel: sessions from load to the last window.
#include "measurement.hh"

#include <bpf/libbpf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "check.hh"
#include "clocks.hh"
#include "feature_probe.hh"

namespace wattfeed {
namespace {

SessionOptions Options(uint32_t max_tasks = 4096) {
  const auto cpus = static_cast<size_t>(libbpf_num_possible_cpus());
  return {.max_tasks = max_tasks,
          .cpu_domains = std::vector<uint8_t>(cpus, 0),
          .smt_siblings = std::vector<int16_t>(cpus, -1),
          .cgroup_hierarchy = "unified",
          .bpf_stats = false};
}

// Sums over all windows of a measurement. Written by the window thread, read after Close().
struct Totals {
  uint64_t window_count = 0;
  uint64_t task_ns = 0, slots_ns = 0, unslotted_ns = 0, overflow_ns = 0, overflow_rows_ns = 0;
  uint64_t busy_ns = 0, slice_ns = 0;
  uint64_t exits = 0, dead_rows = 0;
  uint64_t previous_end_ns = 0;
  bool is_contiguous = true, is_last_final = false;
  uint32_t slots_used = 0;

  void Add(const Delivery& delivery) {
    for (size_t at = 0; at < delivery.bytes.size();) at += AddWindow(&delivery.bytes[at]);
  }

 private:
  template <typename Record, typename Each>
  static const uint8_t* ForEach(const uint8_t* bytes, uint32_t count, Each each) {
    for (uint32_t i = 0; i < count; i++, bytes += sizeof(Record)) {
      Record record;
      std::memcpy(&record, bytes, sizeof(record));
      each(record);
    }
    return bytes;
  }

  size_t AddWindow(const uint8_t* bytes) {
    window_header header;
    std::memcpy(&header, bytes, sizeof(header));
    window_count++;
    is_contiguous &= previous_end_ns == 0 || header.start_ns == previous_end_ns;
    is_contiguous &= header.index == window_count;
    previous_end_ns = header.flush_end_ns;
    is_last_final = (header.flags & WINDOW_FINAL) != 0;
    slots_used = header.slots_used;
    const uint8_t* next = bytes + sizeof(header);
    next = ForEach<window_cpu>(next, header.cpu_count, [this](const window_cpu& cpu) {
      task_ns += cpu.task_ns;
      busy_ns += cpu.busy_ns;
      unslotted_ns += cpu.unslotted_ns;
      overflow_ns += cpu.overflow_ns;
      exits += cpu.stat[ACCT_STAT_EXITS];
    });
    next += header.source_count * sizeof(window_source);
    next = ForEach<window_overflow>(next, header.overflow_count, [this](const window_overflow& o) {
      overflow_rows_ns += o.runtime_ns;
    });
    next = ForEach<window_task>(next, header.task_count, [this](const window_task& task) {
      slots_ns += task.runtime_ns;
      slice_ns += task.slice_ns;
      dead_rows += (task.flags & WINDOW_FLAG_DEAD) != 0;
    });
    return static_cast<size_t>(next - bytes) == header.size_bytes ? header.size_bytes
                                                                  : SIZE_MAX / 2;
  }
};

void ForkMany(int count) {
  for (int i = 0; i < count; i++) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }
}

TEST_CASE(OpenAndClose, "Session: opens and closes again and again") {
  for (int i = 0; i < 3; i++) {
    auto session = Session::Open(Options());
    REQUIRE(session.ok());
    CHECK(session.value()->Stats().ok());
    CHECK(session.value()->Seed().ok());
    session.value()->Detach();
  }
}

TEST_CASE(BadOptions, "Session: says what is wrong with its options") {
  SessionOptions short_tables = Options();
  short_tables.cpu_domains.push_back(0);
  const auto wrong_length = Session::Open(short_tables);
  CHECK(!wrong_length.ok() && wrong_length.error().errno_value == EINVAL);
  SessionOptions no_controller = Options();
  no_controller.cgroup_hierarchy = "nonesuch";
  const auto missing = Session::Open(no_controller);
  CHECK(!missing.ok() && missing.error().errno_value == ENOENT);
}

TEST_CASE(Tags, "Session: tags the threads of this process and none of a missing one") {
  auto session = Session::Open(Options());
  REQUIRE(session.ok());
  const auto own = session.value()->SetTag(static_cast<uint32_t>(getpid()), 5);
  CHECK(own.ok() && own.value() >= 1);
  const auto missing = session.value()->SetTag(INT32_MAX, 5);
  CHECK(missing.ok() && missing.value() == 0);
}

TEST_CASE(Conserves, "Measurement: slots, unslotted and overflow sum to all CPU time, to the ns") {
  Totals totals;
  auto measurement = Measurement::Open(Options());
  REQUIRE(measurement.ok());
  auto& open = *measurement.value();
  REQUIRE(open.Start({}, 50 * kNsPerMsec, 1, [&](Delivery d) { totals.Add(d); }).ok());
  ForkMany(200);
  open.Close();
  open.Close();
  CHECK(totals.is_contiguous && totals.is_last_final && totals.window_count >= 2);
  CHECK(totals.task_ns > 0);
  CHECK(totals.slots_ns + totals.unslotted_ns + totals.overflow_ns == totals.task_ns);
  CHECK(totals.exits >= 200 && totals.dead_rows >= 200);
}

TEST_CASE(Overflows, "Measurement: a table too small loses no time: overflow rows hold it") {
  Totals totals;
  auto measurement = Measurement::Open(Options(256));
  REQUIRE(measurement.ok());
  auto& open = *measurement.value();
  REQUIRE(open.Start({}, 3600 * kNsPerSec, 1, [&](Delivery d) { totals.Add(d); }).ok());
  std::vector<std::thread> living;  // more than there are slots, all alive at once
  std::atomic<bool> may_end = false;
  for (int i = 0; i < 400; i++) living.emplace_back([&] { may_end.wait(false); });
  may_end = true;
  may_end.notify_all();
  for (std::thread& thread : living) thread.join();
  open.Close();
  CHECK(totals.overflow_ns > 0);
  CHECK(totals.slots_ns + totals.unslotted_ns + totals.overflow_ns == totals.task_ns);
  CHECK(totals.overflow_rows_ns == totals.overflow_ns);
}

TEST_CASE(LowWater, "Measurement: windows are closed early while a storm eats the slots") {
  Totals totals;
  auto measurement = Measurement::Open(Options(256));
  REQUIRE(measurement.ok());
  auto& open = *measurement.value();
  std::atomic<int> deliveries = 0;
  const auto count = [&](Delivery delivery) {
    totals.Add(delivery);
    deliveries++;
  };
  REQUIRE(open.Start({}, 3600 * kNsPerSec, 1, count).ok());
  // Until it happened: how many forks a second are made depends on machine and sanitizer.
  const uint64_t deadline_ns = MonotonicNs() + 60 * kNsPerSec;
  while (deliveries < 2 && MonotonicNs() < deadline_ns) ForkMany(100);
  open.Close();
  CHECK(totals.window_count > 2);  // the first at once, the last at the end: no other is due
  CHECK(totals.slots_ns + totals.unslotted_ns + totals.overflow_ns == totals.task_ns);
}

TEST_CASE(StartTwice, "Measurement: is started once, and not after its end") {
  auto measurement = Measurement::Open(Options());
  REQUIRE(measurement.ok());
  auto& open = *measurement.value();
  std::atomic<int> deliveries = 0;
  const auto count = [&](Delivery) { deliveries++; };
  CHECK(open.Start({}, 3600 * kNsPerSec, 100, count).ok());
  CHECK(open.Start({}, 3600 * kNsPerSec, 100, count).error().errno_value == EALREADY);
  open.Close();
  CHECK(deliveries == 1);
  CHECK(open.Start({}, 3600 * kNsPerSec, 100, count).error().errno_value == EBADF);
}

TEST_CASE(CloseElsewhere, "Measurement: can be closed from another thread, and abandoned") {
  std::atomic<int> deliveries = 0;
  auto measurement = Measurement::Open(Options());
  REQUIRE(measurement.ok());
  REQUIRE(measurement.value()->Start({}, 20 * kNsPerMsec, 1, [&](Delivery) { deliveries++; }).ok());
  std::thread([&] { measurement.value()->Close(); }).join();
  CHECK(deliveries >= 1);
  auto abandoned = Measurement::Open(Options());
  REQUIRE(abandoned.ok());
  REQUIRE(abandoned.value()->Start({}, 20 * kNsPerMsec, 1, [](Delivery) {}).ok());
}

TEST_CASE(Probes, "ProbeKernelFeatures: all that is needed is there where sessions open") {
  for (const KernelFeature& feature : ProbeKernelFeatures()) {
    const bool is_optional = feature.name == "cpu_times";
    if (!CHECK(feature.is_available || is_optional))
      std::fprintf(stderr, "%s: %s\n", feature.name.c_str(), feature.detail.c_str());
  }
}

}  // namespace
}  // namespace wattfeed
