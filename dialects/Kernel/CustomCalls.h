// Kernels that are functions of the program which loads the artifact.

#ifndef HEDDLE_DIALECTS_KERNEL_CUSTOMCALLS_H
#define HEDDLE_DIALECTS_KERNEL_CUSTOMCALLS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace heddle::kernel {

/// On a kernel function without a body: it is registered where the artifact is
/// loaded. A dictionary of `target`, `api_version`, `side_effect`, `attributes`
/// (a dictionary), `backend_config` (text), and the types of `operands` and
/// `results` as the model has them, with signs and complex numbers. Its
/// arguments are these tensors as kernels see them.
inline constexpr llvm::StringLiteral kCustomCallAttrName = "kernel.custom_call";

inline bool isCustomCall(mlir::Operation *function) {
  return function && function->hasAttr(kCustomCallAttrName);
}

/// Whether launches of `function` have an effect beyond their results: none may
/// be left out, and their order is the model's.
inline bool hasSideEffect(mlir::Operation *function) {
  auto call =
      function
          ? function->getAttrOfType<mlir::DictionaryAttr>(kCustomCallAttrName)
          : mlir::DictionaryAttr();
  auto effect =
      call ? call.getAs<mlir::BoolAttr>("side_effect") : mlir::BoolAttr();
  return effect && effect.getValue();
}

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_CUSTOMCALLS_H
