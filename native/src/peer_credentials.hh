// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a connected unix socket, as the kernel noted it at connect(2).
#ifndef WATTFEED_PEER_CREDENTIALS_HH_
#define WATTFEED_PEER_CREDENTIALS_HH_

#include <sys/types.h>

#include "result.hh"

namespace wattfeed {

struct PeerCredentials {
  pid_t pid = 0;  // 0: in a pid namespace that this process does not see
  uid_t uid = 0;  // effective, as seen from this process's user namespace
  gid_t gid = 0;
};

// ENOTCONN where the socket has no peer that the kernel knows: not connected, or not a unix socket.
Result<PeerCredentials> ReadPeerCredentials(int fd);

}  // namespace wattfeed

#endif  // WATTFEED_PEER_CREDENTIALS_HH_
