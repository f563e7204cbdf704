// A graph of ONNX, node by node, with its initializers as handles.

#include "Importer.h"

#include "heddle/Support/Weights.h"

#include "dialects/Prec/Prec.h"

#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

int64_t heddle::onnx::operatorSetOf(ArrayRef<OperatorSet> sets,
                                    StringRef domain) {
  for (const OperatorSet &set : sets)
    if (set.domain == domain ||
        (isDefaultDomain(set.domain) && isDefaultDomain(domain)))
      return set.version;
  return 0;
}

//===--- Locations --------------------------------------------------------===//

Location Importer::modelLocation() {
  // Without its folder: what is compiled does not depend on where the model
  // lies.
  return FileLineColLoc::get(context, llvm::sys::path::filename(file->path()),
                             0, 0);
}

Location Importer::named(StringRef name) {
  return NameLoc::get(StringAttr::get(context, name), modelLocation());
}

Location Importer::nodeLocation(const Node &node, size_t position,
                                StringRef path) {
  std::string name = node.name.empty() ? (node.op + "_" + Twine(position)).str()
                                       : node.name.str();
  return named(path.empty() ? name : (path + "/" + name).str());
}

//===--- Names ------------------------------------------------------------===//

Definition *Importer::lookup(StringRef name, const Scope &scope) {
  for (const Scope *at = &scope; at; at = at->parent) {
    auto it = at->names.find(name);
    if (it != at->names.end())
      return const_cast<Definition *>(&it->second);
  }
  return nullptr;
}

LogicalResult Importer::define(StringRef name, Definition definition,
                               Scope &scope, Location loc) {
  if (name.empty())
    return success();
  if (scope.names.try_emplace(name, definition).second)
    return success();
  return heddle::emitError(loc, ErrorCode::OnnxGraph)
         << "the value '" << name << "' is defined twice";
}

LogicalResult Importer::addInitializers(const Graph &graph, Scope &scope) {
  if (!graph.sparseInitializers.empty())
    return heddle::emitError(named(graph.sparseInitializers.front()),
                             ErrorCode::OnnxType)
           << "sparse initializers are not supported ("
           << graph.sparseInitializers.size() << " in this graph)";
  for (const Tensor &tensor : graph.initializers) {
    Definition definition;
    definition.initializer = &tensor;
    if (tensor.name.empty())
      return heddle::emitError(modelLocation(), ErrorCode::OnnxGraph)
             << "an initializer has no name";
    if (boundInitializers.contains(&tensor))
      continue;
    if (failed(define(tensor.name, definition, scope, named(tensor.name))))
      return failure();
  }
  return success();
}

/// A decimal number of external_data; nothing if it is none.
static std::optional<uint64_t> readNumber(StringRef text, uint64_t otherwise) {
  if (text.empty())
    return otherwise;
  uint64_t value;
  if (text.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

ElementsAttr Importer::externalConstant(const Tensor &tensor,
                                        std::string &message, ErrorCode &code) {
  code = ErrorCode::OnnxInitializer;
  Type element = elementType(context, tensor.type);
  std::optional<int64_t> count = elementCount(tensor.shape);
  std::optional<uint64_t> wanted =
      count ? packedBytes(tensor.type, *count) : std::nullopt;
  if (!element || !wanted) {
    code = element ? ErrorCode::OnnxInitializer : ErrorCode::OnnxType;
    message = "its type (" + spell(tensor.type) + ") or shape cannot be stored";
    return {};
  }
  if (!files) {
    code = ErrorCode::OnnxExternalPath;
    message = "it lies in the file '" + tensor.location.str() +
              "', and a model in memory has no folder";
    return {};
  }
  llvm::Expected<std::shared_ptr<MappedFile>> opened =
      files->open(tensor.location);
  if (!opened) {
    std::error_code missing =
        std::make_error_code(std::errc::no_such_file_or_directory);
    message = llvm::toString(opened.takeError());
    code = StringRef(message).ends_with(missing.message())
               ? ErrorCode::OnnxExternalData
               : ErrorCode::OnnxExternalPath;
    return {};
  }
  uint64_t size = (*opened)->bytes().size();
  std::optional<uint64_t> offset = readNumber(tensor.offset, 0);
  std::optional<uint64_t> length =
      readNumber(tensor.length, wanted.value_or(0));
  if (!offset || !length || *length != *wanted || *offset > size ||
      *length > size - *offset) {
    code = ErrorCode::OnnxExternalData;
    message = "it needs " + std::to_string(*wanted) + " bytes at offset '" +
              tensor.offset.str() + "' (length '" + tensor.length.str() +
              "') of '" + tensor.location.str() + "', which has " +
              std::to_string(size);
    return {};
  }
  auto type = RankedTensorType::get(tensor.shape, element);
  StringRef packed((*opened)->bytes().data() + *offset, *length);
  TensorBytes bytes;
  if (std::optional<ReadError> error = readPacked(tensor, packed, bytes)) {
    message = error->message;
    return {};
  }
  if (*count == 0)
    return DenseElementsAttr::get(type, ArrayRef<mlir::Attribute>());
  if (!bytes.isView)
    return makeConstant(type, tensor.name, std::move(bytes.owned));
  if (packed.size() > kHandleThresholdBytes)
    return makeWeight(type, tensor.name, *opened, *offset, *length);
  return makeConstant(type, tensor.name,
                      std::vector<char>(packed.begin(), packed.end()));
}

FailureOr<Value> Importer::materialize(Definition &definition, Location loc) {
  if (definition.value)
    return definition.value;
  const Tensor &tensor = *definition.initializer;
  std::string message;
  ErrorCode code = elementType(context, tensor.type)
                       ? ErrorCode::OnnxInitializer
                       : ErrorCode::OnnxType;
  ElementsAttr value = tensor.isExternal
                           ? externalConstant(tensor, message, code)
                           : tensorConstant(context, tensor, file, message);
  if (!value) {
    InFlightDiagnostic error = heddle::emitError(named(tensor.name), code)
                               << "the initializer cannot be read: " << message;
    error.attachNote(loc) << "used here";
    return failure();
  }
  definition.value =
      stablehlo::ConstantOp::create(constants, named(tensor.name), value);
  if (!isOfMainGraph(tensor))
    return definition.value;
  return definition.value = announced(constants, tensor.name, definition.value);
}

/// Bodies have initializers of their own, which may have the same names.
bool Importer::isOfMainGraph(const Tensor &tensor) const {
  ArrayRef<Tensor> weights = model.graph.initializers;
  return &tensor >= weights.begin() && &tensor < weights.end();
}

Value Importer::announced(OpBuilder &at, StringRef name, Value value) {
  return options.onValue ? options.onValue(at, name, value) : value;
}

LogicalResult Importer::defineResult(StringRef name, Definition definition,
                                     Scope &scope, Location loc) {
  bool isOfMain = !scope.parent && scope.path.empty();
  if (isOfMain && !name.empty() && definition.value)
    definition.value = announced(builder, name, definition.value);
  return define(name, definition, scope, loc);
}

//===--- Nodes ------------------------------------------------------------===//

void Importer::report(Location loc, StringRef domain, StringRef op,
                      int64_t operatorSet, const Twine &reason) {
  std::string name =
      isDefaultDomain(domain) ? op.str() : (domain + "." + op).str();
  offences.push_back(
      {loc, (name + " (opset " + Twine(operatorSet) + "): " + reason).str()});
}

LogicalResult Importer::reportOffences() {
  if (offences.empty())
    return success();
  InFlightDiagnostic error =
      heddle::emitError(modelLocation(), ErrorCode::OnnxOperator);
  error << offences.size()
        << (offences.size() == 1 ? " node cannot be compiled"
                                 : " nodes cannot be compiled");
  // The most frequent first; one alone is in its note.
  llvm::MapVector<StringRef, unsigned> counts;
  for (const Offence &offence : offences)
    ++counts[StringRef(offence.text).split(' ').first];
  auto sorted = counts.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::make_pair(-int64_t(a.second), a.first) <
           std::make_pair(-int64_t(b.second), b.first);
  });
  if (offences.size() > 1)
    for (auto [i, entry] : llvm::enumerate(sorted))
      error << (i ? ", " : ": ") << entry.second << " " << entry.first;
  for (const Offence &offence : offences)
    error.attachNote(offence.loc) << offence.text;
  return error;
}

LogicalResult Importer::importNodes(ArrayRef<Node> nodes, Scope &scope) {
  for (size_t i = 0; i < nodes.size(); ++i)
    if (failed(importNode(nodes[i], i, scope)))
      return failure();
  return success();
}

LogicalResult Importer::importNode(const Node &node, size_t position,
                                   Scope &scope) {
  Location loc = nodeLocation(node, position, scope.path);
  bool isPoisoned = false;
  SmallVector<Definition *> operands;
  for (StringRef name : node.inputs) {
    Definition *definition = name.empty() ? nullptr : lookup(name, scope);
    if (!name.empty() && !definition)
      return heddle::emitError(loc, ErrorCode::OnnxGraph)
             << node.op << " uses the value '" << name
             << "', which nothing before it defines";
    isPoisoned |= definition && definition->isPoisoned;
    operands.push_back(definition);
  }
  if (const Function *function = lookupFunction(node)) {
    if (isPoisoned)
      return poisonOutputs(node, scope, loc);
    return importCall(node, *function, operands, scope, loc);
  }
  const Operator *op = operators.lookup(node.domain, node.op);
  int64_t operatorSet = operatorSetOf(scope.operatorSets, node.domain);
  int version = op ? operatorVersion(*op, operatorSet) : 0;
  // Unknown operators have been listed before the walk began.
  if (version == 0 || isPoisoned)
    return poisonOutputs(node, scope, loc);

  size_t given = node.inputs.size();
  if (static_cast<int64_t>(given) < op->minInputs ||
      (op->maxInputs != kAnyNumber &&
       static_cast<int64_t>(given) > op->maxInputs) ||
      (op->maxOutputs != kAnyNumber &&
       static_cast<int64_t>(node.outputs.size()) > op->maxOutputs))
    return heddle::emitError(loc, ErrorCode::OnnxNode)
           << node.op << " has " << given << " inputs and "
           << node.outputs.size()
           << " outputs, which its definition does not allow";

  decompositions->sizes.node = cast<NameLoc>(loc).getName().str();
  SmallVector<Value> values;
  for (size_t i = 0; i < given; ++i) {
    if (!operands[i]) {
      // Loop's first two may be left out, though they have a place.
      if (static_cast<int64_t>(i) < op->minInputs && op->import)
        return heddle::emitError(loc, ErrorCode::OnnxNode)
               << node.op << " lacks its input " << i;
      values.push_back({});
      continue;
    }
    FailureOr<Value> value = materialize(*operands[i], loc);
    if (failed(value))
      return failure();
    // A loop carries sequences, and only it and few operators take them.
    if (isSequence(*value) && !op->takesSequences &&
        (node.op != "Loop" || i < 2))
      return heddle::emitError(loc, ErrorCode::OnnxNode)
             << node.op << " takes a tensor as its input " << i
             << ", not a sequence";
    values.push_back(*value);
  }

  if (node.op == "If" && !op->import)
    return importIf(node, values, scope, loc);
  if (node.op == "Loop" && !op->import)
    return importLoop(node, values, scope, loc);
  if (node.op == "Scan" && !op->import && version == 8) {
    report(loc, node.domain, node.op, operatorSet,
           "this form, with a batch dimension, is not read; opset 9 has "
           "another");
    return poisonOutputs(node, scope, loc);
  }
  if (node.op == "Scan" && !op->import)
    return importScan(node, values, scope, loc);

  SmallVector<std::pair<StringRef, const onnx::Attribute *>> attributes;
  for (const onnx::Attribute &attribute : node.attributes) {
    const onnx::Attribute *meant = &attribute;
    if (!attribute.refersTo.empty()) {
      meant = scope.functionAttributes.lookup(attribute.refersTo);
      if (!meant)
        continue;
    }
    attributes.emplace_back(attribute.name, meant);
  }

  Emitter emit(builder, loc, *decompositions);
  auto readExternal = [&](const Tensor &tensor, std::string &message) {
    ErrorCode code;
    ElementsAttr value = externalConstant(tensor, message, code);
    // What is wrong is the file, whatever the node makes of it.
    if (!value)
      emit.fault(code, "its tensor cannot be read: " + message);
    return value;
  };
  NodeImporter import(node, version, attributes, values, emit, file,
                      readExternal);
  decompositions->sizes.undecided.clear();
  LogicalResult result = op->import(import);
  if ((failed(result) || emit.hasFault()) && !import.isUnsupported() &&
      !decompositions->sizes.undecided.empty())
    (void)import.unsupported(
        "it wants " + Twine(decompositions->sizes.undecided) +
        ", which the data decides, and no call can be asked for it; compute "
        "both sizes from one value, or fix an input that they follow from by "
        "--bind NAME=@FILE.npy");
  if (std::exchange(decompositions->sizes.hasTooLong, false)) {
    report(loc, node.domain, node.op, operatorSet,
           "a size of it is too long an expression; give some sizes by "
           "--dim NAME=SIZE");
    return poisonOutputs(node, scope, loc);
  }
  if (succeeded(result) && !emit.hasFault())
    if (StringRef unread = import.unreadAttribute(); !unread.empty())
      (void)import.unsupported("attribute '" + unread +
                               "' has no meaning to heddle");
  if (import.isUnsupported()) {
    report(loc, node.domain, node.op, operatorSet, import.reason());
    return poisonOutputs(node, scope, loc);
  }
  if (emit.hasFault()) {
    if (errorInfo(emit.faultCode()).exit == ExitCode::Unsupported) {
      report(loc, node.domain, node.op, operatorSet, emit.faultMessage());
      return poisonOutputs(node, scope, loc);
    }
    return heddle::emitError(loc, emit.faultCode())
           << node.op << ": " << emit.faultMessage();
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty())
      continue;
    if (!import.allResults()[i]) {
      report(loc, node.domain, node.op, operatorSet,
             "output '" + node.outputs[i] + "' is not supported");
      return poisonOutputs(node, scope, loc);
    }
    Definition definition;
    definition.value = import.allResults()[i];
    if (failed(defineResult(node.outputs[i], definition, scope, loc)))
      return failure();
  }
  return success();
}

LogicalResult Importer::importCall(const Node &node, const Function &function,
                                   ArrayRef<Definition *> operands,
                                   Scope &scope, Location loc) {
  if (node.inputs.size() > function.inputs.size() ||
      node.outputs.size() > function.outputs.size())
    return heddle::emitError(loc, ErrorCode::OnnxFunction)
           << "the call has more inputs or outputs than function '"
           << function.name << "'";
  Scope body;
  body.operatorSets = function.operatorSets;
  body.path = cast<NameLoc>(loc).getName().str();
  for (const onnx::Attribute &attribute : function.attributeDefaults)
    body.functionAttributes[attribute.name] = &attribute;
  for (const onnx::Attribute &attribute : node.attributes) {
    const onnx::Attribute *meant = &attribute;
    if (!attribute.refersTo.empty())
      meant = scope.functionAttributes.lookup(attribute.refersTo);
    if (meant)
      body.functionAttributes[attribute.name] = meant;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i])
      continue;
    // An initializer read inside the body is read for the caller as well.
    FailureOr<Value> value = materialize(*operands[i], loc);
    if (failed(value))
      return failure();
    Definition definition;
    definition.value = *value;
    if (failed(define(function.inputs[i], definition, body, loc)))
      return failure();
  }
  if (failed(importNodes(function.nodes, body)))
    return failure();
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Definition *result = lookup(function.outputs[i], body);
    if (!result)
      return heddle::emitError(loc, ErrorCode::OnnxFunction)
             << "function '" << function.name
             << "' does not define its output '" << function.outputs[i] << "'";
    if (failed(defineResult(node.outputs[i], *result, scope, loc)))
      return failure();
  }
  return success();
}

//===--- The model --------------------------------------------------------===//

void Importer::eraseDeadOps() {
  // Uses before definitions, and what is inside an op before the op.
  module->walk([](func::FuncOp function) {
    function.walk<WalkOrder::PostOrder, mlir::ReverseIterator>(
        [&](Operation *op) {
          if (op != function && op->use_empty() &&
              !op->hasTrait<OpTrait::IsTerminator>())
            op->erase();
        });
  });
  // Decompositions that only dead nodes used.
  llvm::StringSet<> used;
  module->walk(
      [&](stablehlo::CompositeOp op) { used.insert(op.getDecomposition()); });
  for (auto function :
       llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (function != main && !used.contains(function.getSymName()))
      function.erase();
}

InFlightDiagnostic heddle::onnx::emitUnreadable(Location loc,
                                                const ReadError &error) {
  ErrorCode code = error.kind == ReadError::TooDeep   ? ErrorCode::TooDeep
                   : error.kind == ReadError::TooMany ? ErrorCode::TooMany
                   : error.kind == ReadError::Unsupported
                       ? ErrorCode::OnnxType
                       : ErrorCode::OnnxMalformed;
  return heddle::emitError(loc, code)
         << "not a readable ONNX model: " << error.message;
}

OwningOpRef<ModuleOp> Importer::run() {
  StringRef bytes(file->bytes().data(), file->bytes().size());
  if (std::optional<ReadError> error = readModel(bytes, model)) {
    emitUnreadable(modelLocation(), *error);
    return {};
  }
  if (failed(checkModel()))
    return {};

  listUnknownOperators(model.graph.nodes, model.operatorSets, "");
  module = ModuleOp::create(modelLocation());
  module->getOperation()->setAttr(
      "heddle.source",
      builder.getStringAttr(llvm::sys::path::filename(file->path())));
  decompositions = std::make_unique<Decompositions>(*module);
  OpBuilder top = OpBuilder::atBlockEnd(module->getBody());
  main = func::FuncOp::create(top, modelLocation(), "main",
                              builder.getFunctionType({}, {}));
  Block *block = main.addEntryBlock();
  // Constants are put before this op, so that they come first and in order.
  builder.setInsertionPointToStart(block);
  Operation *marker = stablehlo::ConstantOp::create(
      builder, modelLocation(),
      cast<ElementsAttr>(DenseElementsAttr::get(
          RankedTensorType::get({}, builder.getI1Type()), false)));
  constants.setInsertionPoint(marker);

  Scope scope;
  scope.operatorSets = model.operatorSets;
  if (failed(importInputs(scope)) ||
      failed(addInitializers(model.graph, scope)) ||
      failed(importNodes(model.graph.nodes, scope)) ||
      failed(reportOffences()) || failed(checkGivenSizes()) ||
      failed(importOutputs(scope)))
    return {};
  eraseDeadOps();
  recordSizes();
  if (failed(verify(*module))) {
    heddle::emitError(modelLocation(), ErrorCode::InvalidAfterImport)
        << "the imported model does not verify";
    return {};
  }
  recordWeights(*module, /*withHashes=*/false);
  return std::move(module);
}

OwningOpRef<ModuleOp> heddle::importOnnx(MLIRContext *context, StringRef path,
                                         const OnnxImportOptions &options) {
  context->loadDialect<stablehlo::StableHloDialect, prec::PrecDialect,
                       size::SizeDialect, func::FuncDialect>();
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  llvm::Expected<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file) {
    heddle::emitError(loc, ErrorCode::FileUnreadable)
        << llvm::toString(file.takeError());
    return {};
  }
  llvm::Expected<FileScope> files = FileScope::ofModel(path);
  if (!files) {
    heddle::emitError(loc, ErrorCode::FileUnreadable)
        << llvm::toString(files.takeError());
    return {};
  }
  return Importer(context, options, *file, std::move(*files)).run();
}

OwningOpRef<ModuleOp> heddle::importOnnx(MLIRContext *context,
                                         std::shared_ptr<MappedFile> file,
                                         StringRef folder,
                                         const OnnxImportOptions &options) {
  context->loadDialect<stablehlo::StableHloDialect, prec::PrecDialect,
                       size::SizeDialect, func::FuncDialect>();
  std::optional<FileScope> files;
  if (!folder.empty()) {
    llvm::Expected<FileScope> scope = FileScope::ofFolder(folder);
    if (!scope) {
      heddle::emitError(FileLineColLoc::get(context, file->path(), 0, 0),
                        ErrorCode::FileUnreadable)
          << llvm::toString(scope.takeError());
      return {};
    }
    files = std::move(*scope);
  }
  return Importer(context, options, std::move(file), std::move(files)).run();
}
