// SPDX-License-Identifier: Apache-2.0
// The energy model's numbers as the kernel programs take them: fixed point.
#ifndef WATTFEED_COEFFICIENTS_HH_
#define WATTFEED_COEFFICIENTS_HH_

#include <cstdint>
#include <vector>

#include "records.hh"

namespace wattfeed {

// nJ per event and W; finite, not negative.
struct Coefficients {
  double cycle_nj = 0;
  double instruction_nj = 0;
  double vector_nj = 0;
  double llc_miss_nj = 0;
  double core_w = 0;
  double package_on_w = 0;
};

// Nearest; beyond the range its end.
uint32_t ToQ16(double value);
uint32_t ToQ20(double value);

// Single 32-bit stores: the programs may be reading.
void WriteCoefficients(const Coefficients& from, domain_model& to);
// phi(f) by step; an empty table, and what a short one lacks, is 1.
void WriteFactors(const std::vector<double>& factors, domain_model& to);

}  // namespace wattfeed

#endif  // WATTFEED_COEFFICIENTS_HH_
