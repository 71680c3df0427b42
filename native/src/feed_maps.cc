// SPDX-License-Identifier: Apache-2.0
#include "feed_maps.hh"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "libbpf_log.hh"
#include "power_feed.h"
#include "unique_fd.hh"
// after power_feed.h
#include "feed_request.h"

enum power_feed_limit : unsigned;  // the skeleton names it, only the object's BTF defines it
#include "power_feed.skel.h"

namespace wattfeed {

namespace {

constexpr mode_t kOwnerOnly = 0700;
// Pin and map, in the order of FeedMap.
constexpr std::array<std::pair<const char*, const char*>, 6> kFeedPins{{
    {"state", "pf_state"},
    {"package", "pf_package"},
    {"cpu", "pf_cpu"},
    {"cgroup", "pf_cgroup"},
    {"cgroup_index", "pf_cgroup_index"},
    {"task", "pf_task"},
}};

bool Fits(const bpf_map* map, int fd) {
  bpf_map_info info{};
  __u32 size = sizeof(info);
  if (bpf_obj_get_info_by_fd(fd, &info, &size) != 0) return false;
  return info.type == bpf_map__type(map) && info.key_size == bpf_map__key_size(map) &&
         info.value_size == bpf_map__value_size(map) &&
         info.max_entries == bpf_map__max_entries(map) && info.map_flags == bpf_map__map_flags(map);
}

}  // namespace

void FeedMaps::SkeletonDeleter::operator()(power_feed_bpf* skeleton) const {
  power_feed_bpf__destroy(skeleton);
}

Result<FeedMaps> FeedMaps::Open(const std::string& directory, FeedUse use) {
  const LibbpfLog log;
  FeedMaps self;
  self.skeleton_.reset(power_feed_bpf__open());
  if (!self.skeleton_) return LibbpfError("open power feed", log);
  if (use != FeedUse::kLook && mkdir(directory.c_str(), kOwnerOnly) != 0 && errno != EEXIST)
    return ErrorFromErrno("make directory " + directory);
  const auto& programs = self.skeleton_->progs;
  bpf_program__set_autoload(programs.wf_feed_set, use == FeedUse::kSimulate);
  bpf_program__set_autoload(programs.wf_feed_show, use == FeedUse::kLook);
  if (Status adopted = self.Adopt(directory, use); !adopted.ok()) return adopted.error();
  if (power_feed_bpf__load(self.skeleton_.get()) != 0) return LibbpfError("load power feed", log);
  if (use != FeedUse::kLook) {
    if (Status pinned = self.PinMissing(directory); !pinned.ok()) return pinned.error();
  }
  return self;
}

// A pin that fits is kept: a scheduler that is attached has its map and would not see another.
Status FeedMaps::Adopt(const std::string& directory, FeedUse use) {
  for (const auto& [pin, name] : kFeedPins) {
    const std::string path = directory + "/" + pin;
    bpf_map* map = bpf_object__find_map_by_name(skeleton_->obj, name);
    const UniqueFd fd(bpf_obj_get(path.c_str()));
    if (!fd.is_open()) {
      if (errno == ENOENT && use != FeedUse::kLook) continue;
      return ErrorFromErrno("open " + path);
    }
    if (Fits(map, fd.get())) {
      if (bpf_map__reuse_fd(map, fd.get()) != 0) return ErrorFromErrno("adopt " + path);
      adopted_.push_back(path);
      continue;
    }
    if (use == FeedUse::kLook) return Error{"open " + path, EPROTO, "not a map of this version"};
    if (unlink(path.c_str()) != 0) return ErrorFromErrno("remove foreign " + path);
    replaced_.push_back(path);
  }
  return Done{};
}

Status FeedMaps::PinMissing(const std::string& directory) {
  for (const auto& [pin, name] : kFeedPins) {
    const std::string path = directory + "/" + pin;
    if (access(path.c_str(), F_OK) == 0) continue;
    const bpf_map* map = bpf_object__find_map_by_name(skeleton_->obj, name);
    if (bpf_obj_pin(bpf_map__fd(map), path.c_str()) != 0) return ErrorFromErrno("pin " + path);
  }
  return Done{};
}

int FeedMaps::fd(FeedMap map) const {
  const char* name = kFeedPins[static_cast<size_t>(map)].second;
  return bpf_map__fd(bpf_object__find_map_by_name(skeleton_->obj, name));
}

}  // namespace wattfeed
