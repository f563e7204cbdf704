// Writes StableHLO for one node.
//
// Every function checks that its operands fit. What does not fit is the model's
// fault: the first such fault is kept for the node's error message, and a zero
// of the wanted type stands in, so that an import function can be written
// without a check after each step. Small known values are folded on the way:
// nothing is left of shape computations.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_EMITTER_H
#define HEDDLE_LIB_FRONTEND_ONNX_EMITTER_H

#include "Literal.h"
#include "Sizes.h"
#include "heddle/Support/Diagnostics.h"

#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace heddle::onnx {

using mlir::RankedTensorType;
using Extents = llvm::ArrayRef<int64_t>;
using OwnedExtents = llvm::SmallVector<int64_t, 6>;

/// Functions that composites decompose into, one per name, attributes and
/// types; and the sizes that calls choose.
class Decompositions {
public:
  explicit Decompositions(mlir::ModuleOp module)
      : module(module), sizes(module.getContext()) {}
  mlir::ModuleOp module;
  SizeScope sizes;
  llvm::StringMap<mlir::func::FuncOp> functions;
};

/// How a reduction combines two elements.
enum class Combine { Add, Multiply, Maximum, Minimum, And, Or };

/// Geometry of a sliding window over the spatial dimensions.
struct Window {
  OwnedExtents size;
  OwnedExtents strides;
  OwnedExtents dilations;
  Shape padLow;
  Shape padHigh;
};

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc,
          Decompositions &decompositions)
      : builder(builder), loc(loc), decompositions(decompositions) {}

  /// Notes a fault of the model; the first one counts.
  void fault(ErrorCode code, const llvm::Twine &message);
  bool hasFault() const { return !message.empty(); }
  ErrorCode faultCode() const { return code; }
  llvm::StringRef faultMessage() const { return message; }

  /// A tensor type, of the largest sizes and with the true ones as its extents;
  /// a fault if it is larger than heddle allows.
  RankedTensorType type(const Shape &shape, mlir::Type element);

  //===--- Constants ---===//
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value constant(const Literal &value) {
    return constant(value.attribute());
  }
  mlir::Value splat(RankedTensorType type, double value);
  mlir::Value splatInteger(RankedTensorType type, int64_t value);
  mlir::Value scalar(mlir::Type element, double value);
  /// A vector of numbers; of sizes that calls choose too.
  mlir::Value integers(const Shape &values, mlir::Type element);
  /// A scalar tensor of a size, in any type of integers or floats.
  mlir::Value number(const Extent &value, mlir::Type element);
  /// `value` in each element of what is shaped like `like`.
  mlir::Value numberLike(mlir::Value like, const Extent &value);
  /// The elements of a small tensor of integers, or of floats that are whole,
  /// which are known or follow from sizes; nothing if they do not.
  std::optional<Shape> sizesIn(mlir::Value value) const;
  /// What every element of the type is at least / at most: -inf and inf for
  /// floats that have them.
  mlir::Value lowest(RankedTensorType type);
  mlir::Value highest(RankedTensorType type);
  /// A splat of `value` shaped like `like`.
  mlir::Value splatLike(mlir::Value like, double value) {
    return splat(typeOf(like), value);
  }
  mlir::Value iota(RankedTensorType type, int64_t dimension);

  //===--- Shape ---===//
  static RankedTensorType typeOf(mlir::Value value) {
    return llvm::cast<RankedTensorType>(value.getType());
  }
  Shape shapeOf(mlir::Value value) const { return shapeOf(typeOf(value)); }
  Shape shapeOf(RankedTensorType type) const;
  Extent extentOf(mlir::Value value, int64_t dimension) const {
    return shapeOf(value)[dimension];
  }
  /// Where an operator is computed for known sizes only: a fault, and the
  /// largest sizes, if calls choose one.
  OwnedExtents knownShapeOf(mlir::Value value);
  /// The same of one dimension.
  int64_t knownExtentOf(mlir::Value value, int64_t dimension);
  static mlir::Type elementOf(mlir::Value value) {
    return typeOf(value).getElementType();
  }
  mlir::Value reshape(mlir::Value value, const Shape &shape);
  mlir::Value transpose(mlir::Value value, Extents permutation);
  /// `isData`: its elements say nothing of sizes, and a constant need not be
  /// copied.
  mlir::Value broadcastInDim(mlir::Value value, const Shape &shape,
                             Extents dims, bool isData = false);
  /// The first of a dimension, as one of extent 1; where it may be empty, a
  /// zero stands there, which an empty result does not read.
  mlir::Value firstOrZero(mlir::Value value, int64_t dimension);
  /// numpy's broadcasting: right-aligned, extents of 1 stretch.
  mlir::Value broadcastTo(mlir::Value value, const Shape &shape);
  /// The common shape of both; a fault if there is none.
  Shape broadcastShape(const Shape &lhs, const Shape &rhs);
  /// The limits are inside for all sizes: ranges show it, or, if `isClamped`,
  /// the expressions have been made so.
  mlir::Value slice(mlir::Value value, const Shape &starts, const Shape &limits,
                    Extents strides, bool isClamped = false);
  /// `value[.., start:limit, ..]` along one dimension.
  mlir::Value sliceDim(mlir::Value value, int64_t dimension,
                       const Extent &start, const Extent &limit);
  /// The value as one of the extents `shape`, with which it has met: those of
  /// its type may be greater. A fault where they are less.
  mlir::Value narrowed(mlir::Value value, const Shape &shape);
  /// Whether a size may be computed here: it is known once for a call, which a
  /// count within branches, loops and composites is not.
  bool mayComputeSizes() const;
  /// A size of its own, at most `bound`, which is a scalar of 32 bits that the
  /// program computes. Options may say a narrower range of it.
  Extent computedExtent(int64_t bound, mlir::Value count);
  /// A size that is an integer scalar of the program, called NODE.`what`. If
  /// nothing but options bounds it, `bound` is missing; a fault if these do not
  /// either, which says how they could.
  Extent computedExtent(llvm::StringRef what, mlir::Value number,
                        std::optional<int64_t> bound);
  /// Wants a truth that the program computes to hold at each call: else
  /// NODE.misfit is 1, which is in no range, and the call an error.
  void wantAtCall(mlir::Value holds);
  /// An element of a list of sizes: one that is known or follows from sizes
  /// that calls choose, or a scalar of 64 bits that the program computes.
  struct Number {
    std::optional<Extent> size;
    mlir::Value computed;
  };
  /// The elements of a vector or scalar of integers.
  llvm::SmallVector<Number> numbersIn(mlir::Value value);
  /// A number as a scalar of 64 bits.
  mlir::Value scalarOf(const Number &number);
  /// "; --bind NAME=@FILE.npy fixes that input to a value" for an input that
  /// the value is computed from; nothing if there is none.
  static std::string bindRemedy(mlir::Value value);
  /// As many of a dimension as `extent`, which is computed as `count`.
  mlir::Value firstOf(mlir::Value value, int64_t dimension,
                      const Extent &extent, mlir::Value count);
  mlir::Value concatenate(mlir::ValueRange values, int64_t dimension);
  mlir::Value pad(mlir::Value value, mlir::Value fill, const Shape &low,
                  const Shape &high, Extents interior = {});
  mlir::Value reverse(mlir::Value value, Extents dimensions);

  //===--- Elementwise ---===//
  template <typename Op> mlir::Value unary(mlir::Value value) {
    if (mlir::Value folded = folded1(Op::getOperationName(), value))
      return folded;
    return Op::create(builder, loc, value.getType(), value);
  }
  /// Broadcasts both sides to their common shape first.
  template <typename Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    if (!unify(lhs, rhs))
      return lhs;
    if (mlir::Value folded = folded2(Op::getOperationName(), lhs, rhs))
      return folded;
    return Op::create(builder, loc, lhs.getType(), lhs, rhs);
  }
  /// The same with a number on the right.
  template <typename Op> mlir::Value binary(mlir::Value lhs, double rhs) {
    return binary<Op>(lhs, splatLike(lhs, rhs));
  }
  mlir::Value compare(mlir::Value lhs, mlir::Value rhs,
                      stablehlo::ComparisonDirection direction);
  /// Where `x` is the greatest (or least) of the elements that `extreme` was
  /// taken of: equal to it, or NaN, which is the extreme wherever there is one.
  mlir::Value holdsExtreme(mlir::Value x, mlir::Value extreme);
  mlir::Value select(mlir::Value predicate, mlir::Value onTrue,
                     mlir::Value onFalse);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  /// Floats of less than 32 bits as f32, in which sums and squares neither
  /// overflow nor lose digits; any other value as it is.
  mlir::Value widened(mlir::Value value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  mlir::Value divide(mlir::Value lhs, mlir::Value rhs);
  mlir::Value maximum(mlir::Value lhs, mlir::Value rhs);
  mlir::Value minimum(mlir::Value lhs, mlir::Value rhs);

  //===--- Contractions, reductions, windows ---===//
  mlir::Value dotGeneral(mlir::Value lhs, mlir::Value rhs, Extents lhsBatch,
                         Extents rhsBatch, Extents lhsContract,
                         Extents rhsContract, mlir::Type element = {});
  /// Reduces `dims` away, or keeps them with extent 1.
  mlir::Value reduce(mlir::Value value, Extents dims, Combine how,
                     bool keepDims = false);
  /// The mean over `dims`, kept with extent 1.
  mlir::Value mean(mlir::Value value, Extents dims);
  /// The combination of each window of the trailing dimensions; padding counts
  /// as the identity.
  mlir::Value reduceWindow(mlir::Value value, const Window &window,
                           Combine how);
  /// NCHW by OIHW to NCHW, any number of spatial dimensions.
  mlir::Value convolution(mlir::Value input, mlir::Value weights,
                          const Window &window, Extents inputDilation,
                          int64_t groups, mlir::Type element = {});

  //===--- Indexing ---===//
  /// `value[indices, ...]` along `axis`, as Gather of ONNX; negative indices
  /// count from the end.
  mlir::Value take(mlir::Value value, mlir::Value indices, int64_t axis);
  mlir::Value takeKnown(mlir::Value value, const Literal &indices,
                        int64_t axis);
  /// The same at one known place of a dimension that calls choose; null if it
  /// is more than one, or outside for some sizes.
  mlir::Value takeOne(mlir::Value value, const Literal &indices, int64_t axis);
  /// Adds the extent to indices below zero.
  mlir::Value wrapIndices(mlir::Value indices, const Extent &extent);
  /// stablehlo.gather whose index vectors are the last dimension of `indices`.
  mlir::Value gather(mlir::Value operand, mlir::Value indices,
                     const Shape &resultShape, Extents offsetDims,
                     Extents collapsedDims, Extents operandBatchingDims,
                     Extents indicesBatchingDims, Extents startIndexMap,
                     const Shape &sliceSizes);
  /// stablehlo.scatter with one operand; no combination means that updates
  /// replace.
  mlir::Value scatter(mlir::Value operand, mlir::Value indices,
                      mlir::Value updates, Extents updateWindowDims,
                      Extents insertedWindowDims, Extents inputBatchingDims,
                      Extents indicesBatchingDims, Extents scatterDims,
                      std::optional<Combine> how);
  /// Sorts `keys` along a dimension and carries `payload` along; stable. NaN is
  /// the largest of floats.
  std::pair<mlir::Value, mlir::Value> sortPairs(mlir::Value keys,
                                                mlir::Value payload,
                                                int64_t dimension,
                                                bool descending);

  /// Gives `op` sizes beside its attributes of these names, if calls choose one
  /// of them: then all stand there, for the numbers of the attributes are no
  /// more than what the type of the bound can have.
  using SizedAttribute = std::pair<llvm::StringRef, const Shape &>;
  void setSized(mlir::Operation *op,
                std::initializer_list<SizedAttribute> attributes);

  //===--- Composites ---===//
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      Emitter &, mlir::ValueRange)>;
  /// A named op with a decomposition, which `body` writes into a function of
  /// its own; equal ones share it.
  llvm::SmallVector<mlir::Value> composite(llvm::StringRef name,
                                           mlir::ValueRange operands,
                                           mlir::DictionaryAttr attributes,
                                           Body body);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  /// A window's own pads are numbers: others are written out around the value,
  /// by `fill`, and the window has none.
  mlir::Value padded(mlir::Value value, Window &window, mlir::Value fill);
  mlir::Value integers(const Shape &values, RankedTensorType type);
  /// NODE.`what`, with a number behind it where that is taken.
  std::string nameOfComputed(llvm::StringRef what) const;
  Extent addComputed(std::string name, size::SymbolFacts range,
                     mlir::Value count, mlir::Value number);
  /// The size that was computed from the same, if it is at most `bound`.
  std::optional<Extent> knownComputed(mlir::Value number, int64_t bound);
  /// A number as a count of 32 bits: what is outside of 0 to `most` stays
  /// outside.
  mlir::Value countOf(mlir::Value number, int64_t most);
  /// Whether a known value of the type is folded.
  bool folds(RankedTensorType type) const;
  bool unify(mlir::Value &lhs, mlir::Value &rhs);
  mlir::Value folded1(llvm::StringRef op, mlir::Value value);
  mlir::Value folded2(llvm::StringRef op, mlir::Value lhs, mlir::Value rhs);
  /// The constant of type `result` whose element at an index is `value`'s at
  /// the linear position that `from` gives, or zero where that is negative.
  /// Null if the value is not known or too large.
  mlir::Value moved(mlir::Value value, RankedTensorType result,
                    llvm::function_ref<int64_t(Extents)> from);
  mlir::Value standIn(RankedTensorType type);
  mlir::DenseI64ArrayAttr list(Extents values) {
    return builder.getDenseI64ArrayAttr(values);
  }
  /// Whether two extents are one; a fault, and why, if they never are.
  bool meet(Extent &extent, const Extent &other);
  mlir::Value foldedConcatenation(mlir::ValueRange values, int64_t dimension,
                                  RankedTensorType result);
  mlir::Value foldedComparison(mlir::Value lhs, mlir::Value rhs,
                               stablehlo::ComparisonDirection direction,
                               RankedTensorType result);
  mlir::Value foldedReduction(mlir::Value value, Extents dims,
                              RankedTensorType result, Combine how);
  /// The same of sizes that calls choose.
  mlir::Value reducedSizes(mlir::Value value, Extents dims,
                           RankedTensorType result, Combine how);
  mlir::Value comparedSizes(mlir::Value lhs, mlir::Value rhs,
                            stablehlo::ComparisonDirection direction,
                            RankedTensorType result);
  mlir::Value chosenSizes(mlir::Value predicate, mlir::Value onTrue,
                          mlir::Value onFalse);
  void combineBlock(mlir::Region &region, mlir::Type element, Combine how);
  mlir::Value identity(mlir::Type element, Combine how);

  Decompositions &decompositions;
  ErrorCode code = ErrorCode::OnnxNode;
  std::string message;
};

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_EMITTER_H
