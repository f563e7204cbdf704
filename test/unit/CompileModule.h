// Compiles the kernels of one module, as tests have them.

#ifndef HEDDLE_TEST_UNIT_COMPILEMODULE_H
#define HEDDLE_TEST_UNIT_COMPILEMODULE_H

#include "heddle/Codegen/CompileToElf.h"

#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace heddle {

/// A module of its own for `kernel`, with the globals it reads.
inline mlir::OwningOpRef<mlir::ModuleOp> isolate(mlir::func::FuncOp kernel) {
  mlir::OwningOpRef<mlir::ModuleOp> alone =
      mlir::ModuleOp::create(kernel.getLoc());
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(alone->getBody());
  llvm::SmallPtrSet<mlir::Operation *, 4> seen;
  kernel.walk([&](mlir::memref::GetGlobalOp use) {
    mlir::Operation *global =
        mlir::SymbolTable::lookupNearestSymbolFrom(kernel, use.getNameAttr());
    if (global && seen.insert(global).second)
      builder.clone(*global);
  });
  builder.clone(*kernel);
  return alone;
}

/// Compiles every lowered kernel of `module`, which is not changed.
inline mlir::FailureOr<std::vector<char>>
compileModule(mlir::ModuleOp module, const Machine &machine,
              const CodegenOptions &options = {}) {
  llvm::SmallVector<mlir::func::FuncOp> kernels;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function->hasAttr(kernel::kTilesAttrName))
      kernels.push_back(function);
  auto lower = [&](size_t number) { return isolate(kernels[number]); };
  return compileToElf(module.getLoc(), kernels.size(), lower, machine, options);
}

} // namespace heddle

#endif // HEDDLE_TEST_UNIT_COMPILEMODULE_H
