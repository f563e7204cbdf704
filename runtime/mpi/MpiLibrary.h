// Which of MPI's libraries a process uses.

#ifndef HEDDLE_RUNTIME_MPI_MPILIBRARY_H
#define HEDDLE_RUNTIME_MPI_MPILIBRARY_H

#include "runtime/collectives/Transport.h"

#include <memory>
#include <string>

namespace heddle::runtime {

/// An opened library. It stays until the process ends, as what it started does.
struct MpiLibrary {
  void *handle = nullptr;
  std::string name;       ///< For messages.
  bool isOpenMpi = false; ///< Else it has MPICH's interface.

  /// `asked`: "openmpi", "mpich", a file of either interface, or null: what the
  /// environment says that a launcher made for this process.
  Error open(const char *asked);
};

/// Joins the processes that the launcher started with this one. Messages are of
/// at most `pieceBytes`.
Error joinMpi(const char *library, uint64_t pieceBytes,
              std::unique_ptr<Transport> &joined);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_MPI_MPILIBRARY_H
