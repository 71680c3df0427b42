// SPDX-License-Identifier: Apache-2.0
// Publishes one generation after the other into the feed's maps: the halves that nobody reads are
// written, then one store makes them the ones that hold.
#ifndef WATTFEED_FEED_PUBLISHER_HH_
#define WATTFEED_FEED_PUBLISHER_HH_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "feed_maps.hh"
#include "mapped_array.hh"
#include "power_feed.h"
#include "result.hh"

namespace wattfeed {

// What one generation says. Entry i of a span becomes entry i of its map; entries beyond are
// zeroed.
struct FeedGeneration {
  power_feed_state_half state{};
  std::span<const power_feed_package_half> packages;
  std::span<const power_feed_cpu_half> cpus;
  std::span<const power_feed_cgroup_half> cgroups;
};

class FeedPublisher {
 public:
  // `simulates`: entries of tasks can be set.
  static Result<std::unique_ptr<FeedPublisher>> Open(const std::string& directory, bool simulates);

  // Returns the number of the generation. EINVAL: more entries than the maps have. After another
  // error readers still see the last generation, whole.
  Result<uint64_t> Publish(const FeedGeneration& generation);
  // The feed is expired from now on; the pins stay.
  Status Withdraw();
  // Sets the entry of one thread (tid) or, with tid 0, of all threads of tgid; returns how many.
  Result<uint32_t> SetTask(uint32_t tid, uint32_t tgid, const power_feed_task& entry);

  const FeedMaps& maps() const { return maps_; }

 private:
  explicit FeedPublisher(FeedMaps maps) : maps_(std::move(maps)) {}
  Status Begin();
  Status WriteIndex(std::span<const power_feed_cgroup_half> cgroups);
  Status DropOldIds(std::span<const power_feed_cgroup_half> cgroups);
  void Flip(power_feed_state_half half);

  // What the map holds, both halves.
  template <typename Entry, typename Half>
  struct Table {
    std::vector<Entry> entries;
    uint32_t used = 0;  // of entries, that any half uses
    uint32_t last = 0;  // of entries, that the last generation used
    Status Load(int fd, size_t count, const char* name);
    Status Write(int fd, std::span<const Half> halves, unsigned which, const char* name);
  };

  FeedMaps maps_;
  MappedArray<power_feed_state> state_;
  Table<power_feed_package, power_feed_package_half> packages_;
  Table<power_feed_cpu, power_feed_cpu_half> cpus_;
  Table<power_feed_cgroup, power_feed_cgroup_half> cgroups_;
  std::vector<uint64_t> indexed_ids_;  // index -> id that cgroup_index has for it; 0 = none
  std::vector<uint32_t> waiting_;      // indices whose id found cgroup_index full
  uint64_t generation_ = 0;
};

}  // namespace wattfeed

#endif  // WATTFEED_FEED_PUBLISHER_HH_
