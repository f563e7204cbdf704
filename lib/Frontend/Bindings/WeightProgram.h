// Writes programs that compute a weight from the bytes of a file.

#ifndef HEDDLE_LIB_FRONTEND_BINDINGS_WEIGHTPROGRAM_H
#define HEDDLE_LIB_FRONTEND_BINDINGS_WEIGHTPROGRAM_H

#include "heddle/Support/MappedFile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Writes operations on constants that view a file. What it writes the packer
/// evaluates piece by piece: no bytes are copied when a model is imported.
class WeightProgram {
public:
  /// Writes at the insertion point of `builder`; constants are called `name`.
  WeightProgram(mlir::OpBuilder &builder, mlir::Location loc,
                llvm::StringRef name, std::shared_ptr<MappedFile> file)
      : builder(builder), loc(loc), name(name), file(std::move(file)) {}

  mlir::IntegerType unsignedType(unsigned bits);
  mlir::IntegerType signedType(unsigned bits);
  mlir::FloatType f32();

  /// The bytes from `offset` on as a tensor. The caller has checked that they
  /// lie in the file.
  mlir::Value view(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                   uint64_t offset);
  /// A tensor with the value everywhere; `element` is an integer type.
  mlir::Value splat(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                    int64_t value);

  /// [.., n] bytes to [.., n, 8 / bits] numbers of 2 or 4 bits without a sign,
  /// the lowest bits first.
  mlir::Value split(mlir::Value bytes, unsigned bits);
  /// [.., n] bytes to [.., n, 8] bytes of 0 or `weight`, an even number, from
  /// the lowest bit on.
  mlir::Value bits(mlir::Value bytes, int64_t weight);
  /// `size` elements of the last dimension, from `begin` on.
  mlir::Value slice(mlir::Value value, int64_t begin, int64_t size);
  /// The first elements of each dimension.
  mlir::Value firstOf(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  /// Along the last dimension.
  mlir::Value concatenate(mlir::ValueRange values);
  /// [.., n] to [.., n * count], each element `count` times.
  mlir::Value repeat(mlir::Value value, int64_t count);
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value subtract(mlir::Value left, mlir::Value right);
  mlir::Value negate(mlir::Value value);
  mlir::Value multiply(mlir::Value left, mlir::Value right);
  mlir::Value times(mlir::Value value, int64_t factor);
  /// The same of floats.
  mlir::Value timesReal(mlir::Value value, double factor);
  mlir::Value divide(mlir::Value left, mlir::Value right);
  /// Eight times the values of floats of four bits (f4E2M1FN), ui4, as i8: 0,
  /// 4, 8, 12, 16, 24, 32, 48, and the same below zero.
  mlir::Value eightTimesFloats(mlir::Value codes);
  /// The bits of `value` that are set in `mask`, too.
  mlir::Value masked(mlir::Value value, int64_t mask);
  /// (numbers - zeros) * scales, in the type `result`, with a scale for each
  /// `block` elements along `axis`. Null `zeros` are `zero` everywhere.
  mlir::Value dequantize(mlir::Value numbers, mlir::Value scales,
                         mlir::Value zeros, int64_t zero, int64_t axis,
                         int64_t block, mlir::FloatType result);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::StringRef name;
  std::shared_ptr<MappedFile> file;
};

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_BINDINGS_WEIGHTPROGRAM_H
