// SPDX-License-Identifier: Apache-2.0
#include "cgroup_subsystem.hh"

#include <bpf/btf.h>

#include <memory>

namespace wattfeed {

Result<int32_t> FindCgroupSubsystem(const std::string& hierarchy) {
  constexpr int32_t kUnified = -1;
  if (hierarchy == "unified") return kUnified;
  const std::string operation = "find cgroup controller " + hierarchy;
  const std::unique_ptr<btf, decltype(&btf__free)> kernel(btf__load_vmlinux_btf(), &btf__free);
  if (!kernel) return ErrorFromErrno(operation, "the kernel's BTF cannot be read");
  const int32_t type_id = btf__find_by_name_kind(kernel.get(), "cgroup_subsys_id", BTF_KIND_ENUM);
  if (type_id < 0) return Error{operation, ENOENT, "the kernel has no enum cgroup_subsys_id"};
  // The v1 controller is called blkio in /proc/cgroups, io in the kernel.
  const std::string wanted = (hierarchy == "blkio" ? "io" : hierarchy) + "_cgrp_id";
  const btf_type* type = btf__type_by_id(kernel.get(), static_cast<__u32>(type_id));
  const struct btf_enum* member = btf_enum(type);
  for (uint32_t i = 0; i < btf_vlen(type); i++, member++) {
    if (wanted == btf__name_by_offset(kernel.get(), member->name_off)) return int32_t{member->val};
  }
  return Error{operation, ENOENT, "the kernel has no such controller; see /proc/cgroups"};
}

}  // namespace wattfeed
