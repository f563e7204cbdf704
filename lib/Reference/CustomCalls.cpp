// Custom calls that the compiler expresses by other operations, each by its own
// meaning: a comparison of both finds what is wrong with the expansion.

#include "Routines.h"

#include "dialects/StableHlo/AnnotationCalls.h"
#include "dialects/StableHlo/StableHlo.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

using Function = std::function<LogicalResult(Invocation &call)>;

static InFlightDiagnostic misuse(Invocation &call) {
  return call.error(ErrorCode::CustomCallForm)
         << "calls '"
         << cast<stablehlo::CustomCallOp>(call.op).getCallTargetName() << "', ";
}

static Attribute option(Invocation &call, StringRef name) {
  auto op = cast<stablehlo::CustomCallOp>(call.op);
  for (Attribute config :
       {op.getBackendConfigAttr(), op->getAttr("mhlo.backend_config"),
        op->getAttr("mhlo.attributes")})
    if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(config))
      if (Attribute value = dictionary.get(name))
        return value;
  return {};
}

static bool isArity(Invocation &call, unsigned operands, unsigned results) {
  return call.operands.size() == operands &&
         call.op->getNumResults() == results &&
         llvm::all_of(call.operands,
                      [](const InterpreterValue &value) {
                        return bool(value.tensor);
                      }) &&
         llvm::all_of(call.op->getResultTypes(),
                      llvm::IsaPred<RankedTensorType>);
}

//===--- Annotations ------------------------------------------------------===//

static LogicalResult passThrough(Invocation &call) {
  if (call.op->getOperandTypes() != call.op->getResultTypes())
    return misuse(call) << "which gives one device's part of its operand";
  call.results.assign(call.operands.begin(), call.operands.end());
  return success();
}

static LogicalResult allocate(Invocation &call) {
  auto type = call.op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(call.op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return misuse(call) << "which makes one tensor of known shape";
  FailureOr<HostTensor> zeros = call.allocate(type.getShape());
  return failed(zeros) ? failure() : call.give(std::move(*zeros));
}

static LogicalResult sink(Invocation &call) {
  if (call.op->getNumResults())
    return misuse(call) << "which has no result";
  return success();
}

//===--- Element-wise functions -------------------------------------------===//

/// `function` on each element, real or complex: of the C++ library, in double.
template <typename F>
static LogicalResult mapElements(Invocation &call, F function) {
  bool complex = isArity(call, 1, 1) &&
                 elementClass(call.tensor(0).kind()) == ElementClass::Complex;
  if (!isArity(call, 1, 1) ||
      (complex && !std::is_invocable_v<F, const Complex &>))
    return misuse(call) << "which maps the elements of one tensor";
  Batch x = loadBatch(call.tensor(0));
  for (Complex &value : x.values) {
    if constexpr (std::is_invocable_v<F, const Complex &>)
      value = complex ? function(value) : Complex(function(value.real()));
    else
      value = function(value.real());
  }
  return giveBatch(call, x);
}

//===--- The largest elements ---------------------------------------------===//

/// Gives the first elements along `dimension`, as many as the results have.
static LogicalResult giveFirst(Invocation &call, ArrayRef<HostTensor> sorted,
                               int64_t dimension) {
  for (const HostTensor &tensor : sorted) {
    auto type = cast<RankedTensorType>(
        call.op->getResult(call.results.size()).getType());
    Extents shape(tensor.shape());
    if (type.getRank() != tensor.rank() || type.isDynamicDim(dimension) ||
        type.getDimSize(dimension) > shape[dimension])
      return misuse(call) << "whose results are no part of its operands";
    shape[dimension] = type.getDimSize(dimension);
    FailureOr<HostTensor> result =
        call.evaluator.allocate(call.op, shape, tensor.type().getElementType());
    if (failed(result))
      return failure();
    char *out = result->mutableBytes().data();
    IndexWalk walk(shape, rowMajorStrides(tensor.shape()));
    unsigned width = tensor.elementBytes();
    for (int64_t i = 0; i < result->size(); ++i, walk.next())
      std::copy_n(tensor.element(walk.offset()), width, out + i * width);
    if (failed(call.give(std::move(*result))))
      return failure();
  }
  return success();
}

/// The exact answer is the best approximation, whatever recall is asked for.
static LogicalResult approximateTopK(Invocation &call) {
  unsigned count = call.op->getNumResults();
  auto op = cast<stablehlo::CustomCallOp>(call.op);
  auto dimension = dyn_cast_or_null<IntegerAttr>(option(call, "reduction_dim"));
  func::FuncOp before;
  if (op.getCalledComputations().size() == 1)
    before = call.evaluator.lookupSymbol<func::FuncOp>(
        op, cast<FlatSymbolRefAttr>(op.getCalledComputations()[0]));
  if (!dimension || count == 0 || !isArity(call, 2 * count, count) || !before ||
      before.isExternal() || !before.getBody().hasOneBlock() ||
      before.getNumArguments() != 2 * count || dimension.getInt() < 0 ||
      dimension.getInt() >= call.tensor(0).rank())
    return misuse(call) << "which needs reduction_dim, a comparator and an "
                           "initial value for each operand";
  for (unsigned i = 1; i < count; ++i)
    if (call.tensor(i).shape() != call.tensor(0).shape())
      return misuse(call) << "whose operands differ in shape";
  Invocation keys{call.evaluator, call.op, call.operands.take_front(count),
                  call.results};
  FailureOr<SmallVector<HostTensor>> sorted =
      sortTensors(keys, dimension.getInt(), before.getBody().front());
  return failed(sorted) ? failure()
                        : giveFirst(call, *sorted, dimension.getInt());
}

/// Whether `a` comes before `b`: by the total order of floats, in which NaN
/// lies beyond infinity on the side of its sign.
static bool comesFirst(const HostTensor &tensor, int64_t a, int64_t b,
                       bool largest) {
  auto before = [&](auto x, auto y) { return largest ? x > y : x < y; };
  switch (elementClass(tensor.kind())) {
  case ElementClass::Float: {
    auto rank = [&](int64_t i) {
      double value = tensor.floatAt(i);
      int64_t sign = std::signbit(value) ? -1 : 1;
      return std::tuple(std::isnan(value) ? sign : 0,
                        std::isnan(value) ? 0.0 : value, sign);
    };
    return before(rank(a), rank(b));
  }
  case ElementClass::Signed:
    return before(tensor.intAt(a), tensor.intAt(b));
  default:
    return before(tensor.uintAt(a), tensor.uintAt(b));
  }
}

/// (x) -> (the k first elements of the last dimension, their places), the
/// largest or the smallest: takes the best of what is left, k times.
static LogicalResult topK(Invocation &call) {
  if (!isArity(call, 1, 2) || call.tensor(0).rank() == 0 ||
      elementClass(call.tensor(0).kind()) == ElementClass::Complex)
    return misuse(call) << "which takes the first elements of one tensor";
  const HostTensor &x = call.tensor(0);
  auto largest = dyn_cast_or_null<BoolAttr>(option(call, "largest"));
  auto type = cast<RankedTensorType>(call.op->getResult(0).getType());
  int64_t extent = x.shape().back();
  Extents shape(x.shape());
  if (type.getRank() != x.rank() || type.isDynamicDim(x.rank() - 1) ||
      type.getShape().back() > extent)
    return misuse(call) << "whose results are no part of its operand";
  int64_t k = shape.back() = type.getShape().back();
  FailureOr<HostTensor> values =
      call.evaluator.allocate(call.op, shape, x.type().getElementType());
  FailureOr<HostTensor> places = call.allocate(shape, 1);
  if (failed(values) || failed(places))
    return failure();
  char *out = values->mutableBytes().data();
  unsigned width = x.elementBytes();
  for (int64_t row = 0; extent > 0 && row < x.size() / extent; ++row) {
    if (failed(call.evaluator.countOperations(call.op, k * extent)))
      return failure();
    std::vector<int64_t> left(extent);
    std::iota(left.begin(), left.end(), row * extent);
    for (int64_t i = row * k; i < (row + 1) * k; ++i) {
      auto best = left.begin();
      for (auto each = left.begin(); each != left.end(); ++each)
        if (comesFirst(x, *each, *best, !largest || largest.getValue()))
          best = each;
      std::copy_n(x.element(*best), width, out + i * width);
      places->set(i, *best - row * extent);
      left.erase(best);
    }
  }
  if (failed(call.give(std::move(*values))))
    return failure();
  return call.give(std::move(*places));
}

//===--- The table --------------------------------------------------------===//

template <typename F> static Function elementwise(F function) {
  return [function](Invocation &call) { return mapElements(call, function); };
}

std::optional<LogicalResult> reference::applyKnownCustomCall(Invocation &call,
                                                             StringRef target) {
  static const llvm::StringMap<Function> functions = {
      {"AllocateBuffer", allocate},
      {"dce_sink", sink},
      {"InspectSharding", sink},
      {"ApproxTopK", approximateTopK},
      {"PartialReduce", approximateTopK},
      {"TopK", topK},
      {"mhlo.topk", topK},
      {"mhlo.erf", elementwise([](double x) { return std::erf(x); })},
      {"mhlo.acos", elementwise([](auto x) { return std::acos(x); })},
      {"mhlo.acosh", elementwise([](auto x) { return std::acosh(x); })},
      {"mhlo.asin", elementwise([](auto x) { return std::asin(x); })},
      {"mhlo.asinh", elementwise([](auto x) { return std::asinh(x); })},
      {"mhlo.atanh", elementwise([](auto x) { return std::atanh(x); })},
      {"mhlo.cosh", elementwise([](auto x) { return std::cosh(x); })},
      {"mhlo.sinh", elementwise([](auto x) { return std::sinh(x); })},
      {"mhlo.tan", elementwise([](auto x) { return std::tan(x); })},
  };
  if (stablehlo::isAnnotationCall(target))
    return passThrough(call);
  if (auto found = functions.find(target); found != functions.end())
    return found->second(call);
  return applyLapackCall(call, target);
}
