// Runs functions and collects what their checks say.

#include "heddle/Reference/Check.h"

#include "heddle/Support/CompareTensors.h"

#include "dialects/StableHlo/StableHlo.h"

#include <cmath>
#include <mutex>

using namespace mlir;
using namespace heddle;

/// "expect_close" of either form; empty for what is no check.
static StringRef checkName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (auto custom = dyn_cast<stablehlo::CustomCallOp>(op))
    name = custom.getCallTargetName();
  if (!name.consume_front("check."))
    return {};
  name.consume_back("_const");
  for (StringRef known : {"eq", "expect_eq", "expect_close", "expect_almost_eq",
                          "expect_serialized_eq"})
    if (name == known)
      return name;
  return {};
}

bool heddle::isCheck(Operation *op) { return !checkName(op).empty(); }

bool heddle::hasChecks(ModuleOp module) {
  WalkResult found = module.walk([](Operation *op) {
    return isCheck(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// An attribute of the check: of the operation, or in a custom call's backend
/// configuration.
template <typename AttrTy>
static AttrTy checkAttribute(Operation *op, StringRef name) {
  if (auto attribute = op->getAttrOfType<AttrTy>(name))
    return attribute;
  if (auto config = op->getAttrOfType<DictionaryAttr>("backend_config"))
    return config.getAs<AttrTy>(name);
  return {};
}

namespace {
/// Whether two elements agree, by the rules of one check.
struct Rule {
  enum Kind { Equal, Close, AlmostEqual } kind;
  uint64_t minUlp = 0, maxUlp = 3;
  double tolerance = 1e-4;

  bool holds(ElementKind type, double actual, double expected) const {
    if (std::isnan(actual) || std::isnan(expected))
      return std::isnan(actual) && std::isnan(expected);
    if (std::isinf(actual) || std::isinf(expected))
      return actual == expected;
    switch (kind) {
    case Equal:
      return actual == expected;
    case AlmostEqual:
      return std::fabs(actual - expected) <= tolerance;
    case Close: {
      uint64_t distance = ulpDistance(type, actual, expected);
      return distance >= minUlp && distance <= maxUlp;
    }
    }
    return false;
  }
};
} // namespace

static bool elementsAgree(const Rule &rule, const HostTensor &actual,
                          const HostTensor &expected, int64_t i) {
  ElementKind kind = actual.kind();
  switch (elementClass(kind)) {
  case ElementClass::Float:
    return rule.holds(kind, actual.floatAt(i), expected.floatAt(i));
  case ElementClass::Complex: {
    std::complex<double> a = actual.complexAt(i), e = expected.complexAt(i);
    return rule.holds(partKind(kind), a.real(), e.real()) &&
           rule.holds(partKind(kind), a.imag(), e.imag());
  }
  default:
    return actual.uintAt(i) == expected.uintAt(i);
  }
}

std::string heddle::runCheck(Operation *op, ArrayRef<HostTensor> operands) {
  StringRef name = checkName(op);
  SmallVector<HostTensor> tensors(operands);
  if (auto value = checkAttribute<ElementsAttr>(op, "value")) {
    std::optional<HostTensor> expected = HostTensor::fromAttribute(value);
    if (!expected)
      return "the expected value cannot be read";
    tensors.push_back(std::move(*expected));
  }
  if (tensors.size() != 2)
    return "a check compares two tensors, " + std::to_string(tensors.size()) +
           " were given";
  // check.eq names the expected value first.
  bool expectedFirst = name == "eq";
  const HostTensor &actual = tensors[expectedFirst];
  const HostTensor &expected = tensors[!expectedFirst];
  std::string types;
  llvm::raw_string_ostream(types)
      << actual.type() << " and " << expected.type();
  if (actual.type() != expected.type())
    return "the types differ: " + types;

  Rule rule{Rule::Equal};
  if (name == "expect_close") {
    rule.kind = Rule::Close;
    if (auto bound = checkAttribute<IntegerAttr>(op, "max_ulp_difference"))
      rule.maxUlp = bound.getValue().getZExtValue();
    if (auto bound = checkAttribute<IntegerAttr>(op, "min_ulp_difference"))
      rule.minUlp = bound.getValue().getZExtValue();
  } else if (name == "expect_almost_eq" || name == "eq") {
    rule.kind = Rule::AlmostEqual;
    if (auto bound = checkAttribute<FloatAttr>(op, "tolerance"))
      rule.tolerance = bound.getValueAsDouble();
  }

  int64_t first = -1, differing = 0;
  for (int64_t i = 0; i < actual.size(); ++i)
    if (!elementsAgree(rule, actual, expected, i)) {
      if (differing++ == 0)
        first = i;
    }
  if (differing == 0)
    return {};
  std::string text = "at " + indexText(actual.shape(), first) + " " +
                     actual.elementText(first) + ", expected " +
                     expected.elementText(first);
  if (rule.kind == Rule::Close &&
      elementClass(actual.kind()) == ElementClass::Float)
    text += " (" +
            std::to_string(ulpDistance(actual.kind(), actual.floatAt(first),
                                       expected.floatAt(first))) +
            " ULP apart)";
  return text + "; " + std::to_string(differing) + " of " +
         std::to_string(actual.size()) + " elements differ";
}

std::string heddle::describeCheck(Operation *op,
                                  ArrayRef<HostTensor> operands) {
  std::string problem = runCheck(op, operands);
  if (problem.empty())
    return problem;
  return "check." + checkName(op).str() + " " + problem;
}

/// Runs one function and collects what its checks say.
static void runFunction(func::FuncOp function, InterpreterOptions options,
                        ProgramOutcome &outcome) {
  unsigned errors = 0;
  std::mutex mutex;
  ScopedDiagnosticHandler collect(
      function.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        std::lock_guard<std::mutex> lock(mutex);
        ++errors;
        outcome.messages.push_back(diagnostic.str());
        return success();
      });
  auto others = options.onCustomCall;
  options.onCustomCall = [&](Operation *op, ArrayRef<InterpreterValue> operands,
                             SmallVectorImpl<InterpreterValue> &results) {
    if (!isCheck(op))
      return others && others(op, operands, results);
    SmallVector<HostTensor> tensors;
    for (const InterpreterValue &operand : operands)
      if (operand.tensor)
        tensors.push_back(operand.tensor);
    std::string problem = describeCheck(op, tensors);
    std::lock_guard<std::mutex> lock(mutex);
    ++outcome.checks;
    if (!problem.empty())
      outcome.messages.push_back(problem);
    // check.eq gives whether it holds.
    for (Type type : op->getResultTypes()) {
      HostTensor holds = HostTensor::allocate(cast<RankedTensorType>(type));
      for (int64_t i = 0; i < holds.size(); ++i)
        holds.set(i, int64_t(problem.empty()));
      results.push_back(std::move(holds));
    }
    return true;
  };
  if (failed(interpret(function, {}, options)) && errors == 0)
    outcome.messages.push_back("the program failed without saying why");
}

SmallVector<func::FuncOp> heddle::checkedFunctions(ModuleOp module,
                                                   std::string &why) {
  if (!hasChecks(module)) {
    why = "no checks";
    return {};
  }
  SmallVector<func::FuncOp> functions;
  if (auto main = module.lookupSymbol<func::FuncOp>("main")) {
    if (main.getNumArguments() == 0)
      functions.push_back(main);
    else
      why = "@main takes arguments";
    return functions;
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && function.getNumArguments() == 0)
      functions.push_back(function);
  if (functions.empty())
    why = "no public function without arguments";
  return functions;
}

ProgramOutcome heddle::interpretProgram(ModuleOp module,
                                        const InterpreterOptions &options) {
  ProgramOutcome outcome;
  std::string why = "no check was reached";
  for (func::FuncOp function : checkedFunctions(module, why))
    runFunction(function, options, outcome);
  if (!outcome.messages.empty()) {
    outcome.kind = ProgramOutcome::Failed;
  } else if (outcome.checks == 0) {
    outcome.kind = ProgramOutcome::Skipped;
    outcome.messages = {why};
  }
  return outcome;
}
