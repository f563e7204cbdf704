// The kernels of a variant: their code, by the generator of the target's kind,
// and their records.

#include "KernelCompiler.h"

#include "CodeGenerator.h"
#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Plan/KernelWork.h"

using namespace mlir;
using namespace heddle;

static bool isKernel(func::FuncOp function) {
  return function->hasAttr(kernel::kEntryAttrName);
}

/// A hash of what decides the kernel's code: its function without name and
/// locations, with the packing of its operands, the ranges of sizes, `target`
/// as text, the compiler.
static format::Hash identityOf(func::FuncOp function, StringRef target) {
  std::string text = ("heddle " HEDDLE_VERSION "\n" + target + "\n").str();
  StringAttr name = function.getSymNameAttr();
  function.setSymName("kernel");
  llvm::raw_string_ostream stream(text);
  function->print(stream, OpPrintingFlags().useLocalScope());
  if (auto module = function->getParentOfType<ModuleOp>())
    if (Attribute symbols = module->getAttr(kSymbolsAttrName))
      stream << symbols;
  function.setSymNameAttr(name);
  return format::hashBytes(text.data(), text.size());
}

/// What code generation has decided, into the artifact's table and back to the
/// function that the plan is made from.
static std::unique_ptr<format::KernelT> describeKernel(func::FuncOp function,
                                                       StringRef target,
                                                       KernelCode code,
                                                       KernelFacts &facts) {
  auto kernel = std::make_unique<format::KernelT>();
  unsigned scalars = kernel::countScalars(function.getArgumentTypes());
  unsigned inputs = function.getNumArguments() - scalars;
  kernel->name = function.getName().str();
  kernel->bindings = inputs + function.getNumResults();
  kernel->integers = scalars;
  kernel->identity =
      std::make_unique<format::Hash>(identityOf(function, target));
  kernel->launch = std::move(code.launch);
  kernel->image = code.image;
  if (code.sizeArguments)
    for (size::ExpressionAttr size : code.sizeArguments.getExtents())
      facts.sizeArguments.push_back(size::Expression(size));
  kernel->integers += facts.sizeArguments.size();
  facts.tiles =
      code.tileCount
          ? size::Expression(code.tileCount)
          : size::Expression::constant(function.getContext(), code.tiles);
  facts.chunk = code.chunk;
  facts.scratch = size::Expression(code.scratchBytes);
  if (size::Expression operations = trueOperations(function);
      operations && !operations.isConstant(0))
    facts.operations = operations;
  assert(inputs <= code.inPlace.size() &&
         "a generator says of each input whether it is used up");
  for (unsigned i = 0; i < inputs; ++i) {
    if (!code.inPlace[i])
      function.removeArgAttr(i, kernel::kInPlaceAttrName);
    auto shared =
        function.getArgAttrOfType<IntegerAttr>(i, kernel::kTiedAttrName);
    if (!shared)
      shared =
          function.getArgAttrOfType<IntegerAttr>(i, kernel::kInPlaceAttrName);
    if (shared) {
      assert(shared.getInt() >= 0 &&
             shared.getInt() < function.getNumResults() &&
             "an input shares the memory of a result");
      kernel->in_place.push_back(format::InPlace(inputs + shared.getInt(), i));
    }
  }
  return kernel;
}

/// A kernel without code; what is called is filled in where the manifest is.
static std::unique_ptr<format::KernelT>
describeCustomCall(func::FuncOp function) {
  auto kernel = std::make_unique<format::KernelT>();
  kernel->bindings = function.getNumArguments() + function.getNumResults();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto result =
            function.getArgAttrOfType<IntegerAttr>(i, kernel::kTiedAttrName))
      kernel->in_place.push_back(
          format::InPlace(function.getNumArguments() + result.getInt(), i));
  kernel->identity = std::make_unique<format::Hash>();
  kernel->custom_call = std::make_unique<format::CustomCallT>();
  return kernel;
}

FailureOr<CompiledKernels>
heddle::compileKernels(ModuleOp module, const Target &target,
                       const CompileOptions &options) {
  SmallVector<func::FuncOp> all, withCode;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isKernel(function))
      continue;
    all.push_back(function);
    if (!kernel::isCustomCall(function))
      withCode.push_back(function);
  }
  FailureOr<GeneratedCode> code =
      findCodeGenerator(target)->generate(module, withCode, target, options);
  if (failed(code))
    return failure();

  CompiledKernels compiled;
  compiled.images = std::move(code->images);
  std::string targetText;
  llvm::raw_string_ostream(targetText) << target.toAttr(module.getContext());
  KernelCode *next = code->kernels.data();
  for (func::FuncOp function : all) {
    KernelFacts facts;
    facts.index = compiled.kernels.size();
    facts.tiles = size::Expression::constant(function.getContext(), 1);
    compiled.kernels.push_back(
        kernel::isCustomCall(function)
            ? describeCustomCall(function)
            : describeKernel(function, targetText, std::move(*next++), facts));
    compiled.facts[function.getName()] = facts;
  }
  assert(next == code->kernels.data() + code->kernels.size() &&
         "each kernel with code has been made once");
  return compiled;
}
