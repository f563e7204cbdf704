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
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return cast<ElementsAttr>(dense.reshape(type));
  return {};
}

Value Emitter::reshape(Value value, Extents shape) {
  if (shapeOf(value) == shape)
    return value;
  RankedTensorType result = type(shape, elementOf(value));
  if (result.getNumElements() != typeOf(value).getNumElements()) {
    fault(ErrorCode::OnnxNode,
          "a value of the shape " + spellShape(shapeOf(value)) +
              " cannot take the shape " + spellShape(shape));
    return standIn(result);
  }
  if (ElementsAttr known = reshapedConstant(value, result))
    return constant(known);
  return stablehlo::ReshapeOp::create(builder, loc, result, value);
}

Value Emitter::transpose(Value value, Extents permutation) {
  Extents from = shapeOf(value);
  OwnedExtents sorted(permutation), identity, shape;
  llvm::sort(sorted);
  for (int64_t i = 0, e = from.size(); i < e; ++i)
    identity.push_back(i);
  if (sorted != identity) {
    fault(ErrorCode::OnnxNode, "[" + spellShape(permutation) +
                                   "] is no permutation of the dimensions of " +
                                   spellShape(from));
    return value;
  }
  if (permutation == Extents(identity))
    return value;
  for (int64_t dim : permutation)
    shape.push_back(from[dim]);
  auto result = RankedTensorType::get(shape, elementOf(value));
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  OwnedExtents source(from.size());
  if (Value folded = moved(value, result, [&](Extents index) {
        for (size_t i = 0; i < source.size(); ++i)
          source[permutation[i]] = index[i];
        return linearIndex(source, from);
      }))
    return folded;
  return stablehlo::TransposeOp::create(builder, loc, result, value,
                                        list(permutation));
}

Value Emitter::broadcastInDim(Value value, Extents shape, Extents dims) {
  Extents from = shapeOf(value);
  RankedTensorType result = type(shape, elementOf(value));
  if (from == result.getShape() && llvm::is_sorted(dims))
    return value;
  bool fits = from.size() == dims.size();
  for (size_t i = 0; fits && i < dims.size(); ++i)
    fits = dims[i] >= 0 && dims[i] < result.getRank() &&
           (from[i] == 1 || from[i] == result.getDimSize(dims[i]));
  if (!fits) {
    fault(ErrorCode::OnnxNode, "a value of the shape " + spellShape(from) +
                                   " cannot be broadcast to " +
                                   spellShape(shape));
    return standIn(result);
  }
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  // Floats copied along the first dimension, a batch, are no shape computation.
  // Folded, they would make a program of few another one than that of many.
  const int64_t *first = llvm::find(dims, 0);
  bool grows = result.getRank() > 0 && result.getDimSize(0) != 1 &&
               (first == dims.end() || from[first - dims.begin()] == 1);
  bool isData = isa<FloatType>(result.getElementType()) && grows;
  OwnedExtents source(from.size());
  Value folded;
  if (!isData)
    folded = moved(value, result, [&](Extents index) {
      for (size_t i = 0; i < source.size(); ++i)
        source[i] = from[i] == 1 ? 0 : index[dims[i]];
      return linearIndex(source, from);
    });
  if (folded)
    return folded;
  return stablehlo::BroadcastInDimOp::create(builder, loc, result, value,
                                             list(dims));
}

Value Emitter::broadcastTo(Value value, Extents shape) {
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

OwnedExtents Emitter::broadcastShape(Extents lhs, Extents rhs) {
  OwnedExtents shape(std::max(lhs.size(), rhs.size()), 1);
  auto extentAt = [&](Extents side, size_t i) {
    size_t lead = shape.size() - side.size();
    return i < lead ? 1 : side[i - lead];
  };
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t left = extentAt(lhs, i), right = extentAt(rhs, i);
    if (left != right && left != 1 && right != 1)
      fault(ErrorCode::OnnxNode, "the shapes " + spellShape(lhs) + " and " +
                                     spellShape(rhs) +
                                     " cannot be broadcast together");
    shape[i] = left == 1 ? right : left;
  }
  return shape;
}

Value Emitter::slice(Value value, Extents starts, Extents limits,
                     Extents strides) {
  OwnedExtents shape;
  Extents from = shapeOf(value);
  bool whole = true;
  for (size_t i = 0; i < from.size(); ++i) {
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > from[i] ||
        strides[i] < 1) {
      fault(ErrorCode::OnnxNode,
            "the slice [" + Twine(starts[i]) + ":" + Twine(limits[i]) +
                "] leaves a dimension of extent " + Twine(from[i]));
      return value;
    }
    shape.push_back(llvm::divideCeil(limits[i] - starts[i], strides[i]));
    whole &= shape.back() == from[i];
  }
  if (whole)
    return value;
  auto result = RankedTensorType::get(shape, elementOf(value));
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  OwnedExtents source(from.size());
  if (Value folded = moved(value, result, [&](Extents index) {
        for (size_t i = 0; i < source.size(); ++i)
          source[i] = starts[i] + index[i] * strides[i];
        return linearIndex(source, from);
      }))
    return folded;
  return stablehlo::SliceOp::create(builder, loc, result, value, list(starts),
                                    list(limits), list(strides));
}

Value Emitter::sliceDim(Value value, int64_t dimension, int64_t start,
                        int64_t limit) {
  OwnedExtents starts(typeOf(value).getRank(), 0), limits(shapeOf(value)),
      strides(typeOf(value).getRank(), 1);
  starts[dimension] = start;
  limits[dimension] = limit;
  return slice(value, starts, limits, strides);
}

Value Emitter::foldedConcatenation(ValueRange values, int64_t dimension,
                                   RankedTensorType result) {
  if (!folds(result))
    return {};
  SmallVector<Literal> parts;
  for (Value value : values) {
    std::optional<Literal> known = readLiteral(value);
    if (!known)
      return {};
    parts.push_back(std::move(*known));
  }
  Literal joined = Literal::zeros(result);
  IndexWalk walk(result.getShape());
  for (int64_t i = 0, e = joined.size(); i < e; ++i, walk.advance()) {
    OwnedExtents index(walk.index());
    size_t part = 0;
    while (index[dimension] >= parts[part].type.getDimSize(dimension))
      index[dimension] -= parts[part++].type.getDimSize(dimension);
    joined.copy(i, parts[part],
                linearIndex(index, parts[part].type.getShape()));
  }
  return constant(joined);
}

Value Emitter::concatenate(ValueRange values, int64_t dimension) {
  if (values.size() == 1)
    return values.front();
  OwnedExtents shape(shapeOf(values.front()));
  shape[dimension] = 0;
  for (Value value : values) {
    OwnedExtents other(shapeOf(value));
    bool fits = other.size() == shape.size() &&
                elementOf(value) == elementOf(values.front());
    if (fits) {
      shape[dimension] += other[dimension];
      other[dimension] = shape[dimension];
    }
    if (!fits || other != shape) {
      fault(ErrorCode::OnnxNode,
            "values of the shapes " + spellShape(shapeOf(values.front())) +
                " and " + spellShape(shapeOf(value)) +
                " cannot be concatenated along dimension " + Twine(dimension));
      return values.front();
    }
  }
  RankedTensorType result = type(shape, elementOf(values.front()));
  if (hasFault())
    return values.front();
  if (Value known = foldedConcatenation(values, dimension, result))
    return known;
  return stablehlo::ConcatenateOp::create(builder, loc, result, values,
                                          dimension);
}

Value Emitter::pad(Value value, Value fill, Extents low, Extents high,
                   Extents interior) {
  OwnedExtents inner(interior);
  inner.resize(low.size(), 0);
  OwnedExtents shape(shapeOf(value));
  bool nothing = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] +=
        low[i] + high[i] + std::max<int64_t>(shape[i] - 1, 0) * inner[i];
    nothing &= low[i] == 0 && high[i] == 0 && inner[i] == 0;
  }
  if (nothing)
    return value;
  return stablehlo::PadOp::create(builder, loc, type(shape, elementOf(value)),
                                  value, fill, list(low), list(high),
                                  list(inner));
}

Value Emitter::reverse(Value value, Extents dimensions) {
  if (dimensions.empty())
    return value;
  Extents shape = shapeOf(value);
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
