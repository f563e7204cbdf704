// A model repeats itself: the layers of a transformer differ in their weights
// and in a few numbers. Dispatches that are equal but for locations, operands
// and numbers share one kernel, which takes at each launch the numbers that
// differ, so that compile time and code size follow the number of distinct
// kernels.

#include "dialects/Kernel/Kernel.h"
#include "passes/Dispatch/OutlineCustomCall.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Dispatch/ScalarSlots.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_OUTLINEDISPATCHES
#include "passes/Dispatch/Passes.h.inc"

/// Whether the generic `last` may write result 0 over `argument`: it is the
/// only reader, and reads each point where it then writes.
static bool mayOverwrite(BlockArgument argument, linalg::GenericOp last) {
  if (argument.getType() != last.getResultTypes()[0])
    return false;
  AffineMap out = last.getIndexingMapsArray().back();
  return llvm::all_of(argument.getUses(), [&](OpOperand &use) {
    return use.getOwner() == last && last.isDpsInput(&use) &&
           last.getMatchingIndexingMap(&use) == out;
  });
}

/// Of a dispatch's inputs, which are tensors and then sizes.
static unsigned countTensors(kernel::DispatchOp dispatch) {
  return llvm::count_if(dispatch.getInputs().getTypes(),
                        [](Type type) { return !type.isIndex(); });
}

/// Gives what is updated in place an argument of its own where the kernel reads
/// it otherwise too, as in x.at[i].add(x): that must see the value from before.
static void separateTargets(kernel::DispatchOp dispatch) {
  Block &body = dispatch.getBody().front();
  auto separate = [&](OpOperand &target) {
    auto argument = dyn_cast<BlockArgument>(target.get());
    if (!argument || argument.hasOneUse())
      return;
    Value input = dispatch.getInputs()[argument.getArgNumber()];
    unsigned end = countTensors(dispatch);
    dispatch->insertOperands(end, input);
    target.set(body.insertArgument(end, argument.getType(), argument.getLoc()));
  };
  for (Operation &op : body) {
    if (auto update = dyn_cast<kernel::DynamicUpdateSliceOp>(op))
      separate(update.getTargetMutable());
    if (auto scatter = dyn_cast<kernel::ScatterOp>(op))
      for (OpOperand &target : scatter.getTargetsMutable())
        separate(target);
  }
}

/// Says which arguments share a buffer with a result, or may.
static void markBuffers(func::FuncOp function) {
  Builder builder(function.getContext());
  Block &body = function.front();
  Operation *terminator = body.getTerminator();
  for (Operation &op : body) {
    auto tie = [&](Value target, Value result) {
      auto argument = dyn_cast<BlockArgument>(target);
      for (OpOperand &use : result.getUses())
        if (argument && use.getOwner() == terminator)
          function.setArgAttr(
              argument.getArgNumber(), kernel::kTiedAttrName,
              builder.getI64IntegerAttr(use.getOperandNumber()));
    };
    if (auto update = dyn_cast<kernel::DynamicUpdateSliceOp>(op))
      tie(update.getTarget(), update.getResult());
    if (auto scatter = dyn_cast<kernel::ScatterOp>(op))
      for (auto [target, result] :
           llvm::zip_equal(scatter.getTargets(), scatter.getOutputs()))
        tie(target, result);
  }
  if (terminator->getNumOperands() != 1)
    return;
  auto last = terminator->getOperand(0).getDefiningOp<linalg::GenericOp>();
  if (!last || last.getNumParallelLoops() != last.getNumLoops())
    return;
  // Only one result, so only one argument can give its buffer.
  for (BlockArgument argument : body.getArguments()) {
    if (argument.use_empty() || !mayOverwrite(argument, last))
      continue;
    function.setArgAttr(argument.getArgNumber(), kernel::kInPlaceAttrName,
                        builder.getI64IntegerAttr(0));
    return;
  }
}

/// A function of the dispatch's body, not yet in a module.
static func::FuncOp makeFunction(kernel::DispatchOp dispatch) {
  separateTargets(dispatch);
  Location unknown = UnknownLoc::get(dispatch.getContext());
  auto function = func::FuncOp::create(
      unknown, "kernel",
      FunctionType::get(dispatch.getContext(), dispatch.getInputs().getTypes(),
                        dispatch.getResultTypes()));
  function.setPrivate();
  function->setAttr(kernel::kEntryAttrName,
                    UnitAttr::get(dispatch.getContext()));
  function.getBody().takeBody(dispatch.getBody());
  Operation *yield = function.front().getTerminator();
  OpBuilder builder(yield);
  func::ReturnOp::create(builder, unknown, yield->getOperands());
  yield->erase();
  function.walk([&](Operation *op) { op->setLoc(unknown); });
  for (Block &block : function.getBody())
    for (BlockArgument argument : block.getArguments())
      argument.setLoc(unknown);
  return function;
}

/// The kernel as text: equal texts are equal kernels.
static std::string canonicalText(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.useLocalScope().enableDebugInfo(false).assumeVerified();
  function->print(stream, flags);
  return text;
}

namespace {
/// Launches of one kernel, which may pass different numbers to it.
struct SharedKernel {
  explicit SharedKernel(func::FuncOp function)
      : function(function), slots(function) {}

  func::FuncOp function;
  ScalarSlots slots;
  SmallVector<kernel::LaunchOp> launches;
  std::vector<ScalarSlots::Values> numbers;
};

struct OutlineDispatches : impl::OutlineDispatchesBase<OutlineDispatches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<SharedKernel *> known;
    std::vector<std::unique_ptr<SharedKernel>> kernels;
    module.walk([&](kernel::DispatchOp dispatch) {
      func::FuncOp function = makeFunction(dispatch);
      auto kernel = std::make_unique<SharedKernel>(function);
      ScalarSlots::Values numbers = kernel->slots.values();
      SharedKernel *&shared = known[canonicalText(function)];
      if (!shared) {
        function.setName("k" + std::to_string(kernels.size()));
        shared = kernel.get();
        kernels.push_back(std::move(kernel));
      } else {
        function.erase();
      }
      OpBuilder builder(dispatch);
      unsigned tensors = countTensors(dispatch);
      shared->launches.push_back(kernel::LaunchOp::create(
          builder, dispatch.getLoc(), dispatch.getResultTypes(),
          shared->function.getName(), dispatch.getInputs().take_front(tensors),
          dispatch.getInputs().drop_front(tensors), builder.getArrayAttr({})));
      shared->numbers.push_back(std::move(numbers));
      dispatch->replaceAllUsesWith(shared->launches.back());
      dispatch.erase();
    });
    CustomCallOutliner outliner(module);
    module.walk([&](stablehlo::CustomCallOp call) { outliner.outline(call); });
    // Before the functions that launch them, after the weights.
    Operation *before = nullptr;
    for (Operation &op : *module.getBody())
      if (!isa<kernel::WeightOp>(op)) {
        before = &op;
        break;
      }
    for (std::unique_ptr<SharedKernel> &kernel : kernels) {
      passNumbers(*kernel);
      markBuffers(kernel->function);
      module.getBody()->getOperations().insert(before->getIterator(),
                                               kernel->function);
    }
  }

  static void passNumbers(SharedKernel &kernel) {
    std::vector<ScalarSlots::Values> passed =
        kernel.slots.close(kernel.numbers);
    for (auto [launch, numbers] : llvm::zip_equal(kernel.launches, passed))
      launch.setScalarsAttr(ArrayAttr::get(
          launch.getContext(),
          SmallVector<Attribute>(numbers.begin(), numbers.end())));
  }
};
} // namespace
} // namespace heddle
