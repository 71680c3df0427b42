// SPDX-License-Identifier: Apache-2.0
// Registers the addon's functions and the state of one environment; nothing else.
#include <napi.h>

#include "addon_state.hh"
#include "allocator.hh"
#include "argument_values.hh"
#include "clocks.hh"
#include "feature_probe.hh"
#include "feed_wrap.hh"
#include "layout_sizes.hh"
#include "libbpf_log.hh"
#include "peer_credentials.hh"
#include "session_wrap.hh"
#include "spin_wrap.hh"
#include "wrap_arguments.hh"
#include "wrap_results.hh"

namespace wattfeed {

namespace {

Napi::Value ProbeFeatures(const Napi::CallbackInfo& info) {
  return ToJs(info.Env(), ProbeKernelFeatures());
}

Napi::Value ProbePerf(const Napi::CallbackInfo& info) {
  constexpr int64_t kMillisHigh = 60'000;
  const auto spec = ToPerfEventSpec(info[0]);
  if (!spec) return {};
  const auto millis = ToInteger(info[1], "millis", 0, kMillisHigh);
  if (!millis) return {};
  const auto probe = ProbePerfEvent(*spec, static_cast<uint64_t>(*millis) * kNsPerMsec);
  if (!probe.ok()) return Failure(info.Env(), probe.error());
  return Success(info.Env(), ToJs(info.Env(), probe.value()));
}

Napi::Value Lock(const Napi::CallbackInfo& info) {
  const auto path = ToText(info[0], "path");
  if (!path) return {};
  return FromStatus(info.Env(), info.Env().GetInstanceData<AddonState>()->locks.Lock(*path));
}

Napi::Value PeerCredentialsOf(const Napi::CallbackInfo& info) {
  const auto fd = ToInteger(info[0], "fd", 0, INT32_MAX);
  if (!fd) return {};
  const auto peer = ReadPeerCredentials(static_cast<int>(*fd));
  if (!peer.ok()) return Failure(info.Env(), peer.error());
  return Success(info.Env(), ToJs(info.Env(), peer.value()));
}

Napi::Object LayoutSizes(Napi::Env env) {
  auto sizes = Napi::Object::New(env);
  for (const auto& [name, bytes] : kLayoutSizes) sizes.Set(name, static_cast<double>(bytes));
  return sizes;
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  TuneAllocator();
  CaptureLibbpfLog();
  auto* state = new AddonState;  // owned by the environment from here on
  env.SetInstanceData(state);
  state->session_constructor = Napi::Persistent(SessionWrap::Define(env));
  state->feed_publisher_constructor = Napi::Persistent(FeedPublisherWrap::Define(env));
  state->feed_reader_constructor = Napi::Persistent(FeedReaderWrap::Define(env));
  exports.Set("openFeedPublisher",
              Napi::Function::New(env, FeedPublisherWrap::Open, "openFeedPublisher"));
  exports.Set("openFeedReader", Napi::Function::New(env, FeedReaderWrap::Open, "openFeedReader"));
  state->hint_map_constructor = Napi::Persistent(HintMapWrap::Define(env));
  exports.Set("openHintMap", Napi::Function::New(env, HintMapWrap::Open, "openHintMap"));
  state->spin_constructor = Napi::Persistent(SpinWrap::Define(env));
  exports.Set("openSpinSampler", Napi::Function::New(env, SpinWrap::Open, "openSpinSampler"));
  exports.Set("openSession", Napi::Function::New(env, SessionWrap::Open, "openSession"));
  exports.Set("probeFeatures", Napi::Function::New(env, ProbeFeatures, "probeFeatures"));
  exports.Set("probePerf", Napi::Function::New(env, ProbePerf, "probePerf"));
  exports.Set("lockDirectory", Napi::Function::New(env, Lock, "lockDirectory"));
  exports.Set("peerCredentials", Napi::Function::New(env, PeerCredentialsOf, "peerCredentials"));
  exports.Set("layoutSizesBytes", LayoutSizes(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(wattfeed, Init)

}  // namespace wattfeed
