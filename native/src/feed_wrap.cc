// SPDX-License-Identifier: Apache-2.0
#include "feed_wrap.hh"

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "addon_state.hh"
#include "argument_values.hh"
#include "wrap_arguments.hh"
#include "wrap_results.hh"

namespace wattfeed {

namespace {

Error Closed(const char* operation) { return {operation, EBADF, "the feed is closed"}; }

// A Uint8Array of whole records, copied so that alignment does not matter.
template <typename Record>
std::optional<std::vector<Record>> ToRecords(Napi::Value value, const char* name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
    Napi::TypeError::New(value.Env(), std::string(name) + " must be a Uint8Array")
        .ThrowAsJavaScriptException();
    return {};
  }
  const auto bytes = value.As<Napi::Uint8Array>();
  if (bytes.ByteLength() % sizeof(Record) != 0) {
    Napi::RangeError::New(value.Env(), std::string(name) + " must be whole records of " +
                                           std::to_string(sizeof(Record)) + " bytes")
        .ThrowAsJavaScriptException();
    return {};
  }
  std::vector<Record> records(bytes.ByteLength() / sizeof(Record));
  if (!records.empty()) std::memcpy(records.data(), bytes.Data(), bytes.ByteLength());
  return records;
}

template <typename Record>
std::optional<Record> ToRecord(Napi::Value value, const char* name) {
  auto records = ToRecords<Record>(value, name);
  if (!records) return {};
  if (records->size() == 1) return (*records)[0];
  Napi::RangeError::New(value.Env(), std::string(name) + " must be one record")
      .ThrowAsJavaScriptException();
  return {};
}

template <typename Record>
Napi::Value ToBytes(Napi::Env env, std::span<const Record> records) {
  Napi::Uint8Array bytes = Napi::Uint8Array::New(env, records.size_bytes());
  if (!records.empty()) std::memcpy(bytes.Data(), records.data(), records.size_bytes());
  return bytes;
}

Napi::Value ToJs(Napi::Env env, const std::vector<std::string>& texts) {
  Napi::Array array = Napi::Array::New(env, texts.size());
  for (uint32_t at = 0; at < texts.size(); at++) array.Set(at, Napi::String::New(env, texts[at]));
  return array;
}

Napi::Value ToJs(Napi::Env env, const FeedSnapshot& snapshot) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("status", Napi::Number::New(env, snapshot.status));
  object.Set("nowNanos", Napi::BigInt::New(env, uint64_t{snapshot.now_ns}));
  object.Set("state", ToBytes(env, std::span(&snapshot.state, 1)));
  object.Set("packages", ToBytes(env, std::span(snapshot.packages)));
  object.Set("cpus", ToBytes(env, std::span(snapshot.cpus)));
  object.Set("cgroups", ToBytes(env, std::span(snapshot.cgroups)));
  return object;
}

Napi::Value ToJs(Napi::Env env, const FeedTask& task) {
  const auto number = [env](auto value) { return Napi::Number::New(env, value); };
  Napi::Object object = Napi::Object::New(env);
  object.Set("status", number(task.status));
  object.Set("tid", number(task.row.tid));
  object.Set("tgid", number(task.row.tgid));
  object.Set("cgroupId", Napi::BigInt::New(env, uint64_t{task.row.cgroup_id}));
  object.Set("comm", ToBytes(env, std::span<const char>(task.row.comm)));
  object.Set("flags", number(task.view.flags));
  object.Set("ageNanos", number(static_cast<double>(task.view.age_ns)));
  object.Set("energyNanojoules", number(static_cast<double>(task.view.energy_nj)));
  object.Set("runNanos", number(static_cast<double>(task.view.run_ns)));
  object.Set("runMicrowatts", number(task.view.run_power_uw));
  object.Set("fastMicrowatts", number(task.view.power_fast_uw));
  object.Set("slowMicrowatts", number(task.view.power_slow_uw));
  object.Set("dramMicrowatts", number(task.view.dram_power_uw));
  object.Set("queueWaitNanos", number(task.view.queue_wait_ns));
  object.Set("classId", number(task.view.class_id));
  object.Set("spinPermille", number(task.view.spin_permille));
  object.Set("frequencySensitivityPermille", number(task.view.frequency_sensitivity_permille));
  object.Set("smtPenaltyPermille", number(task.view.smt_penalty_permille));
  object.Set("energyPerInstructionPicojoules", number(task.row.entry.energy_per_instruction_pj));
  return object;
}

std::optional<std::vector<int32_t>> ToTids(Napi::Value value) {
  if (!value.IsArray()) {
    Napi::TypeError::New(value.Env(), "tids must be an array").ThrowAsJavaScriptException();
    return {};
  }
  const auto array = value.As<Napi::Array>();
  std::vector<int32_t> tids;
  for (uint32_t at = 0; at < array.Length(); at++) {
    const auto tid = ToInteger(array.Get(at), "tid", 1, INT32_MAX);
    if (!tid) return {};
    tids.push_back(static_cast<int32_t>(*tid));
  }
  return tids;
}

}  // namespace

Napi::Function FeedPublisherWrap::Define(Napi::Env env) {
  return DefineClass(env, "FeedPublisher",
                     {InstanceMethod<&FeedPublisherWrap::Publish>("publish"),
                      InstanceMethod<&FeedPublisherWrap::Withdraw>("withdraw"),
                      InstanceMethod<&FeedPublisherWrap::SetTask>("setTask"),
                      InstanceMethod<&FeedPublisherWrap::Close>("close")});
}

Napi::Value FeedPublisherWrap::Open(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto directory = ToText(info[0], "directory");
  if (!directory) return {};
  auto opened = FeedPublisher::Open(*directory, info[1].ToBoolean());
  if (!opened.ok()) return Failure(env, opened.error());
  auto* state = env.GetInstanceData<AddonState>();
  const FeedMaps& maps = opened.value()->maps();
  Napi::Object result = Napi::Object::New(env);
  result.Set("adopted", ToJs(env, maps.adopted()));
  result.Set("replaced", ToJs(env, maps.replaced()));
  state->feed_publisher = std::move(opened.value());
  const Napi::Object publisher = state->feed_publisher_constructor.New({});
  state->feed_publisher.reset();
  if (publisher.IsEmpty()) return {};
  result.Set("publisher", publisher);
  return Success(env, result);
}

FeedPublisherWrap::FeedPublisherWrap(const Napi::CallbackInfo& info)
    : ObjectWrap<FeedPublisherWrap>(info),
      publisher_(std::move(info.Env().GetInstanceData<AddonState>()->feed_publisher)) {
  if (!publisher_)
    Napi::TypeError::New(info.Env(), "use openFeedPublisher()").ThrowAsJavaScriptException();
}

Napi::Value FeedPublisherWrap::Publish(const Napi::CallbackInfo& info) {
  const auto state = ToRecord<power_feed_state_half>(info[0], "state");
  if (!state) return {};
  const auto packages = ToRecords<power_feed_package_half>(info[1], "packages");
  if (!packages) return {};
  const auto cpus = ToRecords<power_feed_cpu_half>(info[2], "cpus");
  if (!cpus) return {};
  const auto cgroups = ToRecords<power_feed_cgroup_half>(info[3], "cgroups");
  if (!cgroups) return {};
  if (!publisher_) return Failure(info.Env(), Closed("publish power feed"));
  auto published = publisher_->Publish(
      {.state = *state, .packages = *packages, .cpus = *cpus, .cgroups = *cgroups});
  if (!published.ok()) return Failure(info.Env(), published.error());
  return Success(info.Env(), Napi::BigInt::New(info.Env(), published.value()));
}

Napi::Value FeedPublisherWrap::Withdraw(const Napi::CallbackInfo& info) {
  if (!publisher_) return Failure(info.Env(), Closed("withdraw power feed"));
  return FromStatus(info.Env(), publisher_->Withdraw());
}

Napi::Value FeedPublisherWrap::SetTask(const Napi::CallbackInfo& info) {
  const auto tid = ToInteger(info[0], "tid", 0, INT32_MAX);
  if (!tid) return {};
  const auto tgid = ToInteger(info[1], "tgid", 0, INT32_MAX);
  if (!tgid) return {};
  const auto entry = ToRecord<power_feed_task>(info[2], "entry");
  if (!entry) return {};
  if (!publisher_) return Failure(info.Env(), Closed("set task"));
  const auto matched =
      publisher_->SetTask(static_cast<uint32_t>(*tid), static_cast<uint32_t>(*tgid), *entry);
  if (!matched.ok()) return Failure(info.Env(), matched.error());
  return Success(info.Env(), Napi::Number::New(info.Env(), matched.value()));
}

Napi::Value FeedPublisherWrap::Close(const Napi::CallbackInfo& info) {
  publisher_.reset();
  return Success(info.Env());
}

Napi::Function FeedReaderWrap::Define(Napi::Env env) {
  return DefineClass(env, "FeedReader",
                     {InstanceMethod<&FeedReaderWrap::Read>("read"),
                      InstanceMethod<&FeedReaderWrap::Tasks>("tasks"),
                      InstanceMethod<&FeedReaderWrap::Close>("close")});
}

Napi::Value FeedReaderWrap::Open(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto directory = ToText(info[0], "directory");
  if (!directory) return {};
  auto opened = FeedReader::Open(*directory);
  if (!opened.ok()) return Failure(env, opened.error());
  auto* state = env.GetInstanceData<AddonState>();
  state->feed_reader = std::move(opened.value());
  const Napi::Object reader = state->feed_reader_constructor.New({});
  state->feed_reader.reset();
  if (reader.IsEmpty()) return {};
  return Success(env, reader);
}

FeedReaderWrap::FeedReaderWrap(const Napi::CallbackInfo& info)
    : ObjectWrap<FeedReaderWrap>(info),
      reader_(std::move(info.Env().GetInstanceData<AddonState>()->feed_reader)) {
  if (!reader_)
    Napi::TypeError::New(info.Env(), "use openFeedReader()").ThrowAsJavaScriptException();
}

Napi::Value FeedReaderWrap::Read(const Napi::CallbackInfo& info) {
  if (!reader_) return Failure(info.Env(), Closed("read power feed"));
  return Success(info.Env(), ToJs(info.Env(), reader_->Read()));
}

Napi::Value FeedReaderWrap::Tasks(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!reader_) return Failure(env, Closed("read tasks of the feed"));
  const auto tasks = reader_->Tasks();
  if (!tasks.ok()) return Failure(env, tasks.error());
  Napi::Array array = Napi::Array::New(env, tasks.value().size());
  for (uint32_t at = 0; at < tasks.value().size(); at++)
    array.Set(at, ToJs(env, tasks.value()[at]));
  return Success(env, array);
}

Napi::Value FeedReaderWrap::Close(const Napi::CallbackInfo& info) {
  reader_.reset();
  return Success(info.Env());
}

Napi::Function HintMapWrap::Define(Napi::Env env) {
  return DefineClass(
      env, "HintMap",
      {InstanceMethod<&HintMapWrap::Set>("set"), InstanceMethod<&HintMapWrap::Clear>("clear"),
       InstanceMethod<&HintMapWrap::Close>("close")});
}

Napi::Value HintMapWrap::Open(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto path = ToText(info[0], "path");
  if (!path) return {};
  auto opened = HintMap::Open(*path);
  if (!opened.ok()) return Failure(env, opened.error());
  auto* state = env.GetInstanceData<AddonState>();
  state->hint_map = std::make_unique<HintMap>(std::move(opened.value()));
  const Napi::Object map = state->hint_map_constructor.New({});
  state->hint_map.reset();
  if (map.IsEmpty()) return {};
  return Success(env, map);
}

HintMapWrap::HintMapWrap(const Napi::CallbackInfo& info)
    : ObjectWrap<HintMapWrap>(info),
      map_(std::move(info.Env().GetInstanceData<AddonState>()->hint_map)) {
  if (!map_) Napi::TypeError::New(info.Env(), "use openHintMap()").ThrowAsJavaScriptException();
}

Napi::Value HintMapWrap::Set(const Napi::CallbackInfo& info) {
  const auto tids = ToTids(info[0]);
  if (!tids) return {};
  const auto hint = ToInteger(info[1], "hint", 0, 1024);
  if (!hint) return {};
  if (!map_) return Failure(info.Env(), Closed("write hints"));
  const auto written = map_->Set(*tids, static_cast<uint64_t>(*hint));
  if (!written.ok()) return Failure(info.Env(), written.error());
  return Success(info.Env(), Napi::Number::New(info.Env(), written.value()));
}

Napi::Value HintMapWrap::Clear(const Napi::CallbackInfo& info) {
  const auto tids = ToTids(info[0]);
  if (!tids) return {};
  if (!map_) return Failure(info.Env(), Closed("clear hints"));
  const auto cleared = map_->Clear(*tids);
  if (!cleared.ok()) return Failure(info.Env(), cleared.error());
  return Success(info.Env(), Napi::Number::New(info.Env(), cleared.value()));
}

Napi::Value HintMapWrap::Close(const Napi::CallbackInfo& info) {
  map_.reset();
  return Success(info.Env());
}

}  // namespace wattfeed
