// Reads the signatures of entries, and what the module says of ranks.

#include "DescribeEntries.h"

#include "EntrySizes.h"
#include "dialects/Kernel/EntryFunctions.h"
#include "heddle/Artifact/DataTypes.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntryStates.h"
#include "heddle/Support/EntryTypes.h"
#include "heddle/Support/PartTypes.h"
#include "heddle/Support/Weights.h"
#include "passes/Plan/DonatedInputs.h"
#include "passes/Plan/EntryTensors.h"
#include "passes/Plan/SymbolSizes.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/TensorMemory.h"

using namespace mlir;
using namespace heddle;

namespace {
class EntryDescriber {
public:
  EntryDescriber(ModuleOp module, format::ManifestT &manifest,
                 ExpressionTable &constant, NodeTable &nodes)
      : module(module), manifest(manifest), constant(constant), nodes(nodes) {}

  LogicalResult run();

private:
  LogicalResult describeEntry(func::FuncOp function);
  std::unique_ptr<format::TensorT> describe(Location loc, Type type,
                                            DictionaryAttr attributes,
                                            const Twine &fallback);
  LogicalResult describeStates(ArrayRef<func::FuncOp> entries);
  /// The shape of an output's memory, where it is not its own.
  void describeMemory(RankedTensorType type, DictionaryAttr attributes,
                      format::TensorT &output);
  void describeRanks();
  /// Readers without `feature` shall refuse the artifact.
  void require(const char *feature) {
    if (!llvm::is_contained(manifest.required_features, feature))
      manifest.required_features.push_back(feature);
  }

  ModuleOp module;
  format::ManifestT &manifest;
  ExpressionTable &constant;
  NodeTable &nodes;
  llvm::DenseMap<StringAttr, uint32_t> stateNumbers;
};
} // namespace

/// Whether `declared` can be what callers see of a `held`: the same bytes.
static bool mayDeclare(Type declared, Type held) {
  auto seen = dyn_cast<RankedTensorType>(declared);
  auto own = dyn_cast<RankedTensorType>(held);
  if (!seen || !own)
    return false;
  std::optional<uint64_t> bytes = storedBytes(seen);
  return bytes && bytes == storedBytes(own);
}

/// A dump may say anything of the types of its entries.
static LogicalResult checkDeclaredTypes(func::FuncOp entry) {
  auto check = [&](const Twine &what, DictionaryAttr attributes, Type held) {
    Attribute declared = attributes ? attributes.get(kTypeAttrName) : nullptr;
    if (!declared)
      return success();
    auto type = dyn_cast<TypeAttr>(declared);
    if (type && mayDeclare(type.getValue(), held))
      return success();
    return LogicalResult(emitError(entry.getLoc(), ErrorCode::StableHloInvalid)
                         << what << " has " << kTypeAttrName << " = "
                         << declared << ", and is " << held);
  };
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (failed(check("argument " + Twine(i), entry.getArgAttrDict(i),
                     entry.getArgumentTypes()[i])))
      return failure();
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (failed(check("result " + Twine(i), entry.getResultAttrDict(i),
                     entry.getResultTypes()[i])))
      return failure();
  return success();
}

void heddle::addCuts(std::vector<format::Cut> &cuts,
                     ArrayRef<int64_t> triples) {
  for (; triples.size() >= 3; triples = triples.drop_front(3))
    cuts.emplace_back(triples[0], triples[1], triples[2]);
}

/// How the whole tensor is cut of which this is a part. What is wrong is for
/// the reader's checks to tell.
static void describeCuts(DictionaryAttr attributes, format::TensorT &tensor) {
  auto whole =
      attributes ? attributes.getAs<TypeAttr>(kWholeTypeAttrName) : TypeAttr();
  auto cuts = attributes ? attributes.getAs<DenseI64ArrayAttr>(kCutsAttrName)
                         : DenseI64ArrayAttr();
  auto type =
      whole ? dyn_cast<RankedTensorType>(whole.getValue()) : RankedTensorType();
  if (!type || !cuts)
    return;
  tensor.whole.assign(type.getShape().begin(), type.getShape().end());
  addCuts(tensor.cuts, cuts);
}

/// The name and type of an input, output or state. Null after an error.
std::unique_ptr<format::TensorT>
EntryDescriber::describe(Location loc, Type type, DictionaryAttr attributes,
                         const Twine &fallback) {
  auto tensor = std::make_unique<format::TensorT>();
  auto name =
      attributes ? attributes.getAs<StringAttr>("heddle.name") : StringAttr();
  tensor->name = name ? name.getValue().str() : fallback.str();
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (ranked && ranked.hasStaticShape())
    tensor->dtype = dataType(ranked.getElementType());
  if (tensor->dtype == format::DataType::none) {
    emitError(loc, ErrorCode::TypeUnsupported)
        << "'" << tensor->name << "' has the type " << type;
    return nullptr;
  }
  for (size::Expression extent : shapeForCallers(attributes, ranked))
    tensor->shape.push_back(constant(extent));
  describeCuts(attributes, *tensor);
  return tensor;
}

void EntryDescriber::describeMemory(RankedTensorType type,
                                    DictionaryAttr attributes,
                                    format::TensorT &output) {
  SmallVector<size::Expression> extents = shapeForCallers(attributes, type),
                                memory = memoryShape(extents, type.getShape(),
                                                     BoundedSizes(module));
  if (memory == extents)
    return;
  for (size::Expression extent : memory)
    output.memory.push_back(constant(extent));
  require(format::memoryFeature);
}

LogicalResult EntryDescriber::describeEntry(func::FuncOp function) {
  auto entry = std::make_unique<format::EntryT>();
  entry->name = function.getName().str();
  FunctionType type = function.getFunctionType();
  SmallVector<std::optional<unsigned>> inputs = inputNumbers(function),
                                       outputs = outputNumbers(function);
  for (unsigned i = 0; i < type.getNumInputs(); ++i)
    if (inputs[i])
      entry->inputs.push_back(
          describe(function.getLoc(), declaredArgumentType(function, i),
                   function.getArgAttrDict(i), "arg" + Twine(i)));
  for (unsigned i = 0; i < type.getNumResults(); ++i)
    if (outputs[i])
      entry->outputs.push_back(
          describe(function.getLoc(), declaredResultType(function, i),
                   function.getResultAttrDict(i), "out" + Twine(i)));
  for (auto &tensor : entry->inputs)
    if (!tensor)
      return failure();
  if (failed(matchDonatedInputs(function)))
    return failure();
  for (auto &tensor : entry->outputs)
    if (!tensor)
      return failure();
  for (auto [i, output] : llvm::enumerate(outputs))
    if (output)
      describeMemory(cast<RankedTensorType>(declaredResultType(function, i)),
                     function.getResultAttrDict(i), *entry->outputs[*output]);
  for (auto [i, output] : llvm::enumerate(outputs))
    if (std::optional<unsigned> input = replacedInput(function, i))
      entry->outputs[*output]->alias = *inputs[*input];
  for (const EntryState &state : statesOf(function)) {
    auto use = std::make_unique<format::StateUseT>();
    use->state = stateNumbers.at(state.name);
    for (unsigned i = 0; i < type.getNumInputs(); ++i)
      if (stateOfArgument(function, i) == state.name)
        if (auto part = function.getArgAttrOfType<size::ExtentsAttr>(
                i, kStatePartAttrName))
          for (size::ExpressionAttr extent : part.getExtents())
            use->shape.push_back(constant(size::Expression(extent)));
    for (unsigned i = 0; i < type.getNumResults(); ++i)
      if (stateOfResult(function, i) == state.name) {
        use->writes = true;
        if (std::optional<size::Expression> length =
                lengthAfter(function, i, *manifest.states[use->state]))
          use->length = constant(*length);
      }
    entry->states.push_back(std::move(use));
  }
  addEntrySizes(function, *entry, manifest, constant, nodes);
  if (!entry->assumptions.empty())
    require(format::assumptionsFeature);
  manifest.entries.push_back(std::move(entry));
  return success();
}

LogicalResult EntryDescriber::describeStates(ArrayRef<func::FuncOp> entries) {
  for (const EntryState &known : statesOf(entries)) {
    std::unique_ptr<format::TensorT> tensor =
        describe(module.getLoc(), known.declared, DictionaryAttr(),
                 known.name.getValue());
    if (!tensor)
      return failure();
    stateNumbers[known.name] = manifest.states.size();
    auto state = std::make_unique<format::StateT>();
    state->name = tensor->name;
    state->dtype = tensor->dtype;
    state->shape = tensor->shape;
    manifest.states.push_back(std::move(state));
  }
  for (func::FuncOp entry : entries)
    if (failed(addStateLengths(entry, stateNumbers, manifest)))
      return failure();
  return success();
}

LogicalResult EntryDescriber::run() {
  SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
  if (entries.empty())
    return emitError(module.getLoc(), ErrorCode::StableHloInvalid)
           << "the module has no public function";
  for (func::FuncOp entry : entries)
    if (failed(checkDeclaredTypes(entry)))
      return failure();
  addSymbols(module, manifest);
  describeRanks();
  if (failed(describeStates(entries)))
    return failure();
  for (func::FuncOp entry : entries)
    if (failed(describeEntry(entry)))
      return failure();
  return success();
}

void EntryDescriber::describeRanks() {
  auto ranks = module->getAttrOfType<IntegerAttr>(kRanksAttrName);
  if (!ranks || ranks.getInt() < 2)
    return;
  manifest.ranks = ranks.getInt();
  if (auto places = module->getAttrOfType<DenseI64ArrayAttr>(kPlacesAttrName))
    manifest.places.assign(places.asArrayRef().begin(),
                           places.asArrayRef().end());
  if (auto axes = module->getAttrOfType<ArrayAttr>(kMeshAttrName))
    for (auto axis : axes.getAsRange<ArrayAttr>()) {
      auto described = std::make_unique<format::MeshAxisT>();
      described->name = cast<StringAttr>(axis[0]).str();
      described->size = cast<IntegerAttr>(axis[1]).getInt();
      manifest.mesh.push_back(std::move(described));
    }
  require(format::ranksFeature);
}

LogicalResult heddle::describeEntries(ModuleOp module,
                                      format::ManifestT &manifest,
                                      ExpressionTable &constant,
                                      NodeTable &nodes) {
  return EntryDescriber(module, manifest, constant, nodes).run();
}
