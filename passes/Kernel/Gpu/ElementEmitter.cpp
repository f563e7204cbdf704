// Elements of generics, constants and buffers, and what the definitions of
// roots are written with.

#include "passes/Kernel/Gpu/ElementEmitter.h"

#include "heddle/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {

Value ElementEmitter::element(Value tensor, ArrayRef<Value> indices) {
  if (Value known = given.lookup(tensor))
    return known;
  Type type = elementOf(tensor);
  // A result of the kernel is computed anew: another thread writes it.
  auto argument = dyn_cast<BlockArgument>(tensor);
  SplatElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)))
    return arith::ConstantOp::create(
        builder, index.loc, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  if (argument || matchPattern(tensor, m_Constant()))
    if (Value buffer = frame.buffer(tensor))
      return frame.load(buffer, position(indices, shapeOf(tensor)), type);
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return frame.placeholder(type);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return scalar(fill.getInputs()[0]);
  if (isa<tensor::EmptyOp>(op))
    return frame.placeholder(type);
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  return elements(op, number, indices)[number];
}

SmallVector<Value> ElementEmitter::elements(Operation *op, unsigned number,
                                            ArrayRef<Value> indices) {
  return TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](linalg::GenericOp op) {
        return evaluate(op, loopsAt(op, number, indices));
      })
      .Case([&](kernel::ContractOp op) {
        return contractionElement(*this, op, indices);
      })
      .Case([&](kernel::ConvolutionOp op) {
        return convolutionElement(*this, op, indices);
      })
      .Case([&](kernel::ReduceWindowOp op) {
        return windowElement(*this, op, indices);
      })
      .Case([&](kernel::ConcatenateOp op) {
        return concatenatedElement(*this, op, indices);
      })
      .Case([&](kernel::PadOp op) { return paddedElement(*this, op, indices); })
      .Default([&](Operation *op) {
        frame.fail(op, "nobody has written how an element of it is computed");
        return llvm::map_to_vector(op->getResults(), [&](Value result) {
          return frame.placeholder(elementOf(result));
        });
      });
}

Value ElementEmitter::scalar(Value value) {
  if (Value argument = frame.argument(value))
    return argument;
  if (matchPattern(value, m_Constant()))
    return builder.clone(*value.getDefiningOp())->getResult(0);
  if (auto extract = value.getDefiningOp<tensor::ExtractOp>())
    return element(extract.getTensor(),
                   llvm::map_to_vector(extract.getIndices(),
                                       [&](Value i) { return scalar(i); }));
  frame.fail(value.getDefiningOp() ? value.getDefiningOp()
                                   : frame.source.getOperation(),
             "a scalar is neither a constant nor read from memory");
  return frame.placeholder(value.getType());
}

SmallVector<Value> ElementEmitter::apply(Operation *op, AffineMap map,
                                         ArrayRef<Value> loops) {
  SmallVector<Value> indices;
  for (AffineExpr expression : map.getResults()) {
    std::optional<kernel::LinearAccess> linear =
        kernel::linearExpression(expression, map.getNumDims());
    if (!linear) {
      frame.fail(op, "an operand is not read by linear indices");
      linear.emplace();
      linear->strides.assign(map.getNumDims(), 0);
    }
    Value sum = index.constant(linear->offset);
    for (auto [loop, stride] : llvm::zip(loops, linear->strides))
      if (stride)
        sum = index.at(sum, loop, stride);
    indices.push_back(sum);
  }
  return indices;
}

SmallVector<Value> ElementEmitter::loopsAt(linalg::GenericOp op,
                                           unsigned number,
                                           ArrayRef<Value> indices) {
  SmallVector<Value> loops(op.getNumLoops());
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  for (auto [expression, at] : llvm::zip_equal(map.getResults(), indices))
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      loops[dim.getPosition()] = at;
  for (auto [loop, iterator, extent] :
       llvm::zip_equal(loops, op.getIteratorTypesArray(), extents)) {
    if (iterator == utils::IteratorType::reduction) {
      loop = {};
      continue;
    }
    if (!loop && extent > 1)
      frame.fail(op, "a loop does not follow from a place of the result");
    if (!loop)
      loop = index.constant(0);
  }
  return loops;
}

SmallVector<Value> ElementEmitter::inlineRegion(Block &region,
                                                ValueRange arguments,
                                                ValueRange loops) {
  IRMapping values;
  values.map(region.getArguments(), arguments);
  auto isInside = [&](Value value) {
    return region.getParent()->isAncestor(value.getParentRegion());
  };
  for (Operation &op : region.without_terminator()) {
    for (Value operand : op.getOperands())
      if (!values.contains(operand) && !isInside(operand) &&
          !isa<RankedTensorType>(operand.getType()))
        values.map(operand, scalar(operand));
    if (auto loop = dyn_cast<linalg::IndexOp>(op)) {
      values.map(loop.getResult(), loops[loop.getDim()]);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      values.map(
          extract.getResult(),
          element(extract.getTensor(),
                  llvm::map_to_vector(extract.getIndices(), [&](Value i) {
                    return values.lookup(i);
                  })));
    } else {
      if (op.getNumRegions())
        frame.fail(&op, "a payload has control flow");
      builder.clone(op, values);
    }
  }
  return llvm::map_to_vector(
      region.getTerminator()->getOperands(), [&](Value yielded) {
        return isInside(yielded) ? values.lookup(yielded) : scalar(yielded);
      });
}

SmallVector<Value> ElementEmitter::evaluate(linalg::GenericOp op,
                                            SmallVector<Value> loops) {
  Block &payload = *op.getBody();
  SmallVector<Value> inits, ends;
  SmallVector<unsigned> reduced;
  for (auto [loop, value] : llvm::enumerate(loops))
    if (!value) {
      reduced.push_back(loop);
      ends.push_back(index.constant(op.getStaticLoopRanges()[loop]));
    }
  // Loops that are summed over have no place in the results.
  SmallVector<Value> placed(loops);
  for (unsigned loop : reduced)
    placed[loop] = index.constant(0);
  for (OpOperand &init : op.getDpsInitsMutable())
    inits.push_back(element(
        init.get(), apply(op, op.getMatchingIndexingMap(&init), placed)));
  return nest(ends, inits, [&](ArrayRef<Value> at, ValueRange carried) {
    SmallVector<Value> point(loops);
    for (auto [loop, value] : llvm::zip_equal(reduced, at))
      point[loop] = value;
    SmallVector<Value> arguments;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = payload.getArgument(input->getOperandNumber());
      Value value =
          argument.use_empty() ? frame.placeholder(argument.getType())
          : isa<RankedTensorType>(input->get().getType())
              ? element(input->get(),
                        apply(op, op.getMatchingIndexingMap(input), point))
              : scalar(input->get());
      arguments.push_back(value);
    }
    llvm::append_range(arguments, carried);
    return inlineRegion(payload, arguments, point);
  });
}

SmallVector<Value> ElementEmitter::nest(
    ArrayRef<Value> ends, ValueRange inits,
    function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body) {
  SmallVector<Value> at;
  std::function<SmallVector<Value>(ValueRange)> enter =
      [&](ValueRange carried) -> SmallVector<Value> {
    if (at.size() == ends.size())
      return body(at, carried);
    return index.loop(index.constant(0), ends[at.size()], 1, carried,
                      [&](Value i, ValueRange inner) {
                        at.push_back(i);
                        SmallVector<Value> values = enter(inner);
                        at.pop_back();
                        return values;
                      });
  };
  return enter(inits);
}

SmallVector<Value>
ElementEmitter::choose(Value condition, TypeRange types,
                       function_ref<SmallVector<Value>()> then,
                       function_ref<SmallVector<Value>()> otherwise) {
  auto branch = scf::IfOp::create(builder, index.loc, types, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, index.loc, then());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, index.loc, otherwise());
  return branch.getResults();
}

Value ElementEmitter::both(Value left, Value right) {
  return arith::AndIOp::create(builder, index.loc, left, right);
}

Value ElementEmitter::isWithin(Value number, int64_t end) {
  return arith::CmpIOp::create(builder, index.loc, arith::CmpIPredicate::ult,
                               number, index.constant(end));
}

Value ElementEmitter::position(ArrayRef<Value> indices,
                               ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides = kernel::rowMajorStrides(shape);
  Value sum = index.constant(0);
  for (auto [at, stride] : llvm::zip_equal(indices, strides))
    sum = index.at(sum, at, stride);
  return sum;
}

} // namespace heddle
