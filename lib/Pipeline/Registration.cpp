#include "heddle/Pipeline/Registration.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Pipeline/GraphPipeline.h"
#include "passes/Graph/Passes.h"
#include "passes/Kernel/Cpu/Passes.h"
#include "passes/Kernel/Math/Passes.h"

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

using namespace mlir;

void heddle::registerAllDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, quant::QuantDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  registry.insert<kernel::KernelDialect>();
  registry.insert<stablehlo::StableHloDialect>();
}

void heddle::registerAllPasses() {
  registerHeddleGraphPasses();
  registerKernelCpuPasses();
  registerKernelMathPasses();
  registerGraphPipeline();
}
