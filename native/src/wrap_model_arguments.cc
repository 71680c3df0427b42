// SPDX-License-Identifier: Apache-2.0
#include "wrap_model_arguments.hh"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "argument_values.hh"

namespace wattfeed {

namespace {

std::optional<std::vector<double>> ToAmounts(Napi::Value value, const char* name, uint32_t high) {
  return ToItems<double>(value, name, high, ToAmount);
}

// Empty is a path that is not there.
std::optional<std::string> ToPath(Napi::Value value, const char* name) {
  if (value.IsString() && value.As<Napi::String>().Utf8Value().empty()) return std::string();
  return ToText(value, name);
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

}  // namespace

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

}  // namespace wattfeed
