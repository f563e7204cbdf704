// Reads a program in text, bytecode or a result of jax.export, and makes it a
// model.

#include "heddle/Frontend/StableHlo.h"

#include "heddle/Frontend/BooleanBytes.h"
#include "heddle/Frontend/Exported.h"
#include "heddle/Frontend/PortableArtifact.h"
#include "lib/Frontend/StableHlo/Bindings.h"
#include "lib/Frontend/StableHlo/FixShapes.h"
#include "lib/Frontend/StableHlo/OpenSizes.h"
#include "lib/Frontend/StableHlo/ParseErrors.h"
#include "lib/Frontend/StableHlo/PlainText.h"
#include "lib/Frontend/StableHlo/ProgramLimits.h"
#include "lib/Frontend/StableHlo/Shardings.h"
#include "lib/Frontend/StableHlo/TrialParse.h"

#include "dialects/Size/Size.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "dialects/Vhlo/Vhlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/HostTensor.h"
#include "heddle/Support/MappedFile.h"
#include "heddle/Support/SignatureAttributes.h"
#include "heddle/Support/Weights.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace heddle {

//===----------------------------------------------------------------------===//
// The entry point
//===----------------------------------------------------------------------===//

/// The function of a name; without one @main, or the only public function.
static func::FuncOp findEntry(ModuleOp module, StringRef name) {
  if (!name.empty())
    return module.lookupSymbol<func::FuncOp>(name);
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    return main;
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    if (entry)
      return {};
    entry = function;
  }
  return entry;
}

/// Makes `entry` the one public function, @main.
static LogicalResult makeMain(ModuleOp module, func::FuncOp entry) {
  SymbolTable symbols(module);
  if (entry.getName() != "main") {
    // Another function that has the name is not the one that is wanted.
    Operation *other = symbols.lookup("main");
    if ((other && failed(symbols.renameToUnique(other, {}))) ||
        failed(symbols.rename(entry, StringRef("main"))))
      return failure();
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function != entry)
      function.setPrivate();
  entry.setPublic();
  return success();
}

/// Names arguments and results: by `heddle.name`, by what the exporter wrote,
/// else arg0, arg1, ..., out0, out1, ...
static void nameArgumentsAndResults(func::FuncOp entry) {
  Builder builder(entry.getContext());
  llvm::StringSet<> taken;
  auto unique = [&](StringRef wanted, std::string fallback) {
    StringRef name =
        wanted.empty() || taken.contains(wanted) ? StringRef(fallback) : wanted;
    taken.insert(name);
    return builder.getStringAttr(name);
  };
  SignatureAttributes attributes(entry);
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i) {
    NamedAttrList &list = attributes.argument(i);
    auto name = dyn_cast_or_null<StringAttr>(list.get("heddle.name"));
    StringRef wanted =
        name ? name.getValue() : nameIn(entry.getArgument(i).getLoc());
    list.set("heddle.name", unique(wanted, "arg" + std::to_string(i)));
  }
  taken.clear();
  for (unsigned i = 0, e = entry.getNumResults(); i < e; ++i) {
    NamedAttrList &list = attributes.result(i);
    auto name = dyn_cast_or_null<StringAttr>(list.get("heddle.name"));
    if (!name)
      name = dyn_cast_or_null<StringAttr>(list.get("jax.result_info"));
    list.set("heddle.name", unique(name ? name.getValue() : StringRef(),
                                   "out" + std::to_string(i)));
  }
  attributes.store();
}

/// All arguments must be tensors of known shape.
static LogicalResult checkArguments(func::FuncOp entry) {
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape())
      continue;
    StringRef name =
        entry.getArgAttrOfType<StringAttr>(i, "heddle.name").getValue();
    InFlightDiagnostic error = emitError(entry.getArgument(i).getLoc(),
                                         ErrorCode::StableHloDynamicShape)
                               << "argument '" << name << "' has type " << type
                               << "; a tensor of known size is wanted";
    if (!tensor)
      return error;
    // The command that mends it, to be filled in.
    error << ": --shape " << name << "=";
    ArrayRef<int64_t> bounds = stablehlo::boundsOf(tensor);
    for (auto [d, extent] : llvm::enumerate(tensor.getShape())) {
      error << (d ? "x" : "");
      if (!ShapedType::isDynamic(extent))
        error << extent;
      else if (bounds.empty() || ShapedType::isDynamic(bounds[d]))
        error << "N";
      else
        error << "0.." << bounds[d];
    }
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Turns dense constants over 1 KiB into handles, so that no pass copies,
/// compares or prints them.
static void makeHandles(ModuleOp module) {
  int64_t number = 0;
  module.walk([&](stablehlo::ConstantOp op) {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense || dense.isSplat() || dense.getType() != op.getType())
      return;
    std::optional<HostTensor> tensor = HostTensor::fromAttribute(dense);
    if (!tensor || tensor->bytes().size() <= kHandleThresholdBytes)
      return;
    std::string name = nameIn(op.getLoc()).str();
    if (name.empty())
      name = "constant";
    name += "_" + std::to_string(number++);
    ArrayRef<char> bytes = tensor->bytes();
    op.setValueAttr(makeWeight(tensor->type(), name,
                               std::vector<char>(bytes.begin(), bytes.end())));
  });
}

//===----------------------------------------------------------------------===//
// Results of jax.export
//===----------------------------------------------------------------------===//

/// Puts the platform's number in place of the argument that asks for it.
static LogicalResult bindPlatform(func::FuncOp entry, int32_t index) {
  if (entry.getNumArguments() == 0)
    return success();
  auto constant = entry.getArgAttrOfType<StringAttr>(0, "jax.global_constant");
  auto type = dyn_cast<RankedTensorType>(entry.getArgumentTypes().front());
  if (!constant || constant.getValue() != "_platform_index" || !type ||
      type.getRank() != 0 || !type.getElementType().isInteger())
    return success();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry.getBody().front());
  auto value = DenseElementsAttr::get(
      type, builder.getIntegerAttr(type.getElementType(), index));
  entry.getArgument(0).replaceAllUsesWith(
      stablehlo::ConstantOp::create(builder, entry.getLoc(), value));
  return entry.eraseArgument(0);
}

//===----------------------------------------------------------------------===//
// Foreign dialects
//===----------------------------------------------------------------------===//

/// Reads a module in which attributes may be of dialects that heddle does not
/// have: these are kept as they are. An operation of such a dialect is an
/// error. Operations that say where values lie are made what they mean on one
/// device, unless `ignored` is null.
static OwningOpRef<ModuleOp> parseModule(llvm::SourceMgr &sources,
                                         MLIRContext *context,
                                         IgnoredShardings *ignored) {
  bool allowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects(true);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, context);
  context->allowUnregisteredDialects(allowed);
  if (!module || (ignored && failed(dropShardingOperations(*module, *ignored))))
    return {};
  if (allowed)
    return module;
  WalkResult known = module->walk([](Operation *op) {
    if (op->isRegistered())
      return WalkResult::advance();
    emitError(op->getLoc(), ErrorCode::StableHloParse)
        << "'" << op->getName()
        << "' is no operation of the dialects that heddle reads: stablehlo, "
           "chlo, vhlo, func, builtin";
    return WalkResult::interrupt();
  });
  return known.wasInterrupted() ? OwningOpRef<ModuleOp>() : std::move(module);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

LogicalResult adoptStableHlo(ModuleOp module, func::FuncOp entry,
                             StringRef path,
                             ArrayRef<ArgumentBinding> bindings) {
  if (entry.isExternal())
    return emitError(entry.getLoc(), ErrorCode::StableHloEntry)
           << "function @" << entry.getName() << " has no body";
  nameArgumentsAndResults(entry);
  if (failed(makeMain(module, entry)) ||
      failed(bindArguments(entry, bindings)) || failed(checkArguments(entry)))
    return failure();
  makeHandles(module);
  module->setAttr(
      "heddle.source",
      StringAttr::get(module.getContext(), llvm::sys::path::filename(path)));
  return success();
}

std::optional<StableHloProgram>
parseStableHlo(MLIRContext *context, StringRef path, bool trialFirst,
               TrialKeeper *trials, StringRef entry, AcceptModule accept,
               bool keepsShardings) {
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  llvm::Expected<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file) {
    emitError(loc, ErrorCode::StableHloParse)
        << llvm::toString(file.takeError());
    return std::nullopt;
  }
  return parseStableHlo(context, **file, trialFirst, trials, entry, accept,
                        keepsShardings);
}

std::optional<StableHloProgram>
parseStableHlo(MLIRContext *context, const MappedFile &file, bool trialFirst,
               TrialKeeper *trials, StringRef entryName, AcceptModule accept,
               bool keepsShardings) {
  StringRef path = file.path();
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  // The parser wants a zero behind the last character, which a map of whole
  // pages does not have.
  StringRef bytes(file.bytes().data(), file.bytes().size());
  StableHloProgram program;
  program.path = path.str();
  program.entry = entryName.str();
  if (looksLikeExported(bytes)) {
    FailureOr<ExportedProgram> exported = readExported(loc, bytes);
    if (failed(exported))
      return std::nullopt;
    // What it says stays, its bytes do not.
    bytes = std::exchange(exported->module, StringRef());
    program.exported =
        std::make_shared<const ExportedProgram>(std::move(*exported));
  }
  std::optional<std::string> packed;
  if (!isBytecode(llvm::MemoryBufferRef(bytes, path)))
    packed = packBooleanBytes(bytes);
  if (packed)
    bytes = *packed;
  if (failed(checkPortableVersion(loc, bytes)))
    return std::nullopt;
  context->loadDialect<func::FuncDialect, size::SizeDialect,
                       stablehlo::StableHloDialect>();
  // Costs the parser little, right or wrong, and holds no VHLO.
  bool isPlain = isPlainText(bytes);
  if (!isPlain)
    context->loadDialect<vhlo::VhloDialect>();
  if (isBytecode(llvm::MemoryBufferRef(bytes, path)) ||
      mentionsShardings(bytes))
    allowShardings(*context);
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (trialFirst && !isPlain) {
    TrialKeeper none;
    Trial trial = trialParse(bytes, path, trials ? *trials : none);
    if (!trial.file) {
      emitError(loc, trial.code) << trial.problem;
      return std::nullopt;
    }
    buffer = std::move(trial.file);
  } else {
    buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, path);
  }

  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  std::vector<Diagnostic> said;
  IgnoredShardings ignored;
  {
    ParseErrors errors(context);
    program.module =
        parseModule(sources, context, keepsShardings ? nullptr : &ignored);
    said = errors.take();
  }
  ParseErrors::report(std::move(said));
  if (!program.module || failed(convertFromVhlo(*program.module)))
    return std::nullopt;
  if (!keepsShardings)
    dropShardingAttributes(*program.module, ignored);
  ignored.remark(loc);
  if (failed(checkProgramLimits(*program.module)) ||
      (accept && !accept(*program.module)))
    return std::nullopt;

  func::FuncOp entry = findEntry(*program.module, program.entry);
  if (!entry) {
    InFlightDiagnostic error = emitError(loc, ErrorCode::StableHloEntry);
    if (program.entry.empty())
      error << "there is neither a function @main nor exactly one public "
               "function";
    else
      error << "there is no function @" << program.entry;
    return std::nullopt;
  }
  if (!entry.isExternal() && program.exported) {
    if (failed(bindPlatform(entry, program.exported->platformIndex)))
      return std::nullopt;
    takeInnerNames(entry);
  }
  return program;
}

std::vector<std::string> declaredRanges(const StableHloProgram &program,
                                        ArrayRef<StringRef> given) {
  func::FuncOp entry = findEntry(program.module.get(), program.entry);
  return entry.isExternal() ? std::vector<std::string>()
                            : rangesOfBounds(entry, given);
}

std::vector<ArgumentDescription>
describeArguments(const StableHloProgram &program) {
  func::FuncOp entry = findEntry(program.module.get(), program.entry);
  std::vector<ArgumentDescription> arguments;
  for (unsigned i = 0, e = entry.getNumArguments();
       i < e && !entry.isExternal(); ++i) {
    std::array<std::string, 3> keys = keysOf(entry, i);
    ArgumentDescription &argument = arguments.emplace_back();
    argument.names.assign(keys.begin(), keys.end());
    if (auto type = dyn_cast<RankedTensorType>(entry.getArgumentTypes()[i]))
      argument.shape = type.getShape().vec();
  }
  return arguments;
}

std::vector<std::string> dimensionNames(const StableHloProgram &program) {
  return program.exported ? symbolsOf(*program.exported)
                          : std::vector<std::string>();
}

OwningOpRef<ModuleOp> importStableHlo(StableHloProgram program,
                                      const StableHloImportOptions &options) {
  func::FuncOp entry = findEntry(*program.module, program.entry);
  if (!entry.isExternal()) {
    std::string name = entry.getName().str();
    if (failed(fixShapes(program, name, options)))
      return {};
    entry = program.module->lookupSymbol<func::FuncOp>(name);
  }
  if (failed(adoptStableHlo(*program.module, entry, program.path,
                            options.bindings)))
    return {};
  return std::move(program.module);
}

OwningOpRef<ModuleOp> importStableHlo(MLIRContext *context, StringRef path,
                                      const StableHloImportOptions &options) {
  auto program = parseStableHlo(context, path, options.trial, options.trials);
  return program ? importStableHlo(std::move(*program), options)
                 : OwningOpRef<ModuleOp>();
}

} // namespace heddle
