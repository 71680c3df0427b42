// SPDX-License-Identifier: Apache-2.0
#include "hint_map.hh"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wattfeed {

namespace {

constexpr unsigned kPidfdThread = O_EXCL;  // PIDFD_THREAD, since Linux 6.9

struct HintValue {
  uint64_t hint;
  uint64_t reserved[3];
};

UniqueFd OpenThread(int32_t tid) {
  UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, tid, kPidfdThread)));
  if (!fd.is_open() && errno == EINVAL)
    fd.Reset(static_cast<int>(syscall(SYS_pidfd_open, tid, 0u)));
  return fd;
}

bool IsGone(int error) { return error == ESRCH || error == ENOENT || error == EINVAL; }

}  // namespace

Result<HintMap> HintMap::Open(const std::string& path) {
  UniqueFd fd(bpf_obj_get(path.c_str()));
  if (!fd.is_open()) return ErrorFromErrno("open " + path);
  bpf_map_info info{};
  __u32 size = sizeof(info);
  if (bpf_obj_get_info_by_fd(fd.get(), &info, &size) != 0) return ErrorFromErrno("read " + path);
  if (info.type != BPF_MAP_TYPE_TASK_STORAGE || info.value_size != sizeof(HintValue))
    return Error{"open " + path, EPROTO, "not a task hint map"};
  return HintMap(std::move(fd));
}

Result<uint32_t> HintMap::Set(std::span<const int32_t> tids, uint64_t hint) {
  const HintValue value{hint, {}};
  uint32_t written = 0;
  for (const int32_t tid : tids) {
    const UniqueFd thread = OpenThread(tid);
    if (!thread.is_open()) {
      if (IsGone(errno)) continue;
      return ErrorFromErrno("open thread " + std::to_string(tid));
    }
    const int key = thread.get();
    if (bpf_map_update_elem(fd_.get(), &key, &value, BPF_ANY) == 0)
      written++;
    else if (!IsGone(errno))
      return ErrorFromErrno("write hint of thread " + std::to_string(tid));
  }
  return written;
}

Result<uint32_t> HintMap::Clear(std::span<const int32_t> tids) {
  uint32_t cleared = 0;
  for (const int32_t tid : tids) {
    const UniqueFd thread = OpenThread(tid);
    if (!thread.is_open()) continue;
    const int key = thread.get();
    if (bpf_map_delete_elem(fd_.get(), &key) == 0)
      cleared++;
    else if (!IsGone(errno))
      return ErrorFromErrno("clear hint of thread " + std::to_string(tid));
  }
  return cleared;
}

}  // namespace wattfeed
