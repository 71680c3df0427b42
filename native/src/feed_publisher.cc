// SPDX-License-Identifier: Apache-2.0
#include "feed_publisher.hh"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

#include "clocks.hh"
#include "feed_request.h"
#include "libbpf_log.hh"
#include "task_iterator.hh"

enum power_feed_limit : unsigned;
#include "power_feed.skel.h"

namespace wattfeed {

template <typename Entry, typename Half>
Status FeedPublisher::Table<Entry, Half>::Load(int fd, size_t count, const char* name) {
  entries.resize(count);
  std::vector<uint32_t> keys(count);
  uint32_t batch = 0;
  uint32_t found = static_cast<uint32_t>(count);
  if (bpf_map_lookup_batch(fd, nullptr, &batch, keys.data(), entries.data(), &found, nullptr) !=
          0 &&
      errno != ENOENT)
    return ErrorFromErrno(std::string("read ") + name);
  used = static_cast<uint32_t>(count);  // the first write clears what a dead agent left
  return Done{};
}

// The half that holds is written again with the bytes it has: who reads it meanwhile sees no
// change.
template <typename Entry, typename Half>
Status FeedPublisher::Table<Entry, Half>::Write(int fd, std::span<const Half> halves,
                                                unsigned which, const char* name) {
  if (halves.size() > entries.size())
    return Error{
        std::string("publish ") + name, EINVAL,
        std::to_string(halves.size()) + " entries, the map has " + std::to_string(entries.size())};
  const auto count = static_cast<uint32_t>(halves.size());
  uint32_t touched = std::max(used, count);
  for (uint32_t at = 0; at < touched; at++)
    entries[at].half[which] = at < count ? halves[at] : Half{};
  // Both halves of what lies beyond are clear after the next generation.
  const uint32_t needed = std::max(count, last);
  last = count;
  if (touched == 0) return Done{};
  std::vector<uint32_t> keys(touched);
  std::iota(keys.begin(), keys.end(), 0u);
  if (bpf_map_update_batch(fd, keys.data(), entries.data(), &touched, nullptr) != 0)
    return ErrorFromErrno(std::string("publish ") + name);
  used = needed;
  return Done{};
}

Result<std::unique_ptr<FeedPublisher>> FeedPublisher::Open(const std::string& directory,
                                                           bool simulates) {
  auto maps = FeedMaps::Open(directory, simulates ? FeedUse::kSimulate : FeedUse::kPublish);
  if (!maps.ok()) return maps.error();
  std::unique_ptr<FeedPublisher> self(new FeedPublisher(std::move(maps.value())));
  if (Status begun = self->Begin(); !begun.ok()) return begun.error();
  return self;
}

Status FeedPublisher::Begin() {
  auto state = MappedArray<power_feed_state>::Map(maps_.fd(FeedMap::kState), 1, "state");
  if (!state.ok()) return state.error();
  state_ = std::move(state.value());
  const std::pair<Status, const char*> loads[] = {
      {packages_.Load(maps_.fd(FeedMap::kPackage), POWER_FEED_PACKAGES_MAX, "package"), "package"},
      {cpus_.Load(maps_.fd(FeedMap::kCpu), POWER_FEED_CPUS_MAX, "cpu"), "cpu"},
      {cgroups_.Load(maps_.fd(FeedMap::kCgroup), POWER_FEED_CGROUPS_MAX, "cgroup"), "cgroup"}};
  for (const auto& [loaded, name] : loads) {
    if (!loaded.ok()) return loaded;
  }
  // A dead agent's ids: not known here, so none is kept. Its generation goes on rising.
  const int index_fd = maps_.fd(FeedMap::kCgroupIndex);
  for (uint64_t id = 0; bpf_map_get_next_key(index_fd, nullptr, &id) == 0;) {
    if (bpf_map_delete_elem(index_fd, &id) != 0) return ErrorFromErrno("clear cgroup_index");
  }
  indexed_ids_.assign(POWER_FEED_CGROUPS_MAX, 0);
  power_feed_state& head = state_.span()[0];
  generation_ = head.generation;
  head.abi_major = POWER_FEED_MAJOR;
  head.abi_minor = POWER_FEED_MINOR;
  head.writer_pid = static_cast<uint32_t>(getpid());
  head.package_max = POWER_FEED_PACKAGES_MAX;
  head.cpu_max = POWER_FEED_CPUS_MAX;
  head.cgroup_max = POWER_FEED_CGROUPS_MAX;
  head.started_ns = MonotonicNs();
  std::atomic_ref(head.magic).store(POWER_FEED_MAGIC, std::memory_order_release);
  return Done{};
}

// New ids before the flip: until then their entry's old half carries another id or none.
Status FeedPublisher::WriteIndex(std::span<const power_feed_cgroup_half> cgroups) {
  const int fd = maps_.fd(FeedMap::kCgroupIndex);
  for (uint32_t index = 0; index < cgroups.size(); index++) {
    const uint64_t id = cgroups[index].cgroup_id;
    if (id == 0 || indexed_ids_[index] == id) continue;
    if (bpf_map_update_elem(fd, &id, &index, BPF_ANY) != 0) {
      if (errno != E2BIG) return ErrorFromErrno("publish cgroup_index");
      waiting_.push_back(index);  // old ids leave after the flip; then there is room
    }
  }
  return Done{};
}

// After the flip: an id that moved to another index keeps its entry, one that is gone loses it.
Status FeedPublisher::DropOldIds(std::span<const power_feed_cgroup_half> cgroups) {
  const int fd = maps_.fd(FeedMap::kCgroupIndex);
  for (uint32_t index = 0; index < indexed_ids_.size(); index++) {
    const uint64_t wanted = index < cgroups.size() ? cgroups[index].cgroup_id : 0;
    const uint64_t had = std::exchange(indexed_ids_[index], wanted);
    uint32_t at = 0;
    if (had == 0 || had == wanted || bpf_map_lookup_elem(fd, &had, &at) != 0 || at != index)
      continue;
    if (bpf_map_delete_elem(fd, &had) != 0 && errno != ENOENT)
      return ErrorFromErrno("publish cgroup_index");
  }
  for (const uint32_t index : std::exchange(waiting_, {})) {
    if (bpf_map_update_elem(fd, &indexed_ids_[index], &index, BPF_ANY) != 0)
      return ErrorFromErrno("publish cgroup_index");
  }
  return Done{};
}

// Everything of the generation is in place before the store: the system calls are full barriers,
// and the release orders the half of the state itself.
void FeedPublisher::Flip(power_feed_state_half half) {
  power_feed_state& state = state_.span()[0];
  half.generation = generation_ + 1;
  state.half[half.generation & 1] = half;
  std::atomic_ref(state.generation).store(half.generation, std::memory_order_release);
  generation_ = half.generation;
}

Result<uint64_t> FeedPublisher::Publish(const FeedGeneration& generation) {
  const unsigned which = (generation_ + 1) & 1;
  // One after another: the index is as large as the table that has just refused too many.
  Status status =
      packages_.Write(maps_.fd(FeedMap::kPackage), generation.packages, which, "package");
  if (status.ok()) status = cpus_.Write(maps_.fd(FeedMap::kCpu), generation.cpus, which, "cpu");
  if (status.ok())
    status = cgroups_.Write(maps_.fd(FeedMap::kCgroup), generation.cgroups, which, "cgroup");
  if (status.ok()) status = WriteIndex(generation.cgroups);
  if (!status.ok()) return status.error();
  Flip(generation.state);
  if (Status dropped = DropOldIds(generation.cgroups); !dropped.ok()) return dropped.error();
  return generation_;
}

Status FeedPublisher::Withdraw() {
  power_feed_state& state = state_.span()[0];
  power_feed_state_half half = state.half[generation_ & 1];
  half.published_ns = MonotonicNs();
  half.valid_until_ns = 0;
  half.flags = POWER_FEED_STATE_WITHDRAWN;
  half.cgroup_count = half.package_count = half.cpu_count = 0;
  Flip(half);
  return Done{};
}

Result<uint32_t> FeedPublisher::SetTask(uint32_t tid, uint32_t tgid, const power_feed_task& entry) {
  power_feed_bpf* skeleton = maps_.skeleton();
  if (bpf_program__fd(skeleton->progs.wf_feed_set) < 0)
    return Error{"set task", EINVAL, "the feed was not opened to simulate"};
  const LibbpfLog log;
  if (skeleton->links.wf_feed_set == nullptr) {
    skeleton->links.wf_feed_set = bpf_program__attach_iter(skeleton->progs.wf_feed_set, nullptr);
    if (skeleton->links.wf_feed_set == nullptr)
      return ErrorFromErrno("attach wf_feed_set", log.tail());
  }
  skeleton->bss->request = feed_task_request{tid, tgid, 0, 0, entry};
  if (Status run = RunTaskIterator(skeleton->links.wf_feed_set, "wf_feed_set"); !run.ok())
    return run.error();
  return skeleton->bss->request.matched;
}

}  // namespace wattfeed
