// Joins the processes of a launcher, and lets them agree whether all can go on.

#include "runtime/LaunchedGroup.h"

#include "runtime/collectives/RankNames.h"
#include "runtime/drivers/Status.h"
#include "runtime/mpi/MpiLibrary.h"
#include "runtime/tcp/TcpTransport.h"

#include <cstdio>
#include <cstring>
#include <string>

using namespace heddle;
using namespace heddle::runtime;

/// MPI counts bytes by an int.
static constexpr uint64_t usualPieceBytes = uint64_t(1) << 30,
                          mostPieceBytes = (uint64_t(1) << 31) - 1;

static Error joinByMpi(const heddle_group_options &options,
                       std::unique_ptr<Transport> &joined) {
  if (options.rank || options.count || options.rendezvous ||
      options.secret_file)
    return {HEDDLE_ARGUMENT_INVALID,
            "rank, count, rendezvous and secret_file are of the engine tcp: "
            "processes of mpi learn from their launcher who they are"};
  if (options.piece_bytes > mostPieceBytes)
    return {HEDDLE_ARGUMENT_INVALID, "pieces of 2^31 bytes or more"};
  return joinMpi(options.library,
                 options.piece_bytes ? options.piece_bytes : usualPieceBytes,
                 joined);
}

static Error joinByTcp(const heddle_group_options &options,
                       std::unique_ptr<Transport> &joined) {
  if (options.library || options.piece_bytes)
    return {HEDDLE_ARGUMENT_INVALID,
            "a library and pieces are of the engine mpi, not of tcp"};
  return joinTcp(options, joined);
}

Error LaunchedGroup::join(const heddle_group_options &options,
                          std::shared_ptr<LaunchedGroup> &joined) {
  std::string engine = options.engine ? options.engine : "mpi";
  if (engine != "mpi" && engine != "tcp")
    return {HEDDLE_ARGUMENT_INVALID, "there are no groups of engine '" +
                                         engine + "'; there are: mpi, tcp"};
  auto made = std::make_shared<LaunchedGroup>();
  if (Error error = engine == "mpi" ? joinByMpi(options, made->transport)
                                    : joinByTcp(options, made->transport))
    return error;
  made->world = std::make_unique<MessageWorld>(*made->transport);
  if (Error error = made->world->open())
    return error;
  joined = std::move(made);
  return {};
}

//===----------------------------------------------------------------------===//
// Agreeing
//===----------------------------------------------------------------------===//

static std::string hashText(const uint64_t *hash) {
  char text[40];
  std::snprintf(text, sizeof(text), "%016llx%016llx",
                static_cast<unsigned long long>(hash[1]),
                static_cast<unsigned long long>(hash[0]));
  return text;
}

Error LaunchedGroup::verdict(const std::vector<Vote> &votes) const {
  for (uint32_t i = 0; i < votes.size(); ++i)
    if (votes[i].status.code)
      return {static_cast<heddle_code>(votes[i].status.code),
              "rank " + std::to_string(i) + ": " + votes[i].status.message};
  std::vector<uint32_t> others;
  for (uint32_t i = 1; i < votes.size(); ++i)
    if (std::memcmp(votes[i].hash, votes[0].hash, sizeof(votes[0].hash)))
      others.push_back(i);
  if (!others.empty())
    return {HEDDLE_RANK_FAILED,
            "the artifact of " + rankNames(others) + " (hash " +
                hashText(votes[others.front()].hash) +
                ") is not that of rank 0 (hash " + hashText(votes[0].hash) +
                "): give all of them the same file"};
  for (uint32_t i = 1; i < votes.size(); ++i)
    if (votes[i].entry != votes[0].entry)
      return {HEDDLE_RANK_FAILED,
              "rank " + std::to_string(i) + " is for entry number " +
                  std::to_string(votes[i].entry) + ", and rank 0 for number " +
                  std::to_string(votes[0].entry) +
                  ": name the same entry for all of them"};
  for (uint32_t i = 1; i < votes.size(); ++i)
    if (votes[i].hasOwnCalls != votes[0].hasOwnCalls)
      return {HEDDLE_RANK_FAILED,
              "ranks 0 and " + std::to_string(i) +
                  " do not agree whether each process calls with its own parts "
                  "(heddle_ranks_options.own_calls)"};
  return {};
}

Error LaunchedGroup::agree(const Error &own, const format::Hash &hash,
                           uint64_t entry, bool hasOwnCalls) {
  std::vector<Vote> votes(rank() ? 1 : count());
  tell(own, &votes[0].status);
  votes[0].hash[0] = hash.low();
  votes[0].hash[1] = hash.high();
  votes[0].entry = entry;
  votes[0].hasOwnCalls = hasOwnCalls;
  heddle_status all = {};
  std::vector<Message> asked, told;
  auto at = [](auto &value) { return reinterpret_cast<char *>(&value); };
  if (rank()) {
    asked = {{Message::Way::Send, 0, at(votes[0]), sizeof(Vote)}};
    told = {{Message::Way::Receive, 0, at(all), sizeof(all)}};
  }
  for (uint32_t i = 1; i < votes.size(); ++i) {
    asked.push_back({Message::Way::Receive, i, at(votes[i]), sizeof(Vote)});
    told.push_back({Message::Way::Send, i, at(all), sizeof(all)});
  }
  heddle_status why;
  if (int32_t code = transport->exchange(asked.data(), asked.size(), {}, &why))
    return runtime::told(code, why);
  if (!rank())
    tell(verdict(votes), &all);
  if (int32_t code = transport->exchange(told.data(), told.size(), {}, &why))
    return runtime::told(code, why);
  return runtime::told(all.code, all);
}

Error LaunchedGroup::inUse() {
  return {HEDDLE_CONTEXT_BUSY,
          "another thread is in a function of the group, or in a call of ranks "
          "of it, which are made one at a time"};
}

Error LaunchedGroup::leave() { return transport->leave(); }
