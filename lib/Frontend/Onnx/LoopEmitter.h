// Writes stablehlo.while: the body first, because what a loop carries is often
// known only when the body has been written.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_LOOPEMITTER_H
#define HEDDLE_LIB_FRONTEND_ONNX_LOOPEMITTER_H

#include "Emitter.h"

namespace heddle::onnx {

/// A counted loop under construction. Between its constructor and `finish`,
/// `emit` writes into the body. A loop that is not finished leaves nothing.
class LoopEmitter {
public:
  LoopEmitter(Emitter &emit, mlir::ValueRange initial);
  ~LoopEmitter();
  LoopEmitter(const LoopEmitter &) = delete;
  LoopEmitter &operator=(const LoopEmitter &) = delete;

  /// The step's number, an i64 scalar that starts at 0.
  mlir::Value number() const { return body->getArgument(0); }
  /// The body's view of the values carried so far, without the number.
  llvm::SmallVector<mlir::Value> carried() const {
    return llvm::to_vector_of<mlir::Value>(body->getArguments().drop_front());
  }

  /// One more carried value, which `initial` writes before the loop.
  mlir::Value carry(llvm::function_ref<mlir::Value()> initial);
  /// A carried tensor of `steps` rows like `piece`, put along dimension `axis`;
  /// row `at` of it becomes `piece`. Returns the new tensor.
  mlir::Value collect(mlir::Value piece, int64_t axis, const Extent &steps,
                      mlir::Value at);

  /// Ends the body with the next values of all that is carried, in order. The
  /// loop runs while the number is below `count` (none: no bound) and the
  /// carried value at `condition` (none: no condition) is true.
  /// Returns the last values; nothing if a next value has another type than
  /// its first.
  std::optional<llvm::SmallVector<mlir::Value>>
  finish(mlir::ValueRange next, mlir::Value count,
         std::optional<unsigned> condition = std::nullopt);

private:
  Emitter &emit;
  mlir::OpBuilder::InsertPoint before;
  mlir::Region region;
  mlir::Block *body;
  llvm::SmallVector<mlir::Value> initials;
};

/// The number of a step, an i64 scalar.
mlir::Value integerScalar(Emitter &emit, const Extent &value);

/// `value[.., position, ..]`, the dimension kept with extent 1; the position,
/// an integer scalar, must be inside.
mlir::Value sliceAt(Emitter &emit, mlir::Value value, int64_t dimension,
                    mlir::Value position);

/// stablehlo.if; the branches write their results. Nothing if these differ in
/// type, or if a branch gives nothing.
using Branch =
    llvm::function_ref<std::optional<llvm::SmallVector<mlir::Value>>()>;
std::optional<llvm::SmallVector<mlir::Value>>
emitIf(Emitter &emit, mlir::Value condition, Branch onTrue, Branch onFalse);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_LOOPEMITTER_H
