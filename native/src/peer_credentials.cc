// SPDX-License-Identifier: Apache-2.0
#include "peer_credentials.hh"

#include <sys/socket.h>

namespace wattfeed {

Result<PeerCredentials> ReadPeerCredentials(int fd) {
  constexpr const char* kOperation = "read SO_PEERCRED";
  ucred peer{};
  socklen_t length = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
    return ErrorFromErrno(kOperation);
  // The kernel answers so, without an error, where it has noted nobody.
  if (length != sizeof(peer) || peer.uid == static_cast<uid_t>(-1))
    return Error{kOperation, ENOTCONN, {}};
  return PeerCredentials{.pid = peer.pid, .uid = peer.uid, .gid = peer.gid};
}

}  // namespace wattfeed
