// SPDX-License-Identifier: Apache-2.0
#include "wrap_arguments.hh"

#include <bit>
#include <cmath>

#include "argument_values.hh"
#include "clocks.hh"
#include "wrap_model_arguments.hh"

namespace wattfeed {

namespace {

constexpr uint32_t kMaxTasksLow = 256;
constexpr uint32_t kMaxTasksHigh = 4u << 20;  // as high as pid_max can be
constexpr double kWindowMillisLow = 20;
constexpr double kWindowMillisHigh = 3600e3;
constexpr int64_t kWakeEveryHigh = 1'000'000;
constexpr uint32_t kSourcesHigh = 4096;

std::optional<EnergySourceSpec> ToSource(Napi::Value value) {
  const auto kind_value = Property(value, "a source", "kind");
  if (!kind_value) return std::nullopt;
  const auto kind = ToText(*kind_value, "source kind");
  if (!kind) return std::nullopt;
  if (*kind == "file") {
    const auto path_value = Property(value, "a source", "path");
    if (!path_value) return std::nullopt;
    auto path = ToText(*path_value, "source path");
    if (!path) return std::nullopt;
    return EnergyFileSpec{.path = std::move(*path)};
  }
  if (*kind != "perf") return RangeFault(value.Env(), "source kind must be file or perf");
  const auto spec = ToPerfEventSpec(value);
  if (!spec) return std::nullopt;
  return *spec;
}

std::optional<std::vector<EnergySourceSpec>> ToSources(Napi::Value value) {
  const auto array = ToArray(value, "sources", 0, kSourcesHigh);
  if (!array) return std::nullopt;
  std::vector<EnergySourceSpec> sources;
  for (uint32_t i = 0; i < array->Length(); i++) {
    const Napi::Value element = array->Get(i);
    if (value.Env().IsExceptionPending()) return std::nullopt;
    auto source = ToSource(element);
    if (!source) return std::nullopt;
    sources.push_back(std::move(*source));
  }
  return sources;
}

std::optional<uint32_t> ToMaxTasks(Napi::Value value) {
  const auto count = ToInteger(value, "maxTasks", kMaxTasksLow, kMaxTasksHigh);
  if (!count) return std::nullopt;
  if (!std::has_single_bit(static_cast<uint32_t>(*count)))
    return RangeFault(value.Env(), "maxTasks must be a power of two");
  return static_cast<uint32_t>(*count);
}

// `powerFeed`: {directory, dramLineNanojoules}, or nothing.
bool ToFeedOptions(Napi::Value value, SessionOptions& options) {
  const Napi::Value feed = value.As<Napi::Object>().Get("powerFeed");
  if (feed.IsUndefined()) return true;
  const auto directory_value = Property(feed, "power feed", "directory");
  auto directory = directory_value ? ToText(*directory_value, "directory") : std::nullopt;
  if (!directory) return false;
  const auto line_value = Property(feed, "power feed", "dramLineNanojoules");
  const auto line =
      line_value ? ToInteger(*line_value, "dramLineNanojoules", 0, 1000) : std::nullopt;
  if (!line) return false;
  options.power_feed_directory = std::move(*directory);
  options.dram_line_nj = static_cast<uint32_t>(*line);
  return true;
}

}  // namespace

std::optional<uint64_t> ToWindowNs(Napi::Value value) {
  if (!value.IsNumber()) return TypeFault(value.Env(), "windowMillis must be a number");
  const double millis = value.As<Napi::Number>().DoubleValue();
  if (!(millis >= kWindowMillisLow && millis <= kWindowMillisHigh))
    return RangeFault(value.Env(), "windowMillis must be from 20 to 3600000");
  return static_cast<uint64_t>(std::llround(millis * static_cast<double>(kNsPerMsec)));
}

std::optional<uint32_t> ToWakeEvery(Napi::Value value) {
  const auto windows = ToInteger(value, "wakeEvery", 1, kWakeEveryHigh);
  if (!windows) return std::nullopt;
  return static_cast<uint32_t>(*windows);
}

std::optional<PerfEventSpec> ToPerfEventSpec(Napi::Value value) {
  const auto type_value = Property(value, "a source", "pmuType");
  const auto type =
      type_value ? ToInteger(*type_value, "source pmuType", 0, UINT32_MAX) : std::nullopt;
  if (!type) return std::nullopt;
  const auto config_value = Property(value, "a source", "config");
  const auto config = config_value ? ToUnsigned64(*config_value, "source config") : std::nullopt;
  if (!config) return std::nullopt;
  const auto cpu_value = Property(value, "a source", "cpu");
  const auto cpu =
      cpu_value ? ToInteger(*cpu_value, "source cpu", 0, RECORDS_CPUS_MAX - 1) : std::nullopt;
  if (!cpu) return std::nullopt;
  return PerfEventSpec{
      .pmu_type = static_cast<uint32_t>(*type), .config = *config, .cpu = static_cast<int>(*cpu)};
}

std::optional<SessionOptions> ToSessionOptions(Napi::Value value) {
  constexpr const char* kWhat = "session options";
  SessionOptions options;
  const auto max_tasks_value = Property(value, kWhat, "maxTasks");
  const auto max_tasks = max_tasks_value ? ToMaxTasks(*max_tasks_value) : std::nullopt;
  if (!max_tasks) return std::nullopt;
  options.max_tasks = *max_tasks;

  const auto domains_value = Property(value, kWhat, "cpuDomains");
  auto domains = domains_value ? ToIntegers<uint8_t>(*domains_value, "cpuDomains", 0,
                                                     RECORDS_CPU_DOMAINS_MAX - 1)
                               : std::nullopt;
  if (!domains) return std::nullopt;
  const auto siblings_value = Property(value, kWhat, "smtSiblings");
  const auto last_cpu = static_cast<int64_t>(domains->size()) - 1;
  auto siblings = siblings_value ? ToIntegers<int16_t>(*siblings_value, "smtSiblings", -1, last_cpu)
                                 : std::nullopt;
  if (!siblings) return std::nullopt;
  if (siblings->size() != domains->size())
    return RangeFault(value.Env(), "cpuDomains and smtSiblings must have the same length");
  options.cpu_domains = std::move(*domains);
  options.smt_siblings = std::move(*siblings);

  const auto hierarchy_value = Property(value, kWhat, "cgroupHierarchy");
  auto hierarchy = hierarchy_value ? ToText(*hierarchy_value, "cgroupHierarchy") : std::nullopt;
  if (!hierarchy) return std::nullopt;
  options.cgroup_hierarchy = std::move(*hierarchy);
  const auto stats_value = Property(value, kWhat, "bpfStats");
  const auto stats = stats_value ? ToBoolean(*stats_value, "bpfStats") : std::nullopt;
  if (!stats) return std::nullopt;
  options.bpf_stats = *stats;
  if (!ToFeedOptions(value, options)) return std::nullopt;
  return ToModelOptions(value, options) ? std::optional(std::move(options)) : std::nullopt;
}

std::optional<WindowOptions> ToWindowOptions(Napi::Value value) {
  constexpr const char* kWhat = "window options";
  const auto millis_value = Property(value, kWhat, "windowMillis");
  const auto window_ns = millis_value ? ToWindowNs(*millis_value) : std::nullopt;
  if (!window_ns) return std::nullopt;
  const auto wake_value = Property(value, kWhat, "wakeEvery");
  const auto wake_every = wake_value ? ToWakeEvery(*wake_value) : std::nullopt;
  if (!wake_every) return std::nullopt;
  const auto busy_value = Property(value, kWhat, "wakeBusyEvery");
  if (!busy_value) return std::nullopt;
  const auto busy_every =
      busy_value->IsUndefined() ? std::optional(UINT32_MAX) : ToWakeEvery(*busy_value);
  if (!busy_every) return std::nullopt;
  const auto sources_value = Property(value, kWhat, "sources");
  auto sources = sources_value ? ToSources(*sources_value) : std::nullopt;
  if (!sources) return std::nullopt;
  return WindowOptions{.window_ns = *window_ns,
                       .wake_every = *wake_every,
                       .busy_wake_every = *busy_every,
                       .sources = std::move(*sources)};
}

}  // namespace wattfeed
