// Index arithmetic with constants folded as it is written.

#ifndef HEDDLE_PASSES_KERNEL_CPU_INDEXBUILDER_H
#define HEDDLE_PASSES_KERNEL_CPU_INDEXBUILDER_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// A number of the kernel's code, or an index that it computes with.
struct Number {
  int64_t number = 0;
  mlir::Value value;

  Number(int64_t number = 0) : number(number) {}
  Number(mlir::Value value) : value(value) {}
  std::optional<int64_t> known() const {
    return value ? std::nullopt : std::optional<int64_t>(number);
  }
  bool is(int64_t other) const { return !value && number == other; }
};

/// Positions in flat buffers and the loops over them. Divisions are of
/// non-negative numbers.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value add(mlir::Value left, int64_t right);
  mlir::Value sub(mlir::Value left, mlir::Value right);
  mlir::Value mul(mlir::Value left, int64_t right);
  mlir::Value mul(mlir::Value left, const Number &right);
  Number times(const Number &left, const Number &right);
  mlir::Value valueOf(const Number &number) {
    return number.value ? number.value : constant(number.number);
  }
  /// base + index * stride
  mlir::Value at(mlir::Value base, mlir::Value index, int64_t stride);
  mlir::Value at(mlir::Value base, mlir::Value index, const Number &stride);
  mlir::Value div(mlir::Value left, int64_t right);
  mlir::Value div(mlir::Value left, const Number &right);
  mlir::Value rem(mlir::Value left, int64_t right);
  mlir::Value rem(mlir::Value left, const Number &right);
  mlir::Value min(mlir::Value left, mlir::Value right);
  mlir::Value max(mlir::Value left, mlir::Value right);
  mlir::Value less(mlir::Value left, mlir::Value right);

  /// The indices of a row-major array of `extents` at position `linear`.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> extents);
  llvm::SmallVector<mlir::Value> indicesAt(mlir::Value linear,
                                           llvm::ArrayRef<Number> extents);

  /// for (index = low; index < high; index += step) body(index); `builder` is
  /// inside meanwhile. A loop known to run once is not written as a loop, one
  /// known not to run not at all.
  void loop(mlir::Value low, mlir::Value high, int64_t step,
            llvm::function_ref<void(mlir::Value)> body);
  void loop(int64_t low, int64_t high, int64_t step,
            llvm::function_ref<void(mlir::Value)> body) {
    loop(constant(low), constant(high), step, body);
  }
  /// The same with values carried from one iteration to the next.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value low, mlir::Value high, int64_t step, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body);
  /// if (condition) then(); else otherwise();
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_INDEXBUILDER_H
