// Starts MPI, and moves messages by MPI_Isend and MPI_Irecv.

#include "runtime/mpi/MpiTransport.h"

#include "runtime/drivers/cpu/Clock.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

MpichAbi::Status *MpichAbi::ignoredStatuses() {
  return reinterpret_cast<Status *>(uintptr_t(1));
}

/// How long a rank that failed or ends the job waits until the others have been
/// told.
static constexpr uint64_t tellNs = 1000000000;

//===----------------------------------------------------------------------===//
// Starting and ending
//===----------------------------------------------------------------------===//

template <typename T> static bool find(void *library, const char *name, T &at) {
  void *symbol = dlsym(library, name);
  // What dlsym gives is an address of data by its type only.
  std::memcpy(&at, &symbol, sizeof(symbol));
  return symbol;
}

/// A handle that the library defines is an address in Open MPI, and a number
/// elsewhere.
template <typename T>
static bool findHandle(void *library, const char *name, T &handle) {
  return find(library, name, handle);
}
static bool findHandle(void *, int number, int &handle) {
  handle = number;
  return true;
}

template <typename Abi> Error MpiTransport<Abi>::findAll() {
  std::string missing;
  auto get = [&](const char *name, auto &function) {
    if (!find(library.handle, name, function) && missing.empty())
      missing = name;
  };
  get("MPI_Initialized", mpi.Initialized);
  get("MPI_Finalized", mpi.Finalized);
  get("MPI_Init_thread", mpi.Init_thread);
  get("MPI_Query_thread", mpi.Query_thread);
  get("MPI_Finalize", mpi.Finalize);
  get("MPI_Abort", mpi.Abort);
  get("MPI_Comm_rank", mpi.Comm_rank);
  get("MPI_Comm_size", mpi.Comm_size);
  get("MPI_Comm_dup", mpi.Comm_dup);
  get("MPI_Comm_free", mpi.Comm_free);
  get("MPI_Comm_set_errhandler", mpi.Comm_set_errhandler);
  get("MPI_Error_string", mpi.Error_string);
  get("MPI_Isend", mpi.Isend);
  get("MPI_Irecv", mpi.Irecv);
  get("MPI_Testall", mpi.Testall);
  get("MPI_Testsome", mpi.Testsome);
  get("MPI_Cancel", mpi.Cancel);
  get("MPI_Request_free", mpi.Request_free);
  get("MPI_Iprobe", mpi.Iprobe);
  get("MPI_Recv", mpi.Recv);
  bool hasHandles = findHandle(library.handle, Abi::world, world) &&
                    findHandle(library.handle, Abi::byte, byte) &&
                    findHandle(library.handle, Abi::noRequest, noRequest) &&
                    findHandle(library.handle, Abi::errorsReturn, errorsReturn);
  if (!missing.empty() || !hasHandles)
    return {HEDDLE_LIBRARY_MISSING,
            library.name + " has no " +
                (missing.empty() ? "handles" : missing)};
  return {};
}

template <typename Abi>
Error MpiTransport<Abi>::explain(const char *function, int code) const {
  char text[mpiLongestText] = {};
  int length = 0;
  if (mpi.Error_string(code, text, &length) != mpiSuccess || !*text)
    std::strcpy(text, "an unknown error");
  return {HEDDLE_RANK_FAILED, "rank " + std::to_string(rank()) +
                                  " failed: " + function + ": " + text};
}

/// Whether MPI has been started in this process. One that has ended it cannot
/// start it again, and MPI ends processes that call it then.
template <typename Abi>
Error MpiTransport<Abi>::checkStarted(bool &isStarted) const {
  int isInitialized = 0, isFinalized = 0;
  if (int code = mpi.Initialized(&isInitialized))
    return explain("MPI_Initialized", code);
  if (int code = mpi.Finalized(&isFinalized))
    return explain("MPI_Finalized", code);
  if (isFinalized)
    return {HEDDLE_ARGUMENT_INVALID,
            "MPI has been ended in this process and cannot be used again: "
            "leave a group last, and before the host calls MPI_Finalize"};
  isStarted = isInitialized;
  return {};
}

template <typename Abi> Error MpiTransport<Abi>::initialize() {
  bool isStarted = false;
  int level = 0;
  if (Error error = checkStarted(isStarted))
    return error;
  isOurs = !isStarted;
  if (int code = isOurs ? mpi.Init_thread(nullptr, nullptr, mpiThreadSerialized,
                                          &level)
                        : mpi.Query_thread(&level))
    return explain("MPI_Init_thread", code);
  isOpen = true;
  if (level < mpiThreadSerialized)
    return {HEDDLE_ARGUMENT_INVALID,
            library.name + (isOurs ? " offers" : " was started with") +
                " no calls from several threads: MPI_THREAD_SERIALIZED is "
                "wanted"};
  return {};
}

/// A library that is not the launcher's takes each process for the only one.
template <typename Abi> Error MpiTransport<Abi>::checkSize() const {
  for (const char *variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char *text = std::getenv(variable))
      if (count() == 1 && std::atoi(text) > 1)
        return {HEDDLE_ARGUMENT_INVALID,
                "the launcher started " + std::string(text) +
                    " processes, of which " + library.name +
                    " sees one: it is not the launcher's library"};
  return {};
}

template <typename Abi> Error MpiTransport<Abi>::open() {
  if (Error error = findAll())
    return error;
  if (Error error = initialize())
    return error;
  int number = 0, size = 0;
  if (int code = mpi.Comm_dup(world, &own))
    return explain("MPI_Comm_dup", code);
  mpi.Comm_set_errhandler(own, errorsReturn);
  if (int code = mpi.Comm_rank(own, &number))
    return explain("MPI_Comm_rank", code);
  if (int code = mpi.Comm_size(own, &size))
    return explain("MPI_Comm_size", code);
  sit(static_cast<uint32_t>(number), static_cast<uint32_t>(size));
  if (Error error = checkSize())
    return error;
  if (Error error = reserve(2 * count()))
    return error;
  return meet();
}

template <typename Abi> Error MpiTransport<Abi>::reserve(size_t messages) {
  requests.reserve(messages);
  partners.reserve(messages);
  gone.reserve(messages);
  return {};
}

template <typename Abi> void MpiTransport<Abi>::abort(int exitCode) {
  if (isOpen)
    mpi.Abort(world, exitCode);
  _exit(exitCode);
}

template <typename Abi> Error MpiTransport<Abi>::leave() {
  // Ranks that wait for each other no more are ended by their launcher.
  if (!isOpen || failure().code)
    return {};
  // What others said while this rank was late is of no use any more.
  if (Error error = hear())
    return error;
  isOpen = false;
  // Ranks that are destroyed too late find a group that is over.
  overAs({HEDDLE_RANK_FAILED, "this process has left the group"});
  bool isStarted = false;
  if (Error error = checkStarted(isStarted))
    return error;
  if (int code = mpi.Comm_free(&own))
    return explain("MPI_Comm_free", code);
  if (isOurs)
    if (int code = mpi.Finalize())
      return explain("MPI_Finalize", code);
  return {};
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

template <typename Abi> Error MpiTransport<Abi>::post(const Message &message) {
  int peer = static_cast<int>(message.peer);
  int tag = position().kind == Position::outside
                ? Outside
                : Data + static_cast<int>(position().site % sites);
  bool isSent = message.way == Message::Way::Send;
  for (uint64_t begin = 0; begin < message.bytes; begin += pieceBytes) {
    char *data = message.data + begin;
    int bytes = static_cast<int>(std::min(pieceBytes, message.bytes - begin));
    partners.push_back(message.peer);
    requests.push_back(noRequest);
    Request *request = &requests.back();
    int code = isSent ? mpi.Isend(data, bytes, byte, peer, tag, own, request)
                      : mpi.Irecv(data, bytes, byte, peer, tag, own, request);
    if (code)
      return explain(isSent ? "MPI_Isend" : "MPI_Irecv", code);
  }
  return {};
}

template <typename Abi>
Error MpiTransport<Abi>::wait(const Patience &patience) {
  gone.resize(requests.size());
  auto test = [&](bool &isDone) -> Error {
    int count = 0;
    if (int code =
            mpi.Testsome(static_cast<int>(requests.size()), requests.data(),
                         &count, gone.data(), Abi::ignoredStatuses()))
      return explain("MPI_Testsome", code);
    isDone = std::all_of(requests.begin(), requests.end(),
                         [&](Request each) { return each == noRequest; });
    return {};
  };
  return this->await(patience, test,
                     [&](uint64_t waitedNs) { this->rest(waitedNs); });
}

template <typename Abi>
int64_t MpiTransport<Abi>::movedWith(uint32_t rank) const {
  int64_t done = 0;
  bool waits = false;
  for (size_t i = 0; i < requests.size(); ++i)
    if (partners[i] == rank) {
      done += requests[i] == noRequest;
      waits |= requests[i] != noRequest;
    }
  return waits ? done : -1;
}

/// Nothing is received any more where it was wanted.
template <typename Abi> void MpiTransport<Abi>::giveUp() {
  for (size_t i = 0; i < receives; ++i)
    if (requests[i] != noRequest) {
      mpi.Cancel(&requests[i]);
      mpi.Request_free(&requests[i]);
    }
}

template <typename Abi>
Error MpiTransport<Abi>::move(const Message *messages, size_t count,
                              const Patience &patience) {
  requests.clear();
  partners.clear();
  receives = 0;
  Error error;
  for (auto way : {Message::Way::Receive, Message::Way::Send}) {
    for (size_t i = 0; i < count && !error; ++i)
      if (messages[i].way == way)
        error = post(messages[i]);
    if (way == Message::Way::Receive)
      receives = requests.size();
  }
  if (!error)
    error = wait(patience);
  if (error)
    giveUp();
  return error;
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

template <typename Abi> Error MpiTransport<Abi>::hear() {
  while (true) {
    int isThere = 0;
    typename Abi::Status status = {};
    if (int code = mpi.Iprobe(Abi::anySource, Notices, own, &isThere, &status))
      return explain("MPI_Iprobe", code);
    if (!isThere)
      return {};
    Notice notice = {};
    if (int code = mpi.Recv(&notice, sizeof(notice), byte, status.source,
                            Notices, own, &status))
      return explain("MPI_Recv", code);
    heard(static_cast<uint32_t>(status.source), notice);
  }
}

template <typename Abi> bool MpiTransport<Abi>::isTaken(Said &said) {
  int isDone = 0;
  int code = mpi.Testall(static_cast<int>(said.requests.size()),
                         said.requests.data(), &isDone, Abi::ignoredStatuses());
  return !code && isDone;
}

template <typename Abi>
void MpiTransport<Abi>::say(const Notice &notice,
                            const std::vector<uint32_t> &ranks) {
  untaken.erase(std::remove_if(untaken.begin(), untaken.end(),
                               [&](Said &said) { return isTaken(said); }),
                untaken.end());
  untaken.push_back({std::make_unique<Notice>(notice),
                     std::vector<Request>(ranks.size(), noRequest)});
  Said &said = untaken.back();
  for (size_t i = 0; i < ranks.size(); ++i)
    mpi.Isend(said.notice.get(), sizeof(notice), byte,
              static_cast<int>(ranks[i]), Notices, own, &said.requests[i]);
  // Of waits ranks say while they wait, and one that is slow takes it late.
  if (notice.kind == Notice::Wait || notice.kind == Notice::Held)
    return;
  uint64_t begin = monotonicNs(), now = begin;
  for (; !isTaken(said) && now - begin < tellNs; now = monotonicNs())
    this->rest(now - begin);
}

template class runtime::MpiTransport<OpenMpiAbi>;
template class runtime::MpiTransport<MpichAbi>;

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

template <typename Abi>
static Error join(MpiLibrary library, uint64_t pieceBytes,
                  std::unique_ptr<Transport> &joined) {
  auto made =
      std::make_unique<MpiTransport<Abi>>(std::move(library), pieceBytes);
  if (Error error = made->open())
    return error;
  joined = std::move(made);
  return {};
}

Error runtime::joinMpi(const char *name, uint64_t pieceBytes,
                       std::unique_ptr<Transport> &joined) {
  MpiLibrary library;
  if (Error error = library.open(name))
    return error;
  return library.isOpenMpi
             ? join<OpenMpiAbi>(std::move(library), pieceBytes, joined)
             : join<MpichAbi>(std::move(library), pieceBytes, joined);
}
