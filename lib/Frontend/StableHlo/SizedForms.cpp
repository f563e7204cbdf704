// Operations of StableHLO whose sizes are operands, in forms that hold
// expressions: attributes for the bound, with `size.NAME` beside them.

#include "lib/Frontend/StableHlo/SizedForms.h"

#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;

namespace heddle {
namespace {

using Form = FailureOr<Operation *>;
using Sizes = SizeContents::Elements;

/// Makes the form of one operation.
class FormMaker {
public:
  FormMaker(Operation *op, ImportedSizes &sizes)
      : op(op), sizes(sizes), builder(op), loc(op->getLoc()) {}

  Form run();

private:
  static RankedTensorType tensorOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  Expression number(int64_t value) const {
    return Expression::constant(op->getContext(), value);
  }
  Sizes numbers(ArrayRef<int64_t> values) const {
    return llvm::map_to_vector(values,
                               [&](int64_t value) { return number(value); });
  }
  /// The numbers that an operand holds, where they are no sizes that calls
  /// choose.
  std::optional<SmallVector<int64_t>> numbersOf(Value value) {
    std::optional<Sizes> elements = sizes.contents.of(value);
    SmallVector<int64_t> known;
    for (size_t i = 0; elements && i < elements->size(); ++i) {
      std::optional<int64_t> each = (*elements)[i].asConstant();
      if (!each)
        return std::nullopt;
      known.push_back(*each);
    }
    return elements ? std::optional(known) : std::nullopt;
  }
  /// The extents that `shape` holds, or the result's, if its type knows them.
  std::optional<Sizes> resultSizes(Value shape) {
    if (std::optional<Sizes> held = sizes.contents.of(shape))
      return held;
    RankedTensorType type = tensorOf(op->getResult(0));
    return type.hasStaticShape() ? std::optional(Sizes(size::extentsOf(type)))
                                 : std::nullopt;
  }
  /// Whether there is one number for each dimension: an operand whose own size
  /// was open may hold others.
  static bool haveRank(RankedTensorType type, ArrayRef<size_t> counts) {
    return llvm::all_of(counts, [&](size_t count) {
      return count == static_cast<size_t>(type.getRank());
    });
  }
  RankedTensorType resultType(ArrayRef<Expression> extents) {
    return sizes.typeOf(op, tensorOf(op->getResult(0)), extents);
  }

  Form reshape(DynamicReshapeOp reshape);
  Form broadcast(DynamicBroadcastInDimOp broadcast);
  Form iota(DynamicIotaOp iota);
  Form pad(DynamicPadOp pad);
  Form slice(RealDynamicSliceOp slice);
  Form sliceFrom(Value operand, ArrayRef<Expression> starts,
                 ArrayRef<Expression> limits, ArrayRef<int64_t> strides);
  Form sliceOfComputedStart(RealDynamicSliceOp slice);
  Form cut(SetDimensionSizeOp cut);
  Form gather(DynamicGatherOp gather);
  Form convolution(DynamicConvOp convolution);
  Form join(ConcatenateOp join);

  Operation *op;
  ImportedSizes &sizes;
  OpBuilder builder;
  Location loc;
};

} // namespace

Form FormMaker::reshape(DynamicReshapeOp reshape) {
  std::optional<Sizes> extents = resultSizes(reshape.getOutputShape());
  if (!extents)
    return nullptr;
  RankedTensorType type = resultType(*extents);
  if (!type)
    return failure();
  return ReshapeOp::create(builder, loc, type, reshape.getOperand())
      .getOperation();
}

Form FormMaker::broadcast(DynamicBroadcastInDimOp broadcast) {
  std::optional<Sizes> extents = resultSizes(broadcast.getOutputDimensions());
  if (!extents)
    return nullptr;
  RankedTensorType type = resultType(*extents);
  if (!type)
    return failure();
  return BroadcastInDimOp::create(builder, loc, type, broadcast.getOperand(),
                                  broadcast.getBroadcastDimensions())
      .getOperation();
}

Form FormMaker::iota(DynamicIotaOp iota) {
  std::optional<Sizes> extents = resultSizes(iota.getOutputShape());
  if (!extents)
    return nullptr;
  RankedTensorType type = resultType(*extents);
  if (!type)
    return failure();
  return IotaOp::create(builder, loc, type, iota.getIotaDimension())
      .getOperation();
}

/// Beside what calls choose stand numbers that fit the bounds of the types.
Form FormMaker::pad(DynamicPadOp pad) {
  std::optional<Sizes> low = sizes.contents.of(pad.getEdgePaddingLow());
  std::optional<Sizes> high = sizes.contents.of(pad.getEdgePaddingHigh());
  auto interior = numbersOf(pad.getInteriorPadding());
  RankedTensorType from = tensorOf(pad.getOperand());
  if (!low || !high || !interior || !from.hasStaticShape() ||
      !haveRank(from, {low->size(), high->size(), interior->size()}))
    return nullptr;
  Sizes extents = size::extentsOf(from);
  for (auto [i, extent] : llvm::enumerate(extents)) {
    int64_t between = (*interior)[i];
    if (between != 0)
      extent = Expression::maximum(extent * (between + 1) - between, number(0));
    extent = (*low)[i] + extent + (*high)[i];
  }
  RankedTensorType type = resultType(extents);
  if (!type)
    return failure();
  SmallVector<int64_t> before = sizes.bounds(*low), behind;
  for (auto [i, extent] : llvm::enumerate(from.getShape()))
    behind.push_back(type.getDimSize(i) - before[i] - extent -
                     std::max<int64_t>(extent - 1, 0) * (*interior)[i]);
  auto form = PadOp::create(builder, loc, type, pad.getOperand(),
                            pad.getPaddingValue(), before, behind, *interior);
  // What behind stands for is an expression where the extent is.
  for (auto [name, amounts, atBound] :
       {std::tuple("edge_padding_low", &*low, &before),
        std::tuple("edge_padding_high", &*high, &behind)}) {
    bool isSame = llvm::equal(*amounts, *atBound, [](Expression a, int64_t b) {
      return a.isConstant(b);
    });
    if (!isSame)
      form->setAttr(sizedAttributeName(name),
                    size::extentsAttr(op->getContext(), *amounts));
  }
  return form.getOperation();
}

Form FormMaker::sliceFrom(Value operand, ArrayRef<Expression> starts,
                          ArrayRef<Expression> limits,
                          ArrayRef<int64_t> strides) {
  RankedTensorType from = tensorOf(operand);
  if (failed(sizes.wantWithin(starts, limits, op)) ||
      failed(sizes.wantWithin(limits, size::extentsOf(from), op)))
    return failure();
  Sizes extents;
  for (auto [start, limit, stride] : llvm::zip_equal(starts, limits, strides))
    extents.push_back((limit - start).ceilDiv(stride));
  RankedTensorType type = resultType(extents);
  if (!type)
    return failure();
  // A piece is not longer than the whole, whatever ranges say of it.
  SmallVector<int64_t> shape(type.getShape());
  for (auto [length, whole] : llvm::zip_equal(shape, from.getShape()))
    length = std::min(length, whole);
  type =
      RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
  SmallVector<int64_t> begin, end;
  for (auto [i, start, limit] : llvm::enumerate(starts, limits)) {
    if (start.isConstant() && limit.isConstant()) {
      begin.push_back(*start.asConstant());
      end.push_back(*limit.asConstant());
      continue;
    }
    int64_t length =
        std::max<int64_t>((type.getDimSize(i) - 1) * strides[i] + 1, 0);
    int64_t room = std::max<int64_t>(from.getDimSize(i) - length, 0);
    begin.push_back(std::min(start.asConstant().value_or(0), room));
    end.push_back(begin.back() + length);
  }
  auto form = SliceOp::create(builder, loc, type, operand, begin, end, strides);
  // A number may be another at the bound.
  if (!llvm::equal(starts, begin,
                   [](Expression a, int64_t b) { return a.isConstant(b); }))
    form->setAttr(sizedAttributeName("start_indices"),
                  size::extentsAttr(op->getContext(), starts));
  if (!llvm::equal(limits, end,
                   [](Expression a, int64_t b) { return a.isConstant(b); }))
    form->setAttr(sizedAttributeName("limit_indices"),
                  size::extentsAttr(op->getContext(), limits));
  return form.getOperation();
}

/// `limit` = start + sizes and strides of 1: the sizes are known although the
/// start is not.
Form FormMaker::sliceOfComputedStart(RealDynamicSliceOp slice) {
  auto limit = slice.getLimitIndices().getDefiningOp<AddOp>();
  auto strides = numbersOf(slice.getStrides());
  Value start = slice.getStartIndices();
  if (!limit || !strides ||
      llvm::any_of(*strides, [](int64_t stride) { return stride != 1; }))
    return nullptr;
  Value other = limit.getLhs() == start   ? limit.getRhs()
                : limit.getRhs() == start ? limit.getLhs()
                                          : Value();
  std::optional<Sizes> extents =
      other ? sizes.contents.of(other) : std::nullopt;
  RankedTensorType from = tensorOf(slice.getOperand());
  if (!extents || extents->size() != size_t(from.getRank()))
    return nullptr;
  if (from.hasStaticShape() &&
      failed(sizes.wantWithin(*extents, size::extentsOf(from), op)))
    return failure();
  RankedTensorType type = resultType(*extents);
  if (!type)
    return failure();
  Type element = tensorOf(start).getElementType();
  SmallVector<Value> starts;
  for (int64_t i = 0, e = extents->size(); i < e; ++i) {
    Value one = SliceOp::create(
        builder, loc, RankedTensorType::get({1}, element), start,
        builder.getDenseI64ArrayAttr(i), builder.getDenseI64ArrayAttr(i + 1),
        builder.getDenseI64ArrayAttr(1));
    starts.push_back(ReshapeOp::create(
        builder, loc, RankedTensorType::get({}, element), one));
  }
  auto form = DynamicSliceOp::create(
      builder, loc, type, slice.getOperand(), starts,
      builder.getDenseI64ArrayAttr(sizes.bounds(*extents)));
  setSized(form, "slice_sizes", *extents);
  return form.getOperation();
}

Form FormMaker::slice(RealDynamicSliceOp slice) {
  std::optional<Sizes> starts = sizes.contents.of(slice.getStartIndices());
  std::optional<Sizes> limits = sizes.contents.of(slice.getLimitIndices());
  auto strides = numbersOf(slice.getStrides());
  if (!starts || !limits)
    return sliceOfComputedStart(slice);
  RankedTensorType from = tensorOf(slice.getOperand());
  if (!strides || llvm::any_of(*strides, [](int64_t by) { return by <= 0; }) ||
      !from.hasStaticShape() ||
      !haveRank(from, {starts->size(), limits->size(), strides->size()}))
    return nullptr;
  return sliceFrom(slice.getOperand(), *starts, *limits, *strides);
}

/// A dimension cut to a size is a slice.
Form FormMaker::cut(SetDimensionSizeOp cut) {
  std::optional<Expression> size = sizes.contents.scalarOf(cut.getSize());
  RankedTensorType from = tensorOf(cut.getOperand());
  if (!size || !from.hasStaticShape())
    return nullptr;
  Sizes limits = size::extentsOf(from);
  limits[cut.getDimension()] = *size;
  return sliceFrom(cut.getOperand(),
                   numbers(SmallVector<int64_t>(from.getRank(), 0)), limits,
                   SmallVector<int64_t>(from.getRank(), 1));
}

Form FormMaker::gather(DynamicGatherOp gather) {
  std::optional<Sizes> slices = sizes.contents.of(gather.getSliceSizes());
  RankedTensorType from = tensorOf(gather.getOperand());
  if (!slices || !from.hasStaticShape() ||
      slices->size() != size_t(from.getRank()))
    return nullptr;
  if (failed(sizes.wantWithin(*slices, size::extentsOf(from), op)))
    return failure();
  auto form = GatherOp::create(
      builder, loc, gather.getType(), gather.getOperand(),
      gather.getStartIndices(), gather.getDimensionNumbersAttr(),
      builder.getDenseI64ArrayAttr(sizes.bounds(*slices)),
      gather.getIndicesAreSortedAttr());
  setSized(form, "slice_sizes", *slices);
  return form.getOperation();
}

/// The first `count` entries: some writers give dynamic_conv more than there
/// are dimensions, and all readers take as many as these.
Form FormMaker::convolution(DynamicConvOp convolution) {
  std::optional<Sizes> amounts = sizes.contents.of(convolution.getPadding());
  if (!amounts)
    return nullptr;
  // The form for the bound, then what calls choose of it.
  SmallVector<int64_t> atBound = sizes.bounds(*amounts);
  RankedTensorType lhs = tensorOf(convolution.getLhs()),
                   rhs = tensorOf(convolution.getRhs());
  ConvDimensionNumbersAttr places = convolution.getDimensionNumbers();
  int64_t spatial = places.getInputSpatialDimensions().size();
  if (int64_t(amounts->size()) != 2 * spatial || !lhs.hasStaticShape() ||
      !rhs.hasStaticShape())
    return nullptr;
  auto entry = [](std::optional<ArrayRef<int64_t>> list, int64_t i) {
    return list && i < int64_t(list->size()) ? (*list)[i] : int64_t(1);
  };
  Sizes extents = size::extentsOf(lhs);
  for (int64_t i = 0; i < spatial; ++i) {
    Expression extent = extents[places.getInputSpatialDimensions()[i]];
    int64_t between = entry(convolution.getLhsDilation(), i);
    int64_t reach =
        (rhs.getDimSize(places.getKernelSpatialDimensions()[i]) - 1) *
            entry(convolution.getRhsDilation(), i) +
        1;
    int64_t stride = entry(convolution.getWindowStrides(), i);
    Expression dilated =
        Expression::maximum((extent - 1) * between + 1, number(0));
    Expression low = (*amounts)[2 * i], high = (*amounts)[2 * i + 1];
    if (low.isConstant() && high.isConstant())
      continue;
    // Behind stands what makes the result as long as its bound.
    Expression count = Expression::maximum(
        (low + dilated + high - reach).floorDiv(stride) + 1, number(0));
    int64_t most = sizes.bound(count);
    if (most > 0)
      atBound[2 * i + 1] =
          (most - 1) * stride + reach - atBound[2 * i] - sizes.bound(dilated);
  }
  Value padding = ConstantOp::create(
      builder, loc,
      DenseIntElementsAttr::get(
          RankedTensorType::get({spatial, 2}, builder.getI64Type()),
          ArrayRef(atBound)));
  auto known = DynamicConvOp::create(
      builder, loc, TypeRange{convolution.getType()},
      ValueRange{convolution.getLhs(), convolution.getRhs(), padding},
      op->getAttrs());
  Operation *form = createKnownForm(builder, known);
  known->erase();
  padding.getDefiningOp()->erase();
  if (form)
    setSized(form, "padding", *amounts);
  return form;
}

/// Parts that are one number together, as both sides of a size are: each is
/// written behind the one before, since that number has no room for the bounds
/// of all.
Form FormMaker::join(ConcatenateOp join) {
  int64_t along = join.getDimension(), bounds = 0;
  Sizes shape = size::extentsOf(tensorOf(join.getInputs().front()));
  shape[along] = number(0);
  for (Value part : join.getInputs()) {
    Sizes extents = size::extentsOf(tensorOf(part));
    bounds += tensorOf(part).getDimSize(along);
    extents[along] = shape[along] = shape[along] + extents[along];
    if (!tensorOf(part).hasStaticShape() || !shape[along] || extents != shape)
      return nullptr;
  }
  Type element = tensorOf(op->getResult(0)).getElementType();
  TypedAttr zero = builder.getZeroAttr(element);
  if (!zero || !shape[along].isConstant() || shape[along].isConstant(bounds))
    return nullptr;
  RankedTensorType type = sizes.typeOf(op, tensorOf(op->getResult(0)), shape);
  if (!type)
    return failure();
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  auto place = [&](Expression at) -> Value {
    if (std::optional<int64_t> known = at.asConstant())
      return ConstantOp::create(builder, loc,
                                DenseElementsAttr::get(scalar, *known));
    return size::TensorOp::create(builder, loc, scalar,
                                  size::extentsAttr(op->getContext(), {at}));
  };
  Value all =
      ConstantOp::create(builder, loc, DenseElementsAttr::get(type, zero));
  Expression end = number(0);
  for (Value part : join.getInputs()) {
    SmallVector<Value> starts(type.getRank(), place(number(0)));
    starts[along] = place(end);
    all = DynamicUpdateSliceOp::create(builder, loc, type, all, part, starts);
    end = end + size::extentOf(tensorOf(part), along);
  }
  return all.getDefiningOp();
}

Form FormMaker::run() {
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](DynamicReshapeOp x) { return reshape(x); })
      .Case([&](DynamicBroadcastInDimOp x) { return broadcast(x); })
      .Case([&](DynamicIotaOp x) { return iota(x); })
      .Case([&](DynamicPadOp x) { return pad(x); })
      .Case([&](RealDynamicSliceOp x) { return slice(x); })
      .Case([&](SetDimensionSizeOp x) { return cut(x); })
      .Case([&](DynamicGatherOp x) { return gather(x); })
      .Case([&](DynamicConvOp x) { return convolution(x); })
      .Case([&](ConcatenateOp x) { return join(x); })
      .Default([](Operation *) { return Form(nullptr); });
}

bool isSized(Operation *op, ImportedSizes &sizes) {
  if (llvm::any_of(op->getOperandTypes(), size::hasExtents) ||
      llvm::any_of(op->getResultTypes(), size::hasExtents))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    std::optional<Sizes> held = sizes.contents.of(operand);
    return held && !llvm::all_of(*held, [](Expression each) {
             return each.isConstant();
           });
  });
}

Form createSizedForm(Operation *op, ImportedSizes &sizes) {
  return FormMaker(op, sizes).run();
}

} // namespace heddle
