// A tensor of a file of parameters, before an input has asked for it.

#ifndef HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETER_H
#define HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETER_H

#include "lib/Frontend/Bindings/WeightProgram.h"

#include "heddle/Support/HostTensor.h"

#include <functional>
#include <string>

namespace heddle {

/// Writes what a tensor of stored numbers stands for, as floats of the type
/// `result`; its transpose if that is asked for.
using WriteWeight = std::function<mlir::Value(
    WeightProgram &, mlir::FloatType result, bool isTransposed)>;

struct Parameter {
  std::string name;
  llvm::SmallVector<int64_t> shape;
  /// The tensor, where elements are numbers as they are.
  HostTensor tensor;
  /// How it is written where its numbers stand for others. With a tensor, too,
  /// an input of the tensor's elements takes these, and one of floats what they
  /// stand for.
  WriteWeight write;
  /// Why what its numbers stand for is not read, if so.
  std::string refusal;
  /// What the tensor's bytes belong to.
  std::shared_ptr<MappedFile> file;
};

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETER_H
