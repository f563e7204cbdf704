// Whether the roles of a kernel can wait for each other for ever, and whether
// one touches a slot that another still needs: every order in which their steps
// and the device's copies can happen is gone through.

#ifndef HEDDLE_DIALECTS_WS_PROTOCOL_H
#define HEDDLE_DIALECTS_WS_PROTOCOL_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::ws {

/// One step of a role, in the order of its program.
struct ProtocolStep {
  enum Kind {
    Wait,   ///< For the end of the phase of `barrier` with parity `number`.
    Arrive, ///< At `barrier`, and `number` more bytes are expected there.
    Copy, ///< Starts a copy of `number` bytes to `slot`, counted by `barrier`.
    Read, ///< Starts to read `slot`.
    FinishReads ///< All reads but the last `number` have ended.
  } kind;
  uint64_t barrier = 0;
  uint64_t slot = 0;
  int64_t number = 0;

  bool operator==(const ProtocolStep &other) const {
    return kind == other.kind && barrier == other.barrier &&
           slot == other.slot && number == other.number;
  }
};

/// What one warp, or several alike, does.
struct ProtocolRole {
  std::string name;
  std::vector<ProtocolStep> steps;

  bool operator==(const ProtocolRole &other) const {
    return steps == other.steps;
  }
};

/// A barrier of the device (mbarrier): its phase is over when `arrivals` have
/// come and as many bytes as were expected.
struct ProtocolBarrier {
  uint64_t address = 0;
  int64_t arrivals = 0;

  bool operator==(const ProtocolBarrier &other) const {
    return address == other.address && arrivals == other.arrivals;
  }
};

struct Protocol {
  std::vector<ProtocolBarrier> barriers;
  std::vector<ProtocolRole> roles;

  /// Whatever the names of roles.
  bool operator==(const Protocol &other) const {
    return barriers == other.barriers && roles == other.roles;
  }
};

/// What goes wrong in some order of steps; empty if nothing does in any. A read
/// wants the copies to its slot that as many reads before it in its role have
/// not yet seen: the first copies for the first read, and so on. `explored` is
/// the number of states that were gone through; it is an error of its own if
/// they are more than `mostStates`.
std::string checkProtocol(const Protocol &protocol,
                          uint64_t *explored = nullptr,
                          uint64_t mostStates = uint64_t(1) << 22);

} // namespace heddle::ws

#endif // HEDDLE_DIALECTS_WS_PROTOCOL_H
