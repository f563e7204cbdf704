// kernel.routine: a call of a freestanding function on pieces of the work.
//
// A function's arguments are the buffers of the operands and of the results,
// scratch memory, integers of its own, and the range of its units (matrices of
// the batch, blocks of columns, lines) to work on.

#include "dialects/Kernel/RoutineScratch.h"
#include "dialects/Kernel/Routines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Kernel/Cpu/Emitters.h"
#include "passes/Kernel/Cpu/FourierTables.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

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
  /// Constant tables, before the integers.
  SmallVector<DenseElementsAttr> tables;
  int64_t units = 0;
  double unitNanoseconds = 0;
  /// Scratch memory in elements.
  int64_t scratch = 0;

  ArrayRef<int64_t> shape(unsigned operand) {
    return cast<RankedTensorType>(op.getInputs()[operand].getType()).getShape();
  }
  const MachineRates &rates() { return frame.machine.rates; }
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

void planCholesky(Emission &e) {
  int64_t n = e.shape(0).back();
  e.integers = {n, e.call.flag("lower", false)};
  e.units = n ? e.matrices() : 0;
  e.unitNanoseconds =
      2 * e.rates().routineStartNs +
      e.operations(double(n) * n * n / 6) * 2 * e.rates().routineBlockedNs;
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
  e.unitNanoseconds = 2 * e.rates().routineStartNs +
                      e.operations(double(n) * n / 2 *
                                   std::min(columns, routine::kSolveColumns)) *
                          e.rates().routineBlockedNs;
  e.scratch = routine::triangularSolveScratch(
      n, std::min(columns, routine::kSolveColumns));
}

void planLu(Emission &e) {
  int64_t m = e.shape(0)[e.shape(0).size() - 2], n = e.shape(0).back();
  e.integers = {m, n};
  e.units = e.matrices();
  e.unitNanoseconds = 2 * e.rates().routineStartNs +
                      e.operations(double(m) * n * std::min(m, n) / 2) * 2 *
                          e.rates().routineBlockedNs;
  e.scratch = routine::luScratch(m, n);
}

void planReflectors(Emission &e) {
  int64_t m = e.shape(0)[e.shape(0).size() - 2], n = e.shape(0).back();
  e.integers = {m, n};
  if (e.op.getName() == "householder_product")
    e.integers.push_back(e.shape(e.call.isSplit() ? 2 : 1).back());
  e.units = e.matrices();
  e.unitNanoseconds = 4 * e.rates().routineStartNs +
                      e.operations(double(m) * n * std::min(m, n)) * 2 *
                          e.rates().routineBlockedNs;
  e.scratch = routine::reflectorScratch(m, n);
}

void planReduction(Emission &e) {
  int64_t n = e.shape(0).back();
  e.integers = {n};
  if (e.op.getName() == "tridiagonal")
    e.integers.push_back(e.call.flag("lower", true));
  e.units = n ? e.matrices() : 0;
  e.unitNanoseconds =
      4 * e.rates().routineStartNs +
      e.operations(double(n) * n * n * 3) * e.rates().routineRowNs;
  e.scratch = routine::reductionScratch(n);
}

void planSchur(Emission &e) {
  int64_t n = e.shape(0).back();
  bool eig = e.op.getName() == "eig";
  e.integers = {n};
  if (eig)
    e.integers.append({e.call.flag("compute_left", false),
                       e.call.flag("compute_right", true)});
  e.units = n ? e.matrices() : 0;
  e.unitNanoseconds =
      4 * e.rates().routineStartNs +
      e.operations(double(n) * n * n * 25) * e.rates().routineRowNs;
  int64_t doubles = e.element().isF32() ? 2 : 1;
  e.scratch = eig ? doubles * routine::eigScratch(n) : routine::schurScratch(n);
}

void planTridiagonalSolve(Emission &e) {
  ArrayRef<int64_t> b = e.shape(e.call.isSplit() ? 6 : 3);
  int64_t n = e.shape(0).back(), columns = b.back();
  e.integers = {n, columns};
  e.units = 1;
  for (int64_t extent : b.drop_back(2))
    e.units *= extent;
  // A row divides by what the row before it left, then passes through the right
  // side four times.
  e.unitNanoseconds =
      e.rates().routineStartNs +
      e.operations(double(n) * (columns * 4 * e.rates().routineRowNs +
                                e.rates().dependentElementNs));
  e.scratch = routine::reductionScratch(n);
}

void planEigh(Emission &e) {
  int64_t n = e.shape(0).back();
  e.integers = {n, e.call.flag("lower", true)};
  e.units = n ? e.matrices() : 0;
  e.unitNanoseconds =
      4 * e.rates().routineStartNs +
      e.operations(double(n) * n * n * 4) * e.rates().routineRowNs;
  e.scratch = routine::eighScratch(n);
}

void planSvd(Emission &e) {
  int64_t m = e.shape(0)[e.shape(0).size() - 2], n = e.shape(0).back();
  bool vectors = e.call.flag("compute_uv", true);
  bool full = e.call.flag("full_matrices", false);
  e.integers = {m, n};
  if (vectors)
    e.integers.push_back(full);
  else
    e.function = "svd_values";
  e.units = e.matrices();
  double count = std::min(m, n);
  e.unitNanoseconds = 4 * e.rates().routineStartNs +
                      e.operations(count * count * std::max(m, n) * 20) *
                          e.rates().routineRowNs;
  e.scratch = routine::svdScratch(m, n, vectors, full);
}

DenseElementsAttr floatTable(Type element, ArrayRef<long double> values) {
  auto type = RankedTensorType::get({int64_t(values.size())}, element);
  SmallVector<APFloat> numbers;
  for (long double value : values)
    numbers.push_back(element.isF32() ? APFloat(static_cast<float>(value))
                                      : APFloat(static_cast<double>(value)));
  return DenseElementsAttr::get(type, numbers);
}

void planFft(Emission &e) {
  using routine::FourierKind;
  StringRef type = e.call.word("fft_type");
  FourierKind kind = type == "FFT"    ? FourierKind::Forward
                     : type == "IFFT" ? FourierKind::Inverse
                     : type == "RFFT" ? FourierKind::RealForward
                                      : FourierKind::RealInverse;
  bool real =
      kind == FourierKind::RealForward || kind == FourierKind::RealInverse;
  int64_t points =
      cast<DenseI64ArrayAttr>(e.call.parameters.get("fft_length"))[0];
  int64_t dimension = e.call.fourierDimension();
  int64_t inner = 1, lines = 1;
  for (auto [number, extent] : llvm::enumerate(e.shape(0))) {
    lines *= int64_t(number) == dimension ? 1 : extent;
    inner *= int64_t(number) > dimension ? extent : 1;
  }
  if (points == 0)
    lines = 0;
  // Lines side by side fill vectors; long ones would not stay in the cache, and
  // are made of lines themselves.
  int64_t bytes = e.element().getIntOrFloatBitWidth() / 8;
  int64_t lanes = e.frame.machine.vectorBits / 8 / bytes;
  int64_t group =
      inner > 1 ? std::max(lanes, logicalVectorBytes / bytes) : lanes;
  bool together = lines >= std::max<int64_t>(2, lanes / 4) &&
                  points <= (inner > 1 ? e.frame.machine.fourierInterleaved
                                       : e.frame.machine.fourierApart);
  if (!together)
    group = 1;
  FourierTables tables = planFourier(std::max<int64_t>(points, 1), real,
                                     /*alone=*/!together);
  ArrayRef<int64_t> words(reinterpret_cast<const int64_t *>(&tables.plan),
                          sizeof(tables.plan) / sizeof(int64_t));
  Builder builder(e.op.getContext());
  e.tables = {builder.getI64TensorAttr(words),
              floatTable(e.element(), tables.constants)};
  e.integers = {static_cast<int64_t>(kind), points, inner, lines, group};
  e.units = llvm::divideCeil(lines, group);
  double size = tables.longest;
  e.unitNanoseconds = e.rates().routineStartNs + size * group *
                                                     (1 + std::log2(size)) *
                                                     e.rates().fourierPointNs;
  e.scratch = routine::fourierScratch(tables.longest, group);
}

/// What the function's name ends in: the type of its matrices.
StringRef suffix(Emission &e) {
  // Transforms are of complex numbers always.
  bool complex = e.call.isComplex() && e.op.getName() != "fft";
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
  else if (name == "fft")
    planFft(e);
  else if (name == "qr" || name == "householder_product")
    planReflectors(e);
  else if (name == "lu")
    planLu(e);
  else if (name == "hessenberg" || name == "tridiagonal")
    planReduction(e);
  else if (name == "tridiagonal_solve")
    planTridiagonalSolve(e);
  else if (name == "eig" || name == "schur")
    planSchur(e);
  else if (name == "eigh")
    planEigh(e);
  else if (name == "svd")
    planSvd(e);
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
             {},
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
  // A transform takes and gives two parts, whatever is real.
  bool fourier = op.getName() == "fft";
  if (fourier && arguments.size() == 1)
    arguments.push_back(arguments[0]);
  size_t inputs = arguments.size();
  for (Value value : op.getOutputs()) {
    // What nobody asks for is computed into scratch memory.
    auto type = cast<RankedTensorType>(value.getType());
    arguments.push_back(frame.hasBuffer(value)
                            ? frame.buffer(value)
                            : frame.allocateScratch(type.getElementType(),
                                                    type.getNumElements()));
  }
  if (fourier && arguments.size() == 3)
    arguments.push_back(arguments[2]);
  // Left vectors come before right ones; those not wanted are not written.
  if (op.getName() == "eig") {
    if (!e.call.flag("compute_left", false))
      arguments.insert(arguments.begin() + inputs + 2, 2, arguments[0]);
    if (!e.call.flag("compute_right", true))
      arguments.append(2, arguments[0]);
  }
  arguments.push_back(frame.allocateScratch(e.element(), e.scratch));
  OpBuilder constants(op);
  for (DenseElementsAttr table : e.tables)
    arguments.push_back(frame.buffer(
        arith::ConstantOp::create(constants, loc, table).getResult()));
  for (int64_t value : e.integers)
    arguments.push_back(index.constant(value));

  int64_t perTile =
      e.units ? std::clamp<int64_t>(e.rates().tileNs / e.unitNanoseconds, 1,
                                    e.units)
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
