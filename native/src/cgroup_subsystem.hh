// SPDX-License-Identifier: Apache-2.0
// Number of a cgroup controller in the running kernel.
#ifndef WATTFEED_CGROUP_SUBSYSTEM_HH_
#define WATTFEED_CGROUP_SUBSYSTEM_HH_

#include <cstdint>
#include <string>

#include "result.hh"

namespace wattfeed {

// Index of the controller in css_set.subsys, from the kernel's own BTF; -1 for "unified". The
// number depends on the kernel's configuration, so no header can hold it.
Result<int32_t> FindCgroupSubsystem(const std::string& hierarchy);

}  // namespace wattfeed

#endif  // WATTFEED_CGROUP_SUBSYSTEM_HH_
