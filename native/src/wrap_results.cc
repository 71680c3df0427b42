// SPDX-License-Identifier: Apache-2.0
#include "wrap_results.hh"

namespace wattfeed {

Napi::Object Success(Napi::Env env, Napi::Value value) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("ok", Napi::Boolean::New(env, true));
  result.Set("value", value);
  return result;
}

Napi::Object Success(Napi::Env env) { return Success(env, env.Undefined()); }

Napi::Object Failure(Napi::Env env, const Error& error) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("ok", Napi::Boolean::New(env, false));
  result.Set("operation", Napi::String::New(env, error.operation));
  result.Set("errno", Napi::Number::New(env, error.errno_value));
  result.Set("detail", Napi::String::New(env, error.detail));
  return result;
}

Napi::Object FromStatus(Napi::Env env, const Status& status) {
  return status.ok() ? Success(env) : Failure(env, status.error());
}

Napi::Value ToJs(Napi::Env env, const std::vector<ProgramStats>& programs) {
  Napi::Array array = Napi::Array::New(env, programs.size());
  for (uint32_t i = 0; i < programs.size(); i++) {
    Napi::Object program = Napi::Object::New(env);
    program.Set("name", Napi::String::New(env, programs[i].name));
    program.Set("runCount", Napi::BigInt::New(env, programs[i].run_count));
    program.Set("runTimeNanos", Napi::BigInt::New(env, programs[i].run_time_ns));
    program.Set("recursionMisses", Napi::BigInt::New(env, programs[i].recursion_misses));
    program.Set("verifiedInstructions", Napi::Number::New(env, programs[i].verified_instructions));
    array.Set(i, program);
  }
  return array;
}

Napi::Value ToJs(Napi::Env env, const std::vector<CounterFault>& faults) {
  Napi::Array array = Napi::Array::New(env, faults.size());
  for (uint32_t i = 0; i < faults.size(); i++) {
    Napi::Object fault = Napi::Object::New(env);
    fault.Set("cpu", Napi::Number::New(env, faults[i].cpu));
    fault.Set("kind", Napi::String::New(env, kCounterNames[faults[i].kind]));
    fault.Set("errno", Napi::Number::New(env, faults[i].errno_value));
    array.Set(i, fault);
  }
  return array;
}

Napi::Value ToJs(Napi::Env env, const std::vector<KernelFeature>& features) {
  Napi::Array array = Napi::Array::New(env, features.size());
  for (uint32_t i = 0; i < features.size(); i++) {
    Napi::Object feature = Napi::Object::New(env);
    feature.Set("name", Napi::String::New(env, features[i].name));
    feature.Set("isAvailable", Napi::Boolean::New(env, features[i].is_available));
    feature.Set("errno", Napi::Number::New(env, features[i].errno_value));
    feature.Set("detail", Napi::String::New(env, features[i].detail));
    array.Set(i, feature);
  }
  return array;
}

Napi::Value ToJs(Napi::Env env, const PerfProbe& probe) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("first", Napi::BigInt::New(env, probe.first));
  object.Set("last", Napi::BigInt::New(env, probe.last));
  return object;
}

Napi::Value ToJs(Napi::Env env, const PeerCredentials& peer) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("pid", Napi::Number::New(env, peer.pid));
  object.Set("uid", Napi::Number::New(env, peer.uid));
  object.Set("gid", Napi::Number::New(env, peer.gid));
  return object;
}

}  // namespace wattfeed
