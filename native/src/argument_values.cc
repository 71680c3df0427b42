// SPDX-License-Identifier: Apache-2.0
#include "argument_values.hh"

#include <cmath>

namespace wattfeed {

std::nullopt_t TypeFault(Napi::Env env, const std::string& message) {
  Napi::TypeError::New(env, message).ThrowAsJavaScriptException();
  return std::nullopt;
}

std::nullopt_t RangeFault(Napi::Env env, const std::string& message) {
  Napi::RangeError::New(env, message).ThrowAsJavaScriptException();
  return std::nullopt;
}

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

std::optional<double> ToAmount(Napi::Value value, const char* name) {
  if (!value.IsNumber()) return TypeFault(value.Env(), std::string(name) + " must be a number");
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!std::isfinite(number) || number < 0)
    return RangeFault(value.Env(), std::string(name) + " must be finite and not negative");
  return number;
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

}  // namespace wattfeed
