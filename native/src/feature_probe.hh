// SPDX-License-Identifier: Apache-2.0
// Tries each thing that the kernel programs need, and undoes it at once.
#ifndef WATTFEED_FEATURE_PROBE_HH_
#define WATTFEED_FEATURE_PROBE_HH_

#include <string>
#include <vector>

namespace wattfeed {

struct KernelFeature {
  std::string name;
  bool is_available = false;
  int errno_value = 0;  // of the step that failed; 0 if available
  std::string detail;   // the error met, or the verifier's last line; empty if available
};

// Never asks for the kernel's version: vendors carry newer BPF under old numbers. Nothing stays
// loaded, attached or pinned.
std::vector<KernelFeature> ProbeKernelFeatures();

}  // namespace wattfeed

#endif  // WATTFEED_FEATURE_PROBE_HH_
