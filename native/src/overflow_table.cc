// SPDX-License-Identifier: Apache-2.0
#include "overflow_table.hh"

#include <bpf/bpf.h>

namespace wattfeed {

void OverflowTable::AppendRows(std::vector<window_overflow>& rows) {
  overflow_key key{};
  overflow_key* previous = nullptr;
  overflow_key next{};
  while (bpf_map_get_next_key(map_fd_, previous, &next) == 0) {
    key = next;
    previous = &key;
    uint64_t total_ns = 0;
    if (bpf_map_lookup_elem(map_fd_, &key, &total_ns) != 0) continue;
    uint64_t& kept_ns = kept_ns_[{key.cgroup_id, key.cpu_domain}];
    if (total_ns <= kept_ns) continue;
    rows.push_back(window_overflow{.cgroup_id = key.cgroup_id,
                                   .runtime_ns = total_ns - std::exchange(kept_ns, total_ns),
                                   .cpu_domain = key.cpu_domain,
                                   .pad = 0});
  }
}

}  // namespace wattfeed
