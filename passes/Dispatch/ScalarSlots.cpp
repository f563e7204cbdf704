// Takes numbers out of kernel functions, so that functions which differ in them
// alone are one.

#include "passes/Dispatch/ScalarSlots.h"

#include "dialects/Kernel/ScalarArguments.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;

namespace heddle {

/// Whether `op` computes the same way whatever number an operand is. What is
/// expanded by the value (a power, a shift, an integer quotient) is left out.
static bool takesNumbers(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::CmpFOp, arith::AddIOp, arith::SubIOp,
             arith::MulIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::CmpIOp, arith::SelectOp>(op);
}

/// Whether the payload computes positions: what is known of their integers
/// makes contiguous loads of gathers.
static bool computesPositions(linalg::GenericOp generic) {
  return llvm::any_of(*generic.getBody(), [](Operation &op) {
    return isa<tensor::ExtractOp, linalg::IndexOp>(op);
  });
}

ScalarSlots::ScalarSlots(func::FuncOp function)
    : function(function), numInputs(function.getNumArguments()) {
  Block &body = function.front();
  llvm::SmallSetVector<Operation *, 8> touched;
  for (auto generic : body.getOps<linalg::GenericOp>()) {
    bool integers = !computesPositions(generic);
    for (Operation &op : *generic.getBody()) {
      if (!takesNumbers(&op))
        continue;
      for (OpOperand &use : op.getOpOperands()) {
        auto constant = use.get().getDefiningOp<arith::ConstantOp>();
        Type type = use.get().getType();
        if (!constant || type.isIndex() || !kernel::isScalarArgument(type) ||
            (type.isInteger() && !integers))
          continue;
        uses.push_back(&use);
        constants.push_back(constant);
        numbers.push_back(constant.getValue());
        touched.insert(constant);
        use.set(body.addArgument(type, function.getLoc()));
      }
    }
  }
  for (Operation *constant : touched)
    if (constant->use_empty()) {
      removed.push_back({cast<arith::ConstantOp>(constant),
                         constant->getBlock(), constant->getNextNode()});
      constant->remove();
    }
  setArguments();
}

ScalarSlots::~ScalarSlots() {
  for (Removed &gone : removed)
    gone.constant->erase();
}

void ScalarSlots::setArguments() {
  function.setFunctionType(FunctionType::get(
      function.getContext(), TypeRange(function.front().getArgumentTypes()),
      function.getResultTypes()));
}

std::vector<ScalarSlots::Values> ScalarSlots::close(ArrayRef<Values> rows) {
  Block &body = function.front();
  // The last to go stood before none that is still out.
  for (Removed &gone : llvm::reverse(removed))
    gone.block->getOperations().insert(Block::iterator(gone.next),
                                       gone.constant);
  removed.clear();

  std::vector<Values> passed(rows.size());
  llvm::BitVector dropped(body.getNumArguments());
  // The first slot with these values of all launches.
  std::map<std::vector<const void *>, unsigned> firsts;
  for (unsigned slot = 0; slot < numbers.size(); ++slot) {
    auto argument = numInputs + slot;
    std::vector<const void *> column;
    for (const Values &row : rows)
      column.push_back(row[slot].getAsOpaquePointer());
    if (llvm::all_equal(column)) {
      uses[slot]->set(constants[slot]);
      dropped.set(argument);
      continue;
    }
    auto [first, isNew] = firsts.try_emplace(std::move(column), argument);
    if (!isNew) {
      uses[slot]->set(body.getArgument(first->second));
      dropped.set(argument);
      continue;
    }
    for (auto [row, values] : llvm::zip_equal(rows, passed))
      values.push_back(row[slot]);
  }
  body.eraseArguments(dropped);
  setArguments();
  llvm::SmallSetVector<Operation *, 8> touched;
  for (arith::ConstantOp constant : constants)
    touched.insert(constant);
  for (Operation *constant : touched)
    if (constant->use_empty())
      constant->erase();
  return passed;
}

} // namespace heddle
