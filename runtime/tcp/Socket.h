// Sockets of TCP and their addresses.

#ifndef HEDDLE_RUNTIME_TCP_SOCKET_H
#define HEDDLE_RUNTIME_TCP_SOCKET_H

#include "runtime/format/Error.h"

#include <cstdint>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace heddle::runtime {

using format::Error;

/// An open socket, closed with it.
class Socket {
public:
  Socket() = default;
  explicit Socket(int descriptor) : number(descriptor) {}
  Socket(Socket &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Socket() { reset(); }

  explicit operator bool() const { return number >= 0; }
  int descriptor() const { return number; }
  void reset();

private:
  int number = -1;
};

/// An address as a rank tells others of its own.
struct Endpoint {
  uint8_t bytes[16]; ///< Of IPv4 the first four.
  uint32_t scope;    ///< Of an IPv6 address that is a link's.
  uint16_t family;   ///< AF_INET or AF_INET6.
  uint16_t port;
};

/// An address of another rank, as this machine reaches it. Machines number
/// their interfaces each for itself, and an address of IPv6 that only holds on
/// a link (fe80::/10) names one: `own`, of a connection over that link, says
/// which it is here.
Endpoint reachedOver(const struct SocketAddress &own, Endpoint endpoint);

/// Where a socket is bound or connected to.
struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t length = 0;

  static SocketAddress from(const Endpoint &endpoint);
  Endpoint endpoint() const;
  void setPort(uint16_t port);
  /// Whether only processes of this machine reach it.
  bool isLoopback() const;
  /// "127.0.0.1:29500", "[::1]:29500".
  std::string text() const;
  const sockaddr *get() const {
    return reinterpret_cast<const sockaddr *>(&storage);
  }
};

/// The addresses of a host, which is a name or a number.
Error resolve(const std::string &host, uint16_t port,
              std::vector<SocketAddress> &addresses);

/// All sockets here do not block, and are not for programs that the process
/// starts. Where one cannot be made, it is empty, with `errno`.
Socket listenAt(const SocketAddress &address);
/// A connection that somebody asked for; empty: there is none.
Socket acceptAt(const Socket &listener);
/// `deadlineNs` is of CLOCK_MONOTONIC.
Socket connectTo(const SocketAddress &address, uint64_t deadlineNs);
/// Ends a connection when what was sent is not taken for 30 s, as by a machine
/// that is gone. For one whose peer reads it soon, whatever it computes.
void endWhenUnheard(const Socket &socket);
/// Whether the other side has not ended it yet.
bool isOpen(const Socket &socket);
/// The address of this side.
SocketAddress localAddress(const Socket &socket);
SocketAddress peerAddress(const Socket &socket);

/// Sends or receives all bytes until the deadline; otherwise false, with
/// `errno`, which is ECONNRESET where the other side has ended.
bool sendAll(const Socket &socket, const void *data, size_t bytes,
             uint64_t deadlineNs);
bool receiveAll(const Socket &socket, void *data, size_t bytes,
                uint64_t deadlineNs);

/// Whether `errno` says that a call on a socket is to be made again later.
bool isForLater();
/// Where `errno` says that this process, which is `rank`, or its machine has no
/// room for another socket, which is not waited for: the error.
Error outOfSockets(uint32_t rank);
/// "Connection refused".
std::string textOfErrno();

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_SOCKET_H
