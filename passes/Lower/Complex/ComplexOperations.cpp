// Ops of complex tensors as ops of their parts, group by group.

#include "dialects/Chlo/Chlo.h"
#include "passes/Lower/Complex/ComplexSplitter.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

static bool isComplex(Value value) { return isComplexTensor(value.getType()); }

//===----------------------------------------------------------------------===//
// Sources: where parts come from
//===----------------------------------------------------------------------===//

/// The constant's parts as one constant, as they lie in memory. A handle's
/// bytes are not touched.
static ElementsAttr interleavedConstant(ElementsAttr value) {
  RankedTensorType type = interleavedType(value.getType());
  if (auto handle = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(type, handle.getRawHandle());
  SmallVector<APFloat> numbers;
  for (std::complex<APFloat> number :
       cast<DenseElementsAttr>(value).getValues<std::complex<APFloat>>()) {
    numbers.push_back(number.real());
    numbers.push_back(number.imag());
  }
  return DenseElementsAttr::get(type, numbers);
}

bool ComplexSplitter::splitSource(Operation *op) {
  Location loc = op->getLoc();
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (dense && dense.isSplat()) {
      auto type = cast<RankedTensorType>(complexPartType(dense.getType()));
      auto number = dense.getSplatValue<std::complex<APFloat>>();
      auto splat = [&](const APFloat &part) -> Value {
        return ConstantOp::create(builder, loc,
                                  DenseElementsAttr::get(type, part));
      };
      table[constant] = {splat(number.real()), splat(number.imag())};
      return true;
    }
    Value whole = ConstantOp::create(builder, loc,
                                     interleavedConstant(constant.getValue()));
    table[constant] = deinterleave(loc, whole);
    return true;
  }
  if (!isa<IotaOp, ComplexOp, ConvertOp>(op) || !isComplex(op->getResult(0)))
    return false;
  Type type = complexPartType(op->getResult(0).getType());
  RealBuilder b(builder, loc, cast<RankedTensorType>(type));
  if (auto iota = dyn_cast<IotaOp>(op)) {
    table[op->getResult(0)] = {
        IotaOp::create(builder, loc, type, iota.getIotaDimension()), b.c(0)};
  } else if (isa<ComplexOp>(op)) {
    table[op->getResult(0)] = {op->getOperand(0), op->getOperand(1)};
  } else if (isComplex(op->getOperand(0))) {
    ComplexParts z = parts(op->getOperand(0));
    table[op->getResult(0)] = {b.convert(z.re), b.convert(z.im)};
  } else {
    table[op->getResult(0)] = {b.convert(op->getOperand(0)), b.c(0)};
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What costs next to nothing
//===----------------------------------------------------------------------===//

/// Complex numbers are ordered by their real parts, then by the imaginary ones.
Value ComplexSplitter::compareParts(Operation *op) {
  auto compare = cast<CompareOp>(op);
  ComplexParts x = parts(compare.getLhs()), y = parts(compare.getRhs());
  RealBuilder b(builder, op->getLoc(), cast<RankedTensorType>(x.re.getType()));
  using Direction = ComparisonDirection;
  Direction direction = compare.getComparisonDirection();
  auto is = [&](Direction d, Value left, Value right) -> Value {
    return CompareOp::create(builder, op->getLoc(), left, right, d);
  };
  if (direction == Direction::EQ)
    return b.both(is(direction, x.re, y.re), is(direction, x.im, y.im));
  if (direction == Direction::NE)
    return b.either(is(direction, x.re, y.re), is(direction, x.im, y.im));
  bool less = direction == Direction::LT || direction == Direction::LE;
  Value first = is(less ? Direction::LT : Direction::GT, x.re, y.re);
  Value second = b.both(b.equal(x.re, y.re), is(direction, x.im, y.im));
  return b.either(first, second);
}

/// The larger (smaller) of two in that order. The one that holds a NaN wins,
/// the first of two such, as for real numbers.
static ComplexParts extremum(RealBuilder &b, ComplexParts x, ComplexParts y,
                             bool larger) {
  auto before = [&](Value p, Value q) {
    return larger ? b.greater(p, q) : b.less(p, q);
  };
  auto isNan = [&](ComplexParts z) {
    return b.either(b.isNan(z.re), b.isNan(z.im));
  };
  Value first = b.either(before(x.re, y.re),
                         b.both(b.equal(x.re, y.re), before(x.im, y.im)));
  first = b.either(isNan(x), b.both(first, b.negation(isNan(y))));
  return {b.select(first, x.re, y.re), b.select(first, x.im, y.im)};
}

bool ComplexSplitter::splitCheap(Operation *op) {
  auto z = [&](unsigned i) { return parts(op->getOperand(i)); };
  auto real = [&] {
    return RealBuilder(
        builder, op->getLoc(),
        cast<RankedTensorType>(complexPartType(op->getOperand(0).getType())));
  };
  auto define = [&](ComplexParts value) { table[op->getResult(0)] = value; };
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](RealOp) { return replace(z(0).re), true; })
      .Case([&](ImagOp) { return replace(z(0).im), true; })
      .Case([&](AddOp) {
        RealBuilder b = real();
        define({b.add(z(0).re, z(1).re), b.add(z(0).im, z(1).im)});
        return true;
      })
      .Case([&](SubtractOp) {
        RealBuilder b = real();
        define({b.sub(z(0).re, z(1).re), b.sub(z(0).im, z(1).im)});
        return true;
      })
      .Case([&](NegOp) {
        RealBuilder b = real();
        define({b.neg(z(0).re), b.neg(z(0).im)});
        return true;
      })
      .Case([&](chlo::ConjOp) {
        define({z(0).re, real().neg(z(0).im)});
        return true;
      })
      .Case([&](ConvertOp) {
        // To a real type: the imaginary part is dropped. To a boolean: false is
        // zero alone.
        Location loc = op->getLoc();
        auto type = cast<RankedTensorType>(op->getResult(0).getType());
        Value value = ConvertOp::create(builder, loc, type, z(0).re);
        if (type.getElementType().isInteger(1))
          value = OrOp::create(builder, loc, value,
                               ConvertOp::create(builder, loc, type, z(0).im));
        replace(value);
        return true;
      })
      .Case([&](CompareOp) { return replace(compareParts(op)), true; })
      .Case<MaxOp, MinOp>([&](auto) {
        RealBuilder b = real();
        define(extremum(b, z(0), z(1), isa<MaxOp>(op)));
        return true;
      })
      .Case([&](ClampOp) {
        // The bounds may be scalars.
        auto type =
            cast<RankedTensorType>(complexPartType(op->getResult(0).getType()));
        RealBuilder b(builder, op->getLoc(), type);
        auto spread = [&](ComplexParts value) -> ComplexParts {
          return {b.spread(value.re), b.spread(value.im)};
        };
        ComplexParts low = extremum(b, spread(z(0)), z(1), /*larger=*/true);
        define(extremum(b, low, spread(z(2)), /*larger=*/false));
        return true;
      })
      .Case([&](BitcastConvertOp) {
        // Between complex types of one width these are one type.
        if (op->getOperand(0).getType() != op->getResult(0).getType())
          return false;
        define(z(0));
        return true;
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// What moves elements
//===----------------------------------------------------------------------===//

/// `op` on the real (0) or the imaginary (1) parts of its complex operands.
Operation *ComplexSplitter::clonePart(Operation *op, unsigned part) {
  Operation *copy = builder.clone(*op);
  for (OpOperand &operand : copy->getOpOperands())
    if (isComplex(operand.get())) {
      ComplexParts both = parts(operand.get());
      operand.set(part == 0 ? both.re : both.im);
    }
  for (OpResult result : copy->getResults())
    result.setType(complexPartType(result.getType()));
  copy->walk([&](Operation *inner) {
    if (inner == copy)
      return;
    for (OpResult result : inner->getResults())
      result.setType(complexPartType(result.getType()));
  });
  for (Region &region : copy->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(complexPartType(argument.getType()));
  return copy;
}

/// A region that does the same to real and to imaginary parts and mixes
/// nothing: sums, and the choice of an argument.
static bool isPartwise(Region &region) {
  Block &block = region.front();
  if (!llvm::all_of(block.getArgumentTypes(), isComplexTensor))
    return false;
  auto isInside = [&](Value value) { return value.getParentBlock() == &block; };
  return llvm::all_of(block, [&](Operation &op) {
    return isa<AddOp, SubtractOp, NegOp, stablehlo::ReturnOp>(op) &&
           llvm::all_of(op.getOperands(), isInside);
  });
}

bool ComplexSplitter::splitPartly(Operation *op) {
  bool partly =
      isa<ReshapeOp, TransposeOp, BroadcastInDimOp, SliceOp, ReverseOp,
          ConcatenateOp, PadOp, SelectOp, GatherOp, DynamicSliceOp,
          DynamicUpdateSliceOp, OptimizationBarrierOp, CollectivePermuteOp,
          AllGatherOp, AllToAllOp, CollectiveBroadcastOp>(op);
  if (isa<ReduceOp, ReduceWindowOp, ScatterOp>(op))
    partly = llvm::all_of(op->getResultTypes(), isComplexTensor) &&
             isPartwise(op->getRegion(0));
  if (isa<OptimizationBarrierOp>(op))
    partly = llvm::all_of(op->getResultTypes(), isComplexTensor);
  if (!partly)
    return false;
  Operation *re = clonePart(op, 0), *im = clonePart(op, 1);
  for (auto [result, first, second] :
       llvm::zip_equal(op->getResults(), re->getResults(), im->getResults()))
    table[result] = {first, second};
  return true;
}

//===----------------------------------------------------------------------===//
// Regions and values of many types
//===----------------------------------------------------------------------===//

/// `op` with two values for each complex one; its regions move to the copy.
Operation *ComplexSplitter::cloneExpanded(Operation *op) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(expanded(op->getOperands()));
  state.addAttributes(op->getAttrs());
  for (Type type : op->getResultTypes())
    state.types.append(isComplexTensor(type) ? 2 : 1, complexPartType(type));
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  return builder.create(state);
}

bool ComplexSplitter::splitStructured(Operation *op) {
  if (auto map = dyn_cast<MapOp>(op)) {
    // One result only: a map for each part.
    bool both = isComplex(map.getResult());
    SmallVector<Value> results;
    for (unsigned part = 0; part < (both ? 2 : 1); ++part) {
      OpBuilder::InsertionGuard guard(builder);
      OperationState state(op->getLoc(), op->getName());
      state.addOperands(expanded(op->getOperands()));
      state.addAttributes(op->getAttrs());
      state.addTypes(complexPartType(map.getType()));
      IRMapping values;
      op->getRegion(0).cloneInto(state.addRegion(), values);
      Operation *copy = builder.create(state);
      splitRegions(copy);
      Operation *end = copy->getRegion(0).front().getTerminator();
      end->setOperands(end->getOperand(part));
      results.push_back(copy->getResult(0));
    }
    defineResults(op, results);
    return true;
  }
  if (!isa<ReduceOp, ReduceWindowOp, ScatterOp, SortOp, WhileOp, IfOp, CaseOp,
           OptimizationBarrierOp>(op))
    return false;
  Operation *copy = cloneExpanded(op);
  {
    OpBuilder::InsertionGuard guard(builder);
    splitRegions(copy);
  }
  defineResults(op, copy->getResults());
  return true;
}
