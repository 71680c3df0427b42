// SPDX-License-Identifier: Apache-2.0
// Results as JavaScript sees them: {ok: true, value} or {ok: false, operation, errno, detail}.
#ifndef WATTFEED_WRAP_RESULTS_HH_
#define WATTFEED_WRAP_RESULTS_HH_

#include <napi.h>

#include <vector>

#include "counter_set.hh"
#include "feature_probe.hh"
#include "peer_credentials.hh"
#include "perf_event.hh"
#include "program_stats.hh"
#include "result.hh"

namespace wattfeed {

Napi::Object Success(Napi::Env env, Napi::Value value);
Napi::Object Success(Napi::Env env);
Napi::Object Failure(Napi::Env env, const Error& error);
Napi::Object FromStatus(Napi::Env env, const Status& status);

Napi::Value ToJs(Napi::Env env, const std::vector<ProgramStats>& programs);
Napi::Value ToJs(Napi::Env env, const std::vector<CounterFault>& faults);
Napi::Value ToJs(Napi::Env env, const std::vector<KernelFeature>& features);
Napi::Value ToJs(Napi::Env env, const PerfProbe& probe);
Napi::Value ToJs(Napi::Env env, const PeerCredentials& peer);

}  // namespace wattfeed

#endif  // WATTFEED_WRAP_RESULTS_HH_
