// What a program computes over its bound, with padding that must not count,
// against what its static program computes.

#include "dialects/StableHlo/InferExtents.h"
#include "heddle/Pipeline/GraphPipeline.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Dynamic/Passes.h"
#include "test/unit/Dynamic/SizedProgram.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace heddle::sized {

namespace {

/// Inputs and results of one choice of sizes.
class Comparison {
public:
  Comparison(SizedProgram &program, func::FuncOp bounded, const Sizes &sizes,
             Stage stage)
      : program(program), bounded(bounded), sizes(sizes), stage(stage) {}

  /// Empty if equal.
  std::string run();

private:
  static HostTensor corner(const HostTensor &tensor, const HostTensor &like);

  SizedProgram &program;
  func::FuncOp bounded;
  const Sizes &sizes;
  Stage stage;
};

} // namespace

HostTensor trueInput(SizedProgram &program, RankedTensorType type) {
  HostTensor tensor = HostTensor::allocate(type);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (type.getElementType().isInteger(1))
      tensor.set(i, program.number(0, 1));
    else if (type.getElementType().isInteger())
      tensor.set(i, program.number(
                        type.getElementType().isUnsignedInteger() ? 0 : -4, 8));
    else if (isa<ComplexType>(type.getElementType()))
      tensor.set(i, std::complex<double>(double(program.number(-8, 8)),
                                         double(program.number(-8, 8))));
    else
      tensor.set(i, double(program.number(-8, 8)));
  }
  return tensor;
}

static void fillWithGarbage(SizedProgram &program, HostTensor &tensor) {
  Type element = tensor.type().getElementType();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (element.isInteger(1))
      tensor.set(i, program.number(0, 1));
    else if (element.isInteger())
      tensor.set(i, program.oneOf<int64_t>({INT32_MAX, INT32_MIN, 77, -1}));
    else if (isa<ComplexType>(element))
      tensor.set(i, std::complex<double>(NAN, NAN));
    else
      tensor.set(i, program.oneOf<double>({NAN, INFINITY, -INFINITY, 1e30}));
  }
}

static int64_t place(int64_t element, ArrayRef<int64_t> from,
                     ArrayRef<int64_t> to) {
  int64_t result = 0, stride = 1;
  for (size_t i = from.size(); i-- > 0;) {
    result += element % from[i] * stride;
    element /= from[i];
    stride *= to[i];
  }
  return result;
}

HostTensor padded(SizedProgram &program, const HostTensor &values,
                  RankedTensorType type, bool isRow) {
  HostTensor tensor = HostTensor::allocate(type);
  fillWithGarbage(program, tensor);
  MutableArrayRef<char> bytes = tensor.mutableBytes();
  unsigned width = tensor.elementBytes();
  for (int64_t i = 0; i < values.size(); ++i) {
    int64_t at = isRow ? i : place(i, values.shape(), type.getShape());
    memcpy(bytes.data() + at * width, values.element(i), width);
  }
  return tensor;
}

/// What the graph stage writes anew of functions of floats is computed in
/// another order.
static bool isNear(const HostTensor &wanted, int64_t i, const HostTensor &found,
                   int64_t at) {
  auto near = [](double a, double b) {
    return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(a));
  };
  Type element = wanted.type().getElementType();
  if (isa<ComplexType>(element))
    return near(wanted.complexAt(i).real(), found.complexAt(at).real()) &&
           near(wanted.complexAt(i).imag(), found.complexAt(at).imag());
  return isa<FloatType>(element) && near(wanted.floatAt(i), found.floatAt(at));
}

/// The elements of `tensor` at the corner, as a tensor of `shape`.
HostTensor Comparison::corner(const HostTensor &tensor,
                              const HostTensor &like) {
  HostTensor result = HostTensor::allocate(like.type());
  MutableArrayRef<char> bytes = result.mutableBytes();
  unsigned width = result.elementBytes();
  for (int64_t i = 0; i < result.size(); ++i)
    memcpy(bytes.data() + i * width,
           tensor.element(place(i, result.shape(), tensor.shape())), width);
  return result;
}

std::string compareElements(const HostTensor &wanted, const HostTensor &found,
                            bool isExact) {
  for (int64_t i = 0; i < wanted.size(); ++i) {
    if (memcmp(wanted.element(i), found.element(i), wanted.elementBytes()) == 0)
      continue;
    std::string left = wanted.elementText(i), right = found.elementText(i);
    // Of NaN the bits are open. Simplification, which comes with the masks,
    // takes a sum of one element and 0 for that element: a zero may have
    // another sign.
    if (left == right && StringRef(left).contains("nan"))
      continue;
    if (isa<FloatType>(wanted.type().getElementType()) &&
        wanted.floatAt(i) == 0 && found.floatAt(i) == 0)
      continue;
    if (!isExact && isNear(wanted, i, found, i))
      continue;
    return "element " + std::to_string(i) + " is " + right + ", wanted " + left;
  }
  return "";
}

std::string Comparison::run() {
  std::string where = "with " + program.text(sizes) + ": ";
  OwningOpRef<ModuleOp> fixed(program.module().clone());
  auto of = [&](StringRef name) {
    return program.evaluated(
        Expression::symbol(program.builder.getContext(), name), sizes);
  };
  if (failed(fixSizes(*fixed, of)))
    return where + "the static program fails";
  auto main = fixed->lookupSymbol<func::FuncOp>("main");
  // What keeps true extents is a program of sizes as well.
  OwningOpRef<ModuleOp> kept;
  if (llvm::any_of(bounded.getArgumentTypes(), size::hasExtents)) {
    kept = bounded->getParentOfType<ModuleOp>().clone();
    if (failed(fixSizes(*kept, of)))
      return where + "the program with true extents fails";
    bounded = kept->lookupSymbol<func::FuncOp>("main");
  }
  SmallVector<HostTensor> inputs, boundedInputs;
  func::FuncOp original = program.main();
  for (auto [i, argument] : llvm::enumerate(main.getArguments())) {
    inputs.push_back(
        trueInput(program, cast<RankedTensorType>(argument.getType())));
    auto type = cast<RankedTensorType>(bounded.getArgument(i).getType());
    auto atBound = cast<RankedTensorType>(original.getArgument(i).getType());
    boundedInputs.push_back(
        kept ? inputs.back()
             : padded(program, inputs.back(), type,
                      type.getShape() != atBound.getShape()));
  }
  for (unsigned i = inputs.size(); i < bounded.getNumArguments(); ++i) {
    auto name = bounded.getArgAttrOfType<StringAttr>(i, kExtentAttrName);
    if (!name)
      return where + "an argument that the program has not";
    HostTensor extent = HostTensor::allocate(
        cast<RankedTensorType>(bounded.getArgument(i).getType()));
    extent.set(0, *of(name.getValue()));
    boundedInputs.push_back(std::move(extent));
  }
  InterpreterOptions options;
  options.threads = 1;
  auto wanted = interpret(main, inputs, options);
  if (failed(wanted))
    return where + "the static program cannot be interpreted";
  auto found = interpret(bounded, boundedInputs, options);
  if (failed(found))
    return where + "the program with masks cannot be interpreted";
  Operation *end = original.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    bool isRow = kept || (*found)[i].shape() !=
                             cast<RankedTensorType>(value.getType()).getShape();
    bool isExact = stage == Stage::Masks ||
                   program.largest(value) != SizedProgram::kInexact;
    std::string difference = compareElements(
        (*wanted)[i], isRow ? (*found)[i] : corner((*found)[i], (*wanted)[i]),
        isExact);
    if (difference.empty())
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << where << "of result " << i << ", " << *value.getDefiningOp()
        << ",\n  " << difference;
    return text;
  }
  return "";
}

LogicalResult mask(ModuleOp module, Stage stage) {
  PassManager manager(module.getContext());
  if (stage == Stage::Graph)
    buildGraphPipeline(manager);
  else
    manager.addPass(createBoundDimensions({/*masksAll=*/true}));
  return manager.run(module);
}

std::string checkValues(SizedProgram &program, ArrayRef<Sizes> choices,
                        Stage stage, std::string &refusal) {
  std::string message;
  ScopedDiagnosticHandler listen(
      program.builder.getContext(), [&](Diagnostic &diagnostic) {
        if (message.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message = diagnostic.str();
      });
  OwningOpRef<ModuleOp> bounded(program.module().clone());
  if (failed(mask(*bounded, stage))) {
    // That it cannot be done is no fault; all else is.
    if (!StringRef(message).contains("HDL-0305"))
      return "with masks: " + message;
    refusal = message;
    return "";
  }
  auto main = bounded->lookupSymbol<func::FuncOp>("main");
  for (const Sizes &sizes : choices) {
    if (!program.holds(sizes))
      continue;
    std::string problem = Comparison(program, main, sizes, stage).run();
    if (!problem.empty())
      return problem + (message.empty() ? "" : "\n  " + message);
  }
  return "";
}

} // namespace heddle::sized
