// SPDX-License-Identifier: Apache-2.0
#include "coefficients.hh"

#include <algorithm>
#include <cmath>

#include "slice_math.hh"

namespace wattfeed {

namespace {

// Instructions per cycle that a slice without counters is taken to have had.
constexpr double kUncountedIpc = 1.2;

uint32_t ToFixed(double value, double one) {
  const double scaled = std::round(value * one);
  if (!(scaled > 0)) return 0;  // NaN too
  return scaled >= static_cast<double>(UINT32_MAX) ? UINT32_MAX : static_cast<uint32_t>(scaled);
}

void Store(__u32& shared, uint32_t value) { __atomic_store_n(&shared, value, __ATOMIC_RELAXED); }

}  // namespace

uint32_t ToQ16(double value) { return ToFixed(value, Q16_ONE); }
uint32_t ToQ20(double value) { return ToFixed(value, Q20_ONE); }

void WriteCoefficients(const Coefficients& from, domain_model& to) {
  Store(to.cycle_q20, ToQ20(from.cycle_nj));
  Store(to.instruction_q20, ToQ20(from.instruction_nj));
  Store(to.vector_q20, ToQ20(from.vector_nj));
  Store(to.llc_miss_q20, ToQ20(from.llc_miss_nj));
  Store(to.core_q20, ToQ20(from.core_w));
  Store(to.package_on_q20, ToQ20(from.package_on_w));
  Store(to.uncounted_cycle_q20, ToQ20(from.cycle_nj + kUncountedIpc * from.instruction_nj));
}

void WriteFactors(const std::vector<double>& factors, domain_model& to) {
  for (size_t step = 0; step < RECORDS_FACTOR_STEPS; step++)
    Store(to.factor_q16[step], ToQ16(step < factors.size() ? factors[step] : 1.0));
}

}  // namespace wattfeed
