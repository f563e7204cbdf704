// What heddle and heddle-parse say to each other: a question with two
// descriptors, an answer without.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROTOCOL_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROTOCOL_H

#include <cstdint>
#include <optional>

namespace heddle {

/// Both sides are of one build, or do not understand each other.
struct TrialVersion {
  char text[32] = HEDDLE_VERSION;
};

/// Sent with two descriptors: the file, which nobody can change any more, and
/// where bytecode is written anew.
struct TrialQuestion {
  TrialVersion version;
  uint64_t bytes = 0;
  /// What the thread that asks has left of its stack, 0 if it does not know.
  uint64_t stackBytes = 0;
};

enum class TrialEnd : uint32_t {
  /// There is something to parse; of bytecode there is a copy.
  Survived,
  /// The reader says why the bytecode is wrong, where the copy would be.
  Refused,
  /// By the signal of `detail`.
  Signal,
  /// With the exit status of `detail`.
  Status,
  /// By what it took: `detail` milliseconds of processor time or of waiting,
  /// or MiB of memory.
  ProcessorTime,
  WaitingTime,
  Memory,
  /// There was no process to parse in, for the reason (errno) of `detail`.
  NoProcess,
};

struct TrialAnswer {
  TrialVersion version;
  TrialEnd end = TrialEnd::NoProcess;
  uint32_t detail = 0;
};

/// Longest time on the clock that a file of `bytes` may take, in milliseconds.
/// It ends what waits for something that does not come; what computes is ended
/// by its processor time, long before, also where many share the processors.
uint64_t trialWaitingMilliseconds(uint64_t bytes);
/// Processor time for a file of `bytes`, in milliseconds.
uint64_t trialProcessorMilliseconds(uint64_t bytes);

/// The question and its two descriptors over a socket that keeps messages
/// apart; false when the other end is gone.
bool sendQuestion(int socket, const TrialQuestion &question, int source,
                  int output);
struct ReceivedQuestion {
  TrialQuestion question;
  int source, output;
};
std::optional<ReceivedQuestion> receiveQuestion(int socket);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROTOCOL_H
