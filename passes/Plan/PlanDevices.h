// Which devices a module's programs name.

#ifndef HEDDLE_PASSES_PLAN_PLANDEVICES_H
#define HEDDLE_PASSES_PLAN_PLANDEVICES_H

#include "passes/Plan/EntryTensors.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace heddle {

/// The devices of the launches and transfers of `module` and of `states`: the
/// cpu, then the others by kind and number. Fails, with an error, on what is
/// the name of no device.
mlir::FailureOr<std::vector<std::string>>
devicesOf(mlir::ModuleOp module, llvm::ArrayRef<EntryState> states);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_PLANDEVICES_H
