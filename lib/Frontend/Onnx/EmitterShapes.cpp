// Writes what only moves elements: reshapes, broadcasts, slices, joins,
// padding.

#include "Emitter.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// A splat of the type with the value of the splat constant that defines
/// `value`; null if none does.
static ElementsAttr splatOf(Value value, RankedTensorType type) {
  if (!isSplat(value))
    return {};
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  return cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type);
}

/// The same bytes under another shape; null if no constant defines the value.
static ElementsAttr reshapedConstant(Value value, RankedTensorType type) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  if (!constant)
    return {};
  if (auto handle = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    return DenseResourceElementsAttr::get(type, handle.getRawHandle());
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense)
    return {};
  return cast<ElementsAttr>(dense.isSplat() ? dense.resizeSplat(type)
                                            : dense.reshape(type));
}

Value Emitter::reshape(Value value, const Shape &shape) {
  Shape from = shapeOf(value);
  if (from.areSame(shape))
    return value;
  RankedTensorType result = type(shape, elementOf(value));
  Extent elements = shape.product();
  if (!meet(elements, from.product())) {
    fault(ErrorCode::OnnxNode, "a value of the shape " + spellShape(from) +
                                   " cannot take the shape " +
                                   spellShape(shape));
    return standIn(result);
  }
  if (result.getNumElements() != typeOf(value).getNumElements()) {
    fault(ErrorCode::StableHloDynamicShape,
          "a value of the shape " + spellShape(from) +
              " has other greatest sizes than the shape " + spellShape(shape) +
              ", which it takes; give them by --dim NAME=SIZE");
    return standIn(result);
  }
  if (ElementsAttr known = reshapedConstant(value, result))
    return constant(known);
  if (auto sizes = value.getDefiningOp<size::TensorOp>())
    return size::TensorOp::create(builder, loc, result, sizes.getElements());
  return stablehlo::ReshapeOp::create(builder, loc, result, value);
}

Value Emitter::transpose(Value value, Extents permutation) {
  Shape from = shapeOf(value), shape;
  OwnedExtents sorted(permutation), identity;
  llvm::sort(sorted);
  for (int64_t i = 0, e = from.size(); i < e; ++i)
    identity.push_back(i);
  if (sorted != identity) {
    fault(ErrorCode::OnnxNode, "[" + spellShape(Shape(permutation)) +
                                   "] is no permutation of the dimensions of " +
                                   spellShape(from));
    return value;
  }
  if (permutation == Extents(identity))
    return value;
  for (int64_t dim : permutation)
    shape.push_back(from[dim]);
  RankedTensorType result = type(shape, elementOf(value));
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  OwnedExtents source(from.size()), places = from.bounds();
  if (Value folded = moved(value, result, [&](Extents index) {
        for (size_t i = 0; i < source.size(); ++i)
          source[permutation[i]] = index[i];
        return linearIndex(source, places);
      }))
    return folded;
  return stablehlo::TransposeOp::create(builder, loc, result, value,
                                        list(permutation));
}

Value Emitter::broadcastInDim(Value value, const Shape &shape, Extents dims,
                              bool isData) {
  Shape from = shapeOf(value);
  if (from.areSame(shape) && llvm::is_sorted(dims))
    return value;
  Shape wanted = shape;
  bool fits = from.size() == dims.size();
  for (size_t i = 0; fits && i < dims.size(); ++i)
    fits = dims[i] >= 0 && dims[i] < int64_t(wanted.size()) &&
           (from[i].is(1) || from[i].isOneOf(wanted[dims[i]]) ||
            meet(wanted[dims[i]], from[i]));
  RankedTensorType result = type(shape, elementOf(value));
  if (!fits) {
    fault(ErrorCode::OnnxNode, "a value of the shape " + spellShape(from) +
                                   " cannot be broadcast to " +
                                   spellShape(shape));
    return standIn(result);
  }
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  for (size_t i = 0; i < dims.size(); ++i)
    if (from[i].isOneOf(wanted[dims[i]])) {
      value = firstOrZero(value, i);
      from[i] = 1;
    }
  // Floats copied along the first dimension, a batch, are no shape computation.
  // Folded, they would make a program of few another one than that of many.
  const int64_t *first = llvm::find(dims, 0);
  bool grows = result.getRank() > 0 && !shape[0].is(1) &&
               (first == dims.end() || from[first - dims.begin()].is(1));
  isData |= isa<FloatType>(result.getElementType()) && grows;
  OwnedExtents source(from.size()), places = from.bounds();
  Value folded;
  if (!isData)
    folded = moved(value, result, [&](Extents index) {
      for (size_t i = 0; i < source.size(); ++i)
        source[i] = places[i] == 1 ? 0 : index[dims[i]];
      return linearIndex(source, places);
    });
  if (folded)
    return folded;
  for (size_t i = 0; i < dims.size(); ++i)
    if (!from[i].is(1))
      from[i] = shape[dims[i]];
  value = narrowed(value, from);
  if (hasFault())
    return standIn(result);
  return stablehlo::BroadcastInDimOp::create(builder, loc, result, value,
                                             list(dims));
}

Value Emitter::firstOrZero(Value value, int64_t dimension) {
  Shape one = shapeOf(value);
  if (one[dimension].least() > 0)
    return value;
  one[dimension] = 1;
  Value zero = splat(type(one, elementOf(value)), 0);
  return sliceDim(concatenate({value, zero}, dimension), dimension, 0, 1);
}

Value Emitter::broadcastTo(Value value, const Shape &shape) {
  int64_t lead = int64_t(shape.size()) - typeOf(value).getRank();
  if (lead < 0) {
    fault(ErrorCode::OnnxNode,
          "a value of the shape " + spellShape(shapeOf(value)) +
              " cannot be broadcast to " + spellShape(shape));
    return standIn(type(shape, elementOf(value)));
  }
  OwnedExtents dims;
  for (int64_t i = 0; i < typeOf(value).getRank(); ++i)
    dims.push_back(lead + i);
  return broadcastInDim(value, shape, dims);
}

/// An extent of 1 stretches, and one that is 1 wherever the other is not 0. Any
/// other that a call may choose as 1 does not: it is as long as the other,
/// whatever that is.
Shape Emitter::broadcastShape(const Shape &lhs, const Shape &rhs) {
  Shape shape;
  shape.resize(std::max(lhs.size(), rhs.size()));
  auto extentAt = [&](const Shape &side, size_t i) -> Extent {
    size_t lead = shape.size() - side.size();
    return i < lead ? Extent(1) : side[i - lead];
  };
  for (size_t i = 0; i < shape.size(); ++i) {
    Extent left = extentAt(lhs, i), right = extentAt(rhs, i);
    bool stretches =
        left.is(1) || right.is(1) || left.isOneOf(right) || right.isOneOf(left);
    if (!stretches && !meet(left, right))
      fault(ErrorCode::OnnxNode, "the shapes " + spellShape(lhs) + " and " +
                                     spellShape(rhs) +
                                     " cannot be broadcast together");
    shape[i] = left.is(1) || left.isOneOf(right) ? right : left;
  }
  return shape;
}

Value Emitter::slice(Value value, const Shape &starts, const Shape &limits,
                     Extents strides, bool isClamped) {
  Shape shape, from = shapeOf(value);
  bool whole = true;
  for (size_t i = 0; i < from.size(); ++i) {
    auto inOrder = [](const Extent &less, const Extent &more) {
      return (more - less).wantNotNegative(less.text() + " <= " + more.text());
    };
    bool isInside = isClamped || (strides[i] >= 1 && inOrder(0, starts[i]) &&
                                  inOrder(starts[i], limits[i]) &&
                                  inOrder(limits[i], from[i]));
    if (!isInside) {
      fault(ErrorCode::OnnxNode,
            "the slice [" + starts[i].text() + ":" + limits[i].text() +
                "] leaves a dimension of extent " + from[i].text());
      return value;
    }
    shape.push_back((limits[i] - starts[i]).ceilDiv(strides[i]));
    whole &= shape.back().isSame(from[i]);
  }
  if (whole)
    return value;
  RankedTensorType result = type(shape, elementOf(value));
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  bool isKnown = starts.areKnown() && limits.areKnown();
  OwnedExtents source(from.size()), places = from.bounds(),
                                    first = starts.bounds();
  Value folded;
  if (isKnown)
    folded = moved(value, result, [&](Extents index) {
      for (size_t i = 0; i < source.size(); ++i)
        source[i] = first[i] + index[i] * strides[i];
      return linearIndex(source, places);
    });
  if (folded)
    return folded;
  // Beside what calls choose stand numbers that the type of the bound has.
  OwnedExtents begin, end;
  for (auto [i, start, limit] : llvm::enumerate(starts, limits)) {
    if (start.isKnown() && limit.isKnown()) {
      begin.push_back(start.bound());
      end.push_back(limit.bound());
      continue;
    }
    int64_t length =
        std::max<int64_t>((shape[i].bound() - 1) * strides[i] + 1, 0);
    int64_t room = std::max<int64_t>(places[i] - length, 0);
    begin.push_back(start.isKnown() ? std::min(start.bound(), room) : 0);
    end.push_back(begin.back() + length);
  }
  auto op = stablehlo::SliceOp::create(builder, loc, result, value, list(begin),
                                       list(end), list(strides));
  setSized(op, {{"start_indices", starts}, {"limit_indices", limits}});
  return op;
}

Value Emitter::sliceDim(Value value, int64_t dimension, const Extent &start,
                        const Extent &limit) {
  Shape starts(OwnedExtents(typeOf(value).getRank(), 0)),
      limits = shapeOf(value);
  OwnedExtents strides(typeOf(value).getRank(), 1);
  starts[dimension] = start;
  limits[dimension] = limit;
  return slice(value, starts, limits, strides);
}

Value Emitter::narrowed(Value value, const Shape &shape) {
  Shape from = shapeOf(value), limits = from;
  for (auto [limit, wanted] : llvm::zip_equal(limits, shape)) {
    if (limit.bound() == wanted.bound())
      continue;
    if (limit.bound() < wanted.bound()) {
      fault(ErrorCode::StableHloDynamicShape,
            "a size of at most " + Twine(limit.bound()) + ", " + limit.text() +
                ", cannot stand for one of at most " + Twine(wanted.bound()) +
                ", " + wanted.text() + "; give them by --dim NAME=SIZE");
      return value;
    }
    limit = wanted;
  }
  if (limits.areSame(from))
    return value;
  return slice(value, Shape(from.size(), 0), limits,
               OwnedExtents(from.size(), 1), /*isClamped=*/true);
}

Value Emitter::foldedConcatenation(ValueRange values, int64_t dimension,
                                   RankedTensorType result) {
  if (!folds(result))
    return {};
  // The element of each part at its place, for one kind of parts or the other.
  auto join = [&](auto copy) {
    IndexWalk walk(result.getShape());
    for (int64_t i = 0, e = result.getNumElements(); i < e;
         ++i, walk.advance()) {
      OwnedExtents index(walk.index());
      size_t part = 0;
      auto length = [&] { return typeOf(values[part]).getDimSize(dimension); };
      while (index[dimension] >= length()) {
        index[dimension] -= length();
        ++part;
      }
      copy(i, part, linearIndex(index, typeOf(values[part]).getShape()));
    }
  };
  SmallVector<Literal> parts;
  SmallVector<Shape> sizes;
  for (Value value : values) {
    if (std::optional<Literal> known = readLiteral(value))
      parts.push_back(std::move(*known));
    if (std::optional<Shape> known = sizesIn(value))
      sizes.push_back(std::move(*known));
  }
  if (parts.size() == values.size()) {
    Literal joined = Literal::zeros(result);
    join([&](int64_t to, size_t part, int64_t from) {
      joined.copy(to, parts[part], from);
    });
    return constant(joined);
  }
  if (sizes.size() != values.size())
    return {};
  Shape joined;
  join([&](int64_t, size_t part, int64_t from) {
    joined.push_back(sizes[part][from]);
  });
  return integers(joined, result);
}

/// `parts` along a dimension in which their bounds are more than that of
/// `shape`, as those of both sides of a count: each is written behind the one
/// before.
static Value placed(Emitter &emit, ArrayRef<Value> parts, int64_t dimension,
                    const Shape &shape) {
  Extent end = emit.extentOf(parts.front(), dimension);
  Shape none(shape.size(), 0), behind = none;
  behind[dimension] = shape[dimension] - end;
  Type element = emit.elementOf(parts.front()), i64 = emit.builder.getI64Type();
  Value all =
      emit.pad(parts.front(), emit.splat(RankedTensorType::get({}, element), 0),
               none, behind);
  for (Value part : parts.drop_front()) {
    SmallVector<Value> starts(shape.size(), emit.number(0, i64));
    starts[dimension] = emit.number(end, i64);
    all = stablehlo::DynamicUpdateSliceOp::create(
        emit.builder, emit.loc, all.getType(), all, part, starts);
    end += emit.extentOf(part, dimension);
  }
  return all;
}

Value Emitter::concatenate(ValueRange values, int64_t dimension) {
  if (values.size() == 1)
    return values.front();
  Shape shape = shapeOf(values.front());
  for (Value value : values.drop_front()) {
    Shape other = shapeOf(value);
    bool fits = other.size() == shape.size() &&
                elementOf(value) == elementOf(values.front());
    for (size_t i = 0; fits && i < shape.size(); ++i) {
      if (int64_t(i) == dimension)
        shape[i] += other[i];
      else
        fits = meet(shape[i], other[i]);
    }
    if (!fits) {
      fault(ErrorCode::OnnxNode,
            "values of the shapes " + spellShape(shapeOf(values.front())) +
                " and " + spellShape(other) +
                " cannot be concatenated along dimension " + Twine(dimension));
      return values.front();
    }
  }
  RankedTensorType result = type(shape, elementOf(values.front()));
  if (hasFault())
    return values.front();
  if (Value known = foldedConcatenation(values, dimension, result))
    return known;
  SmallVector<Value> parts;
  int64_t bounds = 0;
  for (Value value : values) {
    Shape part = shape;
    part[dimension] = extentOf(value, dimension);
    bounds += part[dimension].bound();
    parts.push_back(narrowed(value, part));
  }
  if (hasFault())
    return values.front();
  if (bounds != shape[dimension].bound())
    return placed(*this, parts, dimension, shape);
  return stablehlo::ConcatenateOp::create(builder, loc, result, parts,
                                          dimension);
}

Value Emitter::pad(Value value, Value fill, const Shape &low, const Shape &high,
                   Extents interior) {
  OwnedExtents inner(interior);
  inner.resize(low.size(), 0);
  Shape shape = shapeOf(value);
  bool nothing = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    Extent spread =
        inner[i] == 0
            ? shape[i]
            : Extent::maximum(shape[i] * (inner[i] + 1) - inner[i], 0);
    shape[i] = low[i] + spread + high[i];
    nothing &= low[i].is(0) && high[i].is(0) && inner[i] == 0;
  }
  if (nothing)
    return value;
  // Beside what calls choose stand numbers that the type of the bound has.
  OwnedExtents before = low.bounds(), behind = high.bounds();
  Shape from = shapeOf(value);
  for (size_t i = 0; i < shape.size(); ++i)
    if (!low[i].isKnown() || !high[i].isKnown() || !from[i].isKnown())
      behind[i] = shape[i].bound() - before[i] - from[i].bound() -
                  std::max<int64_t>(from[i].bound() - 1, 0) * inner[i];
  auto op = stablehlo::PadOp::create(builder, loc,
                                     type(shape, elementOf(value)), value, fill,
                                     list(before), list(behind), list(inner));
  // Behind a dimension padding may be as wide as sizes say, which stays
  // possible where that before it is a number alone.
  if (low.areKnown())
    setSized(op, {{"edge_padding_high", high}});
  else
    setSized(op, {{"edge_padding_low", low}, {"edge_padding_high", high}});
  return op;
}

Value Emitter::reverse(Value value, Extents dimensions) {
  if (dimensions.empty())
    return value;
  Extents shape = typeOf(value).getShape();
  if (Value folded = moved(value, typeOf(value), [&](Extents index) {
        OwnedExtents source(index);
        for (int64_t dim : dimensions)
          source[dim] = shape[dim] - 1 - source[dim];
        return linearIndex(source, shape);
      }))
    return folded;
  return stablehlo::ReverseOp::create(builder, loc, value.getType(), value,
                                      list(dimensions));
}
