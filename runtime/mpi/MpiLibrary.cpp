// Finds out which MPI started this process, and opens its library.

#include "runtime/mpi/MpiLibrary.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace heddle;
using namespace heddle::runtime;

namespace {
/// A library that has a name of its own.
struct Known {
  const char *name, *file, *package;
};
/// What launchers tell the processes that they start.
struct Sign {
  const char *variable;
  size_t library; ///< Of `known`.
};
} // namespace

static constexpr Known known[] = {
    {"openmpi", "libmpi.so.40", "libopenmpi3 (Debian; elsewhere openmpi)"},
    {"mpich", "libmpich.so.12", "libmpich12 (Debian; elsewhere mpich)"}};

/// In this order: Open MPI's mpirun, MPICH's mpiexec and srun --mpi=pmi2, srun
/// --mpi=pmix, which is Open MPI's way.
static constexpr Sign signs[] = {
    {"OMPI_COMM_WORLD_RANK", 0}, {"PMI_RANK", 1}, {"PMIX_RANK", 0}};

/// The library that the launcher's environment asks for; null: there was none.
static const char *libraryOfLauncher() {
  for (const Sign &sign : signs)
    if (std::getenv(sign.variable))
      return known[sign.library].name;
  return nullptr;
}

Error MpiLibrary::open(const char *asked) {
  if (!asked && !(asked = libraryOfLauncher()))
    return {HEDDLE_ARGUMENT_INVALID,
            std::getenv("SLURM_PROCID")
                ? "Slurm started this process without MPI: start it with srun "
                  "--mpi=pmix or --mpi=pmi2, or with mpirun"
                : "no launcher of MPI started this process: start it with "
                  "mpirun -n COUNT, or say which library is meant"};
  name = asked;
  std::string package = "MPI's library";
  for (const Known &library : known)
    if (name == library.name) {
      name = library.file;
      package = library.package;
    }
  // Open MPI's plugins look for its symbols among those that all can see.
  handle = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!handle)
    return {HEDDLE_LIBRARY_MISSING, std::string(dlerror()) + "; install " +
                                        package +
                                        ", or say where the library is"};
  isOpenMpi = dlsym(handle, "ompi_mpi_comm_world");
  return {};
}
