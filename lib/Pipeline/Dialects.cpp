// The dialects by themselves, so that a program may know them without what is
// done to them.

#include "heddle/Pipeline/Registration.h"

#include "dialects/Check/Check.h"
#include "dialects/Chlo/Chlo.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "dialects/Prec/Prec.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/Sharding/RuleTable.h"
#include "dialects/Size/Size.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/Vhlo/Vhlo.h"
#include "dialects/Ws/Ws.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void heddle::registerAllDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, quant::QuantDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  registry.insert<affine::AffineDialect>();
  registry.insert<size::SizeDialect>();
  registry.insert<kernel::KernelDialect>();
  registry.insert<plan::PlanDialect>();
  registry.insert<check::CheckDialect, chlo::ChloDialect,
                  interpreter::InterpreterDialect, stablehlo::StableHloDialect,
                  vhlo::VhloDialect>();
  registry.insert<dist::DistDialect, prec::PrecDialect, sdy::SdyDialect,
                  ws::WsDialect>();
  sharding::registerFactorRules(registry);
}
