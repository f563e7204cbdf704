// A block of results held in matrix registers while it is summed up.
//
//   sums[r, n] += a[r, 4 s] * b[s, 4 n] + ... + a[r, 4 s + 3] * b[s, 4 n + 3]
//
// in integers of bytes, or the like of two bf16, by one instruction for up to
// 16 rows r, 16 columns n and 16 steps s. There are eight registers: four hold
// sums of two by two, two the rows and two the columns of a product.

#ifndef HEDDLE_PASSES_KERNEL_CPU_MATRIXTILE_H
#define HEDDLE_PASSES_KERNEL_CPU_MATRIXTILE_H

#include "heddle/Target/Machine.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"

namespace heddle {

/// Rows as a product reads them: those of a register are `rowStride` elements
/// apart.
struct MatrixLhs {
  mlir::Value buffer, base;
  Number rowStride;
  /// Whether they go by: the first cache keeps the other operand in their
  /// place.
  bool passesBy = false;
};

/// Columns as a product reads them, in steps of several terms side by side:
/// those of the register v begin at `base + vectors[v]`, steps are `stepStride`
/// elements apart.
struct MatrixRhs {
  mlir::Value buffer, base;
  llvm::SmallVector<int64_t> vectors;
  int64_t stepStride = 0;
  /// As that of rows.
  bool passesBy = false;
};

class MatrixTile {
public:
  /// Sums of the type `accumulator` in `rowRegisters` by `columnRegisters`, one
  /// or two of each.
  MatrixTile(mlir::OpBuilder &builder, mlir::Location loc,
             const Machine &machine, mlir::Type accumulator,
             int64_t rowRegisters, int64_t columnRegisters)
      : builder(builder), loc(loc), index(builder, loc),
        product(machine.matrixProduct(accumulator)), rows(rowRegisters),
        columns(columnRegisters) {}

  /// How many rows of the tile whose operands are read and whose sums are
  /// stored are in the first register: of two, half of them, and one that is
  /// left.
  Number firstRegisterRows = matrixRegisterRows;

  /// Tells the processor that tiles have `height` rows and products `steps`
  /// steps, by way of `memory`, an array of `configurationBytes` bytes. It has
  /// to be told before anything else, and anew after `release` and for tiles of
  /// another height.
  void configure(mlir::Value memory, int64_t height,
                 int64_t steps = matrixSteps);
  static constexpr int64_t configurationBytes = 64;
  /// Gives the registers back: a system need not save them any longer.
  static void release(mlir::OpBuilder &builder, mlir::Location loc);

  void zero();
  /// sums += lhs * rhs over the steps of a product.
  void multiplyAdd(const MatrixLhs &lhs, const MatrixRhs &rhs);
  /// Writes the rows of the last product to where `copy` is to be read.
  void storeRows(const MatrixLhs &copy);
  /// Writes the sums, row-major from element `base` on, and reads them.
  void store(mlir::Value buffer, mlir::Value base);
  void load(mlir::Value buffer, mlir::Value base);

private:
  /// The numbers of registers.
  int64_t sumsAt(int64_t r, int64_t c) const { return 2 * r + c; }
  static constexpr int64_t firstRows = 4, firstColumns = 6;

  mlir::Value addressOf(mlir::Value buffer, mlir::Value position);
  /// A distance of elements of `buffer`, in bytes.
  mlir::Value bytesOf(mlir::Value buffer, const Number &elements);
  mlir::Value registerNumber(int64_t number);
  void call(llvm::StringRef name, mlir::ValueRange operands);
  /// Where the rows of the register `r` begin that are `stride` apart.
  mlir::Value rowsAt(mlir::Value base, int64_t r, const Number &stride);
  void loadRows(const MatrixLhs &lhs, int64_t r);
  void loadColumns(const MatrixRhs &rhs, int64_t c);
  /// Moves all sums by the instruction `name`.
  void moveSums(llvm::StringRef name, mlir::Value buffer, mlir::Value base);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexBuilder index;
  llvm::StringRef product;
  int64_t rows, columns;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_MATRIXTILE_H
