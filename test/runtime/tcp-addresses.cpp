// tcp-addresses MODELS: groups whose ranks are threads of this process, and are
// told by their caller alone who they are: at addresses of IPv4 and IPv6, and
// at names. The program is linked with --wrap=getaddrinfo.

#include "test/runtime/Variables.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace heddle::test;

/// The addresses of the name "six.test", which ranks look up.
static std::vector<const char *> addressesOfName;

extern "C" int __real_getaddrinfo(const char *, const char *, const addrinfo *,
                                  addrinfo **);
/// Resolves that name to the addresses above, in their order.
extern "C" int __wrap_getaddrinfo(const char *name, const char *service,
                                  const addrinfo *hints, addrinfo **list) {
  if (std::strcmp(name, "six.test") != 0)
    return __real_getaddrinfo(name, service, hints, list);
  addrinfo **end = list;
  for (const char *address : addressesOfName) {
    if (int code = __real_getaddrinfo(address, service, hints, end))
      return code;
    while (*end)
      end = &(*end)->ai_next;
  }
  return 0;
}

/// A port that is free at a loopback address; 0: this machine has no such
/// address.
static uint16_t freePortAt(int family) {
  int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in four = {};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 six = {};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  bool isSix = family == AF_INET6;
  auto *plain = isSix ? reinterpret_cast<sockaddr *>(&six)
                      : reinterpret_cast<sockaddr *>(&four);
  socklen_t length = isSix ? sizeof(six) : sizeof(four);
  if (made < 0 || bind(made, plain, length) ||
      getsockname(made, plain, &length)) {
    close(made);
    return 0;
  }
  close(made);
  return ntohs(isSix ? six.sin6_port : four.sin_port);
}

/// How many connections of this process are of IPv6.
static int socketsOfSix() {
  int count = 0;
  for (int descriptor = 0; descriptor < 256; ++descriptor) {
    sockaddr_storage address = {};
    socklen_t length = sizeof(address);
    count += !getpeername(descriptor, reinterpret_cast<sockaddr *>(&address),
                          &length) &&
             address.ss_family == AF_INET6;
  }
  return count;
}

static heddle_group_options optionsOf(uint32_t rank, uint32_t count,
                                      const char *rendezvous) {
  heddle_group_options options = {};
  options.size = sizeof(options);
  options.engine = "tcp";
  options.rank = rank;
  options.count = count;
  options.rendezvous = rendezvous;
  return options;
}

/// Three ranks meet there, each connected with both others, and agree;
/// `connections` of these, both ends of each counted, are of IPv6.
static void testMeeting(const std::string &rendezvous, int connections,
                        const char *secretFile = nullptr) {
  constexpr uint32_t count = 3;
  heddle_group *groups[count] = {};
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < count; ++rank)
    ranks.emplace_back([&, rank] {
      heddle_group_options options = optionsOf(rank, count, rendezvous.c_str());
      options.secret_file = secretFile;
      OK(heddle_group_join(&options, &groups[rank]));
    });
  for (std::thread &rank : ranks)
    rank.join();
  if (failures)
    std::exit(finish()); // some have no group
  CHECK(socketsOfSix() == connections);
  ranks.clear();
  for (uint32_t rank = 0; rank < count; ++rank)
    ranks.emplace_back([&, rank] {
      CHECK(heddle_group_rank(groups[rank]) == rank &&
            heddle_group_count(groups[rank]) == count);
      OK(heddle_group_agree(groups[rank], nullptr));
      OK(heddle_group_leave(groups[rank]));
    });
  for (std::thread &rank : ranks)
    rank.join();
}

static std::string portText(int family) {
  return ":" + std::to_string(freePortAt(family));
}

/// Two ends of two connections for each pair of three ranks.
static constexpr int allConnections = 3 * 2 * 2;

static void testSix() {
  if (!freePortAt(AF_INET6)) {
    std::puts("skipped: this machine has no loopback address of IPv6");
    return;
  }
  testMeeting("[::1]" + portText(AF_INET6), allConnections);
  addressesOfName = {"::1"};
  testMeeting("six.test" + portText(AF_INET6), allConnections);
  // Where a name has both, the first that this machine has is taken.
  addressesOfName = {"::1", "127.0.0.1"};
  testMeeting("six.test" + portText(AF_INET6), allConnections);
  addressesOfName = {"fe80::1", "127.0.0.1"}; // of a link that is not named
  testMeeting("six.test" + portText(AF_INET), 0);
}

/// A file with a secret is taken for all; nobody joins who cannot read it.
static void testSecretFile(const std::string &folder) {
  std::string path = folder + "/given-" + std::to_string(getpid()) + ".txt",
              rendezvous = "127.0.0.1" + portText(AF_INET);
  FILE *file = std::fopen(path.c_str(), "we");
  std::fputs("0123456789abcdef\n", file);
  std::fclose(file);
  chmod(path.c_str(), 0600);
  testMeeting(rendezvous, 0, path.c_str());
  unlink(path.c_str());
  heddle_group_options options = optionsOf(1, 2, rendezvous.c_str());
  options.secret_file = path.c_str();
  heddle_group *none = nullptr;
  EXPECT(heddle_group_join(&options, &none), HEDDLE_FILE_UNREADABLE,
         ("rank 1: secret_file: the secret in " + path +
          ": No such file or directory")
             .c_str());
}

static void testRefusals() {
  heddle_group *none = nullptr;
  heddle_group_options options = optionsOf(2, 2, "127.0.0.1:1");
  EXPECT(heddle_group_join(&options, &none), HEDDLE_ARGUMENT_INVALID,
         "rank is 2, and should be a number from 0 to 1");
  options = optionsOf(1, 2, "127.0.0.1");
  EXPECT(heddle_group_join(&options, &none), HEDDLE_ARGUMENT_INVALID,
         "rendezvous is '127.0.0.1', and should be HOST:PORT");
  options = optionsOf(1, 2, "127.0.0.1:1");
  options.engine = "mpi";
  EXPECT(heddle_group_join(&options, &none), HEDDLE_ARGUMENT_INVALID,
         "rank, count, rendezvous and secret_file are of the engine tcp");
  // A caller that was built before there were these options.
  options = optionsOf(1, 2, "127.0.0.1:1");
  options.size = offsetof(heddle_group_options, rank);
  EXPECT(heddle_group_join(&options, &none), HEDDLE_ARGUMENT_INVALID,
         "RANK is '9', and should be a number from 0 to 3");
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  // Nobody looks at them where the caller says all.
  setVariables({{"RANK", "9"},
                {"WORLD_SIZE", "4"},
                {"MASTER_PORT", "none"},
                {"HEDDLE_RENDEZVOUS", "there"},
                {"HEDDLE_JOIN_SECONDS", "100"}});
  testMeeting("127.0.0.1" + portText(AF_INET), 0);
  testSix();
  testSecretFile(argv[1]);
  testRefusals();
  return finish();
}
