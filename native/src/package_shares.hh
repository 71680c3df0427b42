// SPDX-License-Identifier: Apache-2.0
// How the integral of 1 / busy CPUs of a package is taken, and the mean where it is not counted.
#ifndef WATTFEED_PACKAGE_SHARES_HH_
#define WATTFEED_PACKAGE_SHARES_HH_

#include <cstdint>
#include <span>
#include <vector>

#include "records.hh"

namespace wattfeed {

// The busy CPUs of packages up to this size are counted at each idle or busy edge. Beyond it the
// one line that all CPUs of a package write costs more than it tells; with one CPU there is nothing
// to count. Measured:
// docs/design/0003-counters-in-the-kernel.md.
inline constexpr uint32_t kCountedPackageCpus = 32;

// `packages` by possible CPU.
package_on_method ChoosePackageOn(std::span<const uint8_t> packages);

// 1 / busy CPUs, averaged over the time the package was on, from the busy time of its CPUs: as if
// they were busy independently of each other. In [1/CPUs, 1].
double MeanShare(std::span<const uint64_t> busy_ns, uint64_t window_ns);

class PackageShares {
 public:
  PackageShares() = default;
  PackageShares(std::vector<uint8_t> packages, std::span<cpu_record> cpus);

  // The share of each package's CPUs for the next window.
  void Refresh(std::span<const window_cpu> rows, uint64_t window_ns);

 private:
  std::vector<uint8_t> packages_;
  std::span<cpu_record> cpus_;
  std::vector<std::vector<uint64_t>> busy_ns_;  // by package; kept to reuse the memory
};

}  // namespace wattfeed

#endif  // WATTFEED_PACKAGE_SHARES_HH_
