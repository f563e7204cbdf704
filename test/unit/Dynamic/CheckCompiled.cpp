// What a compiled program computes at each call's sizes, against what its
// static program computes: what stands behind the graph stage is tried, too.

#include "heddle/Artifact/Compile.h"
#include "heddle/Driver/Program.h"
#include "heddle/Pipeline/Registration.h"
#include "heddle/Pipeline/Stages.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "runtime/format/ArtifactWriter.h"
#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/InferExtents.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace heddle::sized {

namespace {
/// A program compiled for the oldest processors of this kind, and loaded.
class CompiledProgram {
public:
  CompiledProgram(SizedProgram &program, Teller teller, StringRef placedBy)
      : program(program), teller(teller), placedBy(placedBy),
        module(program.module().clone()), errors(text),
        session(CommonOptions(), "program", errors) {
    if (teller == Teller::Counts)
      countSizes();
  }

  /// Fails with `message`; the runtime's are in it, too.
  LogicalResult load();
  /// Empty if equal.
  std::string compare(const Sizes &sizes);
  std::string message;
  /// Whether something is not supported.
  bool isRefused = false;

private:
  /// Makes the module one that computes its sizes.
  void countSizes();
  /// What it is given, where `inputs` are what the static program is.
  SmallVector<HostTensor> given(ArrayRef<HostTensor> inputs,
                                const Sizes &sizes);
  LogicalResult compile(format::ArtifactWriter &writer);

  SizedProgram &program;
  Teller teller;
  StringRef placedBy;
  OwningOpRef<ModuleOp> module;
  std::string text;
  llvm::raw_string_ostream errors;
  Session session;
  format::ArtifactWriter writer;
  std::unique_ptr<Program> loaded;
};
} // namespace

/// Each argument is of the bound, and cut; each size is an argument that is
/// made a result.
void CompiledProgram::countSizes() {
  auto main = module->lookupSymbol<func::FuncOp>("main");
  Block &block = main.front();
  Operation *end = block.getTerminator();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Location loc = main.getLoc();
  for (BlockArgument argument : block.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (!size::hasExtents(type))
      continue;
    argument.setType(
        RankedTensorType::get(type.getShape(), type.getElementType()));
    SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
    auto cut = stablehlo::SliceOp::create(builder, loc, type, argument, zeros,
                                          type.getShape(), ones);
    cut->setAttr(stablehlo::sizedAttributeName("limit_indices"),
                 type.getEncoding());
    argument.replaceAllUsesExcept(cut, cut);
  }
  builder.setInsertionPointToStart(&block);
  unsigned results = end->getNumOperands();
  SmallVector<Attribute> symbols;
  for (size_t i = 0; i < program.symbols().size(); ++i) {
    Value number =
        block.addArgument(RankedTensorType::get({}, builder.getI64Type()), loc);
    Value count = stablehlo::ConvertOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI32Type()), number);
    end->insertOperands(end->getNumOperands(), count);
  }
  for (auto symbol : (*module)
                         ->getAttrOfType<ArrayAttr>(kSymbolsAttrName)
                         .getAsRange<DictionaryAttr>()) {
    NamedAttrList facts(symbol);
    facts.set(kIsComputedName, builder.getUnitAttr());
    symbols.push_back(facts.getDictionary(builder.getContext()));
  }
  (*module)->setAttr(kSymbolsAttrName, builder.getArrayAttr(symbols));
  main.setType(builder.getFunctionType(block.getArgumentTypes(),
                                       end->getOperandTypes()));
  for (auto [i, symbol] : llvm::enumerate(program.symbols()))
    main.setResultAttr(results + i, kExtentAttrName,
                       builder.getStringAttr(symbol.name));
}

SmallVector<HostTensor> CompiledProgram::given(ArrayRef<HostTensor> inputs,
                                               const Sizes &sizes) {
  SmallVector<HostTensor> tensors;
  func::FuncOp main = program.main();
  for (auto [input, argument] : llvm::zip_equal(inputs, main.getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    tensors.push_back(
        teller == Teller::Counts && size::hasExtents(type)
            ? padded(program, input,
                     RankedTensorType::get(type.getShape(),
                                           input.type().getElementType()),
                     /*isRow=*/false)
            : input);
  }
  if (teller == Teller::Counts)
    for (int64_t size : sizes) {
      tensors.push_back(HostTensor::allocate(
          RankedTensorType::get({}, program.builder.getI64Type())));
      tensors.back().set(0, size);
    }
  return tensors;
}

LogicalResult CompiledProgram::compile(format::ArtifactWriter &writer) {
  ScopedDiagnosticHandler listen(
      module->getContext(), [&](Diagnostic &diagnostic) {
        if (message.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message = diagnostic.str();
      });
  SmallString<64> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  if (format::Error error = writer.openTemporary(folder.c_str())) {
    message = error.message();
    return failure();
  }
  CompileOptions options;
  options.targets = {findTarget("x86-64-v3")};
  if (!placedBy.empty()) {
    options.placement.devices = {"cpu", "sim:0", "sim:1"};
    options.placement.by = placedBy.str();
  }
  if (failed(runStage(heddle::Stage::Graph, *module)) ||
      failed(compileInto(*module, options, writer)))
    return failure();
  return success();
}

LogicalResult CompiledProgram::load() {
  if (failed(compile(writer))) {
    // Messages begin with the code.
    StringRef code = StringRef(message).ltrim('[').take_until(
        [](char c) { return c == ']' || c == ' '; });
    // An extent may be negative at the least sizes, which only an importer
    // would have ruled out.
    if (std::optional<ErrorCode> known = parseErrorName(code))
      isRefused = errorInfo(*known).exit == ExitCode::Unsupported ||
                  StringRef(message).contains("which may be negative");
    return failure();
  }
  loaded = Program::load(session,
                         "/proc/self/fd/" + std::to_string(writer.descriptor()),
                         0, "", "", {});
  if (loaded && loaded->prepare(/*threads=*/1))
    return success();
  message = text;
  return failure();
}

std::string CompiledProgram::compare(const Sizes &sizes) {
  OwningOpRef<ModuleOp> fixed(program.module().clone());
  if (failed(fixSizes(*fixed, [&](StringRef name) {
        return program.evaluated(
            Expression::symbol(program.builder.getContext(), name), sizes);
      })))
    return "the static program fails";
  auto main = fixed->lookupSymbol<func::FuncOp>("main");
  SmallVector<HostTensor> inputs;
  for (BlockArgument argument : main.getArguments())
    inputs.push_back(
        trueInput(program, cast<RankedTensorType>(argument.getType())));
  InterpreterOptions options;
  options.threads = 1;
  auto wanted = interpret(main, inputs, options);
  if (failed(wanted))
    return "the static program cannot be interpreted";
  SmallVector<HostTensor> tensors = given(inputs, sizes);
  if (!loaded->setSizesOf(tensors))
    return "the sizes are not told: " + text;
  SmallVector<HostTensor> found = loaded->makeOutputs(tensors);
  if (!loaded->call(tensors, found))
    return "the call fails: " + text;
  loaded->cutOutputs(found);
  Operation *end = program.main().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    if (found[i].shape() != (*wanted)[i].shape())
      return "result " + std::to_string(i) + " has another shape";
    bool isExact = program.largest(value) != SizedProgram::kInexact;
    std::string difference = compareElements((*wanted)[i], found[i], isExact);
    if (difference.empty())
      continue;
    std::string said;
    llvm::raw_string_ostream(said)
        << "of result " << i << ", " << *value.getDefiningOp() << ",\n  "
        << difference;
    return said;
  }
  return "";
}

/// No call can be asked for what only its end tells, and a count is any number.
static bool mayCount(SizedProgram &program) {
  return !program.symbols().empty() &&
         program.assumed().assumptions().empty() &&
         llvm::all_of(program.symbols(), [](const Symbol &symbol) {
           return symbol.facts.multiple == 1;
         });
}

std::string checkCompiled(SizedProgram &program, ArrayRef<Sizes> choices,
                          Teller teller, StringRef placedBy,
                          std::string &refusal) {
  if (teller == Teller::Counts && !mayCount(program)) {
    refusal = "nothing is counted";
    return "";
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  program.builder.getContext()->appendDialectRegistry(registry);
  CompiledProgram compiled(program, teller, placedBy);
  std::string how =
      (teller == Teller::Counts ? "counted, " : "") +
      (placedBy.empty() ? "" : "placed " + placedBy.str() + ", ") + "compiled";
  if (failed(compiled.load())) {
    if (!compiled.isRefused)
      return how + ": " + compiled.message;
    refusal = compiled.message;
    return "";
  }
  for (const Sizes &sizes : choices) {
    if (!program.holds(sizes))
      continue;
    std::string problem = compiled.compare(sizes);
    if (!problem.empty())
      return how + ", with " + program.text(sizes) + ": " + problem;
  }
  return "";
}

} // namespace heddle::sized
