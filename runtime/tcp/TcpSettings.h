// What a launcher's variables say of this process.

#ifndef HEDDLE_RUNTIME_TCP_TCPSETTINGS_H
#define HEDDLE_RUNTIME_TCP_TCPSETTINGS_H

#include "runtime/format/Error.h"

#include <cstdint>
#include <string>

namespace heddle::runtime {

using format::Error;

/// Who this process is, and where rank 0 waits for the others. Of torchrun
/// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which may also be set by
/// hand, or of srun SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_STEP_NODELIST and
/// the numbers of job and step. HEDDLE_RENDEZVOUS (HOST:PORT) comes before
/// both.
struct TcpSettings {
  uint32_t rank = 0, count = 1;
  std::string host = "127.0.0.1";
  uint16_t port = 0;
  uint64_t joinNs = 0; ///< How long ranks wait until all are there.

  Error read();
  /// "127.0.0.1:29500".
  std::string where() const;

private:
  Error readRank();
  Error readPlace();
  Error readSlurmPlace();
};

/// The first host of one of Slurm's lists: of "node[07-09,12],other" "node07".
std::string firstHost(const std::string &list);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_TCPSETTINGS_H
