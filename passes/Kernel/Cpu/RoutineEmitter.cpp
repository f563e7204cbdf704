// kernel.routine: a call of a freestanding function on pieces of the work.
//
// A function's arguments are the buffers of the operands and of the results,
// scratch memory, integers of its own, and the range of its units (matrices of
// the batch, blocks of columns, lines) to work on.

#include "dialects/Kernel/Routines.h"
#include "heddle/Target/RoutineScratch.h"
#include "passes/Kernel/Cpu/Emitters.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace heddle {
namespace {

/// One routine while it is emitted: what the families below fill in.
struct Emission {
  KernelFrame &frame;
  kernel::RoutineOp op;
  kernel::RoutineCall call;

  /// The function's name without the suffix for the element type.
  std::string function;
  SmallVector<int64_t> integers;
  int64_t units = 0;
  double unitNanoseconds = 0;
  /// Scratch memory in elements.
  int64_t scratch = 0;

  ArrayRef<int64_t> shape(unsigned operand) {
    return cast<RankedTensorType>(op.getInputs()[operand].getType()).getShape();
  }
  Type element() {
    return cast<RankedTensorType>(op.getInputs()[0].getType()).getElementType();
  }
  /// The number of matrices of operand 0.
  int64_t matrices() {
    int64_t count = 1;
    for (int64_t extent : shape(0).drop_back(2))
      count *= extent;
    return count;
  }
  /// Operations of a matrix with so many real multiplications, complex ones
  /// being four.
  double operations(double real) { return real * (call.isComplex() ? 4 : 1); }
};

/// Nanoseconds of one multiplication and addition in blocked code.
constexpr double blockedNanoseconds = 0.05;

void planCholesky(Emission &e) {
  int64_t n = e.shape(0).back();
  e.integers = {n, e.call.flag("lower", false)};
  e.units = n ? e.matrices() : 0;
  e.unitNanoseconds =
      100 + e.operations(double(n) * n * n / 6) * 2 * blockedNanoseconds;
  e.scratch = routine::choleskyScratch(n);
}

void planTriangularSolve(Emission &e) {
  bool left = e.call.flag("left_side", true);
  unsigned second = e.call.isSplit() ? 2 : 1;
  int64_t n = e.shape(0).back();
  ArrayRef<int64_t> b = e.shape(second);
  int64_t columns = left ? b.back() : b[b.size() - 2];
  StringRef transpose = e.call.word("transpose_a");
  e.integers = {n,
                columns,
                left,
                e.call.flag("lower", false),
                e.call.flag("unit_diagonal", false),
                transpose == "NO_TRANSPOSE" ? 0
                : transpose == "TRANSPOSE"  ? 1
                                            : 2};
  int64_t blocks = llvm::divideCeil(columns, routine::kSolveColumns);
  e.units = n ? e.matrices() * blocks : 0;
  e.unitNanoseconds =
      100 + e.operations(double(n) * n / 2 *
                         std::min(columns, routine::kSolveColumns)) *
                blockedNanoseconds;
  e.scratch = routine::triangularSolveScratch(
      n, std::min(columns, routine::kSolveColumns));
}

/// What the function's name ends in: the type of its matrices.
StringRef suffix(Emission &e) {
  bool complex = e.call.isComplex();
  if (e.element().isF32())
    return complex ? "_c64" : "_f32";
  return complex ? "_c128" : "_f64";
}

LogicalResult plan(Emission &e) {
  StringRef name = e.op.getName();
  e.function = name.str();
  if (name == "cholesky")
    planCholesky(e);
  else if (name == "triangular_solve")
    planTriangularSolve(e);
  else
    return e.op.emitOpError() << "\"" << name << "\" has no function";
  return success();
}

} // namespace

LogicalResult emitRoutine(KernelFrame &frame, kernel::RoutineOp op) {
  Emission e{frame,
             op,
             {op.getName(), op.getInputs().getTypes(),
              op.getOutputs().getTypes(), op.getParameters()},
             "",
             {}};
  if (failed(plan(e)))
    return failure();
  Location loc = op.getLoc();
  IndexBuilder index(frame.builder, loc);
  SmallVector<Value> arguments;
  for (Value value : op.getInputs()) {
    Value buffer = frame.buffer(value);
    if (!buffer)
      return op.emitOpError("has an operand that is computed in its kernel");
    arguments.push_back(buffer);
  }
  for (Value value : op.getOutputs()) {
    // What nobody asks for is computed into scratch memory.
    auto type = cast<RankedTensorType>(value.getType());
    arguments.push_back(frame.hasBuffer(value)
                            ? frame.buffer(value)
                            : frame.allocateScratch(type.getElementType(),
                                                    type.getNumElements()));
  }
  arguments.push_back(frame.allocateScratch(e.element(), e.scratch));
  for (int64_t value : e.integers)
    arguments.push_back(index.constant(value));

  int64_t perTile =
      e.units
          ? std::clamp<int64_t>(tileNanoseconds / e.unitNanoseconds, 1, e.units)
          : 1;
  Value begin = index.mul(frame.tileBegin, perTile);
  Value end =
      index.min(index.mul(frame.tileEnd, perTile), index.constant(e.units));
  arguments.append({begin, end});
  kernel::CallOp::create(frame.builder, loc,
                         ("heddle_" + e.function + suffix(e)).str(), arguments);
  frame.finish(llvm::divideCeil(e.units, perTile));
  return success();
}

} // namespace heddle
