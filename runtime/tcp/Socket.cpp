// Opens sockets, and waits for them no longer than until a deadline.

#include "runtime/tcp/Socket.h"

#include "runtime/drivers/cpu/Clock.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

void Socket::reset() {
  if (number >= 0)
    close(number);
  number = -1;
}

bool runtime::isForLater() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

Error runtime::outOfSockets(uint32_t rank) {
  switch (errno) {
  case EMFILE:
  case ENFILE:
  case ENOBUFS:
  case ENOMEM:
    return {HEDDLE_RANK_FAILED, "rank " + std::to_string(rank) +
                                    " gets no more sockets: " + textOfErrno() +
                                    " (ulimit -n says how many files may be "
                                    "open)"};
  default:
    return {};
  }
}

std::string runtime::textOfErrno() { return std::strerror(errno); }

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static const sockaddr_in &fourOf(const SocketAddress &address) {
  return reinterpret_cast<const sockaddr_in &>(address.storage);
}
static const sockaddr_in6 &sixOf(const SocketAddress &address) {
  return reinterpret_cast<const sockaddr_in6 &>(address.storage);
}
static bool isFour(const SocketAddress &address) {
  return address.storage.ss_family == AF_INET;
}

SocketAddress SocketAddress::from(const Endpoint &endpoint) {
  SocketAddress made;
  if (endpoint.family == AF_INET) {
    auto &four = reinterpret_cast<sockaddr_in &>(made.storage);
    std::memcpy(&four.sin_addr, endpoint.bytes, sizeof(four.sin_addr));
    made.length = sizeof(four);
  } else {
    auto &six = reinterpret_cast<sockaddr_in6 &>(made.storage);
    std::memcpy(&six.sin6_addr, endpoint.bytes, sizeof(six.sin6_addr));
    six.sin6_scope_id = endpoint.scope;
    made.length = sizeof(six);
  }
  made.storage.ss_family = endpoint.family == AF_INET ? AF_INET : AF_INET6;
  made.setPort(endpoint.port);
  return made;
}

Endpoint SocketAddress::endpoint() const {
  Endpoint made = {};
  made.family = storage.ss_family;
  if (isFour(*this)) {
    std::memcpy(made.bytes, &fourOf(*this).sin_addr, 4);
    made.port = ntohs(fourOf(*this).sin_port);
  } else {
    std::memcpy(made.bytes, &sixOf(*this).sin6_addr, 16);
    made.scope = sixOf(*this).sin6_scope_id;
    made.port = ntohs(sixOf(*this).sin6_port);
  }
  return made;
}

Endpoint runtime::reachedOver(const SocketAddress &own, Endpoint endpoint) {
  in6_addr six;
  std::memcpy(&six, endpoint.bytes, sizeof(six));
  if (endpoint.family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&six))
    endpoint.scope = own.endpoint().scope;
  return endpoint;
}

void SocketAddress::setPort(uint16_t port) {
  if (isFour(*this))
    reinterpret_cast<sockaddr_in &>(storage).sin_port = htons(port);
  else
    reinterpret_cast<sockaddr_in6 &>(storage).sin6_port = htons(port);
}

bool SocketAddress::isLoopback() const {
  if (isFour(*this))
    return ntohl(fourOf(*this).sin_addr.s_addr) >> 24 == 127;
  const in6_addr &six = sixOf(*this).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&six) ||
         (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

std::string SocketAddress::text() const {
  char host[INET6_ADDRSTRLEN] = {};
  Endpoint own = endpoint();
  inet_ntop(own.family, own.bytes, host, sizeof(host));
  return (isFour(*this) ? host : "[" + std::string(host) + "]") + ":" +
         std::to_string(own.port);
}

Error runtime::resolve(const std::string &host, uint16_t port,
                       std::vector<SocketAddress> &addresses) {
  addrinfo hints = {}, *list = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  int code = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  for (const addrinfo *each = list; each; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6)
      continue;
    SocketAddress address;
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.length = each->ai_addrlen;
    address.setPort(port);
    addresses.push_back(address);
  }
  if (list)
    freeaddrinfo(list);
  if (addresses.empty())
    return {HEDDLE_ARGUMENT_INVALID,
            "the address '" + host + "' is not known: " +
                (code ? gai_strerror(code) : "it is no address of TCP")};
  return {};
}

static SocketAddress addressBy(const Socket &socket,
                               int (*get)(int, sockaddr *, socklen_t *)) {
  SocketAddress address;
  address.length = sizeof(address.storage);
  get(socket.descriptor(), reinterpret_cast<sockaddr *>(&address.storage),
      &address.length);
  return address;
}

SocketAddress runtime::localAddress(const Socket &socket) {
  return addressBy(socket, getsockname);
}
SocketAddress runtime::peerAddress(const Socket &socket) {
  return addressBy(socket, getpeername);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static void set(const Socket &socket, int level, int option, int value) {
  setsockopt(socket.descriptor(), level, option, &value, sizeof(value));
}

/// How long a machine may be gone without a word, in seconds: until the first
/// question whether it is there, between such questions, and how many.
static constexpr int idleSeconds = 10, questionSeconds = 5, questions = 4;

/// Small messages are sent at once, and a machine that is gone is noticed on a
/// connection on which nothing is under way. TCP_USER_TIMEOUT, which is for
/// what is, would also end those whose peer computes for long.
static Socket ready(Socket socket) {
  if (!socket)
    return socket;
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, idleSeconds);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, questionSeconds);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, questions);
  return socket;
}

void runtime::endWhenUnheard(const Socket &socket) {
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT,
      1000 * (idleSeconds + questions * questionSeconds));
}

bool runtime::isOpen(const Socket &socket) {
  char byte;
  ssize_t got = recv(socket.descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && isForLater());
}

/// What a connection leaves behind for a while keeps nobody from its port.
static Socket open(const SocketAddress &address) {
  Socket made(::socket(address.storage.ss_family,
                       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made)
    set(made, SOL_SOCKET, SO_REUSEADDR, 1);
  return made;
}

/// Closes a socket, and leaves `errno` as what has failed on it left it.
static Socket failed(Socket socket) {
  int why = errno;
  socket.reset();
  errno = why;
  return socket;
}

Socket runtime::listenAt(const SocketAddress &address) {
  Socket made = open(address);
  if (!made)
    return made;
  if (bind(made.descriptor(), address.get(), address.length) ||
      listen(made.descriptor(), SOMAXCONN))
    return failed(std::move(made));
  return made;
}

Socket runtime::acceptAt(const Socket &listener) {
  return ready(Socket(accept4(listener.descriptor(), nullptr, nullptr,
                              SOCK_NONBLOCK | SOCK_CLOEXEC)));
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// False, with ETIMEDOUT, where nothing has happened until the deadline.
static bool waitFor(const Socket &socket, short events, uint64_t deadlineNs) {
  while (true) {
    uint64_t now = monotonicNs();
    pollfd wanted = {socket.descriptor(), events, 0};
    int timeoutMs = 0;
    if (now < deadlineNs)
      timeoutMs = static_cast<int>(
          std::min<uint64_t>((deadlineNs - now) / 1000000 + 1, 60000));
    int count = poll(&wanted, 1, timeoutMs);
    if (count > 0)
      return true;
    if (!count && now >= deadlineNs) {
      errno = ETIMEDOUT;
      return false;
    }
    if (count < 0 && errno != EINTR)
      return false;
  }
}

/// While nobody listens at a port, the system may choose just this one for the
/// caller's side, and connects the caller to itself.
static Socket unlessItself(Socket made, const SocketAddress &address) {
  if (localAddress(made).text() != address.text())
    return ready(std::move(made));
  errno = ECONNREFUSED;
  return failed(std::move(made));
}

Socket runtime::connectTo(const SocketAddress &address, uint64_t deadlineNs) {
  Socket made = open(address);
  if (!made)
    return made;
  if (!connect(made.descriptor(), address.get(), address.length))
    return unlessItself(std::move(made), address);
  if (errno != EINPROGRESS && errno != EINTR)
    return failed(std::move(made));
  if (!waitFor(made, POLLOUT, deadlineNs))
    return failed(std::move(made));
  int why = 0;
  socklen_t bytes = sizeof(why);
  getsockopt(made.descriptor(), SOL_SOCKET, SO_ERROR, &why, &bytes);
  errno = why;
  return why ? failed(std::move(made)) : unlessItself(std::move(made), address);
}

/// `move(data, bytes)` sends or receives some of them.
template <typename Move>
static bool moveAll(const Socket &socket, short events, size_t bytes,
                    uint64_t deadlineNs, Move move) {
  for (size_t done = 0; done < bytes;) {
    ssize_t moved = move(done);
    if (!moved)
      errno = ECONNRESET;
    if (!moved || (moved < 0 && !isForLater()))
      return false;
    if (moved > 0)
      done += static_cast<size_t>(moved);
    else if (!waitFor(socket, events, deadlineNs))
      return false;
  }
  return true;
}

bool runtime::sendAll(const Socket &socket, const void *data, size_t bytes,
                      uint64_t deadlineNs) {
  return moveAll(socket, POLLOUT, bytes, deadlineNs, [&](size_t done) {
    return send(socket.descriptor(), static_cast<const char *>(data) + done,
                bytes - done, MSG_NOSIGNAL);
  });
}

bool runtime::receiveAll(const Socket &socket, void *data, size_t bytes,
                         uint64_t deadlineNs) {
  return moveAll(socket, POLLIN, bytes, deadlineNs, [&](size_t done) {
    return recv(socket.descriptor(), static_cast<char *>(data) + done,
                bytes - done, 0);
  });
}
