// SPDX-License-Identifier: Apache-2.0
#include "wrap_arguments.hh"

#include <algorithm>
#include <bit>
#include <cmath>

#include "clocks.hh"

namespace wattfeed {

namespace {

constexpr uint32_t kMaxTasksLow = 256;
constexpr uint32_t kMaxTasksHigh = 4u << 20;  // as high as pid_max can be
constexpr double kWindowMillisLow = 20;
constexpr double kWindowMillisHigh = 3600e3;
constexpr int64_t kWakeEveryHigh = 1'000'000;
constexpr uint32_t kSourcesHigh = 4096;

std::nullopt_t TypeFault(Napi::Env env, const std::string& message) {
  Napi::TypeError::New(env, message).ThrowAsJavaScriptException();
  return std::nullopt;
}

std::nullopt_t RangeFault(Napi::Env env, const std::string& message) {
  Napi::RangeError::New(env, message).ThrowAsJavaScriptException();
  return std::nullopt;
}

// A property of a value that should be an object. A getter may throw; that stays pending.
std::optional<Napi::Value> Property(Napi::Value value, const char* what, const char* name) {
  if (!value.IsObject()) return TypeFault(value.Env(), std::string(what) + " must be an object");
  Napi::Value property = value.As<Napi::Object>().Get(name);
  if (value.Env().IsExceptionPending()) return std::nullopt;
  return property;
}

std::optional<Napi::Array> ToArray(Napi::Value value, const char* name, uint32_t low,
                                   uint32_t high) {
  if (!value.IsArray()) return TypeFault(value.Env(), std::string(name) + " must be an array");
  const auto array = value.As<Napi::Array>();
  if (array.Length() < low || array.Length() > high)
    return RangeFault(value.Env(), std::string(name) + " must have " + std::to_string(low) +
                                       " to " + std::to_string(high) + " entries, has " +
                                       std::to_string(array.Length()));
  return array;
}

template <typename Item>
std::optional<std::vector<Item>> ToIntegers(Napi::Value value, const char* name, int64_t low,
                                            int64_t high) {
  const auto array = ToArray(value, name, 1, RECORDS_CPUS_MAX);
  if (!array) return std::nullopt;
  std::vector<Item> items;
  for (uint32_t i = 0; i < array->Length(); i++) {
    const Napi::Value element = array->Get(i);
    if (value.Env().IsExceptionPending()) return std::nullopt;
    const auto item = ToInteger(element, name, low, high);
    if (!item) return std::nullopt;
    items.push_back(static_cast<Item>(*item));
  }
  return items;
}

// A number that is finite and not negative.
std::optional<double> ToAmount(Napi::Value value, const char* name) {
  if (!value.IsNumber()) return TypeFault(value.Env(), std::string(name) + " must be a number");
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!std::isfinite(number) || number < 0)
    return RangeFault(value.Env(), std::string(name) + " must be finite and not negative");
  return number;
}

// `convert(value, name)` of each element of an array of at most `high` entries.
template <typename Item, typename Convert>
std::optional<std::vector<Item>> ToItems(Napi::Value value, const char* name, uint32_t high,
                                         Convert convert) {
  const auto array = ToArray(value, name, 0, high);
  if (!array) return std::nullopt;
  std::vector<Item> items;
  for (uint32_t i = 0; i < array->Length(); i++) {
    const Napi::Value element = array->Get(i);
    if (value.Env().IsExceptionPending()) return std::nullopt;
    auto item = convert(element, name);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
  }
  return items;
}

std::optional<std::vector<double>> ToAmounts(Napi::Value value, const char* name, uint32_t high) {
  return ToItems<double>(value, name, high, ToAmount);
}

// Empty is a path that is not there.
std::optional<std::string> ToPath(Napi::Value value, const char* name) {
  if (value.IsString() && value.As<Napi::String>().Utf8Value().empty()) return std::string();
  return ToText(value, name);
}

std::optional<bool> ToBoolean(Napi::Value value, const char* name) {
  if (!value.IsBoolean()) return TypeFault(value.Env(), std::string(name) + " must be a boolean");
  return value.As<Napi::Boolean>().Value();
}

std::optional<uint64_t> ToUnsigned64(Napi::Value value, const char* name) {
  if (!value.IsBigInt()) return TypeFault(value.Env(), std::string(name) + " must be a bigint");
  bool is_lossless = false;
  const uint64_t number = value.As<Napi::BigInt>().Uint64Value(&is_lossless);
  if (!is_lossless)
    return RangeFault(value.Env(), std::string(name) + " must fit 64 bits unsigned");
  return number;
}

std::optional<CounterSpec> ToCounterSpec(Napi::Value value, const char* what) {
  const auto kind_value = Property(value, what, "kind");
  const auto name = kind_value ? ToText(*kind_value, "counter kind") : std::nullopt;
  if (!name) return std::nullopt;
  const auto* const known = std::find(std::begin(kCounterNames), std::end(kCounterNames), *name);
  if (known == std::end(kCounterNames))
    return RangeFault(value.Env(), "counter kind must be cycles, instructions, llc or vector");
  const auto type_value = Property(value, what, "pmuType");
  const auto type =
      type_value ? ToInteger(*type_value, "counter pmuType", 0, UINT32_MAX) : std::nullopt;
  if (!type) return std::nullopt;
  const auto config_value = Property(value, what, "config");
  const auto config = config_value ? ToUnsigned64(*config_value, "counter config") : std::nullopt;
  if (!config) return std::nullopt;
  return CounterSpec{.kind = static_cast<uint32_t>(known - std::begin(kCounterNames)),
                     .pmu_type = static_cast<uint32_t>(*type),
                     .config = *config};
}

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

// `read` gets the property if it is there; false if it could not be taken.
template <typename Read>
bool ReadIfThere(Napi::Value value, const char* name, Read read) {
  const auto property = Property(value, "session options", name);
  return property && (property->IsUndefined() || read(*property));
}

// One entry per CPU, as cpuDomains has.
template <typename Item>
bool TakePerCpu(std::optional<std::vector<Item>> items, const SessionOptions& options,
                Napi::Value value, const char* name, std::vector<Item>& to) {
  if (!items) return false;
  if (items->size() != options.cpu_domains.size()) {
    RangeFault(value.Env(), std::string(name) + " and cpuDomains must have the same length");
    return false;
  }
  to = std::move(*items);
  return true;
}

// The options that may be left out.
bool ToModelOptions(Napi::Value value, SessionOptions& options) {
  const auto counters_of = [](Napi::Value cpu, const char* name) {
    return ToItems<CounterSpec>(cpu, name, COUNTER_KINDS, ToCounterSpec);
  };
  const auto factors_of = [](Napi::Value domain, const char* name) {
    return ToAmounts(domain, name, RECORDS_FACTOR_STEPS);
  };
  return ReadIfThere(value, "cpuPackages",
                     [&](Napi::Value packages) {
                       return TakePerCpu(ToIntegers<uint8_t>(packages, "cpuPackages", 0,
                                                             RECORDS_PACKAGES_MAX - 1),
                                         options, packages, "cpuPackages", options.cpu_packages);
                     }) &&
         ReadIfThere(value, "counters",
                     [&](Napi::Value counters) {
                       return TakePerCpu(ToItems<std::vector<CounterSpec>>(
                                             counters, "counters", RECORDS_CPUS_MAX, counters_of),
                                         options, counters, "counters", options.counters);
                     }) &&
         ReadIfThere(value, "frequencyFiles",
                     [&](Napi::Value files) {
                       return TakePerCpu(
                           ToItems<std::string>(files, "frequencyFiles", RECORDS_CPUS_MAX, ToPath),
                           options, files, "frequencyFiles", options.frequency_files);
                     }) &&
         ReadIfThere(value, "frequencyFactors", [&](Napi::Value factors) {
           auto by_domain = ToItems<std::vector<double>>(factors, "frequencyFactors",
                                                         RECORDS_CPU_DOMAINS_MAX, factors_of);
           const bool is_good = by_domain.has_value();
           if (is_good) options.frequency_factors = std::move(*by_domain);
           return is_good;
         });
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

std::optional<int64_t> ToInteger(Napi::Value value, const char* name, int64_t low, int64_t high) {
  if (!value.IsNumber()) return TypeFault(value.Env(), std::string(name) + " must be a number");
  const double number = value.As<Napi::Number>().DoubleValue();
  // written so that NaN fails too
  if (!(number >= static_cast<double>(low) && number <= static_cast<double>(high)) ||
      number != std::floor(number))
    return RangeFault(value.Env(), std::string(name) + " must be an integer from " +
                                       std::to_string(low) + " to " + std::to_string(high));
  return static_cast<int64_t>(number);
}

std::optional<std::string> ToText(Napi::Value value, const char* name) {
  if (!value.IsString()) return TypeFault(value.Env(), std::string(name) + " must be a string");
  std::string text = value.As<Napi::String>().Utf8Value();
  if (text.empty() || text.find('\0') != std::string::npos)
    return RangeFault(value.Env(), std::string(name) + " must be non-empty and without NUL");
  return text;
}

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

std::optional<std::vector<Coefficients>> ToCoefficients(Napi::Value value) {
  const auto one = [](Napi::Value from, const char* what) -> std::optional<Coefficients> {
    Coefficients to;
    const std::pair<const char*, double*> members[] = {
        {"cycleNanojoules", &to.cycle_nj},   {"instructionNanojoules", &to.instruction_nj},
        {"vectorNanojoules", &to.vector_nj}, {"llcMissNanojoules", &to.llc_miss_nj},
        {"coreWatts", &to.core_w},           {"packageOnWatts", &to.package_on_w}};
    for (const auto& [name, member] : members) {
      const auto member_value = Property(from, what, name);
      const auto amount = member_value ? ToAmount(*member_value, name) : std::nullopt;
      if (!amount) return std::nullopt;
      *member = *amount;
    }
    return to;
  };
  return ToItems<Coefficients>(value, "coefficients", RECORDS_CPU_DOMAINS_MAX, one);
}

std::optional<std::vector<double>> ToCoreScales(Napi::Value value) {
  return ToAmounts(value, "core scales", RECORDS_CPUS_MAX);
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
  const auto sources_value = Property(value, kWhat, "sources");
  auto sources = sources_value ? ToSources(*sources_value) : std::nullopt;
  if (!sources) return std::nullopt;
  return WindowOptions{
      .window_ns = *window_ns, .wake_every = *wake_every, .sources = std::move(*sources)};
}

}  // namespace wattfeed
