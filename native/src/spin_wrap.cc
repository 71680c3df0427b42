// SPDX-License-Identifier: Apache-2.0
#include "spin_wrap.hh"

#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

#include "addon_state.hh"
#include "allocator.hh"
#include "argument_values.hh"
#include "wrap_results.hh"

namespace wattfeed {

namespace {

constexpr int64_t kHertzHigh = 10'000;

Error Closed(const char* operation) { return {operation, EBADF, "the sampler is closed"}; }

}  // namespace

Napi::Function SpinWrap::Define(Napi::Env env) {
  return DefineClass(
      env, "SpinSampler",
      {InstanceMethod<&SpinWrap::Begin>("begin"),
       InstanceMethod<&SpinWrap::SampleCount>("sampleCount"), InstanceMethod<&SpinWrap::End>("end"),
       InstanceMethod<&SpinWrap::Close>("close")});
}

Napi::Value SpinWrap::Open(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsTypedArray()) {
    Napi::TypeError::New(env, "timespecArguments: a Uint8Array is needed")
        .ThrowAsJavaScriptException();
    return {};
  }
  const auto arguments = info[0].As<Napi::Uint8Array>();
  const auto records = ToInteger(info[1], "recordCount", 1, SPIN_RECORDS_MAX);
  if (!records) return {};
  auto opened = SpinSampler::Open({arguments.Data(), arguments.ByteLength()},
                                  static_cast<uint32_t>(*records));
  if (!opened.ok()) return Failure(env, opened.error());
  auto* state = env.GetInstanceData<AddonState>();
  state->opened_sampler = std::move(opened.value());
  const Napi::Object sampler = state->spin_constructor.New({});
  state->opened_sampler.reset();
  return sampler.IsEmpty() ? Napi::Value() : Success(env, sampler);
}

SpinWrap::SpinWrap(const Napi::CallbackInfo& info)
    : ObjectWrap(info),
      sampler_(std::move(info.Env().GetInstanceData<AddonState>()->opened_sampler)) {}

std::optional<int64_t> SpinWrap::ToNumber(Napi::Value value) {
  int64_t count = SPIN_RECORDS_MAX;
  if (sampler_) count = sampler_->record_count();
  return ToInteger(value, "number", 0, count - 1);
}

Napi::Value SpinWrap::Begin(const Napi::CallbackInfo& info) {
  const auto number = ToNumber(info[0]);
  if (!number) return {};
  const auto tid = ToInteger(info[1], "tid", 1, INT32_MAX);
  if (!tid) return {};
  const auto hertz = ToInteger(info[2], "hertz", 1, kHertzHigh);
  if (!hertz) return {};
  if (!sampler_) return Failure(info.Env(), Closed("begin sampling"));
  return FromStatus(info.Env(),
                    sampler_->Begin(static_cast<uint32_t>(*number), static_cast<int32_t>(*tid),
                                    static_cast<uint32_t>(*hertz)));
}

Napi::Value SpinWrap::SampleCount(const Napi::CallbackInfo& info) {
  const auto number = ToNumber(info[0]);
  if (!number) return {};
  if (!sampler_) return Failure(info.Env(), Closed("count samples"));
  const uint32_t count = sampler_->SampleCount(static_cast<uint32_t>(*number));
  return Success(info.Env(), Napi::Number::New(info.Env(), count));
}

// Ends the sampling and hands over a copy of the record's bytes.
Napi::Value SpinWrap::End(const Napi::CallbackInfo& info) {
  const auto number = ToNumber(info[0]);
  if (!number) return {};
  if (!sampler_) return Failure(info.Env(), Closed("end sampling"));
  const auto at = static_cast<uint32_t>(*number);
  sampler_->End(at);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&sampler_->record(at));
  return Success(info.Env(), Napi::Buffer<uint8_t>::Copy(info.Env(), bytes, sizeof(spin_record)));
}

Napi::Value SpinWrap::Close(const Napi::CallbackInfo& info) {
  sampler_.reset();
  // Loading parsed types, and deciding on the looks before this one left blocks of every size in
  // the arenas of V8's threads: 10 MiB.
  ReturnFreedMemory();
  return Success(info.Env());
}

}  // namespace wattfeed
