// Moves messages and notices between ranks that are connected.

#include "runtime/tcp/TcpTransport.h"

#include "runtime/drivers/Status.h"
#include "runtime/tcp/Rendezvous.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

/// How long a rank waits until a notice is on its way, and, where a connection
/// for tensors has ended, for why that is so.
static constexpr uint64_t sayNs = 1000000000;
static constexpr int reasonMs = 200;

/// What is known of a rank that says nothing any more.
static constexpr const char *ended = "has ended, or its connection";

/// Between two looks at what does not come by a socket.
static constexpr int lookMs = static_cast<int>(lookNs / 1000000);

//===----------------------------------------------------------------------===//
// Starting and ending
//===----------------------------------------------------------------------===//

Error TcpTransport::open(const TcpSettings &settings) {
  sit(settings.rank, settings.count);
  links = std::vector<TcpLink>(count());
  watched.reserve(2 * count());
  if (Error error = reserve(2 * count()))
    return error;
  Error error =
      Rendezvous(settings, links, [this] {
        Error gone = hear();
        return failure().code ? told(failure().code, failure()) : gone;
      }).meet();
  if (!error)
    error = meet();
  if (!error)
    return {};
  fail(error);
  // Not all that fail are connected with all others; the first rank is.
  if (!rank()) {
    Notice notice = {};
    notice.kind = Notice::Failure;
    notice.status = failure();
    sayToAll(notice);
  }
  return told(failure().code, failure());
}

Error TcpTransport::reserve(size_t messages) {
  next.resize(messages);
  return {};
}

void TcpTransport::abort(int exitCode) {
  Notice notice = {};
  notice.kind = Notice::Abort;
  notice.status.code = exitCode;
  sayToAll(notice);
  _exit(exitCode);
}

bool TcpTransport::isGone(uint32_t rank) const {
  const TcpLink &link = links[rank];
  return link.hasEnded || link.hasLeft || !link.notices;
}

void TcpTransport::awaitAbort(uint64_t timeoutNs) {
  uint64_t endNs = monotonicNs() + timeoutNs;
  list(nullptr, 0); // what has failed is not waited for
  auto isOthers = [&] {
    for (uint32_t i = 0; i < rank(); ++i)
      if (!isGone(i))
        return true;
    return false;
  };
  while (isOthers() && monotonicNs() < endNs) {
    waitForAny(/*timeoutMs=*/100);
    (void)hear();
  }
}

Error TcpTransport::leave() {
  if (links.empty() || failure().code)
    return {};
  Notice notice = {};
  notice.kind = Notice::Leave;
  sayToAll(notice);
  expectEnds(true);
  // What is closed while others still send to it would be reset, with all that
  // they have not read.
  for (uint32_t i = 0; i < count(); ++i)
    while (i != rank() && !isGone(i) && !failure().code) {
      waitForAny(/*timeoutMs=*/1000);
      (void)hear(); // ranks may end
      if (Error error = findApart())
        fail(error);
    }
  for (uint32_t i = 0; i < count(); ++i)
    if (links[i].hasEnded && !links[i].hasLeft)
      fail(endOf(i, ended));
  if (failure().code)
    return told(failure().code, failure());
  links.clear();
  overAs({HEDDLE_RANK_FAILED, "this process has left the group"});
  return {};
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Notes which messages go on which stream, in their order.
void TcpTransport::list(const Message *messages, size_t count) {
  for (TcpLink &link : links)
    link.out.first = link.out.last = link.in.first = link.in.last =
        TcpStream::none;
  for (size_t i = 0; i < count; ++i) {
    if (!messages[i].bytes)
      continue;
    TcpLink &link = links[messages[i].peer];
    TcpStream &stream =
        messages[i].way == Message::Way::Send ? link.out : link.in;
    next[i] = TcpStream::none;
    (stream.isIdle() ? stream.first : next[stream.last]) = i;
    stream.last = i;
  }
}

/// The first message of a stream is done.
void TcpTransport::pass(TcpStream &stream) {
  stream.first = next[stream.first];
  stream.done = 0;
}

namespace {
/// What is left of a header and its message.
struct Remainder {
  iovec pieces[2];
  msghdr all = {};

  Remainder(TcpStream &stream, const Message &message) {
    uint64_t ofHeader = std::min<uint64_t>(stream.done, sizeof(DataHeader)),
             ofData = stream.done - ofHeader;
    pieces[0] = {reinterpret_cast<char *>(&stream.header) + ofHeader,
                 sizeof(DataHeader) - ofHeader};
    pieces[1] = {message.data + ofData, message.bytes - ofData};
    bool isHeaderDone = ofHeader == sizeof(DataHeader);
    all.msg_iov = pieces + isHeaderDone;
    all.msg_iovlen = isHeaderDone ? 1 : 2;
  }
};
} // namespace

static uint64_t bytesOf(const Message &message) {
  return sizeof(DataHeader) + message.bytes;
}

/// As many bytes as the connection takes.
Error TcpTransport::send(const Message *messages, uint32_t to) {
  TcpLink &link = links[to];
  while (!link.out.isIdle()) {
    const Message &message = messages[link.out.first];
    if (!link.out.done)
      link.out.header = {position(), message.bytes};
    Remainder left(link.out, message);
    ssize_t moved = sendmsg(link.data.descriptor(), &left.all, MSG_NOSIGNAL);
    if (moved < 0)
      return isForLater() ? Error() : lost(to);
    link.out.done += static_cast<uint64_t>(moved);
    link.out.moved += static_cast<uint64_t>(moved);
    if (link.out.done == bytesOf(message))
      pass(link.out);
  }
  return {};
}

/// As many bytes as there are. A message is received with its header, and thus
/// in one call, since its size is known; what does not fit ends the group.
Error TcpTransport::receive(const Message *messages, uint32_t from) {
  TcpLink &link = links[from];
  while (!link.in.isIdle()) {
    const Message &message = messages[link.in.first];
    Remainder left(link.in, message);
    ssize_t moved = recvmsg(link.data.descriptor(), &left.all, 0);
    if (moved < 0 && isForLater())
      return {};
    if (moved <= 0)
      return lost(from);
    bool hadHeader = link.in.done >= sizeof(DataHeader);
    link.in.done += static_cast<uint64_t>(moved);
    link.in.moved += static_cast<uint64_t>(moved);
    if (!hadHeader && link.in.done >= sizeof(DataHeader))
      if (Error error = check(message, from))
        return error;
    if (link.in.done == bytesOf(message))
      pass(link.in);
  }
  return {};
}

/// Whether what comes is what is wanted.
Error TcpTransport::check(const Message &message, uint32_t from) const {
  const DataHeader &header = links[from].in.header;
  if (!header.position.isSame(position()))
    return apart(rank(), position(), from, header.position);
  if (header.bytes != message.bytes)
    return {HEDDLE_RANK_FAILED, "rank " + std::to_string(from) + " sends " +
                                    std::to_string(header.bytes) +
                                    " bytes, where rank " +
                                    std::to_string(rank()) + " wants " +
                                    std::to_string(message.bytes)};
  return {};
}

Error TcpTransport::moveSome(const Message *messages, bool &isDone) {
  isDone = true;
  for (uint32_t i = 0; i < count(); ++i) {
    if (Error error = send(messages, i))
      return error;
    if (Error error = receive(messages, i))
      return error;
    isDone &= links[i].out.isIdle() && links[i].in.isIdle();
  }
  return {};
}

/// Until one of the connections has what is waited for, or somebody says
/// something.
void TcpTransport::waitForAny(int timeoutMs) {
  watched.clear();
  for (uint32_t i = 0; i < count(); ++i) {
    const TcpLink &link = links[i];
    auto events = static_cast<short>((link.out.isIdle() ? 0 : POLLOUT) |
                                     (link.in.isIdle() ? 0 : POLLIN));
    if (events)
      watched.push_back({link.data.descriptor(), events, 0});
    if (timeoutMs && link.notices && !link.hasEnded)
      watched.push_back({link.notices.descriptor(), POLLIN, 0});
  }
  poll(watched.data(), watched.size(), timeoutMs);
}

int64_t TcpTransport::movedWith(uint32_t rank) const {
  const TcpLink &link = links[rank];
  if (link.out.isIdle() && link.in.isIdle())
    return -1;
  return static_cast<int64_t>(link.out.moved + link.in.moved);
}

Error TcpTransport::move(const Message *messages, size_t number,
                         const Patience &patience) {
  list(messages, number);
  return await(
      patience, [&](bool &isDone) { return moveSome(messages, isDone); },
      [&](uint64_t waitedNs) { waitForAny(spins(waitedNs) ? 0 : lookMs); });
}

//===----------------------------------------------------------------------===//
// Notices
//===----------------------------------------------------------------------===//

void TcpTransport::say(const Notice &notice,
                       const std::vector<uint32_t> &ranks) {
  uint64_t endNs = monotonicNs() + sayNs;
  for (uint32_t to : ranks)
    // Who leaves still listens, until all do.
    if (to < links.size() && links[to].notices && !links[to].hasEnded)
      (void)sendAll(links[to].notices, &notice, sizeof(notice), endNs);
}

/// Takes what a rank has said, and notes where it says nothing any more.
void TcpTransport::readNotices(uint32_t from) {
  TcpLink &link = links[from];
  while (!link.hasEnded) {
    ssize_t got =
        recv(link.notices.descriptor(),
             reinterpret_cast<char *>(&link.notice) + link.noticeBytes,
             sizeof(Notice) - link.noticeBytes, 0);
    if (got < 0 && isForLater())
      return;
    if (got <= 0) {
      link.hasEnded = true;
      return;
    }
    link.noticeBytes += static_cast<size_t>(got);
    if (link.noticeBytes < sizeof(Notice))
      continue;
    link.noticeBytes = 0;
    if (link.notice.kind == Notice::Abort)
      _exit(link.notice.status.code);
    link.hasLeft |= link.notice.kind == Notice::Leave;
    heard(from, link.notice);
  }
}

/// What ranks have said counts before that others are gone.
Error TcpTransport::hear() {
  for (uint32_t i = 0; i < links.size(); ++i)
    if (links[i].notices)
      readNotices(i);
  if (isEndExpected())
    return {};
  for (uint32_t i = 0; i < links.size(); ++i)
    if (links[i].hasEnded && !links[i].hasLeft)
      return endOf(i, ended);
  return {};
}

/// A connection for tensors has ended. A rank that could not go on has said why
/// at the other connection, which may be slower.
Error TcpTransport::lost(uint32_t from) {
  TcpLink &link = links[from];
  pollfd reason = {link.notices.descriptor(), POLLIN, 0};
  poll(&reason, 1, reasonMs);
  (void)hear();
  return failure().code ? told(failure().code, failure()) : endOf(from, ended);
}

Error runtime::joinTcp(const heddle_group_options &options,
                       std::unique_ptr<Transport> &joined) {
  TcpSettings settings;
  if (Error error = settings.read(options))
    return error;
  auto made = std::make_unique<TcpTransport>();
  if (Error error = made->open(settings))
    return error;
  joined = std::move(made);
  return {};
}
