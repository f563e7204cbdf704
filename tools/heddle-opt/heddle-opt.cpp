// heddle-opt: every dialect, pass and named pipeline of heddle, for tests and
// for reading IR.

#include "heddle/Pipeline/Registration.h"
#include "heddle/Support/StandardStreams.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  heddle::openStandardStreams();
  mlir::DialectRegistry registry;
  heddle::registerAllDialects(registry);
  // Of kernels in grids, which no model has.
  registry.insert<mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect>();
  heddle::registerAllPasses();
  mlir::registerAllPasses();
  mlir::LogicalResult result =
      mlir::MlirOptMain(argc, argv, "heddle optimizer\n", registry);
  return heddle::finishOutput("heddle-opt", mlir::failed(result));
}
