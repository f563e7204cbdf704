// Makes the connections of a group.

#include "runtime/tcp/Rendezvous.h"

#include "runtime/collectives/RankNames.h"
#include "runtime/drivers/cpu/Clock.h"

#include <cerrno>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

/// How long a rank lets another one answer, and waits until it tries again.
static constexpr uint64_t answerNs = 5000000000, pauseNs = 20000000;

/// How much longer than the first rank the others wait for those that are
/// missing, so that they learn from it which these are.
static constexpr uint64_t extraNs = 10000000000;

Rendezvous::Rendezvous(const TcpSettings &settings, std::vector<TcpLink> &links,
                       std::function<Error()> hear)
    : settings(settings), links(links), hear(std::move(hear)),
      deadlineNs(monotonicNs() + settings.joinNs) {
  own.rank = settings.rank;
  own.count = settings.count;
}

Error Rendezvous::meet() {
  if (settings.count == 1)
    return {};
  if (Error error = readSecret(settings.secretFile, own.secret))
    return error;
  if (Error error = resolve(settings.host, settings.port, addresses))
    return error;
  return settings.rank ? follow() : lead();
}

static std::string secondsOf(const TcpSettings &settings) {
  return "within " + std::to_string(settings.joinNs / 1000000000) +
         " s (HEDDLE_JOIN_SECONDS)";
}

/// Lets in the ranks from `first` on, or says who is missing.
Error Rendezvous::admit(Reception &reception, uint32_t first, uint64_t untilNs,
                        const std::string &where) {
  Error error = reception.admit(links, first, untilNs, hear);
  if (!error || monotonicNs() < untilNs)
    return error;
  return {HEDDLE_RANK_FAILED, rankNames(Reception::missing(links, first)) +
                                  " did not come to " + where + " " +
                                  secondsOf(settings) + reception.turnedAway()};
}

/// Over a network a secret must be given; on one machine the file system tells
/// whose processes the ranks are.
static Error needsSecret(const SocketAddress &address) {
  return {HEDDLE_ARGUMENT_INVALID,
          address.text() + " can be reached from other machines, and there is "
                           "no secret by which ranks know each other: set "
                           "HEDDLE_SECRET or HEDDLE_SECRET_FILE for all, or "
                           "give a secret_file"};
}

//===----------------------------------------------------------------------===//
// The first rank
//===----------------------------------------------------------------------===//

/// Takes the port at the first of the addresses that is this machine's.
Error Rendezvous::bind(Socket &listener, SocketAddress &bound) {
  for (const SocketAddress &address : addresses) {
    bound = address;
    if ((listener = listenAt(address)) || errno == EADDRINUSE)
      break;
  }
  if (listener)
    return {};
  std::string why = textOfErrno();
  if (errno == EADDRINUSE)
    why = "another process has the port; choose another one";
  else if (errno == EADDRNOTAVAIL)
    why = "it is no address of this machine, on which rank 0 runs";
  return {HEDDLE_ARGUMENT_INVALID,
          "rank 0 cannot wait at " + bound.text() + ": " + why +
              " (MASTER_ADDR and MASTER_PORT, HEDDLE_RENDEZVOUS=HOST:PORT, or "
              "the rendezvous that was given)"};
}

Error Rendezvous::lead() {
  Socket listener;
  SocketAddress bound;
  if (Error error = bind(listener, bound))
    return error;
  if (own.secret.empty() && !bound.isLoopback())
    return needsSecret(bound);
  if (own.secret.empty())
    if (Error error = ownSecret.make(bound.text(), own.secret))
      return error;
  Reception reception(std::move(listener), own);
  Error error = admit(reception, 1, deadlineNs, bound.text());
  // While no other group can have the port.
  ownSecret.remove();
  if (error)
    return error;
  if ((error = fillRandom(own.session.data(), own.session.size())))
    return error;
  std::string list(own.session.begin(), own.session.end());
  for (const TcpLink &link : links)
    list.append(reinterpret_cast<const char *>(&link.endpoint),
                sizeof(link.endpoint));
  for (uint32_t rank = 1; rank < links.size(); ++rank)
    if (!sendAll(links[rank].data, list.data(), list.size(),
                 monotonicNs() + answerNs))
      return {HEDDLE_RANK_FAILED, "rank " + std::to_string(rank) +
                                      " failed: its connection has ended"};
  return {};
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

Outcome Rendezvous::introduceAt(Socket connection, uint32_t rank,
                                Channel channel, const Endpoint &endpoint,
                                uint64_t untilNs, Error &error) {
  Greeting greeting;
  if (!receiveGreeting(connection, greeting, untilNs))
    return Outcome::Later;
  // By now the first rank has made the secret, if none is given.
  if (own.secret.empty() && !peerAddress(connection).isLoopback())
    error = needsSecret(peerAddress(connection));
  else if (own.secret.empty())
    error = OwnSecret::find(peerAddress(connection).text(), own.secret);
  if (error)
    return Outcome::Refused;
  Outcome outcome = introduce(connection, greeting, own, rank, channel,
                              endpoint, untilNs, error);
  if (outcome != Outcome::Done)
    return outcome;
  if (channel == Channel::Notices)
    endWhenUnheard(connection);
  socketOf(rank, channel) = std::move(connection);
  return outcome;
}

/// This rank takes connections where the first one is reached from.
Error Rendezvous::listenBeside(const Socket &connection, Socket &listener) {
  SocketAddress local = localAddress(connection);
  local.setPort(0);
  if (!(listener = listenAt(local)))
    return {HEDDLE_RANK_FAILED, "rank " + std::to_string(own.rank) +
                                    " cannot listen at " + local.text() + ": " +
                                    textOfErrno()};
  return {};
}

Outcome Rendezvous::tryFirst(const SocketAddress &address, Socket &listener,
                             Error &error) {
  for (Channel channel : {Channel::Notices, Channel::Data}) {
    if (socketOf(0, channel))
      continue;
    Socket connection = connectTo(address, monotonicNs() + answerNs);
    if (!connection)
      return (error = outOfSockets(own.rank)) ? Outcome::Refused
                                              : Outcome::Later;
    if (!listener && (error = listenBeside(connection, listener)))
      return Outcome::Refused;
    Outcome outcome = introduceAt(std::move(connection), 0, channel,
                                  localAddress(listener).endpoint(),
                                  monotonicNs() + answerNs, error);
    // What did not answer may have been another than the first rank, reached
    // from another address.
    if (outcome == Outcome::Later && channel == Channel::Notices)
      listener.reset();
    if (outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Done;
}

static void waitABit() {
  timespec span = {0, pauseNs};
  nanosleep(&span, nullptr);
}

/// The first rank may be started later than others.
Error Rendezvous::callFirst(Socket &listener) {
  Error error;
  while (true) {
    for (const SocketAddress &address : addresses) {
      Outcome outcome = tryFirst(address, listener, error);
      if (outcome == Outcome::Done)
        return {};
      if (outcome == Outcome::Refused)
        return error;
    }
    std::string why = textOfErrno();
    if (Error failed = hear())
      return failed;
    if (monotonicNs() >= deadlineNs)
      return {HEDDLE_RANK_FAILED, "rank 0 did not answer at " +
                                      settings.where() + " " +
                                      secondsOf(settings) + ": " + why};
    waitABit();
  }
}

/// The first rank tells the others of each other, or says why not.
Error Rendezvous::receiveList() {
  uint64_t untilNs = monotonicNs() + settings.joinNs + extraNs;
  std::string list(sizeof(Session) + links.size() * sizeof(Endpoint), '\0');
  pollfd watched[] = {{links[0].notices.descriptor(), POLLIN, 0},
                      {links[0].data.descriptor(), POLLIN, 0}};
  while (!watched[1].revents && monotonicNs() < untilNs) {
    poll(watched, 2, /*timeout=*/100);
    if (Error error = hear())
      return error;
  }
  if (!receiveAll(links[0].data, list.data(), list.size(),
                  monotonicNs() + answerNs))
    return {HEDDLE_RANK_FAILED,
            "rank 0 has not told of the other ranks: " + textOfErrno()};
  std::memcpy(own.session.data(), list.data(), sizeof(Session));
  SocketAddress local = localAddress(links[0].data);
  for (uint32_t rank = 1; rank < links.size(); ++rank) {
    Endpoint told;
    std::memcpy(&told, list.data() + sizeof(Session) + rank * sizeof(Endpoint),
                sizeof(Endpoint));
    links[rank].endpoint = reachedOver(local, told);
  }
  return {};
}

/// Where many strangers call that rank, it may let go of this one: it is called
/// again, unless the first rank says that one has failed.
Error Rendezvous::callRank(uint32_t rank) {
  SocketAddress address = SocketAddress::from(links[rank].endpoint);
  uint64_t untilNs = monotonicNs() + settings.joinNs;
  Error error;
  for (Channel channel : {Channel::Notices, Channel::Data})
    while (true) {
      Socket connection = connectTo(address, untilNs);
      if (!connection)
        error = outOfSockets(own.rank);
      if (connection && introduceAt(std::move(connection), rank, channel, {},
                                    untilNs, error) == Outcome::Done)
        break;
      if (error)
        return error;
      if (monotonicNs() >= untilNs)
        return {HEDDLE_RANK_FAILED, "rank " + std::to_string(own.rank) +
                                        " does not reach rank " +
                                        std::to_string(rank) + " at " +
                                        address.text() + ": " + textOfErrno()};
      waitABit();
      if (Error failed = hear())
        return failed;
    }
  return {};
}

Error Rendezvous::follow() {
  Socket listener;
  if (Error error = callFirst(listener))
    return error;
  if (Error error = receiveList())
    return error;
  for (uint32_t rank = 1; rank < own.rank; ++rank)
    if (Error error = callRank(rank))
      return error;
  std::string where = localAddress(listener).text();
  Reception reception(std::move(listener), own);
  return admit(reception, own.rank + 1, monotonicNs() + settings.joinNs, where);
}
