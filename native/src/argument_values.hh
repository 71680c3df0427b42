// SPDX-License-Identifier: Apache-2.0
// Single values of JavaScript arguments. Each function returns nothing and leaves a TypeError or
// RangeError pending if it cannot.
#ifndef WATTFEED_ARGUMENT_VALUES_HH_
#define WATTFEED_ARGUMENT_VALUES_HH_

#include <napi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "records.hh"

namespace wattfeed {

std::nullopt_t TypeFault(Napi::Env env, const std::string& message);
std::nullopt_t RangeFault(Napi::Env env, const std::string& message);

// A property of a value that should be an object. A getter may throw; that stays pending.
std::optional<Napi::Value> Property(Napi::Value value, const char* what, const char* name);
std::optional<Napi::Array> ToArray(Napi::Value value, const char* name, uint32_t low,
                                   uint32_t high);
std::optional<int64_t> ToInteger(Napi::Value value, const char* name, int64_t low, int64_t high);
std::optional<std::string> ToText(Napi::Value value, const char* name);
// A number that is finite and not negative.
std::optional<double> ToAmount(Napi::Value value, const char* name);
std::optional<bool> ToBoolean(Napi::Value value, const char* name);
std::optional<uint64_t> ToUnsigned64(Napi::Value value, const char* name);

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

// `read` gets the property if it is there; false if it could not be taken.
template <typename Read>
bool ReadIfThere(Napi::Value value, const char* name, Read read) {
  const auto property = Property(value, "session options", name);
  return property && (property->IsUndefined() || read(*property));
}

}  // namespace wattfeed

#endif  // WATTFEED_ARGUMENT_VALUES_HH_
