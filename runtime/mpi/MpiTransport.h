// Messages between ranks by MPI.

#ifndef HEDDLE_RUNTIME_MPI_MPITRANSPORT_H
#define HEDDLE_RUNTIME_MPI_MPITRANSPORT_H

#include "runtime/mpi/MpiAbi.h"
#include "runtime/mpi/MpiLibrary.h"

namespace heddle::runtime {

/// Calls MPI from whichever thread uses the transport, one at a time
/// (MPI_THREAD_SERIALIZED), and never waits inside of MPI.
template <typename Abi> class MpiTransport final : public Transport {
public:
  MpiTransport(MpiLibrary opened, uint64_t pieceBytes)
      : library(std::move(opened)), pieceBytes(pieceBytes) {}

  Error open();
  Error reserve(size_t messages) override;
  [[noreturn]] void abort(int exitCode) override;
  Error leave() override;

private:
  using Request = typename Abi::Request;
  /// A notice that others have not taken all: MPI may still read it.
  struct Said {
    std::unique_ptr<Notice> notice;
    std::vector<Request> requests; ///< One for each that it is said to.
  };
  /// What ranks say of themselves has another tag than tensors, whose tags
  /// follow the command that they are of, so that none takes what was meant for
  /// another one. MPI has at least 32768 tags, so that commands share them
  /// beyond `sites`.
  enum Tag { Notices = 1, Outside = 2, Data = 3 };
  static constexpr uint32_t sites = 16384;

  Error move(const Message *messages, size_t count,
             const Patience &patience) override;
  int64_t movedWith(uint32_t rank) const override;
  Error hear() override;
  void say(const Notice &notice, const std::vector<uint32_t> &ranks) override;

  Error findAll();
  Error checkStarted(bool &isStarted) const;
  Error initialize();
  Error checkSize() const;
  Error explain(const char *function, int code) const;
  Error post(const Message &message);
  Error wait(const Patience &patience);
  void giveUp();
  bool isTaken(Said &said);

  MpiLibrary library;
  uint64_t pieceBytes; ///< The most of a message; larger ones go in several.
  MpiFunctions<Abi> mpi = {};
  typename Abi::Comm world{}, own{}; ///< All processes; for heddle's messages.
  typename Abi::Datatype byte{};
  typename Abi::ErrorHandler errorsReturn{};
  Request noRequest{};
  bool isOurs = false;            ///< MPI was started here.
  bool isOpen = false;            ///< And has not been ended yet.
  std::vector<Request> requests;  ///< Of messages; null when one has gone.
  std::vector<uint32_t> partners; ///< The rank that each is of.
  std::vector<int> gone;          ///< Numbers of requests.
  size_t receives = 0;            ///< The first of the requests.
  std::vector<Said> untaken;
};

extern template class MpiTransport<OpenMpiAbi>;
extern template class MpiTransport<MpichAbi>;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_MPI_MPITRANSPORT_H
