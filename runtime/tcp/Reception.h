// Takes connections from anybody, and lets in the ranks of the group.

#ifndef HEDDLE_RUNTIME_TCP_RECEPTION_H
#define HEDDLE_RUNTIME_TCP_RECEPTION_H

#include "runtime/tcp/Handshake.h"
#include "runtime/tcp/TcpLink.h"

#include <functional>
#include <poll.h>

namespace heddle::runtime {

/// Waits for the ranks that call this one. Whoever else connects is heard out
/// for a while, as many at once as there is room for, and holds up nobody.
class Reception {
public:
  Reception(Socket listener, const Credentials &own)
      : listener(std::move(listener)), own(own) {}

  /// Returns when all ranks from `first` on have come, or with the error of
  /// `hear`, which is asked when one that is there already has something to
  /// say, or its connection has ended.
  Error admit(std::vector<TcpLink> &links, uint32_t first, uint64_t deadlineNs,
              const std::function<Error()> &hear);
  /// The ranks from `first` on that have not come.
  static std::vector<uint32_t> missing(const std::vector<TcpLink> &links,
                                       uint32_t first);
  /// What was turned away last, for messages; empty: nobody.
  const std::string &turnedAway() const { return refused; }

private:
  /// A connection that has not proved anything yet.
  struct Caller {
    Socket connection;
    Greeting greeting;
    Claim claim;
    size_t bytes; ///< Of the claim that are there.
    uint64_t deadlineNs;
  };

  Error take(uint64_t nowNs, size_t room);
  bool listen(Caller &caller);
  Error settle(Caller &caller, std::vector<TcpLink> &links, uint32_t first);
  void waitForAny(const std::vector<TcpLink> &links, uint64_t timeoutNs);
  Error hearCallers(std::vector<TcpLink> &links, uint32_t first);

  Socket listener;
  const Credentials &own;
  std::vector<Caller> callers;
  std::vector<pollfd> watched; ///< The listener, callers, links that are there.
  std::string refused;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_RECEPTION_H
