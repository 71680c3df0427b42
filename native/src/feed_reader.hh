// SPDX-License-Identifier: Apache-2.0
// Looks at the feed as a scheduler does: with the readers of power_feed.h, and never writes.
#ifndef WATTFEED_FEED_READER_HH_
#define WATTFEED_FEED_READER_HH_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "feed_maps.hh"
#include "feed_rows.hh"
#include "result.hh"

namespace wattfeed {

class FeedReader {
 public:
  // ENOENT: nobody has ever published here. EPROTO: the pins are another version's.
  static Result<std::unique_ptr<FeedReader>> Open(const std::string& directory);
  ~FeedReader();
  FeedReader(const FeedReader&) = delete;
  FeedReader& operator=(const FeedReader&) = delete;

  // One generation, whole; status says whether it may be used. Only POWER_FEED_TORN leaves it
  // empty, when the writer was quicker in every attempt.
  FeedSnapshot Read() const;
  // Every task that has an entry; needs the initial pid namespace to see all.
  Result<std::vector<FeedTask>> Tasks();

 private:
  explicit FeedReader(FeedMaps maps) : maps_(std::move(maps)) {}
  Status MapAll();
  power_feed_status ReadOnce(FeedSnapshot& snapshot) const;

  struct Mapping {
    const void* memory = nullptr;
    size_t size = 0;
  };
  template <typename Entry>
  const Entry* At(const Mapping& mapping, uint32_t index) const {
    return static_cast<const Entry*>(mapping.memory) + index;
  }

  FeedMaps maps_;
  Mapping state_;
  Mapping packages_;
  Mapping cpus_;
  Mapping cgroups_;
};

}  // namespace wattfeed

#endif  // WATTFEED_FEED_READER_HH_
