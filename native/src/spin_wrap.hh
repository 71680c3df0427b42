// SPDX-License-Identifier: Apache-2.0
// Node-API face of the spin sampler.
#ifndef WATTFEED_SPIN_WRAP_HH_
#define WATTFEED_SPIN_WRAP_HH_

#include <napi.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "spin_sampler.hh"

namespace wattfeed {

class SpinWrap final : public Napi::ObjectWrap<SpinWrap> {
 public:
  static Napi::Function Define(Napi::Env env);
  // `openSpinSampler(timespecArguments, recordCount)`: a result with the sampler.
  static Napi::Value Open(const Napi::CallbackInfo& info);

  // Not for JavaScript: takes the sampler that Open() has just left in the addon's state.
  explicit SpinWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value Begin(const Napi::CallbackInfo& info);
  Napi::Value SampleCount(const Napi::CallbackInfo& info);
  Napi::Value End(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  std::optional<int64_t> ToNumber(Napi::Value value);

  std::unique_ptr<SpinSampler> sampler_;  // empty once closed
};

}  // namespace wattfeed

#endif  // WATTFEED_SPIN_WRAP_HH_
