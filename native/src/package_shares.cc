// SPDX-License-Identifier: Apache-2.0
#include "package_shares.hh"

#include <algorithm>
#include <utility>

#include "coefficients.hh"

namespace wattfeed {

package_on_method ChoosePackageOn(std::span<const uint8_t> packages) {
  uint32_t cpus[RECORDS_PACKAGES_MAX] = {};
  for (const uint8_t package : packages) cpus[package]++;
  const uint32_t largest = *std::max_element(std::begin(cpus), std::end(cpus));
  return largest > 1 && largest <= kCountedPackageCpus ? PACKAGE_ON_COUNTED : PACKAGE_ON_MEAN;
}

double MeanShare(std::span<const uint64_t> busy_ns, uint64_t window_ns) {
  if (busy_ns.empty() || window_ns == 0) return 1;
  double idle_ratio = 1;
  double sum_ratio = 0;
  for (const uint64_t busy : busy_ns) {
    const double ratio = std::min(1.0, static_cast<double>(busy) / static_cast<double>(window_ns));
    idle_ratio *= 1 - ratio;
    sum_ratio += ratio;
  }
  const double lowest = 1 / static_cast<double>(busy_ns.size());
  return sum_ratio > 0 ? std::clamp((1 - idle_ratio) / sum_ratio, lowest, 1.0) : 1;
}

PackageShares::PackageShares(std::vector<uint8_t> packages, std::span<cpu_record> cpus)
    : packages_(std::move(packages)), cpus_(cpus), busy_ns_(RECORDS_PACKAGES_MAX) {}

void PackageShares::Refresh(std::span<const window_cpu> rows, uint64_t window_ns) {
  if (packages_.empty()) return;
  for (auto& busy : busy_ns_) busy.clear();
  for (const window_cpu& row : rows) busy_ns_[packages_[row.cpu]].push_back(row.busy_ns);
  uint32_t share_q16[RECORDS_PACKAGES_MAX];
  for (size_t package = 0; package < busy_ns_.size(); package++)
    share_q16[package] = ToQ16(MeanShare(busy_ns_[package], window_ns));
  for (const window_cpu& row : rows)
    StoreRelease(cpus_[row.cpu].on_share_q16, __u32{share_q16[packages_[row.cpu]]});
}

}  // namespace wattfeed
