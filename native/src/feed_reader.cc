// SPDX-License-Identifier: Apache-2.0
#include "feed_reader.hh"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "clocks.hh"
#include "libbpf_log.hh"
#include "unique_fd.hh"

enum power_feed_limit : unsigned;
#include "power_feed.skel.h"

namespace wattfeed {

namespace {

// A saturated writer flips every few microseconds; an agent once per window.
constexpr int kAttempts = 1000;

// Rows of the iterator's output; one read may end within a row.
Result<std::vector<feed_task_row>> ReadRows(int iterator_fd) {
  std::vector<feed_task_row> rows;
  std::vector<char> bytes;
  char buffer[sizeof(feed_task_row) * 16];
  for (;;) {
    const ssize_t size = read(iterator_fd, buffer, sizeof(buffer));
    if (size == 0) break;
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) return ErrorFromErrno("read tasks of the feed");
    bytes.insert(bytes.end(), buffer, buffer + size);
  }
  rows.resize(bytes.size() / sizeof(feed_task_row));
  std::memcpy(rows.data(), bytes.data(), rows.size() * sizeof(feed_task_row));
  return rows;
}

}  // namespace

Result<std::unique_ptr<FeedReader>> FeedReader::Open(const std::string& directory) {
  auto maps = FeedMaps::Open(directory, FeedUse::kLook);
  if (!maps.ok()) return maps.error();
  std::unique_ptr<FeedReader> self(new FeedReader(std::move(maps.value())));
  if (Status mapped = self->MapAll(); !mapped.ok()) return mapped.error();
  return self;
}

FeedReader::~FeedReader() {
  for (const Mapping& mapping : {state_, packages_, cpus_, cgroups_}) {
    if (mapping.memory != nullptr) munmap(const_cast<void*>(mapping.memory), mapping.size);
  }
}

Status FeedReader::MapAll() {
  const auto map = [this](Mapping& mapping, FeedMap which, size_t size) -> Status {
    void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, maps_.fd(which), 0);
    if (memory == MAP_FAILED) return ErrorFromErrno("map the power feed");
    mapping = {memory, size};
    return Done{};
  };
  const std::tuple<Mapping*, FeedMap, size_t> all[] = {
      {&state_, FeedMap::kState, sizeof(power_feed_state)},
      {&packages_, FeedMap::kPackage, POWER_FEED_PACKAGES_MAX * sizeof(power_feed_package)},
      {&cpus_, FeedMap::kCpu, POWER_FEED_CPUS_MAX * sizeof(power_feed_cpu)},
      {&cgroups_, FeedMap::kCgroup, POWER_FEED_CGROUPS_MAX * sizeof(power_feed_cgroup)}};
  for (const auto& [mapping, which, size] : all) {
    if (Status mapped = map(*mapping, which, size); !mapped.ok()) return mapped;
  }
  return Done{};
}

// An expired feed is shown too: what it said last, and that it no longer holds.
power_feed_status FeedReader::ReadOnce(FeedSnapshot& snapshot) const {
  const auto* state = At<power_feed_state>(state_, 0);
  power_feed_view view{};
  const power_feed_status status = power_feed_open(state, snapshot.now_ns, &view);
  if (status != POWER_FEED_OK && status != POWER_FEED_EXPIRED) return status;
  snapshot.state = *state;
  const power_feed_state_half& half = snapshot.state.half[view.generation & 1];
  snapshot.packages.resize(std::min<__u32>(half.package_count, POWER_FEED_PACKAGES_MAX));
  snapshot.cpus.resize(std::min<__u32>(half.cpu_count, POWER_FEED_CPUS_MAX));
  snapshot.cgroups.resize(std::min<__u32>(half.cgroup_count, POWER_FEED_CGROUPS_MAX));
  for (__u32 at = 0; at < snapshot.packages.size(); at++)
    power_feed_read_package(state, &view, At<power_feed_package>(packages_, at),
                            &snapshot.packages[at]);
  for (__u32 at = 0; at < snapshot.cpus.size(); at++)
    power_feed_read_cpu(state, &view, At<power_feed_cpu>(cpus_, at), &snapshot.cpus[at]);
  for (__u32 at = 0; at < snapshot.cgroups.size(); at++)
    power_feed_read_cgroup(state, &view, At<power_feed_cgroup>(cgroups_, at), 0,
                           &snapshot.cgroups[at]);
  const power_feed_status confirmed = power_feed_confirm(state, &view);
  return confirmed == POWER_FEED_OK ? status : confirmed;
}

FeedSnapshot FeedReader::Read() const {
  for (int attempt = 0; attempt < kAttempts; attempt++) {
    FeedSnapshot snapshot;
    snapshot.now_ns = MonotonicNs();
    snapshot.status = ReadOnce(snapshot);
    if (snapshot.status != POWER_FEED_TORN) return snapshot;
  }
  FeedSnapshot torn;
  torn.status = POWER_FEED_TORN;
  torn.now_ns = MonotonicNs();
  return torn;
}

Result<std::vector<FeedTask>> FeedReader::Tasks() {
  power_feed_bpf* skeleton = maps_.skeleton();
  const LibbpfLog log;
  if (skeleton->links.wf_feed_show == nullptr) {
    skeleton->links.wf_feed_show = bpf_program__attach_iter(skeleton->progs.wf_feed_show, nullptr);
    if (skeleton->links.wf_feed_show == nullptr)
      return ErrorFromErrno("attach wf_feed_show", log.tail());
  }
  const UniqueFd fd(bpf_iter_create(bpf_link__fd(skeleton->links.wf_feed_show)));
  if (!fd.is_open()) return ErrorFromErrno("create iterator wf_feed_show");
  auto rows = ReadRows(fd.get());
  if (!rows.ok()) return rows.error();
  const FeedSnapshot snapshot = Read();
  power_feed_view view{};
  view.now_ns = MonotonicNs();
  view.flags = snapshot.state.half[snapshot.state.generation & 1].flags;
  std::vector<FeedTask> tasks;
  tasks.reserve(rows.value().size());
  for (const feed_task_row& row : rows.value()) {
    FeedTask task;
    task.row = row;
    task.status = power_feed_read_task(&view, &row.entry, 1, &task.view);
    tasks.push_back(task);
  }
  return tasks;
}

}  // namespace wattfeed
