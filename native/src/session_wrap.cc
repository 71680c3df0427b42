// SPDX-License-Identifier: Apache-2.0
#include "session_wrap.hh"

#include <cerrno>
#include <cstring>
#include <utility>

#include "addon_state.hh"
#include "argument_values.hh"
#include "wrap_arguments.hh"
#include "wrap_model_arguments.hh"
#include "wrap_results.hh"

namespace wattfeed {

namespace {

Napi::Value Resolved(Napi::Env env, Napi::Object result) {
  auto deferred = Napi::Promise::Deferred::New(env);
  deferred.Resolve(result);
  return deferred.Promise();
}

Error Closed(const char* operation) { return {operation, EBADF, "the session is closed"}; }
Error NotStarted(const char* operation) {
  return {operation, EINVAL, "the session is not started"};
}

}  // namespace

class SessionWrap::OpenWorker final : public Napi::AsyncWorker {
 public:
  OpenWorker(Napi::Env env, SessionOptions options)
      : AsyncWorker(env, "wattfeed:open"),
        deferred_(Napi::Promise::Deferred::New(env)),
        options_(std::move(options)),
        opened_(Error{}) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  void Execute() override { opened_ = Measurement::Open(std::move(options_)); }

  void OnOK() override {
    if (!opened_.ok()) return deferred_.Resolve(Failure(Env(), opened_.error()));
    auto* state = Env().GetInstanceData<AddonState>();
    state->opened = std::move(opened_.value());
    const Napi::Object session = state->session_constructor.New({});
    state->opened.reset();
    // Empty only while the environment is going down.
    if (!session.IsEmpty()) deferred_.Resolve(Success(Env(), session));
  }

 private:
  Napi::Promise::Deferred deferred_;
  SessionOptions options_;
  Result<std::unique_ptr<Measurement>> opened_;
};

class SessionWrap::CloseWorker final : public Napi::AsyncWorker {
 public:
  CloseWorker(SessionWrap* session, std::shared_ptr<Measurement> measurement)
      : AsyncWorker(session->Env(), "wattfeed:close"),
        session_(session),
        measurement_(std::move(measurement)),
        is_started_(measurement_->is_started()) {}

 protected:
  void Execute() override { measurement_->Close(); }
  // A started session ends when its last batch has been received, behind all earlier ones.
  void OnOK() override {
    if (!is_started_) session_->FinishClose(Env());
  }

 private:
  SessionWrap* session_;
  std::shared_ptr<Measurement> measurement_;
  bool is_started_;
};

Napi::Function SessionWrap::Define(Napi::Env env) {
  return DefineClass(env, "Session",
                     {InstanceMethod<&SessionWrap::Start>("start"),
                      InstanceMethod<&SessionWrap::SetWakeEvery>("setWakeEvery"),
                      InstanceMethod<&SessionWrap::SetWindowMillis>("setWindowMillis"),
                      InstanceMethod<&SessionWrap::CloseWindow>("closeWindow"),
                      InstanceMethod<&SessionWrap::SetTag>("setTag"),
                      InstanceMethod<&SessionWrap::SetCoefficients>("setCoefficients"),
                      InstanceMethod<&SessionWrap::SetCoreScales>("setCoreScales"),
                      InstanceMethod<&SessionWrap::ReadCounterFaults>("counterFaults"),
                      InstanceMethod<&SessionWrap::ReadProgramStats>("programStats"),
                      InstanceMethod<&SessionWrap::Close>("close")});
}

Napi::Value SessionWrap::Open(const Napi::CallbackInfo& info) {
  auto options = ToSessionOptions(info[0]);
  if (!options) return {};
  auto* worker = new OpenWorker(info.Env(), std::move(*options));  // deletes itself
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

SessionWrap::SessionWrap(const Napi::CallbackInfo& info)
    : ObjectWrap<SessionWrap>(info), env_(info.Env()) {
  auto* state = info.Env().GetInstanceData<AddonState>();
  if (!state->opened) {
    Napi::TypeError::New(info.Env(), "sessions are made by openSession()")
        .ThrowAsJavaScriptException();
    return;
  }
  measurement_ = std::move(state->opened);
}

SessionWrap::~SessionWrap() {
  if (has_batch_function_) OnEnvironmentExit(this);
}

Napi::Value SessionWrap::Start(const Napi::CallbackInfo& info) {
  auto options = ToWindowOptions(info[0]);
  if (!options) return {};
  if (!info[1].IsFunction()) {
    Napi::TypeError::New(info.Env(), "onBatch must be a function").ThrowAsJavaScriptException();
    return {};
  }
  if (state_ != State::kOpen) return Failure(info.Env(), Closed("start windows"));
  if (has_batch_function_)
    return Failure(info.Env(), {"start windows", EALREADY, "the session was started before"});

  // Unlimited queue: the thread itself stops making windows when too many bytes are on their way.
  batch_function_ = BatchFunction::New(info.Env(), info[1].As<Napi::Function>(), "wattfeed:batch",
                                       /*maxQueueSize=*/0, /*initialThreadCount=*/1, this);
  if (info.Env().IsExceptionPending()) return {};
  const Status started = measurement_->Start(
      std::move(options->sources), options->window_ns, options->wake_every,
      [function = batch_function_](Delivery delivery) {
        auto owned = std::make_unique<Delivery>(std::move(delivery));
        if (function.NonBlockingCall(owned.get()) == napi_ok) static_cast<void>(owned.release());
      },
      options->busy_wake_every);
  if (!started.ok()) {
    batch_function_.Release();
    return Failure(info.Env(), started.error());
  }
  has_batch_function_ = true;
  Ref();  // until closed: the thread calls back into this object
  // After the function was made: hooks run last in, first out, so the thread ends before it goes.
  napi_add_env_cleanup_hook(info.Env(), &SessionWrap::OnEnvironmentExit, this);
  return Success(info.Env());
}

Napi::Value SessionWrap::SetWakeEvery(const Napi::CallbackInfo& info) {
  const auto windows = ToWakeEvery(info[0]);
  if (!windows) return {};
  if (state_ != State::kOpen) return Failure(info.Env(), Closed("set wake every"));
  if (!has_batch_function_) return Failure(info.Env(), NotStarted("set wake every"));
  measurement_->thread().SetWakeEvery(*windows);
  return Success(info.Env());
}

Napi::Value SessionWrap::SetWindowMillis(const Napi::CallbackInfo& info) {
  const auto window_ns = ToWindowNs(info[0]);
  if (!window_ns) return {};
  if (state_ != State::kOpen) return Failure(info.Env(), Closed("set window"));
  if (!has_batch_function_) return Failure(info.Env(), NotStarted("set window"));
  measurement_->thread().SetWindowNs(*window_ns);
  return Success(info.Env());
}

Napi::Value SessionWrap::CloseWindow(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (state_ != State::kOpen) return Resolved(env, Failure(env, Closed("close window")));
  if (!has_batch_function_) return Resolved(env, Failure(env, NotStarted("close window")));
  const uint64_t ticket = next_ticket_++;
  const auto deferred = Napi::Promise::Deferred::New(env);
  waiting_for_window_.emplace(ticket, deferred);
  measurement_->thread().CloseWindow(ticket);
  return deferred.Promise();
}

Napi::Value SessionWrap::SetTag(const Napi::CallbackInfo& info) {
  const auto tgid = ToInteger(info[0], "tgid", 1, INT32_MAX);
  if (!tgid) return {};
  const auto tag = ToInteger(info[1], "tag", 0, UINT32_MAX);
  if (!tag) return {};
  if (state_ != State::kOpen) return Failure(info.Env(), Closed("set tag"));
  const auto tagged =
      measurement_->session().SetTag(static_cast<uint32_t>(*tgid), static_cast<uint32_t>(*tag));
  if (!tagged.ok()) return Failure(info.Env(), tagged.error());
  return Success(info.Env(), Napi::Number::New(info.Env(), tagged.value()));
}

Napi::Value SessionWrap::SetCoefficients(const Napi::CallbackInfo& info) {
  const auto by_domain = ToCoefficients(info[0]);
  if (!by_domain) return {};
  if (state_ != State::kOpen) return Failure(info.Env(), Closed("set coefficients"));
  measurement_->session().SetCoefficients(*by_domain);
  return Success(info.Env());
}

Napi::Value SessionWrap::SetCoreScales(const Napi::CallbackInfo& info) {
  const auto by_cpu = ToCoreScales(info[0]);
  if (!by_cpu) return {};
  if (state_ != State::kOpen) return Failure(info.Env(), Closed("set core scales"));
  measurement_->session().SetCoreScales(*by_cpu);
  return Success(info.Env());
}

Napi::Value SessionWrap::ReadCounterFaults(const Napi::CallbackInfo& info) {
  if (state_ != State::kOpen) return Failure(info.Env(), Closed("read counter faults"));
  return Success(info.Env(), ToJs(info.Env(), measurement_->session().counter_faults()));
}

Napi::Value SessionWrap::ReadProgramStats(const Napi::CallbackInfo& info) {
  if (state_ != State::kOpen) return Failure(info.Env(), Closed("read program statistics"));
  const auto stats = measurement_->session().Stats();
  if (!stats.ok()) return Failure(info.Env(), stats.error());
  return Success(info.Env(), ToJs(info.Env(), stats.value()));
}

Napi::Value SessionWrap::Close(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (state_ == State::kClosed) return Resolved(env, Success(env));
  waiting_for_close_.push_back(Napi::Promise::Deferred::New(env));
  const Napi::Promise promise = waiting_for_close_.back().Promise();
  if (state_ == State::kOpen) {
    state_ = State::kClosing;
    Ref();  // until FinishClose()
    (new CloseWorker(this, measurement_))->Queue();
  }
  return promise;
}

void SessionWrap::CallJs(Napi::Env env, Napi::Function on_batch, SessionWrap* self,
                         Delivery* delivery) {
  const std::unique_ptr<Delivery> owned(delivery);
  // Without an environment the queue is being emptied at its end: nobody is left to receive.
  if (env != nullptr && self != nullptr) self->Receive(env, on_batch, *owned);
}

void SessionWrap::Receive(Napi::Env env, Napi::Function on_batch, const Delivery& delivery) {
  if (!delivery.bytes.empty()) {
    const size_t size = delivery.bytes.size();
    Napi::ArrayBuffer memory = Napi::ArrayBuffer::New(env, size);
    if (!memory.IsEmpty()) {
      std::memcpy(memory.Data(), delivery.bytes.data(), size);
      on_batch.Call({Napi::Uint8Array::New(env, size, memory, 0)});
    }
    if (env.IsExceptionPending()) {
      // As from any other event: 'uncaughtException'. The promises below are kept all the same.
      const Napi::Error error = env.GetAndClearPendingException();
      napi_fatal_exception(env, error.Value());
    }
  }
  for (const uint64_t ticket : delivery.closed_tickets) {
    const auto waiting = waiting_for_window_.find(ticket);
    if (waiting == waiting_for_window_.end()) continue;
    waiting->second.Resolve(Success(env));
    waiting_for_window_.erase(waiting);
  }
  if (delivery.is_last) FinishClose(env);
}

void SessionWrap::FinishClose(Napi::Env env) {
  state_ = State::kClosed;
  measurement_.reset();
  if (has_batch_function_) {
    has_batch_function_ = false;
    napi_remove_env_cleanup_hook(env, &SessionWrap::OnEnvironmentExit, this);
    batch_function_.Release();
    Unref();
  }
  for (const auto& deferred : std::exchange(waiting_for_close_, {})) deferred.Resolve(Success(env));
  Unref();
}

// The environment ends with the session open, or the object goes first: stop the thread, then let
// go of the function. A running CloseWorker has been waited for by Node before hooks run.
void SessionWrap::OnEnvironmentExit(void* data) {
  auto* self = static_cast<SessionWrap*>(data);
  if (!self->has_batch_function_) return;
  self->has_batch_function_ = false;
  napi_remove_env_cleanup_hook(self->env_, &SessionWrap::OnEnvironmentExit, self);
  if (self->measurement_) self->measurement_->Abandon();
  self->batch_function_.Abort();
}

}  // namespace wattfeed
