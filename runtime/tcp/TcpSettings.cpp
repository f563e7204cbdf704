// Reads a caller's options, and the variables of torchrun and Slurm.

#include "runtime/tcp/TcpSettings.h"

#include <cstdlib>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

/// As long as ranks that are forked have to get ready.
static constexpr uint64_t usualJoinSeconds = 120;

static bool isSet(const char *variable) {
  const char *text = std::getenv(variable);
  return text && *text;
}

/// Whether a text is a decimal number from `least` to `most`.
static bool toNumber(const char *text, uint64_t least, uint64_t most,
                     uint64_t &number) {
  if (!text || *text < '0' || *text > '9')
    return false;
  char *end = nullptr;
  number = std::strtoull(text, &end, 10);
  return !*end && number >= least && number <= most;
}

static Error outOfRange(const std::string &name, const std::string &found,
                        uint64_t least, uint64_t most) {
  return {HEDDLE_ARGUMENT_INVALID,
          name + " is " + found + ", and should be a number from " +
              std::to_string(least) + " to " + std::to_string(most)};
}

static Error readNumber(const char *variable, uint64_t least, uint64_t most,
                        uint64_t &number) {
  const char *text = std::getenv(variable);
  if (toNumber(text, least, most, number))
    return {};
  return outOfRange(variable, "'" + std::string(text ? text : "") + "'", least,
                    most);
}

static constexpr uint64_t mostRanks = uint64_t(1) << 20, mostPort = 65535;

/// torchrun's variables come first: srun may have started torchrun.
Error TcpSettings::readRank() {
  const char *ofRank = "RANK", *ofCount = "WORLD_SIZE";
  if (!isSet(ofRank) && isSet("SLURM_PROCID")) {
    ofRank = "SLURM_PROCID";
    ofCount =
        isSet("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  } else if (!isSet(ofRank) || !isSet(ofCount)) {
    return {HEDDLE_ARGUMENT_INVALID,
            std::string(isSet(ofRank) || isSet(ofCount)
                            ? "of RANK and WORLD_SIZE only one is set"
                            : "no launcher started this process") +
                ": start it with torchrun --no-python or srun, or set RANK, "
                "WORLD_SIZE and MASTER_PORT for each process, or give it a "
                "rank, a count and a rendezvous"};
  }
  uint64_t number = 0, size = 0;
  if (Error error = readNumber(ofCount, 1, mostRanks, size))
    return error;
  if (Error error = readNumber(ofRank, 0, size - 1, number))
    return error;
  rank = static_cast<uint32_t>(number);
  count = static_cast<uint32_t>(size);
  return {};
}

std::string runtime::firstHost(const std::string &list) {
  std::string host;
  for (size_t i = 0; i < list.size() && list[i] != ','; ++i) {
    if (list[i] != '[') {
      host += list[i];
      continue;
    }
    // A set of numbers, of which the first counts.
    size_t end = list.find(']', i);
    if (end == std::string::npos)
      return host;
    host += list.substr(i + 1, list.find_first_of(",-]", i) - i - 1);
    i = end;
  }
  return host;
}

/// Steps of a job run at the same time, so that each has a port of its own, as
/// far as numbers go; they lie below those that Linux gives to others.
Error TcpSettings::readSlurmPlace() {
  uint64_t nodes = 1, job = 0, step = 0;
  if (isSet("SLURM_STEP_NUM_NODES"))
    if (Error error = readNumber("SLURM_STEP_NUM_NODES", 1, mostRanks, nodes))
      return error;
  if (nodes > 1)
    host = firstHost(
        isSet("SLURM_STEP_NODELIST") ? std::getenv("SLURM_STEP_NODELIST") : "");
  if (host.empty())
    return {HEDDLE_ARGUMENT_INVALID,
            "SLURM_STEP_NODELIST names no node: say by HEDDLE_RENDEZVOUS "
            "(HOST:PORT) where rank 0 waits for the others"};
  if (Error error = readNumber("SLURM_JOB_ID", 0, UINT32_MAX, job))
    return error;
  if (isSet("SLURM_STEP_ID"))
    if (Error error = readNumber("SLURM_STEP_ID", 0, UINT32_MAX, step))
      return error;
  constexpr uint64_t firstPort = 20000, ports = 12000;
  port = static_cast<uint16_t>(firstPort + (job * 31 + step) % ports);
  return {};
}

/// Addresses of IPv6 stand in brackets where a port follows.
static bool hasBrackets(const std::string &host) {
  return host.size() > 1 && host.front() == '[' && host.back() == ']';
}
static std::string withoutBrackets(const std::string &host) {
  return hasBrackets(host) ? host.substr(1, host.size() - 2) : host;
}

/// Without brackets it would be a guess which colon of an address of IPv6 is
/// the one before the port.
Error TcpSettings::readRendezvous(const std::string &name,
                                  const std::string &text) {
  size_t colon = text.rfind(':');
  std::string before = text.substr(0, colon);
  bool isClear =
      hasBrackets(before) || before.find_first_of(":[]") == std::string::npos;
  uint64_t number = 0;
  host = withoutBrackets(before);
  if (colon == std::string::npos || !isClear || host.empty() ||
      !toNumber(text.c_str() + colon + 1, 1, mostPort, number))
    return {HEDDLE_ARGUMENT_INVALID,
            name + " is '" + text +
                "', and should be HOST:PORT, as 127.0.0.1:29500 or "
                "[::1]:29500"};
  port = static_cast<uint16_t>(number);
  return {};
}

Error TcpSettings::readPlace() {
  uint64_t number = 0;
  if (isSet("HEDDLE_RENDEZVOUS"))
    return readRendezvous("HEDDLE_RENDEZVOUS",
                          std::getenv("HEDDLE_RENDEZVOUS"));
  if (!isSet("MASTER_PORT") && !isSet("MASTER_ADDR") && isSet("SLURM_PROCID"))
    return readSlurmPlace();
  if (isSet("MASTER_ADDR"))
    host = withoutBrackets(std::getenv("MASTER_ADDR"));
  if (!isSet("MASTER_PORT"))
    return {HEDDLE_ARGUMENT_INVALID,
            "nobody has said where rank 0 waits for the others: set "
            "MASTER_PORT, or give a rendezvous (HOST:PORT)"};
  if (Error error = readNumber("MASTER_PORT", 1, mostPort, number))
    return error;
  // torchrun itself listens at that port where it says so.
  const char *taken = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  if (taken && !std::strcmp(taken, "True"))
    number = number < mostPort ? number + 1 : number - 1;
  port = static_cast<uint16_t>(number);
  return {};
}

Error TcpSettings::read(const heddle_group_options &options) {
  uint64_t seconds = usualJoinSeconds;
  if (isSet("HEDDLE_JOIN_SECONDS"))
    if (Error error = readNumber("HEDDLE_JOIN_SECONDS", 1, 1000000, seconds))
      return error;
  joinNs = seconds * 1000000000;
  if (options.secret_file && !*options.secret_file)
    return {HEDDLE_ARGUMENT_INVALID,
            "secret_file is '', and should be the path of a file"};
  if (options.secret_file)
    secretFile = options.secret_file;
  if (options.count > mostRanks)
    return outOfRange("count", std::to_string(options.count), 1, mostRanks);
  if (options.rank && !options.count)
    return {HEDDLE_ARGUMENT_INVALID,
            "rank is " + std::to_string(options.rank) +
                ", and count, how many processes there are, is not given"};
  if (options.count && options.rank >= options.count)
    return outOfRange("rank", std::to_string(options.rank), 0,
                      options.count - 1);
  if (!options.count) {
    if (Error error = readRank())
      return error;
  } else {
    rank = options.rank;
    count = options.count;
  }
  if (options.rendezvous)
    return readRendezvous("rendezvous", options.rendezvous);
  return count > 1 ? readPlace() : Error();
}

std::string TcpSettings::where() const {
  bool isSix = host.find(':') != std::string::npos;
  return (isSix ? "[" + host + "]" : host) + ":" + std::to_string(port);
}
