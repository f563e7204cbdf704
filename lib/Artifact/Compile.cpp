// From a module to an artifact: dispatch, weights beside kernels, and the
// manifest.

#include "heddle/Artifact/Compile.h"

#include "CustomCallWriter.h"
#include "DescribeEntries.h"
#include "Fork.h"
#include "VariantBuilder.h"
#include "WeightNumbering.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "dialects/Size/Size.h"
#include "heddle/Artifact/DataTypes.h"
#include "heddle/Artifact/Packer.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/Threads.h"
#include "heddle/Support/Weights.h"
#include "runtime/format/ArtifactWriter.h"
#include "runtime/format/Counts.h"
#include "runtime/format/CustomCalls.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/RecordKeys.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <map>
#include <thread>

using namespace mlir;
using namespace heddle;

/// An error of the writer is about the file, whatever was being written to it;
/// anything but a file that cannot be written is our own fault.
static LogicalResult report(ModuleOp module, const format::Error &error) {
  if (!error)
    return success();
  bool unwritable = error.code() == HEDDLE_FILE_UNWRITABLE;
  return emitError(module.getLoc(), unwritable ? ErrorCode::FileUnwritable
                                               : ErrorCode::InternalError)
         << error.message();
}

namespace {
/// A variant, which has the name of its target, and the module that its code is
/// made from.
struct NamedVariant {
  const DispatchedModule *dispatched;
  CompiledVariant compiled = {};
};

class Compiler {
public:
  Compiler(ModuleOp module, const CompileOptions &options,
           format::ArtifactWriter &writer)
      : module(module), options(options), writer(writer) {}

  LogicalResult run(CompileSummary *summary);

private:
  void addProvenance();
  void addRecords();
  LogicalResult dispatch();
  LogicalResult packWeights();
  LogicalResult packOne(const RankWeight &given, uint32_t &index);
  void nameVariants();
  LogicalResult buildVariants();
  LogicalResult addCustomCalls(CompiledVariant &compiled);
  LogicalResult addVariant(CompiledVariant &compiled,
                           ArrayRef<WeightNumbers> weightNumbers);
  bool isCancelled() const {
    return options.isCancelled && options.isCancelled();
  }
  void begin(StringRef phase) {
    if (options.onPhase)
      options.onPhase(phase);
  }

  ModuleOp module;
  const CompileOptions &options;
  format::ArtifactWriter &writer;
  format::ManifestT manifest;
  ExpressionTable constant{manifest.expressions, module};
  NodeTable nodes;
  /// One for each set of targets that dispatch alike.
  std::vector<DispatchedModule> dispatched;
  /// In the order of `options.targets`, each name once.
  std::vector<NamedVariant> variants;
  CompileSummary result;
};
} // namespace

void Compiler::addProvenance() {
  std::string source = "model";
  if (auto path = module->getAttrOfType<StringAttr>("heddle.source"))
    source = llvm::sys::path::filename(path.getValue()).str();
  manifest.name = llvm::sys::path::stem(source).str();
  auto provenance = [&](const char *key, std::string value) {
    auto pair = std::make_unique<format::KeyValueT>();
    pair->key = key;
    pair->value = std::move(value);
    manifest.provenance.push_back(std::move(pair));
  };
  provenance("compiler", "heddle " HEDDLE_VERSION);
  if (auto precision = module->getAttrOfType<StringAttr>(kPrecisionAttrName)) {
    result.precision = precision.str();
    provenance(format::precisionKey, result.precision);
  }
  provenance("source", source);
}

/// What a weight is made from, for people: "transpose(fc1.weight)".
static std::string describeProgram(kernel::WeightOp weight) {
  std::string ops, names;
  for (Operation &op : weight.getBody().front().without_terminator()) {
    auto constant = op.getAttrOfType<DenseResourceElementsAttr>("value");
    if (constant)
      names +=
          (names.empty() ? "" : ", ") + constant.getRawHandle().getKey().str();
    else if (!op.hasTrait<OpTrait::ConstantLike>())
      ops += (ops.empty() ? "" : ", ") + op.getName().stripDialect().str();
  }
  return ops.empty() ? names : ops + "(" + names + ")";
}

/// Says which constant ranks have parts of, where it is one.
static void describeCuts(kernel::WeightOp weight,
                         format::WeightT &description) {
  for (auto part : weight.getBody().front().getOps<dist::PartOp>()) {
    auto whole = cast<RankedTensorType>(part.getSource().getType());
    if (!part.getSource().getDefiningOp<dist::PartOp>()) {
      if (!description.whole.empty()) { // another constant is cut, too
        description.whole.clear();
        description.cuts.clear();
        return;
      }
      description.whole = whole.getShape().vec();
    }
    addCuts(description.cuts, part.getCuts());
  }
}

/// A weight as a rank has it.
LogicalResult Compiler::packOne(const RankWeight &given, uint32_t &index) {
  kernel::WeightOp weight = given.weight;
  RankedTensorType type = weight.getStoredType();
  format::WeightT description;
  description.symbol = weight.getName().str() + given.suffix;
  description.dtype = dataType(type.getElementType());
  description.shape.assign(type.getShape().begin(), type.getShape().end());
  if (std::optional<StringRef> packing = weight.getPacking()) {
    auto value = cast<RankedTensorType>(weight.getValueType());
    description.packing = packing->str();
    description.format = dataType(value.getElementType());
    description.logical_shape = value.getShape().vec();
  }
  if (std::optional<ArrayRef<int64_t>> block = weight.getBlock())
    description.block = block->vec();
  describeCuts(weight, description);
  description.scale = given.scale;
  description.zero_point = given.zeroPoint;
  description.source = describeProgram(weight);
  if (failed(report(module, writer.beginWeight(std::move(description)))))
    return failure();
  [[maybe_unused]] uint64_t before = result.weightBytes;
  auto sink = [&](ArrayRef<char> bytes) {
    result.weightBytes += bytes.size();
    return report(module, writer.append(bytes.data(), bytes.size()));
  };
  if (failed(packWeight(weight, sink, given.place)))
    return failure();
  assert(result.weightBytes - before == storedBytes(type) &&
         "the packer gives as many bytes as the stored type has");
  return report(module, writer.endWeight(index));
}

LogicalResult Compiler::packWeights() {
  auto pack = [&](const RankWeight &weight, uint32_t &index) -> LogicalResult {
    if (isCancelled() || failed(packOne(weight, index)))
      return failure();
    ++result.weights;
    return success();
  };
  WeightNumbering numbering(manifest, pack);
  for (DispatchedModule &one : dispatched)
    for (auto weight : one.module.getOps<kernel::WeightOp>())
      numbering.count(weight);
  for (DispatchedModule &one : dispatched) {
    auto numbers = numbering.numberAll(one.module);
    if (failed(numbers))
      return failure();
    one.weightNumbers = std::move(*numbers);
  }
  return success();
}

/// Code that two targets call by the same name is the same code, and made once.
void Compiler::nameVariants() {
  std::vector<const DispatchedModule *> modules(options.targets.size());
  for (const DispatchedModule &one : dispatched)
    for (unsigned i : one.targets)
      modules[i] = &one;
  llvm::StringSet<> names;
  std::vector<std::shared_ptr<const Target>> named;
  for (auto [target, one] : llvm::zip_equal(options.targets, modules)) {
    StringRef name = target->nameFor(one->module);
    if (!names.insert(name).second)
      continue;
    named.push_back(name == target->name() ? target : findTarget(name));
    variants.push_back({one});
    variants.back().compiled.target = named.back();
  }
  if (options.onVariants)
    options.onVariants(named);
}

LogicalResult Compiler::buildVariants() {
  for (NamedVariant &variant : variants) {
    begin(("kernels " + variant.compiled.target->name()).str());
    if (failed(buildVariant(variant.dispatched->module, options,
                            variant.compiled)))
      return failure();
  }
  return success();
}

/// Types of custom calls refer to the manifest, which no variant has while it
/// is built.
LogicalResult Compiler::addCustomCalls(CompiledVariant &compiled) {
  for (auto function : compiled.plan->getOps<func::FuncOp>()) {
    if (!kernel::isCustomCall(function))
      continue;
    auto call = writeCustomCall(function, constant);
    if (failed(call))
      return failure();
    uint32_t index = compiled.facts.lookup(function.getName()).index;
    compiled.kernels[index]->name = (*call)->target;
    compiled.kernels[index]->custom_call = std::move(*call);
  }
  return success();
}

/// Whether a queue of another device than the cpu reads a count.
static bool countsOnDevice(plan::ProgramOp program) {
  SmallVector<int64_t> devices = program.queueDevices();
  return llvm::any_of(
      program.getBody().getOps<plan::CountOp>(),
      [&](plan::CountOp count) { return devices[count.getQueue()] != 0; });
}

/// Of all devices.
static uint64_t arenaBytes(plan::ProgramOp program) {
  uint64_t bytes = program.getArena();
  if (program.getArenas())
    for (auto memory : program.getArenas()->getAsRange<plan::MemoryAttr>())
      bytes += memory.getSize();
  return bytes;
}

LogicalResult Compiler::addVariant(CompiledVariant &compiled,
                                   ArrayRef<WeightNumbers> weightNumbers) {
  auto variant = std::make_unique<format::VariantT>();
  variant->name = compiled.target->name().str();
  variant->preference = manifest.variants.size();
  for (const std::string &name : compiled.devices)
    variant->devices.push_back(
        std::make_unique<format::DeviceT>(toDevice(name)));
  // Several kinds of devices may run the same code.
  std::map<const CodeImage *, uint32_t> sections;
  uint64_t codeBytes = 0;
  for (format::DeviceKind kind : compiled.kinds) {
    const CodeImage *code = compiled.codeFor(kind);
    auto [section, isNew] = sections.try_emplace(code);
    if (isNew) {
      codeBytes += code->bytes.size();
      if (failed(report(module,
                        writer.addCode(code->bytes.data(), code->bytes.size(),
                                       section->second))))
        return failure();
    }
    auto image = std::make_unique<format::ImageT>();
    image->device = kind;
    image->format = code->format;
    image->section = section->second;
    image->architecture = code->needs.architecture;
    image->features = code->needs.features;
    variant->images.push_back(std::move(image));
  }
  if (failed(report(module,
                    writer.addPlan(writePlan(*compiled.plan, compiled.facts,
                                             weightNumbers, nodes),
                                   variant->plan))) ||
      failed(addCustomCalls(compiled)))
    return failure();
  if (llvm::any_of(compiled.kernels, [](const auto &kernel) {
        return kernel->custom_call != nullptr;
      }))
    variant->required_features.push_back(format::customCallsFeature);
  if (llvm::any_of(compiled.programs(), countsOnDevice))
    variant->required_features.push_back(format::deviceCountsFeature);
  // A kernel may have a record for each kind of device.
  result.kernels = llvm::count_if(compiled.facts, [&](const auto &kernel) {
    return !compiled.kernels[kernel.second.index]->custom_call;
  });
  variant->kernels = std::move(compiled.kernels);
  result.arenaBytes = result.launches = 0;
  for (plan::ProgramOp program : compiled.programs()) {
    result.arenaBytes = std::max(result.arenaBytes, arenaBytes(program));
    program.walk([&](plan::LaunchOp) { ++result.launches; });
  }
  result.devices = compiled.devices;
  CompileSummary::Variant summary{variant->name, codeBytes};
  for (const auto &image : variant->images)
    summary.hasGpuCode |= image->format != format::CodeFormat::elf;
  for (const HostLaunch &launch : compiled.hosted)
    summary.hosted.push_back(launch.node + ": " + launch.reason);
  result.variants.push_back(std::move(summary));
  manifest.variants.push_back(std::move(variant));
  return success();
}

/// From wherever the module is on its way to dispatched modules.
LogicalResult Compiler::dispatch() {
  FailureOr<std::vector<DispatchedModule>> modules;
  if (options.passed == Stage::Dispatch) {
    modules = takeDispatched(module, options);
  } else {
    if (options.passed == Stage::Graph) {
      begin("lower");
      if (failed(passStage(Stage::Lower, module, options)))
        return failure();
    }
    begin("dispatch");
    modules = dispatchForTargets(module, options);
  }
  if (failed(modules))
    return failure();
  dispatched = std::move(*modules);
  return success();
}

void Compiler::addRecords() {
  std::map<std::string, std::string> sorted(options.records.begin(),
                                            options.records.end());
  for (auto &[key, value] : sorted) {
    auto pair = std::make_unique<format::KeyValueT>();
    pair->key = key;
    pair->value = value;
    manifest.records.push_back(std::move(pair));
  }
}

LogicalResult Compiler::run(CompileSummary *summary) {
  if (failed(describeEntries(module, manifest, constant, nodes)))
    return failure();
  addProvenance();
  if (failed(dispatch()))
    return failure();

  nameVariants();

  // Weights need the disk, kernels the processor. The variants read the module
  // while the packer does: neither changes it. A dialect loaded meanwhile would
  // move the context's tables under the packer.
  loadVariantDialects(module.getContext(), options.targets);
  LogicalResult packed = success();
  auto pack = [&] { packed = packWeights(); };
  std::thread packer = startThread(pack);
  LogicalResult built = buildVariants();
  begin("weights");
  if (packer.joinable())
    packer.join();
  else
    pack();
  if (failed(packed) || failed(built) || isCancelled())
    return failure();

  begin("write");
  for (NamedVariant &variant : variants)
    if (failed(addVariant(variant.compiled, variant.dispatched->weightNumbers)))
      return failure();
  manifest.nodes = nodes.names;
  addRecords();
  manifest.flush_subnormals = options.flushSubnormals;
  if (options.flushSubnormals)
    manifest.required_features.push_back(format::flushFeature);
  if (failed(report(module, writer.finish(std::move(manifest)))))
    return failure();
  result.artifactBytes = writer.size();
  if (summary)
    *summary = result;
  return success();
}

LogicalResult heddle::compileInto(ModuleOp module,
                                  const CompileOptions &options,
                                  format::ArtifactWriter &writer,
                                  CompileSummary *summary) {
  // Numbers of the manifest are expressions, also where no size is open.
  module.getContext()->getOrLoadDialect<size::SizeDialect>();
  if (failed(checkSizeAttributes(module)))
    return failure();
  return Compiler(module, options, writer).run(summary);
}
