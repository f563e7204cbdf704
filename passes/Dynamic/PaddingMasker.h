// Operations on tensors that hold more than their true elements.

#ifndef HEDDLE_PASSES_DYNAMIC_PADDINGMASKER_H
#define HEDDLE_PASSES_DYNAMIC_PADDINGMASKER_H

#include "dialects/StableHlo/Attention.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Dynamic/BoundedSizes.h"
#include "passes/Dynamic/ExtentValues.h"
#include "passes/Dynamic/SizeTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Rewrites operations so that the true part of each result is what the program
/// with true sizes computes, whatever the padding of the operands holds.
class PaddingMasker {
public:
  PaddingMasker(SizeTable &table, ExtentValues &values,
                const BoundedSizes &sizes)
      : table(table), values(values), sizes(sizes) {}

  mlir::LogicalResult run(mlir::Block &block);
  /// Only these.
  mlir::LogicalResult run(llvm::ArrayRef<mlir::Operation *> ops);

  /// The elements of `value` in row-major order of its true shape, as a tensor
  /// of `shape` whose true shape is `extents`.
  mlir::Value reflow(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<size::Expression> extents);

private:
  using Extents = llvm::ArrayRef<size::Expression>;

  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult dispatch(mlir::Operation *op);
  bool isTouched(mlir::Operation *op) const;
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);
  /// Fails if an attribute other than these is not constant.
  mlir::LogicalResult onlyVaries(mlir::Operation *op,
                                 llvm::ArrayRef<llvm::StringRef> names);
  size::Expression constant(int64_t value) const;
  /// The extent of any dimension, constant or not.
  size::Expression extent(mlir::Value value, int64_t dim) const;
  /// Element `i` of an integer attribute, which has `value` for the largest
  /// sizes.
  size::Expression integer(mlir::Operation *op, llvm::StringRef name,
                           unsigned i, int64_t value) const;
  bool isNeverNegative(size::Expression expr) const {
    return sizes.checkedRanges().isNeverNegative(expr);
  }
  bool isBounded(mlir::Value value, int64_t dim) const {
    return bool(table.extent(value, dim));
  }

  /// `value` with `fill` (a scalar) in the padding along `dims`.
  mlir::Value mask(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, llvm::ArrayRef<int64_t> dims,
                   mlir::Value fill);
  /// The same with zeros; null if the element type has none.
  mlir::Value maskWithZero(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, llvm::ArrayRef<int64_t> dims);
  /// True where `value` is true along `dims`; null if it is everywhere.
  mlir::Value inside(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> dims);
  /// `value` with `extra` zeros more at the end of a dimension.
  mlir::Value lengthen(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, llvm::ArrayRef<int64_t> extra);
  /// `value` in the type of numbers `element`.
  mlir::Value converted(mlir::OpBuilder &builder, mlir::Value value,
                        mlir::Type element);
  /// Writes the positions of `op`, its operands from `first` on, in a type that
  /// holds where anything of `pointee` ends.
  void widenPositions(mlir::Operation *op, unsigned first, mlir::Value pointee);
  /// `start`, at most `limit`.
  mlir::Value atMost(mlir::OpBuilder &builder, mlir::Value start,
                     size::Expression limit);
  void replace(mlir::Operation *op, mlir::ValueRange values);
  void setOperand(mlir::Operation *op, unsigned i, mlir::Value value);

  mlir::LogicalResult visitSizeTensor(size::TensorOp op);
  mlir::LogicalResult visitReshape(stablehlo::ReshapeOp op);
  mlir::LogicalResult visitSlice(stablehlo::SliceOp op);
  mlir::LogicalResult visitCut(stablehlo::SetDimensionSizeOp op);
  mlir::LogicalResult visitPad(stablehlo::PadOp op);
  mlir::LogicalResult visitConcatenate(stablehlo::ConcatenateOp op);
  mlir::LogicalResult visitReverse(stablehlo::ReverseOp op);
  mlir::LogicalResult visitDot(stablehlo::DotGeneralOp op);
  void sayHowFar(stablehlo::DotGeneralOp op);
  mlir::LogicalResult visitConvolution(stablehlo::ConvolutionOp op);
  mlir::LogicalResult visitReduce(stablehlo::ReduceOp op);
  mlir::LogicalResult reduceFlagged(stablehlo::ReduceOp op);
  mlir::LogicalResult visitReduceWindow(stablehlo::ReduceWindowOp op);
  mlir::LogicalResult visitSort(stablehlo::SortOp op);
  mlir::LogicalResult visitTopK(mlir::Operation *op);
  mlir::LogicalResult visitGather(stablehlo::GatherOp op);
  mlir::LogicalResult visitScatter(stablehlo::ScatterOp op);
  mlir::LogicalResult visitDynamicSlice(stablehlo::DynamicSliceOp op);
  mlir::LogicalResult
  visitDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op);
  mlir::LogicalResult visitComposite(stablehlo::CompositeOp op);
  /// Whether `op`, which `function` computes, is an attention that a kernel can
  /// be told the sizes of: then this is done.
  bool keepAttention(stablehlo::CompositeOp op, mlir::func::FuncOp function);
  mlir::Value keysThatCount(mlir::OpBuilder &builder, mlir::Location loc,
                            const stablehlo::Attention &attention);
  mlir::func::FuncOp
  decompositionOf(const stablehlo::Attention &attention,
                  const stablehlo::AttentionProducts &products,
                  mlir::func::FuncOp former);

  SizeTable &table;
  ExtentValues &values;
  const BoundedSizes &sizes;
  /// Operations that had to become others.
  unsigned changes = 0;
  /// Of attentions, by what they were before and their new type.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Type>, mlir::func::FuncOp>
      decompositions;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_PADDINGMASKER_H
