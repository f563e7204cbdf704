// Another runtime that runs the model beside ours: a process of its own, which
// calls when it is told to.

#ifndef HEDDLE_LIB_COMMANDS_PEERPROCESS_H
#define HEDDLE_LIB_COMMANDS_PEERPROCESS_H

#include "heddle/Testing/PeerFolder.h"

#include <memory>
#include <sys/types.h>

namespace heddle {

class PeerProcess {
public:
  /// The names of those that can be started. `openvino-bf16` may compute in
  /// bf16 what the model has in f32; `heddle-python` is heddle, called from
  /// Python.
  static llvm::ArrayRef<llvm::StringLiteral> names();

  /// Starts the runtime `name`, lets it compile the ONNX model at `model` with
  /// all that it does to make calls fast, and call it twice on `feeds` with
  /// `threads` threads. Null after an error, which has been reported.
  static std::unique_ptr<PeerProcess>
  start(Session &session, llvm::StringRef name, llvm::StringRef model,
        llvm::ArrayRef<TensorSignature> inputs,
        llvm::ArrayRef<HostTensor> feeds, unsigned threads);
  PeerProcess(PeerFolder folder, std::string name, pid_t child, int socket)
      : folder(std::move(folder)), ownName(std::move(name)), child(child),
        socket(socket) {}
  PeerProcess(const PeerProcess &) = delete;
  PeerProcess &operator=(const PeerProcess &) = delete;
  ~PeerProcess();

  const std::string &name() const { return ownName; }
  /// As its package has it.
  const std::string &version() const { return ownVersion; }

  /// The seconds that so many calls take, one after the other, by its own
  /// clock; none after an error, which has been reported.
  std::optional<double> call(unsigned times);

private:
  /// What it says next; "" once it has ended.
  std::string hear() const;

  PeerFolder folder;
  std::string ownName, ownVersion;
  pid_t child;
  int socket;
};

} // namespace heddle

#endif // HEDDLE_LIB_COMMANDS_PEERPROCESS_H
