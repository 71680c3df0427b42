// SPDX-License-Identifier: Apache-2.0
// Checks JavaScript arguments and turns them into the core's types. Each function returns nothing
// and leaves a TypeError or RangeError pending if it cannot.
#ifndef WATTFEED_WRAP_ARGUMENTS_HH_
#define WATTFEED_WRAP_ARGUMENTS_HH_

#include <napi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "energy_reader.hh"
#include "session.hh"

namespace wattfeed {

struct WindowOptions {
  uint64_t window_ns = 0;
  uint32_t wake_every = 1;
  uint32_t busy_wake_every = UINT32_MAX;
  std::vector<EnergySourceSpec> sources;
};

std::optional<uint64_t> ToWindowNs(Napi::Value value);
std::optional<uint32_t> ToWakeEvery(Napi::Value value);
std::optional<PerfEventSpec> ToPerfEventSpec(Napi::Value value);
std::optional<SessionOptions> ToSessionOptions(Napi::Value value);
std::optional<WindowOptions> ToWindowOptions(Napi::Value value);

}  // namespace wattfeed

#endif  // WATTFEED_WRAP_ARGUMENTS_HH_
