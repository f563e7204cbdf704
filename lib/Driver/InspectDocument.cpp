// Describes a model or an artifact, in text and as a document.

#include "heddle/Driver/InspectDocument.h"

#include "Precision/Certificate.h"
#include "ShardingDescription.h"
#include "heddle/Driver/ArtifactDescription.h"
#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/Model.h"
#include "heddle/Driver/Prepare.h"
#include "heddle/Frontend/Onnx.h"
#include "heddle/Support/Weights.h"
#include "runtime/format/ArtifactReader.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace heddle;

namespace {
/// What a model consists of.
struct ModelCensus {
  /// Operations by name, the most frequent first.
  std::vector<std::pair<std::string, unsigned>> operations;
  struct Weight {
    std::string node, type;
    uint64_t bytes;
  };
  std::vector<Weight> weights;
  uint64_t weightBytes = 0;
};
} // namespace

static ModelCensus takeCensus(ModuleOp module) {
  ModelCensus census;
  llvm::MapVector<StringRef, unsigned> counts;
  // A handle that several constants share is one weight.
  llvm::SmallPtrSet<const void *, 16> seen;
  module.walk([&](Operation *op) {
    ++counts[op->getName().getStringRef()];
    if (auto weight = op->getAttrOfType<DenseResourceElementsAttr>("value"))
      if (seen.insert(weight.getAsOpaquePointer()).second) {
        auto type = cast<RankedTensorType>(weight.getType());
        PlaceInModel place = describeLocation(op->getLoc());
        census.weights.push_back(
            {place.nodes.empty() ? weight.getRawHandle().getKey().str()
                                 : place.nodes.front(),
             typeText(type), storedBytes(type).value_or(0)});
        census.weightBytes += census.weights.back().bytes;
      }
  });
  for (auto &[name, number] : counts)
    census.operations.emplace_back(name.str(), number);
  llvm::sort(census.operations, [](const auto &a, const auto &b) {
    return std::make_pair(-int64_t(a.second), a.first) <
           std::make_pair(-int64_t(b.second), b.first);
  });
  return census;
}

static llvm::json::Array toJson(ArrayRef<TensorSignature> tensors) {
  llvm::json::Array array;
  for (const TensorSignature &tensor : tensors) {
    std::string dtype;
    llvm::raw_string_ostream(dtype) << tensor.type.getElementType();
    llvm::json::Object object{
        {"name", llvm::json::fixUTF8(tensor.name)},
        {"dtype", dtype},
        {"shape", llvm::json::Array(tensor.type.getShape())}};
    if (!tensor.least.empty())
      object["shape_min"] = llvm::json::Array(tensor.least);
    array.push_back(std::move(object));
  }
  return array;
}

/// "f32 0..8x4" where a call chooses a size.
static std::string textOf(const TensorSignature &tensor) {
  if (tensor.least.empty())
    return typeText(tensor.type);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tensor.type.getElementType() << " "
     << rangeText(tensor.least, tensor.type.getShape());
  return text;
}

static llvm::json::Array toJson(ArrayRef<OnnxDeclaration> list) {
  llvm::json::Array array;
  for (const OnnxDeclaration &value : list)
    array.push_back(
        llvm::json::Object{{"name", llvm::json::fixUTF8(value.name)},
                           {"dtype", value.element},
                           {"shape", llvm::json::Array(value.shape)}});
  return array;
}

/// An ONNX model that leaves sizes open cannot be imported, but says much about
/// itself.
static llvm::json::Object showOpenModel(Session &session, StringRef path,
                                        const OnnxDescription &description) {
  raw_ostream &os = session.text();
  os << path << ": model with open sizes\nentry main\n";
  for (auto [title, list] : {std::pair("input ", &description.inputs),
                             std::pair("output", &description.outputs)})
    for (const OnnxDeclaration &value : *list)
      os << "  " << title << " " << llvm::left_justify(value.name, 24) << " "
         << value.element << " " << llvm::join(value.shape, "x") << "\n";
  os << "weights: " << description.weights << ", "
     << formatBytes(description.weightBytes) << "\noperators:\n";
  llvm::json::Object operators;
  for (auto &[name, number] : description.operators) {
    os << llvm::format("  %6u  ", number) << name << "\n";
    operators[llvm::json::fixUTF8(name)] = int64_t(number);
  }
  os << "--dim NAME=SIZE or --shape NAME=1x128 fixes sizes\n";
  return llvm::json::Object{
      {"kind", "model"},
      {"open", true},
      {"entries", llvm::json::Array{llvm::json::Object{
                      {"name", "main"},
                      {"inputs", toJson(description.inputs)},
                      {"outputs", toJson(description.outputs)}}}},
      {"weights", int64_t(description.weights)},
      {"weight_bytes", int64_t(description.weightBytes)},
      {"operators", std::move(operators)}};
}

static std::optional<llvm::json::Object>
inspectModel(Session &session, const ModelOptions &model, StringRef show) {
  if (fileKindOf(model.path) == FileKind::Onnx && model.dims.empty() &&
      model.shapes.empty()) {
    auto description = describeOnnx(&session.context(), model.path);
    if (!description)
      return std::nullopt;
    if (llvm::any_of(description->inputs,
                     [](const OnnxDeclaration &input) { return input.isOpen; }))
      return showOpenModel(session, model.path, *description);
  }
  OwningOpRef<ModuleOp> module = importModel(session, model);
  if (!module)
    return std::nullopt;
  func::FuncOp entry = entryFunction(*module);
  ModelCensus census = takeCensus(*module);
  raw_ostream &os = session.text();
  os << model.path << ": model\nentry " << entry.getName() << "\n";
  for (const TensorSignature &input : inputSignatures(entry))
    os << "  input  " << llvm::left_justify(input.name, 24) << " "
       << textOf(input) << "\n";
  for (const TensorSignature &output : outputSignatures(entry))
    os << "  output " << llvm::left_justify(output.name, 24) << " "
       << textOf(output) << "\n";
  os << "weights: " << census.weights.size() << ", "
     << formatBytes(census.weightBytes) << "\n";
  if (show == "weights")
    for (const ModelCensus::Weight &weight : census.weights)
      os << "  " << llvm::left_justify(weight.node, 40) << " "
         << llvm::left_justify(weight.type, 24)
         << llvm::right_justify(formatBytes(weight.bytes), 12) << "\n";
  os << "operations, once imported:\n";
  llvm::json::Object operations;
  for (auto &[name, number] : census.operations) {
    os << llvm::format("  %6u  ", number) << name << "\n";
    operations[name] = int64_t(number);
  }
  return llvm::json::Object{
      {"kind", "model"},
      {"entries", llvm::json::Array{llvm::json::Object{
                      {"name", entry.getName().str()},
                      {"inputs", toJson(inputSignatures(entry))},
                      {"outputs", toJson(outputSignatures(entry))}}}},
      {"weights", int64_t(census.weights.size())},
      {"weight_bytes", int64_t(census.weightBytes)},
      {"operations", std::move(operations)}};
}

/// None after an error, which has been reported.
static std::optional<llvm::json::Object>
inspectCertificate(Session &session, const format::ArtifactReader &artifact) {
  llvm::Expected<llvm::json::Object> certificate = readCertificate(artifact);
  std::string problem;
  if (!certificate)
    problem = llvm::toString(certificate.takeError());
  else if (!printCertificate(session.text(), *certificate))
    problem = "the certificate is of no form that this version of heddle knows";
  if (problem.empty())
    return std::move(*certificate);
  session.diagnostics.report(ErrorCode::NoCertificate, problem);
  return std::nullopt;
}

std::optional<llvm::json::Object>
heddle::inspectDocument(Session &session, const ModelOptions &model,
                        StringRef show, StringRef entry, StringRef kernel) {
  auto unknown = [&]() -> std::optional<llvm::json::Object> {
    session.diagnostics.report(ErrorCode::EntryUnknown,
                               "there is no entry '" + entry + "'");
    return std::nullopt;
  };
  auto unknownKernel = [&]() -> std::optional<llvm::json::Object> {
    session.diagnostics.report(
        ErrorCode::UnknownName,
        "no kernel of '" + model.path + "' computes a node '" + kernel +
            "': kernels are in artifacts, and `heddle inspect --show=nodes` "
            "lists the nodes");
    return std::nullopt;
  };
  if (fileKindOf(model.path) != FileKind::Artifact) {
    if (!kernel.empty())
      return unknownKernel();
    if (show == "sharding") {
      session.diagnostics.report(ErrorCode::BadCommandLine,
                                 "--sharding shows how the tensors of an "
                                 "artifact lie: compile '" +
                                     model.path + "' with --mesh first");
      return std::nullopt;
    }
    if (show == "precision") {
      session.diagnostics.report(
          ErrorCode::BadCommandLine,
          "--precision shows the certificate of an artifact: compile '" +
              model.path + "' with --precision auto first");
      return std::nullopt;
    }
    if (!entry.empty() && entry != "main")
      return unknown();
    return inspectModel(session, model, show);
  }
  if (!artifactCanFollow(session, model, {}, /*isCalled=*/false))
    return std::nullopt;
  format::ArtifactReader artifact;
  if (format::Error error = artifact.open(model.path)) {
    session.diagnostics.report(toErrorCode(error), error.message());
    return std::nullopt;
  }
  if (!entry.empty() && !hasEntry(artifact, entry))
    return unknown();
  if (show == "sharding") {
    ShardingDescription sharding = describeSharding(artifact);
    printSharding(session.text(), sharding);
    return toJson(sharding);
  }
  if (show == "precision")
    return inspectCertificate(session, artifact);
  ArtifactDescription description =
      describeArtifact(artifact, entry, /*withPrograms=*/show == "plan");
  if (kernel.empty())
    printArtifact(session.text(), model.path, description, show);
  else if (!printKernelDesigns(session.text(), description, kernel))
    return unknownKernel();
  return toJson(description);
}
