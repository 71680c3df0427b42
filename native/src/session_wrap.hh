// SPDX-License-Identifier: Apache-2.0
// Node-API face of a measurement: checks arguments, converts results, keeps the promises.
#ifndef WATTFEED_SESSION_WRAP_HH_
#define WATTFEED_SESSION_WRAP_HH_

#include <napi.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "delivery.hh"
#include "measurement.hh"

namespace wattfeed {

class SessionWrap final : public Napi::ObjectWrap<SessionWrap> {
 public:
  static Napi::Function Define(Napi::Env env);
  // `openSession(options)`: loads and attaches on a worker thread; a promise of a result.
  static Napi::Value Open(const Napi::CallbackInfo& info);

  // Not for JavaScript: takes the measurement that Open() has just left in the addon's state.
  explicit SessionWrap(const Napi::CallbackInfo& info);
  ~SessionWrap() override;

 private:
  class OpenWorker;
  class CloseWorker;
  static void CallJs(Napi::Env env, Napi::Function on_batch, SessionWrap* self, Delivery* delivery);
  using BatchFunction = Napi::TypedThreadSafeFunction<SessionWrap, Delivery, &SessionWrap::CallJs>;

  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value SetWakeEvery(const Napi::CallbackInfo& info);
  Napi::Value SetWindowMillis(const Napi::CallbackInfo& info);
  Napi::Value CloseWindow(const Napi::CallbackInfo& info);
  Napi::Value SetTag(const Napi::CallbackInfo& info);
  Napi::Value SetCoefficients(const Napi::CallbackInfo& info);
  Napi::Value SetCoreScales(const Napi::CallbackInfo& info);
  Napi::Value ReadCounterFaults(const Napi::CallbackInfo& info);
  Napi::Value ReadProgramStats(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  void Receive(Napi::Env env, Napi::Function on_batch, const Delivery& delivery);
  void FinishClose(Napi::Env env);
  static void OnEnvironmentExit(void* self);

  enum class State { kOpen, kClosing, kClosed };

  Napi::Env env_;
  State state_ = State::kOpen;
  std::shared_ptr<Measurement> measurement_;  // shared with a CloseWorker only
  BatchFunction batch_function_;
  bool has_batch_function_ = false;
  uint64_t next_ticket_ = 1;
  std::unordered_map<uint64_t, Napi::Promise::Deferred> waiting_for_window_;
  std::vector<Napi::Promise::Deferred> waiting_for_close_;
};

}  // namespace wattfeed

#endif  // WATTFEED_SESSION_WRAP_HH_
