// The connections of a rank with another one.

#ifndef HEDDLE_RUNTIME_TCP_TCPLINK_H
#define HEDDLE_RUNTIME_TCP_TCPLINK_H

#include "runtime/collectives/Transport.h"
#include "runtime/tcp/Handshake.h"

namespace heddle::runtime {

/// What goes before each message.
struct DataHeader {
  Position position; ///< Of the sender.
  uint64_t bytes;
};

/// Messages that go one way, and how far the first of them has come.
struct TcpStream {
  static constexpr size_t none = SIZE_MAX;
  size_t first = none, last = none; ///< Numbers in the list of an exchange.
  uint64_t done = 0;                ///< Bytes of the header and the message.
  uint64_t moved = 0;               ///< Bytes of all there ever were.
  DataHeader header;

  bool isIdle() const { return first == none; }
};

struct TcpLink {
  Socket notices, data;
  Endpoint endpoint = {}; ///< Where the rank takes connections.
  TcpStream out, in;
  Notice notice; ///< That is coming.
  size_t noticeBytes = 0;
  bool hasEnded = false; ///< Nothing comes any more.
  bool hasLeft = false;  ///< It has said so.

  bool isThere() const { return notices && data; }
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_TCPLINK_H
