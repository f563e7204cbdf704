// Weights that safetensors files hold in the forms of GPTQ, AWQ and
// compressed-tensors.

#ifndef HEDDLE_LIB_FRONTEND_BINDINGS_PACKEDWEIGHTS_H
#define HEDDLE_LIB_FRONTEND_BINDINGS_PACKEDWEIGHTS_H

#include "lib/Frontend/Bindings/Parameter.h"

#include "heddle/Support/TensorFile.h"

namespace heddle {

/// The weights of layers that the tensors make up together, `LAYER.weight` for
/// `LAYER.qweight` and the like, [outputs, inputs] as a float model has them.
/// `tensors` view `file`; which of GPTQ's and AWQ's forms it is, and how many
/// bits the numbers of words have, the configuration beside it says. What is
/// not read says so when it is bound.
llvm::Expected<std::vector<Parameter>>
packedWeights(llvm::ArrayRef<NamedTensor> tensors,
              const std::shared_ptr<MappedFile> &file);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_BINDINGS_PACKEDWEIGHTS_H
