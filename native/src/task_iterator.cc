// SPDX-License-Identifier: Apache-2.0
#include "task_iterator.hh"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <string>

#include "unique_fd.hh"

namespace wattfeed {

Status RunTaskIterator(const bpf_link* link, const char* name) {
  const UniqueFd fd(bpf_iter_create(bpf_link__fd(link)));
  if (!fd.is_open()) return ErrorFromErrno(std::string("create iterator ") + name);
  char buffer[256];
  for (;;) {
    const ssize_t size = read(fd.get(), buffer, sizeof(buffer));
    if (size == 0) return Done{};
    // EAGAIN: the kernel stopped after a million tasks in one call and goes on in the next.
    if (size < 0 && errno != EINTR && errno != EAGAIN)
      return ErrorFromErrno(std::string("run iterator ") + name);
  }
}

}  // namespace wattfeed
