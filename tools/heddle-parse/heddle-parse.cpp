// heddle-parse: parses model files for heddle, in processes that may die of
// damaged ones. heddle starts it, with a socket as its standard input.

#include "heddle/Frontend/TrialServer.h"
#include "heddle/Pipeline/Registration.h"

#include "mlir/IR/DialectRegistry.h"

#include <cstdio>
#include <sys/socket.h>
#include <unistd.h>

int main() {
  int kind = 0;
  socklen_t size = sizeof kind;
  if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &size) != 0 ||
      kind != SOCK_SEQPACKET) {
    std::fputs("heddle-parse is started by heddle, which asks it over a "
               "socket; it has no options\n",
               stderr);
    return 2;
  }
  // It may live long, and must not hold a folder that somebody wants to remove.
  if (chdir("/") != 0)
    return 1;
  mlir::DialectRegistry registry;
  heddle::registerAllDialects(registry);
  heddle::serveTrials(registry, STDIN_FILENO);
  return 0;
}
