// Kernel functions, each by the emitter of its family. What a family is follows
// from the root op; math is expanded afterwards, the same for all.

#include "passes/Kernel/Cpu/Passes.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Target/CpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/Emitters.h"
#include "passes/Kernel/Cpu/MergeRows.h"
#include "passes/Kernel/Cpu/PointwiseProducts.h"
#include "passes/Kernel/Cpu/RootEmitters.h"
#include "passes/Kernel/Math/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_LOWERKERNELS
#include "passes/Kernel/Cpu/Passes.h.inc"

namespace {

/// Kernels give sums, of products of the operands as they are.
template <typename Root> LogicalResult checkSums(Root op) {
  if (op.getAccumulator() ||
      llvm::any_of(ArrayRef<StringRef>{"algorithm", "score_algorithm",
                                       "value_algorithm"},
                   [&](StringRef name) { return op->hasAttr(name); }))
    return op.emitOpError("asks for other sums than kernels for processors "
                          "give; `heddle-legalize-roots` says them");
  return success();
}

/// Operands of roots lie in the panels that the emitters read, or as they are.
LogicalResult checkPacking(Operation *op, std::optional<StringRef> text,
                           ArrayRef<std::string> wanted) {
  if (!text || llvm::is_contained(wanted, *text))
    return success();
  return op->emitOpError()
         << "no kernel for processors reads what is packed as '" << *text
         << "'";
}

/// Roots whose kernels run over the bound take no operands that lie by other
/// extents.
LogicalResult checkExtents(Operation *op) {
  for (Value value :
       llvm::concat<const Value>(SmallVector<Value>(op->getOperands()),
                                 SmallVector<Value>(op->getResults())))
    if (size::hasExtents(value.getType()))
      return op->emitOpError("has no kernel over extents that calls choose, "
                             "as in ")
             << value.getType();
  return success();
}

/// Chooses the emitter for the frame's function: by the root, which there is at
/// most one of.
LogicalResult emitKernel(KernelFrame &frame) {
  for (Operation &op : frame.source.getBody().front()) {
    if (!isa<kernel::KernelDialect>(op.getDialect()))
      continue;
    if (!isa<kernel::ContractOp, kernel::ConvolutionOp, kernel::AttentionOp,
             kernel::ReduceWindowOp, kernel::ConcatenateOp,
             kernel::DynamicUpdateSliceOp, kernel::ScatterOp, kernel::SortOp,
             kernel::TopKOp>(op) &&
        failed(checkExtents(&op)))
      return failure();
    return TypeSwitch<Operation *, LogicalResult>(&op)
        .Case([&](kernel::ContractOp op) {
          int64_t columns = frame.machine.panelColumns;
          return failed(checkSums(op)) ||
                         failed(checkPacking(op, op.getRhsPacking(),
                                             {kernel::matrixPanels(columns),
                                              kernel::matrixQuads(columns),
                                              kernel::matrixPairs(columns)}))
                     ? failure()
                     : emitContraction(frame, op);
        })
        .Case([&](kernel::ConvolutionOp op) {
          int64_t columns = frame.machine.panelColumns, groups = op.getGroups();
          return failed(checkSums(op)) ||
                         failed(checkPacking(
                             op, op.getWeightsPacking(),
                             {kernel::filterPanels(columns, groups),
                              kernel::filterQuads(columns, groups),
                              kernel::filterPairs(columns, groups)}))
                     ? failure()
                     : emitConvolution(frame, op);
        })
        .Case([&](kernel::AttentionOp op) {
          return failed(checkSums(op)) ? failure() : emitAttention(frame, op);
        })
        .Case([&](kernel::ReduceWindowOp op) {
          return emitReduceWindow(frame, op);
        })
        .Case([&](kernel::ConcatenateOp op) {
          return emitConcatenate(frame, op);
        })
        .Case([&](kernel::PadOp op) { return emitPad(frame, op); })
        .Case([&](kernel::DynamicUpdateSliceOp op) {
          return emitDynamicUpdateSlice(frame, op);
        })
        .Case([&](kernel::ScatterOp op) { return emitScatter(frame, op); })
        .Case([&](kernel::SortOp op) { return emitSort(frame, op); })
        .Case([&](kernel::TopKOp op) { return emitTopK(frame, op); })
        .Case([&](kernel::RoutineOp op) { return emitRoutine(frame, op); })
        .Default([](Operation *op) {
          return op->emitOpError("is no root of a kernel");
        });
  }
  return emitLoopKernel(frame);
}

struct LowerKernels : impl::LowerKernelsBase<LowerKernels> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::shared_ptr<const Target> given =
        target.empty() ? targetOf(module) : findTarget(target);
    auto cpu = dyn_cast_if_present<CpuTarget>(given.get());
    if (!cpu) {
      module.emitError("no processor to compile kernels for: set "
                       "'heddle.target' on the module or the pass's option "
                       "'target'");
      return signalPassFailure();
    }
    if (failed(lowerKernelFunctions(module, cpu->machine())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult lowerKernelFunctions(ModuleOp module, const Machine &machine) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kernel::kEntryAttrName) && !function.isExternal())
      kernels.push_back(function);
  for (func::FuncOp kernel : kernels) {
    makePointwiseProducts(kernel, machine.panelColumns);
    mergeRows(kernel);
    FailureOr<KernelFrame> frame = KernelFrame::create(kernel, machine);
    if (failed(frame))
      return failure();
    if (failed(emitKernel(*frame))) {
      frame->abandon();
      return failure();
    }
    if (!frame->sizesFit())
      return frame->function.emitError(
          "needs a size that takes more terms than an expression has");
    expandMath(frame->function, machine.hasFma);
  }
  return success();
}

} // namespace heddle
