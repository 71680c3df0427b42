// SPDX-License-Identifier: Apache-2.0
#include "directory_lock.hh"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cinttypes>
#include <cstdio>
#include <memory>

namespace wattfeed {

namespace {

// The directory's name in /proc/locks. Some file systems report another device in stat than the
// kernel prints there; then no line matches and the pid stays unknown.
std::string HolderOf(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return {};
  const std::unique_ptr<FILE, int (*)(FILE*)> locks(fopen("/proc/locks", "re"), &fclose);
  if (!locks) return {};
  char line[256];
  while (fgets(line, sizeof(line), locks.get()) != nullptr) {
    // 1: FLOCK  ADVISORY  WRITE 1234 00:1b:5678 0 EOF
    long pid = 0;
    unsigned major_number = 0;
    unsigned minor_number = 0;
    uint64_t inode = 0;
    if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%" SCNu64, &pid, &major_number, &minor_number,
               &inode) != 4)
      continue;
    if (inode == status.st_ino && major_number == major(status.st_dev) &&
        minor_number == minor(status.st_dev) && pid > 0)
      return std::to_string(pid);
  }
  return {};
}

}  // namespace

Result<UniqueFd> LockDirectory(const std::string& path) {
  const std::string operation = "lock " + path;
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return ErrorFromErrno(operation);
  if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  Error error = ErrorFromErrno(operation);
  if (error.errno_value == EWOULDBLOCK) error.detail = HolderOf(fd.get());
  return error;
}

Status DirectoryLocks::Lock(const std::string& path) {
  auto lock = LockDirectory(path);
  if (lock.ok()) {
    held_.push_back(std::move(lock.value()));
    return Done{};
  }
  struct stat wanted {};
  if (lock.error().errno_value == EWOULDBLOCK && stat(path.c_str(), &wanted) == 0) {
    for (const UniqueFd& fd : held_) {
      struct stat own {};
      if (fstat(fd.get(), &own) == 0 && own.st_dev == wanted.st_dev && own.st_ino == wanted.st_ino)
        return Done{};
    }
  }
  return lock.error();
}

}  // namespace wattfeed
