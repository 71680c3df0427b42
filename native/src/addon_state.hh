// SPDX-License-Identifier: Apache-2.0
// What one environment (the main thread or a Worker) owns of the addon.
#ifndef WATTFEED_ADDON_STATE_HH_
#define WATTFEED_ADDON_STATE_HH_

#include <napi.h>

#include "directory_lock.hh"

namespace wattfeed {

struct AddonState {
  Napi::FunctionReference session_constructor;
  DirectoryLocks locks;
};

}  // namespace wattfeed

#endif  // WATTFEED_ADDON_STATE_HH_
