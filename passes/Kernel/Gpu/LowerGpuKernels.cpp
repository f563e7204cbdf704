// Kernel functions, each as what one thread of a grid does; math is expanded
// afterwards, by the same pass as for processors.

#include "passes/Kernel/Gpu/ModuleTarget.h"
#include "passes/Kernel/Gpu/Passes.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/TensorTypes.h"
#include "heddle/Target/GpuTarget.h"
#include "passes/Kernel/Gpu/ElementEmitter.h"
#include "passes/Kernel/Gpu/ReadProtocol.h"
#include "passes/Kernel/Gpu/TileAttention.h"
#include "passes/Kernel/Gpu/TileContractions.h"
#include "passes/Kernel/Math/Passes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_LOWERGPUKERNELS
#include "passes/Kernel/Gpu/Passes.h.inc"

/// Computes the results of the kernel that `op` makes, an element a thread.
static void emitElements(ElementEmitter &emitter, Operation *op,
                         ArrayRef<OpResult> results) {
  GridFrame &frame = emitter.frame;
  // Threads beside each other write elements beside each other of the first.
  OpResult first = results.front();
  frame.forEach(typeOf(first).getNumElements(), [&](Value number) {
    SmallVector<Value> indices = frame.delinearize(number, shapeOf(first));
    SmallVector<Value> values =
        emitter.elements(op, first.getResultNumber(), indices);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    SmallVector<Value> loops;
    if (generic) {
      loops = emitter.loopsAt(generic, first.getResultNumber(), indices);
      for (Value &loop : loops)
        loop = loop ? loop : frame.index.constant(0);
    }
    for (OpResult result : results) {
      SmallVector<Value> at(indices);
      if (generic && result != first)
        at = emitter.apply(
            op,
            generic.getMatchingIndexingMap(generic.getTiedOpOperand(result)),
            loops);
      frame.store(values[result.getResultNumber()], frame.buffer(result),
                  emitter.position(at, shapeOf(result)));
    }
  });
}

/// Results that no operation of the kernel makes but a fill or a constant.
static void emitConstant(ElementEmitter &emitter, Value result) {
  GridFrame &frame = emitter.frame;
  frame.forEach(typeOf(result).getNumElements(), [&](Value number) {
    SmallVector<Value> indices = frame.delinearize(number, shapeOf(result));
    frame.store(emitter.element(result, indices), frame.buffer(result), number);
  });
}

static void emitKernel(GridFrame &frame) {
  ElementEmitter emitter(frame);
  Operation *terminator = frame.source.getBody().front().getTerminator();
  llvm::MapVector<Operation *, SmallVector<OpResult>> makers;
  for (Value result : terminator->getOperands()) {
    auto made = dyn_cast<OpResult>(result);
    if (!made)
      return frame.fail(terminator, "it returns an argument");
    makers[made.getOwner()].push_back(made);
  }
  for (auto &[op, results] : makers)
    TypeSwitch<Operation *>(op)
        .Case([&](kernel::DynamicUpdateSliceOp op) {
          emitUpdateSlice(emitter, op);
        })
        .Case([&](kernel::ScatterOp op) { emitScatterElements(emitter, op); })
        .Case([&](kernel::SortOp op) { emitRankedSort(emitter, op); })
        .Case([&](kernel::TopKOp op) { emitRankedTopK(emitter, op); })
        .Case<linalg::FillOp, arith::ConstantOp>(
            [&](Operation *op) { emitConstant(emitter, op->getResult(0)); })
        .Default([&, &results = results](Operation *op) {
          emitElements(emitter, op, results);
        });
}

static FailureOr<func::FuncOp> emitByElements(func::FuncOp kernel,
                                              const GpuMachine &machine) {
  FailureOr<GridFrame> frame = GridFrame::create(kernel, machine);
  if (failed(frame))
    return failure();
  emitKernel(*frame);
  func::FuncOp function = frame->function;
  if (failed(frame->finish()))
    return failure();
  return function;
}

std::string lackOfGpuKernel(func::FuncOp function) {
  std::string reason;
  function->walk([&](Operation *op) {
    auto because = [&](const Twine &why) {
      reason = (op->getName().getStringRef() + " " + why).str();
      return WalkResult::interrupt();
    };
    if (auto routine = dyn_cast<kernel::RoutineOp>(op))
      return because("\"" + routine.getName() +
                     "\" is a routine of processors");
    if (isa<arith::RemFOp>(op))
      return because("has no instruction");
    if (isa<kernel::AttentionOp>(op) && !isTiledAttention(function))
      return because(
          "has sizes that calls choose, or operands that are not in "
          "memory, or asks for what tensor cores have no kernel for");
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes())))
      if (isa<RankedTensorType>(type) && size::hasExtents(type))
        return because("has extents that calls choose or the program "
                       "counts");
    return WalkResult::advance();
  });
  return reason;
}

LogicalResult lowerGpuKernelFunctions(ModuleOp module,
                                      const GpuMachine &machine,
                                      ProtocolVerifier &verifier) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kernel::kEntryAttrName) && !function.isExternal())
      kernels.push_back(function);
  for (func::FuncOp kernel : kernels) {
    FailureOr<func::FuncOp> lowered =
        isTiledContraction(kernel) ? tileContraction(kernel, machine)
        : isTiledAttention(kernel) ? tileAttention(kernel, machine)
                                   : emitByElements(kernel, machine);
    if (failed(lowered))
      return failure();
    expandMath(*lowered, /*hasFma=*/true);
    if (failed(lowerRoles(*lowered)) || failed(verifier.verify(*lowered)))
      return failure();
  }
  return success();
}

namespace {
struct LowerGpuKernels : impl::LowerGpuKernelsBase<LowerGpuKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::shared_ptr<const GpuTarget> gpu = gpuTargetOf(module);
    if (!gpu)
      return signalPassFailure();
    ProtocolVerifier verifier;
    if (failed(lowerGpuKernelFunctions(module, gpu->machine(), verifier)))
      signalPassFailure();
  }
};
} // namespace

} // namespace heddle
