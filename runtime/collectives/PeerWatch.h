// Which other ranks are processes of this machine, and whether they are there.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_PEERWATCH_H
#define HEDDLE_RUNTIME_COLLECTIVES_PEERWATCH_H

#include <cstdint>
#include <poll.h>
#include <string>
#include <vector>

namespace heddle::runtime {

/// What a process tells others of itself.
struct PeerCard {
  uint64_t machine; ///< Which boot of which machine, and whose processes: two
                    ///< with one number can see each other. 0: not known.
  uint64_t processors; ///< On which of these it may run.
  int64_t process;

  static PeerCard own();
};

/// Watches the ranks that this process can see. Processes elsewhere are for
/// their launcher to miss.
class PeerWatch {
public:
  PeerWatch() = default;
  ~PeerWatch();
  PeerWatch(const PeerWatch &) = delete;
  PeerWatch &operator=(const PeerWatch &) = delete;

  /// `cards` are those of all ranks, of which `own` is this one.
  void start(const std::vector<PeerCard> &cards, uint32_t own);
  /// A rank whose process has ended; -1: there is none.
  int64_t findEnded();

private:
  std::vector<pollfd> descriptors; ///< Of processes.
  std::vector<uint32_t> ranks;     ///< That they are.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVES_PEERWATCH_H
