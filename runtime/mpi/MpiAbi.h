// What differs between the binary interfaces of MPI's libraries, and the
// functions that heddle calls.
//
// The standard of MPI 3.1 fixes names and arguments of functions, but not what
// handles are. Open MPI's are addresses of objects in its library, those of
// MPICH and of all that share its interface (Intel MPI, MVAPICH, Cray) are
// integers (https://www.mpich.org/abi). Neither's header is wanted to build
// heddle.

#ifndef HEDDLE_RUNTIME_MPI_MPIABI_H
#define HEDDLE_RUNTIME_MPI_MPIABI_H

#include <cstddef>

namespace heddle::runtime {

/// Open MPI from version 1.3 to 5: ompi/include/mpi.h.in.
struct OpenMpiAbi {
  using Comm = void *;
  using Datatype = void *;
  using Request = void *;
  using ErrorHandler = void *;
  struct Status {
    int source, tag, error, cancelled;
    size_t count;
  };
  static constexpr const char *world = "ompi_mpi_comm_world",
                              *byte = "ompi_mpi_byte",
                              *noRequest = "ompi_request_null",
                              *errorsReturn = "ompi_mpi_errors_return";
  static constexpr int anySource = -1;
  static Status *ignoredStatuses() { return nullptr; }
};

/// MPICH from version 3.1 on: src/include/mpi.h.in.
struct MpichAbi {
  using Comm = int;
  using Datatype = int;
  using Request = int;
  using ErrorHandler = int;
  struct Status {
    int countLow, countHighAndCancelled, source, tag, error;
  };
  static constexpr Comm world = 0x44000000;
  static constexpr Datatype byte = 0x4c00010d;
  static constexpr Request noRequest = 0x2c000000;
  static constexpr ErrorHandler errorsReturn = 0x54000001;
  static constexpr int anySource = -2;
  /// MPI_STATUSES_IGNORE is the address 1.
  static Status *ignoredStatuses();
};

/// Of both: MPI_SUCCESS, MPI_THREAD_SERIALIZED, and more than
/// MPI_MAX_ERROR_STRING.
constexpr int mpiSuccess = 0, mpiThreadSerialized = 2, mpiLongestText = 2048;

/// Functions of a library, each `name` without MPI_.
template <typename Abi> struct MpiFunctions {
  using Comm = typename Abi::Comm;
  using Request = typename Abi::Request;
  using Status = typename Abi::Status;

  int (*Initialized)(int *flag);
  int (*Finalized)(int *flag);
  int (*Init_thread)(int *argc, char ***argv, int required, int *provided);
  int (*Query_thread)(int *provided);
  int (*Finalize)();
  int (*Abort)(Comm, int code);
  int (*Comm_rank)(Comm, int *rank);
  int (*Comm_size)(Comm, int *size);
  int (*Comm_dup)(Comm, Comm *made);
  int (*Comm_free)(Comm *);
  int (*Comm_set_errhandler)(Comm, typename Abi::ErrorHandler);
  int (*Error_string)(int code, char *text, int *length);
  int (*Isend)(const void *, int count, typename Abi::Datatype, int peer,
               int tag, Comm, Request *);
  int (*Irecv)(void *, int count, typename Abi::Datatype, int peer, int tag,
               Comm, Request *);
  int (*Testall)(int count, Request *, int *flag, Status *);
  int (*Testsome)(int count, Request *, int *done, int *indices, Status *);
  int (*Cancel)(Request *);
  int (*Request_free)(Request *);
  int (*Iprobe)(int source, int tag, Comm, int *flag, Status *);
  int (*Recv)(void *, int count, typename Abi::Datatype, int peer, int tag,
              Comm, Status *);
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_MPI_MPIABI_H
