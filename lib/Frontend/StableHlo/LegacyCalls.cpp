// Until 0.5, JAX called LAPACK as C functions without attributes: the number of
// matrices, their sizes and all options were operands in front of the matrices,
// scratch memory was a result.

#include "lib/Frontend/StableHlo/LegacyCalls.h"

#include "heddle/Frontend/CustomCallForms.h"
#include "lib/Frontend/StableHlo/SizedForms.h"

#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

namespace {
/// One routine. `scalars` has a word for each operand in front of the matrices:
/// `.` is a size, which types say as well; `NAME=LETTERS` the option NAME,
/// whose letter is that of the operand's number, `-` for the letter found
/// before; `NAME=*` an option whose letter is the operand itself; `NAME=#` a
/// number. `results` has the number of the result that stands at each place
/// now; those that are left out are scratch memory.
struct LegacyRoutine {
  StringRef name, scalars, results, complexResults;
};
} // namespace

static const LegacyRoutine kRoutines[] = {
    {"potrf", "uplo=UL . .", "01", "01"},
    {"getrf", ". . .", "012", "012"},
    {"geqrf", ". . . .", "012", "012"},
    {"orgqr", ". . . . .", "01", "01"},
    {"ungqr", ". . . . .", "01", "01"},
    {"trsm", "side=RL uplo=UL trans_x=NTC diag=NU . . .", "0", "0"},
    {"syevd", "uplo=UL . .", "012", "012"},
    {"heevd", "uplo=UL . .", "012", "012"},
    {"gesdd", "mode=SA mode=N- . . . .", "01234", "01234"},
    {"geev", ". . compute_left=* compute_right=*", "34567", "2345"},
    {"gees", ". . mode=* sort=*", "031245", "03245"},
    {"gehrd", ". low=# high=# . . .", "012", "012"},
    {"sytrd", ". uplo=UL . . .", "01234", "01234"},
    {"hetrd", ". uplo=UL . . .", "01234", "01234"},
};

static InFlightDiagnostic refuse(CustomCallOp op) {
  return emitError(op.getLoc(), ErrorCode::CustomCallForm)
         << "custom call '" << op.getCallTargetName() << "' ";
}

/// `s` and `potrf` of `lapack_spotrf`. The triangular solver was BLAS's.
static const LegacyRoutine *findRoutine(StringRef target, char &letter) {
  bool isBlas = target.consume_front("blas_");
  if ((!isBlas && !target.consume_front("lapack_")) || target.empty() ||
      !StringRef("sdcz").contains(target.front()))
    return nullptr;
  letter = target.front();
  target = target.drop_front();
  for (const LegacyRoutine &routine : kRoutines)
    if (target == routine.name && isBlas == (target == "trsm"))
      return &routine;
  return nullptr;
}

/// Adds the option that `word` says of the operand; false if the operand is no
/// constant, or none that the option knows.
static bool readOption(StringRef word, Value operand, NamedAttrList &options) {
  auto [name, letters] = word.split('=');
  if (name == ".")
    return true;
  auto number = integersOf(operand);
  if (!number || number->size() != 1)
    return false;
  Builder builder(operand.getContext());
  int64_t value = number->front();
  if (letters == "#") {
    options.set(name, builder.getI32IntegerAttr(value));
    return true;
  }
  if (letters != "*") {
    if (value < 0 || value >= static_cast<int64_t>(letters.size()))
      return false;
    value = letters[value];
  }
  if (value != '-')
    options.set(name,
                IntegerAttr::get(builder.getIntegerType(8, /*isSigned=*/false),
                                 APInt(8, static_cast<uint8_t>(value))));
  return true;
}

/// A call of today's form in place of `op`.
static LogicalResult modernize(CustomCallOp op, const LegacyRoutine &routine,
                               char letter) {
  SmallVector<StringRef> words;
  routine.scalars.split(words, ' ');
  StringRef places = StringRef("cz").contains(letter) ? routine.complexResults
                                                      : routine.results;
  if (op->getNumOperands() <= words.size() ||
      op->getNumResults() <=
          static_cast<unsigned>(*llvm::max_element(places) - '0'))
    return refuse(op) << "has " << op->getNumOperands() << " operands and "
                      << op->getNumResults()
                      << " results; releases of JAX that call it so give it "
                      << words.size() << " numbers and matrices";
  NamedAttrList options;
  for (auto [i, word] : llvm::enumerate(words))
    if (!readOption(word, op.getOperand(i), options))
      return refuse(op) << "has operand " << i << " for '"
                        << word.split('=').first
                        << "'; a constant that LAPACK knows is wanted";
  SmallVector<Type> types;
  SmallVector<Value> results;
  for (char place : places) {
    results.push_back(op->getResult(place - '0'));
    types.push_back(results.back().getType());
  }
  for (Value result : op->getResults())
    if (!llvm::is_contained(results, result) && !result.use_empty())
      return refuse(op) << "has the result "
                        << cast<OpResult>(result).getResultNumber()
                        << ", scratch memory, which cannot be used";
  SmallVector<Value> matrices(op.getInputs().drop_front(words.size()));
  // The factor stood in front of the matrices before it stood behind them.
  if (routine.name == "trsm")
    std::rotate(matrices.begin(), matrices.begin() + 1, matrices.end());
  OpBuilder builder(op);
  auto call = CustomCallOp::create(
      builder, op.getLoc(), types, matrices,
      {builder.getNamedAttr(op.getCallTargetNameAttrName(),
                            builder.getStringAttr(Twine("lapack_") +
                                                  Twine(letter) + routine.name +
                                                  "_ffi")),
       builder.getNamedAttr(
           op.getApiVersionAttrName(),
           CustomCallApiVersionAttr::get(
               op.getContext(), CustomCallApiVersion::API_VERSION_TYPED_FFI)),
       builder.getNamedAttr(op.getBackendConfigAttrName(),
                            options.getDictionary(op.getContext()))});
  for (auto [result, value] : llvm::zip_equal(results, call->getResults()))
    result.replaceAllUsesWith(value);
  op->erase();
  return success();
}

/// Whether all elements of a constant are 1.
static bool isOne(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return false;
  if (isa<FloatType>(constant.getElementType()))
    return constant.getSplatValue<APFloat>().isExactlyValue(1.0);
  auto number = constant.getSplatValue<std::complex<APFloat>>();
  return number.real().isExactlyValue(1.0) && number.imag().isZero();
}

/// trsm(a, b, alpha) => trsm(a, alpha b): 0.5 gave the factor, which is 1.
static void takeFactor(CustomCallOp op) {
  Value b = op.getOperand(1), alpha = op.getOperand(2);
  OpBuilder builder(op);
  if (!isOne(alpha)) {
    Value factor = BroadcastInDimOp::create(builder, op.getLoc(), b.getType(),
                                            alpha, ArrayRef<int64_t>());
    b = MulOp::create(builder, op.getLoc(), b, factor);
  }
  op->setOperands({op.getOperand(0), b});
  op.removeOperandLayoutsAttr();
  op.removeResultLayoutsAttr();
}

static bool isSolverWithFactor(CustomCallOp op) {
  StringRef target = op.getCallTargetName();
  auto type = op->getNumOperands() == 3 && op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op.getOperand(1).getType())
                  : RankedTensorType();
  return target.starts_with("lapack_") && target.ends_with("trsm_ffi") &&
         type && type.hasStaticShape() &&
         op.getOperand(2).getType() == type.clone(ArrayRef<int64_t>());
}

LogicalResult heddle::modernizeCalls(ModuleOp module) {
  SmallVector<CustomCallOp> calls;
  module.walk([&](CustomCallOp op) {
    if (!isRegisteredCall(op))
      calls.push_back(op);
  });
  bool ok = true;
  size::Ranges ranges;
  ImportedSizes sizes(ranges);
  for (CustomCallOp op : calls) {
    FailureOr<Operation *> form = fixDynamicForm(op, sizes);
    ok &= succeeded(form);
    op = succeeded(form) ? dyn_cast<CustomCallOp>(*form) : CustomCallOp();
    if (!op)
      continue;
    if (op.getCallTargetName() == "dynamic_ducc_fft") {
      Operation *transform = createFourierTransform(op);
      ok &= transform != nullptr;
      if (transform) {
        op->replaceAllUsesWith(transform);
        op->erase();
      }
      continue;
    }
    char letter;
    if (const LegacyRoutine *routine =
            findRoutine(op.getCallTargetName(), letter))
      ok &= succeeded(modernize(op, *routine, letter));
  }
  // Those of before 0.5 have the factor, too.
  module.walk([](CustomCallOp op) {
    if (!isRegisteredCall(op) && isSolverWithFactor(op))
      takeFactor(op);
  });
  return success(ok);
}
