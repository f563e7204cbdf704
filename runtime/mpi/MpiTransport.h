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
  /// What is said of the ranks themselves has another tag than tensors, whose
  /// tags follow their purposes. MPI has at least 32768 tags, so that purposes
  /// share them beyond `purposes`.
  enum Tag { Failure = 1, Data = 2 };
  static constexpr uint32_t purposes = 16384;

  Error move(const Message *messages, size_t count,
             const Patience &patience) override;
  Error hear() override;
  void tellAll(const heddle_status &why) override;

  Error findAll();
  Error checkStarted(bool &isStarted) const;
  Error initialize();
  Error checkSize() const;
  Error explain(const char *function, int code) const;
  Error post(const Message &message);
  Error wait(const Patience &patience);
  void giveUp();

  MpiLibrary library;
  uint64_t pieceBytes; ///< The most of a message; larger ones go in several.
  MpiFunctions<Abi> mpi = {};
  typename Abi::Comm world{}, own{}; ///< All processes; for heddle's messages.
  typename Abi::Datatype byte{};
  typename Abi::ErrorHandler errorsReturn{};
  Request noRequest{};
  bool isOurs = false;           ///< MPI was started here.
  bool isOpen = false;           ///< And has not been ended yet.
  std::vector<Request> requests; ///< Of the messages on their way.
  size_t receives = 0;           ///< The first of these.
};

extern template class MpiTransport<OpenMpiAbi>;
extern template class MpiTransport<MpichAbi>;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_MPI_MPITRANSPORT_H
