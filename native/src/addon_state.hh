// SPDX-License-Identifier: Apache-2.0
// What one environment (the main thread or a Worker) owns of the addon.
#ifndef WATTFEED_ADDON_STATE_HH_
#define WATTFEED_ADDON_STATE_HH_

#include <napi.h>

#include <memory>

#include "directory_lock.hh"
#include "feed_publisher.hh"
#include "feed_reader.hh"
#include "hint_map.hh"
#include "measurement.hh"
#include "spin_sampler.hh"

namespace wattfeed {

struct AddonState {
  Napi::FunctionReference session_constructor;
  Napi::FunctionReference feed_publisher_constructor;
  Napi::FunctionReference feed_reader_constructor;
  Napi::FunctionReference hint_map_constructor;
  DirectoryLocks locks;
  std::unique_ptr<Measurement> opened;  // on its way to the session that is being constructed
  std::unique_ptr<FeedPublisher> feed_publisher;  // the same
  std::unique_ptr<FeedReader> feed_reader;
  std::unique_ptr<HintMap> hint_map;
  Napi::FunctionReference spin_constructor;
  std::unique_ptr<SpinSampler> opened_sampler;  // likewise
};

}  // namespace wattfeed

#endif  // WATTFEED_ADDON_STATE_HH_
