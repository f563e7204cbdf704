// Finds the blocks of loops and branches, and brings constants to their
// readers.

#include "passes/Lower/ControlFlow.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

bool heddle::isControlFlow(Operation *op) {
  return isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp,
             kernel::CompositeOp>(op);
}

void heddle::forEachProgramBlock(func::FuncOp function,
                                 llvm::function_ref<void(Block &)> visit) {
  SmallVector<Block *> blocks;
  if (!function.isExternal())
    blocks.push_back(&function.front());
  for (unsigned i = 0; i < blocks.size(); ++i) {
    visit(*blocks[i]);
    for (Operation &op : *blocks[i])
      if (isControlFlow(&op))
        for (Region &region : op.getRegions())
          blocks.push_back(&region.front());
  }
}

SmallVector<Block *> heddle::programBlocks(func::FuncOp function) {
  SmallVector<Block *> blocks;
  forEachProgramBlock(function,
                      [&](Block &block) { blocks.push_back(&block); });
  return blocks;
}

/// Whether `op` gives a constant, or repeats one: as much as its type says.
static bool repeatsConstant(Operation *op) {
  using namespace stablehlo;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return dense && (dense.isSplat() || dense.getNumElements() == 1);
  }
  if (isa<IotaOp>(op))
    return true;
  if (!isa<BroadcastInDimOp, ReshapeOp, ConvertOp>(op))
    return false;
  Operation *source = op->getOperand(0).getDefiningOp();
  return source && repeatsConstant(source);
}

/// A copy of `op`, which repeats a constant, and of what it is made of.
static Value copyConstant(OpBuilder &builder, Operation *op) {
  IRMapping values;
  for (Value operand : op->getOperands())
    values.map(operand, copyConstant(builder, operand.getDefiningOp()));
  return builder.clone(*op, values)->getResult(0);
}

void heddle::sinkConstants(func::FuncOp function) {
  SmallVector<Block *> blocks = programBlocks(function);
  for (Block *block : ArrayRef(blocks).drop_front()) {
    DenseMap<Value, Value> copies;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      for (OpOperand &use : op.getOpOperands()) {
        Operation *source = use.get().getDefiningOp();
        if (!source || source->getBlock() == block || !repeatsConstant(source))
          continue;
        Value &copy = copies[use.get()];
        if (!copy) {
          OpBuilder builder(block, block->begin());
          copy = copyConstant(builder, source);
        }
        use.set(copy);
      }
    }
  }
}
