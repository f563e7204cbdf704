// Starts the processes of a group, as torchrun does: ranks-launched, many
// times.

#ifndef HEDDLE_TEST_RUNTIME_RANKPROCESSES_H
#define HEDDLE_TEST_RUNTIME_RANKPROCESSES_H

#include "test/runtime/check.h"

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <netinet/in.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace heddle::test {

using Variables = std::map<std::string, std::string>;

inline std::string launched, models;

/// Of a test's arguments: the program that is started is beside it.
inline void findLaunched(char **argv) {
  models = argv[1];
  launched = argv[0];
  launched =
      launched.substr(0, launched.rfind('/') + 1) + "runtime-ranks-launched";
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

struct Process {
  pid_t number;
  int output; ///< What it prints.
};
struct Ended {
  int code; ///< Its exit code, or 128 and the signal that ended it.
  std::string output;
};

inline Process start(const Variables &variables,
                     const std::vector<std::string> &arguments) {
  int ends[2];
  CHECK(!pipe2(ends, O_CLOEXEC));
  std::vector<std::string> words = {launched, models, "tcp"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> list;
  for (std::string &word : words)
    list.push_back(word.data());
  list.push_back(nullptr);
  pid_t child = fork();
  if (child) {
    close(ends[1]);
    return {child, ends[0]};
  }
  dup2(ends[1], STDOUT_FILENO);
  for (const auto &[name, value] : variables)
    setenv(name.c_str(), value.c_str(), 1);
  alarm(240); // a rank that hangs is a failure
  if (const char *most = getenv("TEST_FILES")) {
    auto files = rlim_t(std::atoi(most));
    rlimit limit = {files, files};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  execv(launched.c_str(), list.data());
  _exit(127);
}

inline Ended await(const Process &process) {
  Ended ended = {};
  char text[4096];
  ssize_t bytes;
  while ((bytes = read(process.output, text, sizeof(text))) > 0)
    ended.output.append(text, size_t(bytes));
  close(process.output);
  int status = 0;
  while (waitpid(process.number, &status, 0) < 0 && errno == EINTR)
    ;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

inline void expectEnd(const Ended &ended, int code, const std::string &part,
                      int line) {
  if (ended.code == code && ended.output.find(part) != std::string::npos)
    return;
  std::fprintf(stderr, "line %d: exit code %d with '%s', wanted %d with '%s'\n",
               line, ended.code, ended.output.c_str(), code, part.c_str());
  ++failures;
}
#define END(ended, code, part) expectEnd(ended, code, part, __LINE__)

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

inline sockaddr_in addressOf(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// A socket that has a port of loopback, and which.
inline int takePort(uint16_t &port) {
  int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = addressOf(0);
  auto *plain = reinterpret_cast<sockaddr *>(&address);
  socklen_t length = sizeof(address);
  CHECK(!bind(taken, plain, length) && !listen(taken, 1) &&
        !getsockname(taken, plain, &length));
  port = ntohs(address.sin_port);
  return taken;
}

inline uint16_t freePort() {
  uint16_t port = 0;
  close(takePort(port));
  return port;
}

/// Connects when somebody listens there.
inline int connectTo(uint16_t port) {
  for (int i = 0; i < 2000; ++i) {
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = addressOf(port);
    if (!connect(made, reinterpret_cast<sockaddr *>(&address), sizeof(address)))
      return made;
    close(made);
    usleep(10000);
  }
  CHECK(!"somebody listens");
  return -1;
}

/// As torchrun tells a rank who it is.
inline Variables rankOf(uint32_t rank, uint32_t count, uint16_t port) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(count)},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", std::to_string(port)}};
}

inline std::vector<Ended> runAll(uint32_t count,
                                 const std::vector<std::string> &arguments,
                                 const Variables &more = {}) {
  uint16_t port = freePort();
  std::vector<Process> processes;
  for (uint32_t i = 0; i < count; ++i) {
    Variables variables = rankOf(i, count, port);
    for (const auto &[name, value] : more)
      variables[name] = value;
    processes.push_back(start(variables, arguments));
  }
  std::vector<Ended> all;
  for (const Process &process : processes)
    all.push_back(await(process));
  return all;
}

} // namespace heddle::test

#endif // HEDDLE_TEST_RUNTIME_RANKPROCESSES_H
