// Data for the inputs of a call: read from files, or made up.

#ifndef HEDDLE_DRIVER_FEEDS_H
#define HEDDLE_DRIVER_FEEDS_H

#include "heddle/Driver/Program.h"

namespace heddle {

/// A tensor for each input, in order. What the options leave out is made up:
/// zeros for states, integers inside the input's range, ones for masks, small
/// random numbers otherwise; `madeUp` gets a sentence for each. None after an
/// error, which has been reported.
std::optional<llvm::SmallVector<HostTensor>>
gatherFeeds(Session &session, llvm::ArrayRef<TensorSignature> inputs,
            const FeedOptions &options, std::vector<std::string> &madeUp);

/// The same for a program. Sizes that tensors of files tell are those of the
/// call: the rest is made up for them.
std::optional<llvm::SmallVector<HostTensor>>
gatherFeeds(Session &session, Program &program, const FeedOptions &options,
            std::vector<std::string> &madeUp);

/// What tensors are read for: an ONNX test data folder holds both.
enum class TensorRole { Input, Output };

/// Reads .npy, .npz, .safetensors, .pb, a folder of .npy files or an ONNX test
/// data folder: tensors by name. In a test data folder, input_0.pb (or
/// output_0.pb) and the like are called by the name inside, or "0".
std::optional<std::vector<std::pair<std::string, HostTensor>>>
readTensors(Session &session, llvm::StringRef path,
            TensorRole role = TensorRole::Input);

/// Finds inputs by name or number; no value if there is none.
std::optional<size_t> findTensor(llvm::ArrayRef<TensorSignature> list,
                                 llvm::StringRef nameOrNumber);
/// The same for keys of --shape, which may be "arg0", too.
std::optional<size_t> findArgument(llvm::ArrayRef<TensorSignature> list,
                                   llvm::StringRef key);

} // namespace heddle

#endif // HEDDLE_DRIVER_FEEDS_H
