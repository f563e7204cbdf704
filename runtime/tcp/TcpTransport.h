// Messages between ranks by sockets, without a library or a launcher of MPI.

#ifndef HEDDLE_RUNTIME_TCP_TCPTRANSPORT_H
#define HEDDLE_RUNTIME_TCP_TCPTRANSPORT_H

#include "runtime/tcp/TcpLink.h"
#include "runtime/tcp/TcpSettings.h"

#include <memory>
#include <poll.h>

namespace heddle::runtime {

/// Each rank has two connections with each other: one for tensors, and one for
/// what is to be heard whatever lies unread in the first. The thread that
/// exchanges moves the bytes itself, both ways at once, and waits in poll.
class TcpTransport final : public Transport {
public:
  Error open(const TcpSettings &settings);
  Error reserve(size_t messages) override;
  [[noreturn]] void abort(int exitCode) override;
  void awaitAbort(uint64_t timeoutNs) override;
  Error leave() override;

private:
  int64_t movedWith(uint32_t rank) const override;
  Error move(const Message *messages, size_t count,
             const Patience &patience) override;
  Error hear() override;
  void say(const Notice &notice, const std::vector<uint32_t> &ranks) override;

  void list(const Message *messages, size_t count);
  Error moveSome(const Message *messages, bool &isDone);
  Error send(const Message *messages, uint32_t rank);
  Error receive(const Message *messages, uint32_t rank);
  Error check(const Message &message, uint32_t rank) const;
  void pass(TcpStream &stream);
  Error lost(uint32_t rank);
  void waitForAny(int timeoutMs);
  void readNotices(uint32_t rank);
  bool isGone(uint32_t rank) const;

  std::vector<TcpLink> links;
  std::vector<size_t> next;    ///< Of each message the next one on its stream.
  std::vector<pollfd> watched; ///< Room for all sockets.
};

/// Joins the processes of a group, as TcpSettings describe it.
Error joinTcp(const heddle_group_options &options,
              std::unique_ptr<Transport> &joined);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_TCPTRANSPORT_H
