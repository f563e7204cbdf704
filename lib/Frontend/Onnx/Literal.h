// Small values known at import: shapes, axes, scalars. Exporters compute shapes
// by chains of ordinary nodes; folding what is known as it is emitted leaves
// nothing of them in the IR.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_LITERAL_H
#define HEDDLE_LIB_FRONTEND_ONNX_LITERAL_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <vector>

namespace heddle::onnx {

/// Integers and bools above this many elements, and floats above kMaxFloats,
/// are not folded: data, not shapes.
constexpr int64_t kMaxIntegers = 1 << 16;
constexpr int64_t kMaxFloats = 256;

/// The elements of a constant, row-major. Integers wrap to their width, floats
/// are rounded to their type.
struct Literal {
  mlir::RankedTensorType type;
  std::vector<int64_t> integers;
  std::vector<double> floats;

  bool isFloat() const {
    return llvm::isa<mlir::FloatType>(type.getElementType());
  }
  int64_t size() const { return type.getNumElements(); }

  /// An empty literal of the type, all zeros.
  static Literal zeros(mlir::RankedTensorType type);
  /// Copies element `from` of `other` to element `to`.
  void copy(int64_t to, const Literal &other, int64_t from) {
    if (isFloat())
      floats[to] = other.floats[from];
    else
      integers[to] = other.integers[from];
  }
  /// Rounds or wraps every element to what the type can hold.
  void normalize();
  mlir::ElementsAttr attribute() const;
};

/// Whether a value of this type may be folded.
bool isFoldable(mlir::RankedTensorType type);

/// The elements of a value that a constant defines, if it is foldable.
std::optional<Literal> readLiteral(mlir::Value value);
/// The same for a constant's value, of any size.
std::optional<Literal> readLiteral(mlir::ElementsAttr attr);

/// Whether a constant defines the value with all elements equal.
bool isSplat(mlir::Value value);

/// Elementwise results by the name of the StableHLO op; nothing for ops that
/// are not folded.
std::optional<Literal> foldUnary(llvm::StringRef op, const Literal &value);
std::optional<Literal> foldBinary(llvm::StringRef op, const Literal &lhs,
                                  const Literal &rhs);
/// The value converted as stablehlo.convert does; nothing where a float does
/// not fit the integer type.
std::optional<Literal> foldConvert(const Literal &value,
                                   mlir::RankedTensorType type);

/// Row-major walk over the indices of a shape.
class IndexWalk {
public:
  explicit IndexWalk(llvm::ArrayRef<int64_t> shape)
      : shape(shape), position(shape.size(), 0) {}
  llvm::ArrayRef<int64_t> index() const { return position; }
  void advance() {
    for (size_t i = shape.size(); i-- > 0;) {
      if (++position[i] < shape[i])
        return;
      position[i] = 0;
    }
  }

private:
  llvm::SmallVector<int64_t, 6> shape;
  llvm::SmallVector<int64_t, 6> position;
};

/// The row-major position of an index.
int64_t linearIndex(llvm::ArrayRef<int64_t> index,
                    llvm::ArrayRef<int64_t> shape);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_LITERAL_H
