// Extents as values of the program.

#ifndef HEDDLE_PASSES_DYNAMIC_EXTENTVALUES_H
#define HEDDLE_PASSES_DYNAMIC_EXTENTVALUES_H

#include "dialects/Size/Expression.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Makes values of expressions over the symbols, each once, in front of all
/// other operations of the entry or, where the program computes a symbol,
/// behind that.
class ExtentValues {
public:
  /// They stand before `anchor`. `symbols` hold the symbols' values: arguments
  /// of the entry, or what the program computes, which is known from the
  /// operation in `anchors` on.
  ExtentValues(mlir::Operation *anchor,
               const llvm::StringMap<mlir::Value> &symbols,
               const llvm::StringMap<mlir::Operation *> &anchors)
      : builder(anchor), loc(anchor->getLoc()), anchor(anchor),
        symbols(symbols), anchors(anchors) {}

  /// `expr` as a tensor<i32>, or a scalar tensor of another integer or float
  /// type.
  mlir::Value scalar(size::Expression expr);
  mlir::Value scalar(size::Expression expr, mlir::Type element);
  /// Of `size` positions along a dimension, those below `extent`.
  mlir::Value inside(size::Expression extent, int64_t size);

private:
  /// Of 64 bits: a part of an expression may be larger than any extent.
  mlir::Value wide(size::Expression expr);
  mlir::Value widenedSymbol(llvm::StringRef name);
  mlir::Value factor(mlir::Attribute factor);
  mlir::Value number(int64_t value);
  /// Goes to where all symbols of the expression are known.
  void goTo(size::Expression expr);

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Operation *anchor;
  const llvm::StringMap<mlir::Value> &symbols;
  const llvm::StringMap<mlir::Operation *> &anchors;
  llvm::StringMap<mlir::Value> widened;
  llvm::DenseMap<mlir::Attribute, mlir::Value> scalars;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::Value> converted;
  llvm::DenseMap<std::pair<mlir::Attribute, int64_t>, mlir::Value> masks;
};

/// A constant of type `type` with the same number everywhere; for complex types
/// its real part. Null for a type that has no such number.
mlir::Value numberEverywhere(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::RankedTensorType type, double number);

/// `scalar` in every element of `type`.
mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value scalar, mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_EXTENTVALUES_H
