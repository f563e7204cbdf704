// Messages with descriptors over a local socket.

#include "lib/Frontend/StableHlo/TrialProtocol.h"

#include "llvm/Support/Compiler.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace heddle {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
static constexpr uint64_t kSlowdown = 10;
#else
static constexpr uint64_t kSlowdown = 1;
#endif

// Text parses at some 10 MB a second. Less than a second for a small file, so
// that a second is enough to say so.
uint64_t trialProcessorMilliseconds(uint64_t bytes) {
  return kSlowdown * (800 + 1000 * (bytes >> 20));
}

uint64_t trialWaitingMilliseconds(uint64_t bytes) {
  return 2000 + 10 * trialProcessorMilliseconds(bytes);
}

namespace {
/// A message of one part and room for two descriptors.
struct Message {
  explicit Message(TrialQuestion &question) : part{&question, sizeof question} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }

  iovec part;
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr header = {};
};
} // namespace

bool sendQuestion(int socket, const TrialQuestion &question, int source,
                  int output) {
  TrialQuestion copy = question;
  Message message(copy);
  cmsghdr *rights = CMSG_FIRSTHDR(&message.header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(2 * sizeof(int));
  int descriptors[] = {source, output};
  std::memcpy(CMSG_DATA(rights), descriptors, sizeof descriptors);
  ssize_t sent;
  do
    sent = sendmsg(socket, &message.header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == sizeof copy;
}

std::optional<ReceivedQuestion> receiveQuestion(int socket) {
  ReceivedQuestion received = {{}, -1, -1};
  Message message(received.question);
  ssize_t got;
  do
    got = recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  cmsghdr *rights = got > 0 ? CMSG_FIRSTHDR(&message.header) : nullptr;
  if (got != sizeof received.question || !rights ||
      rights->cmsg_type != SCM_RIGHTS ||
      rights->cmsg_len != CMSG_LEN(2 * sizeof(int)))
    return std::nullopt;
  std::memcpy(&received.source, CMSG_DATA(rights), sizeof(int));
  std::memcpy(&received.output, CMSG_DATA(rights) + sizeof(int), sizeof(int));
  return received;
}

} // namespace heddle
