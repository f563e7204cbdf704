// What another runtime is given to run a model of ours: an interpreter of
// Python, the data of a call, and a folder for what it leaves.

#ifndef HEDDLE_TESTING_PEERFOLDER_H
#define HEDDLE_TESTING_PEERFOLDER_H

#include "heddle/Driver/Program.h"

#include "llvm/ADT/SmallString.h"

namespace heddle {

/// Goes away with its files.
class PeerFolder {
public:
  /// For `peer`, a package of Python that runs the ONNX model at `model`, on
  /// `feeds`, one tensor for each of `inputs`. None after an error, which has
  /// been reported.
  static std::optional<PeerFolder> make(Session &session, llvm::StringRef peer,
                                        llvm::StringRef model,
                                        llvm::ArrayRef<TensorSignature> inputs,
                                        llvm::ArrayRef<HostTensor> feeds);
  PeerFolder(PeerFolder &&other);
  ~PeerFolder();

  /// The interpreter: HEDDLE_PYTHON, else python3.
  const std::string &python() const { return interpreter; }
  /// An .npz file with the inputs by their names.
  std::string feeds() const { return file("feeds.npz"); }
  /// An empty file, for what the peer prints.
  std::string printed() const { return file("printed"); }
  /// The path of a file in the folder.
  std::string file(llvm::StringRef name) const;

  /// Reports that the peer ended, by the last line that it printed: of a
  /// traceback, the error.
  void reportFailure() const;

private:
  PeerFolder(Session &session, llvm::StringRef peer)
      : session(session), peer(peer) {}
  /// What stands in the way of the peer; "" if it is all there.
  std::string prepare(llvm::StringRef model,
                      llvm::ArrayRef<TensorSignature> inputs,
                      llvm::ArrayRef<HostTensor> feeds);

  Session &session;
  std::string peer, interpreter;
  /// Empty where there is none.
  llvm::SmallString<128> path;
};

} // namespace heddle

#endif // HEDDLE_TESTING_PEERFOLDER_H
