// SPDX-License-Identifier: Apache-2.0
// Arguments of the energy model: counters, packages, frequencies, coefficients.
#ifndef WATTFEED_WRAP_MODEL_ARGUMENTS_HH_
#define WATTFEED_WRAP_MODEL_ARGUMENTS_HH_

#include <napi.h>

#include <optional>
#include <vector>

#include "session.hh"

namespace wattfeed {

// The options that may be left out; false if one could not be taken.
bool ToModelOptions(Napi::Value value, SessionOptions& options);
std::optional<std::vector<Coefficients>> ToCoefficients(Napi::Value value);
std::optional<std::vector<double>> ToCoreScales(Napi::Value value);

}  // namespace wattfeed

#endif  // WATTFEED_WRAP_MODEL_ARGUMENTS_HH_
