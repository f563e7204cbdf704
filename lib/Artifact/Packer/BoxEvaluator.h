// Evaluates a box of a tensor program: only what is asked for is computed.

#ifndef HEDDLE_LIB_ARTIFACT_PACKER_BOXEVALUATOR_H
#define HEDDLE_LIB_ARTIFACT_PACKER_BOXEVALUATOR_H

#include "dialects/Dist/Dist.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FunctionExtras.h"

#include <optional>
#include <vector>

namespace heddle {

/// A range of points along each dimension.
struct Box {
  llvm::SmallVector<int64_t> offsets, sizes;

  int64_t elements() const;
  static Box whole(llvm::ArrayRef<int64_t> shape);
};

/// Bytes of an element as weights store it.
int64_t elementBytes(mlir::Type type);

/// The points of `box` of a value, wanted row-major and dense at `out`.
struct BoxRequest {
  mlir::Value value;
  Box box;
  char *out;
};

/// Whether elements of a byte become a last dimension of narrower ones, the
/// lowest bits first.
bool splitsBytes(stablehlo::BitcastConvertOp op);

class BoxEvaluator {
public:
  /// For the device at this place of the mesh.
  explicit BoxEvaluator(int64_t place = 0) : devicePlace(place) {}

  /// Writes the points of `box` of `value`, row-major and dense, to `out`.
  mlir::LogicalResult evaluate(mlir::Value value, const Box &box, char *out);

private:
  /// The evaluation of one operation's box. Each call gives the next box of an
  /// operand that it wants before it is called again; after the last it writes
  /// the box and gives none. A stack of these takes the place of recursion:
  /// programs may be long.
  using Step =
      llvm::unique_function<mlir::FailureOr<std::optional<BoxRequest>>()>;
  /// Bytes of boxes that a step asked for.
  using Values = std::vector<std::vector<char>>;

  /// The step of the operation; none if it needs no operand and its box is
  /// written.
  mlir::FailureOr<Step> begin(const BoxRequest &request);

  /// A step that wants these boxes, one after the other, and then finishes.
  static Step
  afterAll(llvm::SmallVector<std::pair<mlir::Value, Box>> wanted,
           llvm::unique_function<mlir::LogicalResult(const Values &)> finish);
  static Step after(mlir::Value value, Box box,
                    llvm::unique_function<void(const char *)> finish);

  mlir::LogicalResult copyConstant(stablehlo::ConstantOp op, const Box &box,
                                   char *out);
  static void iota(stablehlo::IotaOp op, const Box &box, char *out);
  static Step transpose(stablehlo::TransposeOp op, const Box &box, char *out);
  static Step slice(stablehlo::SliceOp op, const Box &box, char *out);
  Step part(dist::PartOp op, const Box &box, char *out) const;
  static Step reverse(stablehlo::ReverseOp op, const Box &box, char *out);
  static Step broadcast(stablehlo::BroadcastInDimOp op, const Box &box,
                        char *out);
  static Step concatenate(stablehlo::ConcatenateOp op, const Box &box,
                          char *out);
  static mlir::FailureOr<Step> pad(stablehlo::PadOp op, const Box &box,
                                   char *out);
  static Step reshape(stablehlo::ReshapeOp op, const Box &box, char *out);
  /// Where `splitsBytes`.
  static Step split(stablehlo::BitcastConvertOp op, const Box &box, char *out);
  static Step dequantize(prec::DequantizeOp op, const Box &box, char *out);
  static mlir::FailureOr<Step> dot(stablehlo::DotGeneralOp op, const Box &box,
                                   char *out);
  static Step quantize(prec::QuantizeOp op, const Box &box, char *out);
  static Step fitScale(prec::FitScaleOp op, const Box &box, char *out);
  static Step elementwise(mlir::Operation *op, const Box &box, char *out);

  int64_t devicePlace;
  /// Bytes of constants that the IR does not hold as they are stored.
  llvm::DenseMap<mlir::Operation *, std::vector<char>> unpacked;
};

/// Copies a box between two dense arrays: `sizes` points, with `strides` in
/// elements of each side.
void copyStrided(llvm::ArrayRef<int64_t> sizes, const char *from,
                 llvm::ArrayRef<int64_t> fromStrides, char *to,
                 llvm::ArrayRef<int64_t> toStrides, int64_t bytes);

/// Applies an elementwise op to `count` elements; false if the packer does not
/// know the op or its types. A null input stands for one element, at
/// `scalars`.
bool applyElementwise(mlir::Operation *op, llvm::ArrayRef<const char *> inputs,
                      llvm::ArrayRef<bool> isScalar, int64_t count, char *out);

/// Writes `value` as an element of `type`.
void storeNumber(mlir::Type type, double value, char *out);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_PACKER_BOXEVALUATOR_H
