// Who this process is in a group, as its caller or a launcher's variables say.

#ifndef HEDDLE_RUNTIME_TCP_TCPSETTINGS_H
#define HEDDLE_RUNTIME_TCP_TCPSETTINGS_H

#include "heddle/runtime.h"
#include "runtime/format/Error.h"

#include <cstdint>
#include <string>

namespace heddle::runtime {

using format::Error;

/// Who this process is, where rank 0 waits for the others, and by what they
/// know each other. What the caller's options leave out is said by variables:
/// of torchrun RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which may also be
/// set by hand, or of srun SLURM_PROCID, SLURM_STEP_NUM_TASKS,
/// SLURM_STEP_NODELIST and the numbers of job and step. HEDDLE_RENDEZVOUS
/// (HOST:PORT) comes before both.
struct TcpSettings {
  uint32_t rank = 0, count = 1;
  std::string host = "127.0.0.1"; ///< An IPv6 address without brackets.
  uint16_t port = 0;
  uint64_t joinNs = 0;    ///< How long ranks wait until all are there.
  std::string secretFile; ///< That the caller names; empty: variables say it.

  /// The options are those of the engine tcp; an error names the option or the
  /// variable that is wrong.
  Error read(const heddle_group_options &options);
  /// "127.0.0.1:29500", "[::1]:29500".
  std::string where() const;

private:
  Error readRank();
  Error readPlace();
  Error readSlurmPlace();
  /// `text` is HOST:PORT, of the option or variable `name`.
  Error readRendezvous(const std::string &name, const std::string &text);
};

/// The first host of one of Slurm's lists: of "node[07-09,12],other" "node07".
std::string firstHost(const std::string &list);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_TCPSETTINGS_H
