// How the ranks of a group find each other.
//
// The first rank waits at an address that all know. The others call it there,
// and say where they take connections themselves; when all have come, it tells
// all of them the list. Then each calls those of a smaller number, and takes
// the calls of the others.

#ifndef HEDDLE_RUNTIME_TCP_RENDEZVOUS_H
#define HEDDLE_RUNTIME_TCP_RENDEZVOUS_H

#include "runtime/tcp/Reception.h"
#include "runtime/tcp/TcpSecret.h"
#include "runtime/tcp/TcpSettings.h"

namespace heddle::runtime {

class Rendezvous {
public:
  /// `hear` is asked where a rank that is there says something, or ends; all
  /// connections are made in `links`, one for each rank.
  Rendezvous(const TcpSettings &settings, std::vector<TcpLink> &links,
             std::function<Error()> hear);

  /// Returns when there is a connection with each rank.
  Error meet();

private:
  Error lead();
  Error follow();
  Error bind(Socket &listener, SocketAddress &bound);
  Error admit(Reception &reception, uint32_t first, uint64_t deadlineNs,
              const std::string &where);
  Error findSecret();
  Error callFirst(Socket &listener);
  Outcome tryFirst(const SocketAddress &address, Socket &listener,
                   Error &error);
  Error callRank(uint32_t rank);
  Error listenBeside(const Socket &connection, Socket &listener);
  Outcome introduceAt(Socket connection, uint32_t rank, Channel channel,
                      const Endpoint &endpoint, uint64_t untilNs, Error &error);
  Socket &socketOf(uint32_t rank, Channel channel) {
    return channel == Channel::Notices ? links[rank].notices : links[rank].data;
  }
  Error receiveList();

  const TcpSettings &settings;
  std::vector<TcpLink> &links;
  std::function<Error()> hear;
  Credentials own;
  OwnSecret ownSecret;
  std::vector<SocketAddress> addresses; ///< Of the first rank.
  uint64_t deadlineNs;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_RENDEZVOUS_H
