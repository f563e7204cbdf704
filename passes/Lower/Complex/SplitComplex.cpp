// Kernels compute with real numbers: every complex tensor becomes two real
// tensors before anything is dispatched.
//
// In memory a complex number is its two parts one after the other. So the
// entry's complex arguments, results and weights are seen as real tensors with
// one more dimension of 2, and parts are slices of it; what the caller holds
// does not change. Ops that move elements are done on each part, regions take
// twice the values, functions are the formulas of ComplexMath.

#include "dialects/Chlo/Chlo.h"
#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntryTypes.h"
#include "passes/Lower/Complex/ComplexSplitter.h"
#include "passes/Lower/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SPLITCOMPLEX
#include "passes/Lower/Passes.h.inc"

using namespace stablehlo;

bool isComplexTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<ComplexType>(tensor.getElementType());
}

Type complexPartType(Type type) {
  if (!isComplexTensor(type))
    return type;
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(
      cast<ComplexType>(tensor.getElementType()).getElementType());
}

RankedTensorType interleavedType(Type type) {
  auto part = cast<RankedTensorType>(complexPartType(type));
  return size::SizedShape()
      .add(part, 0, part.getRank())
      .add(2)
      .of(part.getElementType());
}

static bool isComplex(Value value) { return isComplexTensor(value.getType()); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ComplexParts ComplexSplitter::parts(Value value) {
  auto known = table.find(value);
  if (known != table.end())
    return known->second;
  // What made it was refused; something of the right type keeps the rest
  // going.
  auto type = cast<RankedTensorType>(complexPartType(value.getType()));
  Value zero = ConstantOp::create(
      builder, value.getLoc(), cast<ElementsAttr>(builder.getZeroAttr(type)));
  return {zero, zero};
}

SmallVector<Value> ComplexSplitter::expanded(ValueRange values) {
  SmallVector<Value> flat;
  for (Value value : values) {
    if (!isComplex(value)) {
      flat.push_back(value);
      continue;
    }
    ComplexParts both = parts(value);
    flat.append({both.re, both.im});
  }
  return flat;
}

ComplexParts ComplexSplitter::deinterleave(Location loc, Value view) {
  auto type = cast<RankedTensorType>(view.getType());
  int64_t last = type.getRank() - 1;
  RankedTensorType part =
      size::SizedShape().add(type, 0, last).of(type.getElementType());
  RankedTensorType column =
      size::SizedShape().add(type, 0, last).add(1).of(type.getElementType());
  auto take = [&](int64_t number) -> Value {
    SmallVector<int64_t> begin(type.getRank(), 0), end(type.getShape());
    begin.back() = number;
    end.back() = number + 1;
    SmallVector<int64_t> steps(type.getRank(), 1);
    auto slice = SliceOp::create(builder, loc, column, view, begin, end, steps);
    if (size::hasExtents(type)) {
      SmallVector<size::Expression> limits = size::extentsOf(type);
      limits.back() = size::Expression::constant(type.getContext(), end.back());
      slice->setAttr(sizedAttributeName("limit_indices"),
                     size::extentsAttr(type.getContext(), limits));
    }
    return ReshapeOp::create(builder, loc, part, slice);
  };
  Value re = take(0);
  Value im = take(1);
  wholes[{re, im}] = view;
  return {re, im};
}

Value ComplexSplitter::interleave(Location loc, ComplexParts value) {
  if (Value whole = wholes.lookup({value.re, value.im}))
    return whole;
  auto type = cast<RankedTensorType>(value.re.getType());
  auto withLast = [&](int64_t size) {
    return size::SizedShape()
        .add(type, 0, type.getRank())
        .add(size)
        .of(type.getElementType());
  };
  auto column = [&](Value part) -> Value {
    return ReshapeOp::create(builder, loc, withLast(1), part);
  };
  SmallVector<Value> columns = {column(value.re), column(value.im)};
  return ConcatenateOp::create(builder, loc, withLast(2), columns,
                               type.getRank());
}

void ComplexSplitter::defineResults(Operation *op, ValueRange flat) {
  unsigned next = 0;
  for (OpResult result : op->getResults()) {
    if (isComplex(result)) {
      table[result] = {flat[next], flat[next + 1]};
      next += 2;
    } else {
      result.replaceAllUsesWith(flat[next++]);
    }
  }
}

void ComplexSplitter::refuse(Operation *op, const Twine &reason) {
  emitError(op->getLoc(), ErrorCode::NoKernel)
      << "no kernel for '" << op->getName()
      << "' of complex numbers: " << reason;
  failed = true;
}

//===----------------------------------------------------------------------===//
// Functions and regions
//===----------------------------------------------------------------------===//

void ComplexSplitter::splitArguments(func::FuncOp entry) {
  Block &block = entry.front();
  builder.setInsertionPointToStart(&block);
  SmallVector<BlockArgument> arguments(block.getArguments());
  for (BlockArgument argument : arguments) {
    if (!isComplex(argument))
      continue;
    // The old type is wanted until the last reader is gone.
    BlockArgument fresh = block.insertArgument(
        argument.getArgNumber(), interleavedType(argument.getType()),
        argument.getLoc());
    table[argument] = deinterleave(argument.getLoc(), fresh);
    retired.push_back(argument);
  }
}

void ComplexSplitter::splitResults(func::FuncOp entry) {
  Operation *end = entry.front().getTerminator();
  builder.setInsertionPoint(end);
  for (OpOperand &operand : end->getOpOperands())
    if (isComplex(operand.get()))
      operand.set(interleave(end->getLoc(), parts(operand.get())));
}

void ComplexSplitter::expandArguments(Block &block) {
  for (unsigned i = 0; i < block.getNumArguments(); ++i) {
    BlockArgument argument = block.getArgument(i);
    if (!isComplex(argument))
      continue;
    Type type = complexPartType(argument.getType());
    Location loc = argument.getLoc();
    Value re = block.insertArgument(i + 1, type, loc);
    Value im = block.insertArgument(i + 2, type, loc);
    table[argument] = {re, im};
    retired.push_back(argument);
    i += 2;
  }
}

/// A comparator has the two elements of each input side by side: those of the
/// real parts, then those of the imaginary ones.
void ComplexSplitter::expandComparator(Block &block) {
  for (unsigned i = 0; i + 1 < block.getNumArguments(); i += 2) {
    BlockArgument first = block.getArgument(i);
    BlockArgument second = block.getArgument(i + 1);
    if (!isComplex(first))
      continue;
    Type type = complexPartType(first.getType());
    SmallVector<Value> fresh;
    for (unsigned j = 0; j < 4; ++j)
      fresh.push_back(block.insertArgument(i + 2 + j, type, first.getLoc()));
    table[first] = {fresh[0], fresh[2]};
    table[second] = {fresh[1], fresh[3]};
    retired.append({first, second});
    i += 4;
  }
}

void ComplexSplitter::splitRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      if (isa<SortOp>(op))
        expandComparator(block);
      else
        expandArguments(block);
      splitBlock(block);
    }
}

void ComplexSplitter::splitBlock(Block &block, bool isEntry) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      if (!isEntry)
        op->setOperands(expanded(op->getOperands()));
    } else {
      split(op);
    }
  }
}

/// A function of the caller's has complex numbers as they lie in memory.
void ComplexSplitter::viewCall(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  SmallVector<Type> types(op->getResultTypes());
  SmallVector<int64_t> complexOperands, complexResults;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (isComplex(operand)) {
      complexOperands.push_back(i);
      operand = interleave(op->getLoc(), parts(operand));
    }
  for (auto [i, type] : llvm::enumerate(types))
    if (isComplexTensor(type)) {
      complexResults.push_back(i);
      type = interleavedType(type);
    }
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrs());
  state.attributes.set(kComplexOperandsAttrName,
                       builder.getDenseI64ArrayAttr(complexOperands));
  state.attributes.set(kComplexResultsAttrName,
                       builder.getDenseI64ArrayAttr(complexResults));
  Operation *view = builder.create(state);
  for (auto [result, whole] :
       llvm::zip_equal(op->getResults(), view->getResults())) {
    if (isComplex(result))
      table[result] = deinterleave(op->getLoc(), whole);
    else
      result.replaceAllUsesWith(whole);
  }
}

void ComplexSplitter::split(Operation *op) {
  bool touches = llvm::any_of(op->getOperandTypes(), isComplexTensor) ||
                 llvm::any_of(op->getResultTypes(), isComplexTensor);
  if (!touches)
    return splitRegions(op);
  if (isRegisteredCall(op)) {
    viewCall(op);
    return retire(op);
  }
  if (splitSource(op) || splitCheap(op) || splitFunction(op) ||
      splitPartly(op) || splitProduct(op) || splitRoutine(op) ||
      splitStructured(op)) {
    retire(op);
    return;
  }
  refuse(op, "the operation is not implemented for complex numbers");
}

LogicalResult ComplexSplitter::run(func::FuncOp entry) {
  WalkResult dynamic = entry.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isComplexTensor(type) &&
          !cast<RankedTensorType>(type).hasStaticShape()) {
        refuse(op, "a shape is not known before the call");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (dynamic.wasInterrupted())
    return failure();
  splitArguments(entry);
  splitBlock(entry.front(), /*isEntry=*/true);
  if (failed)
    return failure();
  splitResults(entry);
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  for (BlockArgument argument : llvm::reverse(retired))
    argument.getOwner()->eraseArgument(argument.getArgNumber());
  changeHeldTypes(
      entry,
      FunctionType::get(entry.getContext(), entry.front().getArgumentTypes(),
                        entry.front().getTerminator()->getOperandTypes()));
  return success();
}

namespace {
struct SplitComplex : impl::SplitComplexBase<SplitComplex> {
  void runOnOperation() override {
    for (func::FuncOp entry : kernel::entryFunctions(getOperation())) {
      bool any = llvm::any_of(entry.getArgumentTypes(), isComplexTensor);
      entry.walk([&](Operation *op) {
        any |= llvm::any_of(op->getResultTypes(), isComplexTensor);
      });
      if (any && failed(ComplexSplitter(getOperation()).run(entry)))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace heddle
