// ranks-tcp MODELS [RANKS...]: starts ranks-launched many times, as torchrun,
// srun and shells do, and makes trouble at the port where the ranks meet. RANKS
// are the numbers of processes for which all collectives are tried; default 2,
// 3 and 4.

#include "test/runtime/RankProcesses.h"

#include <chrono>
#include <ifaddrs.h>

using namespace heddle::test;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static void testSame(uint32_t count) {
  for (const Ended &ended : runAll(count, {"same"}))
    END(ended, 0, "all checks passed");
}

/// What ranks of MPI's launchers do in trouble, these do, too; the exit code is
/// that of the rank which ends all.
static void testTroubles() {
  for (const Ended &ended : runAll(4, {"differing", "2"}))
    END(ended, 0, "all checks passed");
  for (const Ended &ended : runAll(4, {"absent", "1"}))
    END(ended, 0, "all checks passed");
  for (const char *rank : {"0", "2"}) {
    for (const Ended &ended : runAll(4, {"failing", rank}))
      END(ended, 7, "has learned");
    std::vector<Ended> all = runAll(4, {"killed", rank});
    for (uint32_t i = 0; i < 4; ++i)
      if (i == uint32_t(std::atoi(rank)))
        END(all[i], 128 + SIGKILL, "");
      else
        END(all[i], 7, "has learned");
  }
  for (const Ended &ended : runAll(4, {"late", "1"}))
    END(ended, 7, "has learned");
  for (const Ended &ended : runAll(4, {"cancelled", "3"}))
    END(ended, 7, "has learned");
  for (const Ended &ended : runAll(3, {"own", "1"}))
    END(ended, 7, "has learned");
  for (const Ended &ended : runAll(3, {"leaving"}))
    END(ended, 0, "all checks passed");
  for (const Ended &ended : runAll(4, {"busy"}))
    END(ended, 0, "all checks passed");
  std::vector<Ended> all = runAll(3, {"ending", "1"});
  END(all[0], 0, "all checks passed");
  END(all[1], 128 + SIGKILL, "");
  END(all[2], 0, "all checks passed");
  for (const char *elsewhere : {"0", "1"})
    for (const Ended &ended : runAll(3, {"parting", elsewhere}))
      END(ended, 7, "has learned");
}

static void testOneRank() {
  for (const Ended &ended : runAll(1, {"join"}))
    END(ended, 0, "all checks passed");
}

/// Ranks come in any order, some late.
static void testOrder() {
  uint16_t port = freePort();
  std::vector<Process> processes;
  for (uint32_t rank : {2, 3, 0, 1}) {
    processes.push_back(start(rankOf(rank, 4, port), {"join"}));
    usleep(300000);
  }
  for (const Process &process : processes)
    END(await(process), 0, "all checks passed");
}

static void testSlurm() {
  uint16_t port = freePort();
  std::vector<Process> processes;
  for (uint32_t i = 0; i < 2; ++i)
    processes.push_back(
        start({{"SLURM_PROCID", std::to_string(i)},
               {"SLURM_STEP_NUM_TASKS", "2"},
               {"SLURM_JOB_ID", "5"},
               {"HEDDLE_RENDEZVOUS", "localhost:" + std::to_string(port)}},
              {"join"}));
  for (const Process &process : processes)
    END(await(process), 0, "all checks passed");
}

/// Whether this machine has a loopback address of IPv6.
static bool hasSix() {
  int made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  bool has = made >= 0 && !bind(made, reinterpret_cast<sockaddr *>(&address),
                                sizeof(address));
  close(made);
  return has;
}

/// The ranks meet at an address of IPv6, and reach each other by it.
static void testSix() {
  if (!hasSix()) {
    std::puts("skipped: this machine has no loopback address of IPv6");
    return;
  }
  for (const Ended &ended : runAll(3, {"same"}, {{"MASTER_ADDR", "::1"}}))
    END(ended, 0, "all checks passed");
  std::string rendezvous = "[::1]:" + std::to_string(freePort());
  for (const Ended &ended :
       runAll(3, {"join"}, {{"HEDDLE_RENDEZVOUS", rendezvous}}))
    END(ended, 0, "all checks passed");
}

/// torchrun listens at the port itself, and says so.
static void testAgentPort() {
  uint16_t port = 0;
  int agent = takePort(port);
  std::vector<Process> processes;
  for (uint32_t i = 0; i < 2; ++i) {
    Variables variables = rankOf(i, 2, port);
    variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
    processes.push_back(start(variables, {"join"}));
  }
  for (const Process &process : processes)
    END(await(process), 0, "all checks passed");
  close(agent);
}

//===----------------------------------------------------------------------===//
// Secrets
//===----------------------------------------------------------------------===//

static void testSecrets() {
  Variables secret = {{"HEDDLE_SECRET", "a secret of all ranks"}};
  for (const Ended &ended : runAll(3, {"join"}, secret))
    END(ended, 0, "all checks passed");
  uint16_t port = freePort();
  std::vector<Process> processes;
  for (uint32_t i = 0; i < 3; ++i) {
    Variables variables = rankOf(i, 3, port);
    variables["HEDDLE_SECRET"] =
        i == 2 ? "a secret of this rank alone" : "a secret of all ranks";
    variables["HEDDLE_JOIN_SECONDS"] = "10";
    processes.push_back(start(variables, {"join"}));
  }
  std::string missing =
      "HEDDLE_RANK_FAILED: rank 2 did not come to 127.0.0.1:" +
      std::to_string(port) +
      " within 10 s (HEDDLE_JOIN_SECONDS); who called from ";
  Ended first = await(processes[0]), second = await(processes[1]);
  END(first, 1, missing);
  END(first, 1, " as rank 2 has another secret");
  END(second, 1, missing);
  END(await(processes[2]), 1,
      "HEDDLE_ARGUMENT_INVALID: rank 2: rank 0 at 127.0.0.1:" +
          std::to_string(port) + " has another secret than this process");
}

/// An address of this machine that others reach, if it has one.
static std::string outerAddress() {
  ifaddrs *list = nullptr;
  std::string found;
  if (getifaddrs(&list))
    return found;
  for (const ifaddrs *each = list; each; each = each->ifa_next) {
    if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET)
      continue;
    sockaddr_in address;
    std::memcpy(&address, each->ifa_addr, sizeof(address));
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
    if (std::strncmp(text, "127.", 4))
      found = text;
  }
  freeifaddrs(list);
  return found;
}

/// Where other machines can call, a secret must be given.
static void testOuterAddress() {
  std::string address = outerAddress();
  if (address.empty()) {
    std::puts("this machine has no address but loopback");
    return;
  }
  Variables outer = {{"MASTER_ADDR", address}};
  END(runAll(2, {"join"},
             {{"MASTER_ADDR", address}, {"HEDDLE_JOIN_SECONDS", "2"}})[0],
      1, " can be reached from other machines, and there is no secret");
  outer["HEDDLE_SECRET"] = "a secret of all ranks";
  for (const Ended &ended : runAll(3, {"join"}, outer))
    END(ended, 0, "all checks passed");
}

//===----------------------------------------------------------------------===//
// Wrong starts
//===----------------------------------------------------------------------===//

static void testTakenPort() {
  uint16_t port = 0;
  int taken = takePort(port);
  std::string at = "127.0.0.1:" + std::to_string(port);
  Variables first = rankOf(0, 2, port), second = rankOf(1, 2, port);
  second["HEDDLE_JOIN_SECONDS"] = "1";
  END(await(start(first, {"join"})), 1,
      "HEDDLE_ARGUMENT_INVALID: rank 0: rank 0 cannot wait at " + at +
          ": another process has the port; choose another one");
  // What listens there says nothing: that is no rank.
  END(await(start(second, {"join"})), 1,
      "HEDDLE_RANK_FAILED: rank 0 did not answer at " + at + " within 1 s");
  close(taken);
  END(await(start(second, {"join"})), 1,
      " within 1 s (HEDDLE_JOIN_SECONDS): Connection refused");
}

static void testMissingRanks() {
  uint16_t port = freePort();
  Variables first = rankOf(0, 5, port), third = rankOf(2, 5, port);
  first["HEDDLE_JOIN_SECONDS"] = third["HEDDLE_JOIN_SECONDS"] = "10";
  Process one = start(first, {"join"}), other = start(third, {"join"});
  for (const Process &process : {one, other})
    END(await(process), 1,
        "HEDDLE_RANK_FAILED: ranks 1, 3 and 4 did not come to 127.0.0.1:" +
            std::to_string(port) + " within 10 s (HEDDLE_JOIN_SECONDS)");
}

/// How many sockets a process has.
static int socketsOf(pid_t process) {
  std::string folder = "/proc/" + std::to_string(process) + "/fd/";
  int count = 0;
  for (int i = 0; i < 64; ++i) {
    char text[64] = {};
    ssize_t bytes =
        readlink((folder + std::to_string(i)).c_str(), text, sizeof(text) - 1);
    count += bytes > 0 && !std::strncmp(text, "socket:", 7);
  }
  return count;
}

/// A rank that dies before all are there is missed at once.
static void testKilledEarly() {
  uint16_t port = freePort();
  Process first = start(rankOf(0, 3, port), {"join"}),
          second = start(rankOf(1, 3, port), {"join"});
  // Where it listens, and both of its connections with the first.
  for (int i = 0; i < 6000 && socketsOf(second.number) < 3; ++i)
    usleep(10000);
  usleep(500000); // until the last answer
  kill(second.number, SIGKILL);
  END(await(first), 1, "HEDDLE_RANK_FAILED: rank 1 failed: its process ");
  END(await(second), 128 + SIGKILL, "");
}

/// A process that may open no more files says so at once.
static void testFiles() {
  uint16_t port = freePort();
  std::vector<Process> processes;
  for (uint32_t i = 0; i < 4; ++i) {
    Variables variables = rankOf(i, 4, port);
    if (!i)
      variables["TEST_FILES"] = "7";
    processes.push_back(start(variables, {"join"}));
  }
  END(await(processes[0]), 1,
      "HEDDLE_RANK_FAILED: rank 0 gets no more sockets: Too many "
      "open files (ulimit -n");
  for (uint32_t i = 1; i < 4; ++i) {
    kill(processes[i].number, SIGKILL);
    (void)await(processes[i]);
  }
}

static void testCounts() {
  uint16_t port = freePort();
  Process first = start(rankOf(0, 3, port), {"join"}),
          second = start(rankOf(1, 2, port), {"join"});
  END(await(first), 1,
      "HEDDLE_RANK_FAILED: rank 1 was started as one of 2 processes, and rank "
      "0 as one of 3");
  END(await(second), 1,
      "this process was started as rank 1 of 2, and rank 0 "
      "at 127.0.0.1:" +
          std::to_string(port) + " as one of 3");
  port = freePort();
  first = start(rankOf(0, 3, port), {"join"});
  second = start(rankOf(1, 3, port), {"join"});
  usleep(500000);
  Process again = start(rankOf(1, 3, port), {"join"});
  for (const Process &process : {first, second, again})
    END(await(process), 1, "two processes were started as rank 1");
}

//===----------------------------------------------------------------------===//
// Strangers
//===----------------------------------------------------------------------===//

/// Whoever knows no secret holds up nobody, and gets no answer: bytes of any
/// kind, many or few of them, slow ones, none, and connections that end.
static void testStrangers() {
  uint16_t port = freePort();
  std::vector<Process> processes;
  for (uint32_t i = 0; i < 2; ++i)
    processes.push_back(start(rankOf(i, 3, port), {"join"}));
  std::vector<int> open;
  auto call = [&](const std::string &bytes) {
    open.push_back(connectTo(port));
    CHECK(send(open.back(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          ssize_t(bytes.size()));
    return open.back();
  };
  std::srand(5);
  for (int i = 0; i < 100; ++i) {
    std::string bytes(size_t(std::rand() % 700), '\0');
    for (char &byte : bytes)
      byte = char(std::rand());
    int made = call(bytes);
    if (i % 3 == 0) {
      close(made);
      open.pop_back();
    }
  }
  call("GET / HTTP/1.1\r\n\r\n");
  // It begins as a claim, and may be one as far as bytes go: no proof.
  std::string claim =
      "hddl-tcp" + std::string(1, '\x02') + std::string(400, '\0');
  int claimed = call(claim);
  call(claim.substr(0, 50));
  int slow = call("h");
  for (char byte : std::string("ddl-tc")) {
    usleep(50000);
    (void)send(slow, &byte, 1, MSG_NOSIGNAL); // or it has been let go
  }
  processes.push_back(start(rankOf(2, 3, port), {"join"}));
  for (const Process &process : processes)
    END(await(process), 0, "all checks passed");
  // What is called greets, and answers a claim by nothing but its refusal.
  std::string got;
  char text[1024];
  ssize_t bytes;
  while ((bytes = recv(claimed, text, sizeof(text), 0)) > 0)
    got.append(text, size_t(bytes));
  CHECK(got.size() == 48 + 40 && got.substr(52, 36) == std::string(36, '\0'));
  for (int each : open)
    close(each);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  findLaunched(argv);
  std::vector<uint32_t> counts;
  for (int i = 2; i < argc; ++i)
    counts.push_back(uint32_t(std::atoi(argv[i])));
  for (uint32_t count :
       counts.empty() ? std::vector<uint32_t>{2, 3, 4} : counts)
    testSame(count);
  if (!counts.empty())
    return finish();
  testTroubles();
  testOneRank();
  testOrder();
  testSlurm();
  testSix();
  testAgentPort();
  testSecrets();
  testOuterAddress();
  testTakenPort();
  testMissingRanks();
  testKilledEarly();
  testFiles();
  testCounts();
  testStrangers();
  return finish();
}
