// The sizes that calls of a program choose, as options and data say them.

#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/Feeds.h"
#include "heddle/Driver/FileKind.h"
#include "heddle/Driver/Program.h"
#include "heddle/Frontend/SizeOptions.h"
#include "heddle/Support/Suggestion.h"
#include "runtime/format/ArtifactReader.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestTables.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

bool Program::refuse(ErrorCode code, const Twine &message) {
  session.diagnostics.report(code, message);
  return false;
}

bool Program::openManifest(format::ArtifactReader &artifact) {
  format::Error error = artifact.open(file);
  return !error || refuse(toErrorCode(error), error.message());
}

void Program::setSize(size_t number, int64_t size) {
  sizeList[number].second = size;
  // What inputs tell is not said twice: these may be files.
  if (heddle_program_entry_needs_size(program, entryIndex, number))
    givenSizes[number] = size;
}

std::optional<size_t> Program::findSize(StringRef name) const {
  auto found = llvm::find_if(
      sizeList, [&](const auto &known) { return known.first == name; });
  return found == sizeList.end() ? std::nullopt
                                 : std::optional(found - sizeList.begin());
}

void Program::forEachTold(
    const format::Manifest &manifest, size_t feed, ArrayRef<int64_t> shape,
    function_ref<void(size_t symbol, int64_t size)> tell) const {
  if (feed >= inputList.size()) {
    const KeptState &state = keptStates[feed - inputList.size()];
    if (state.dimension >= 0 && size_t(state.dimension) < shape.size())
      tell(state.symbol, shape[state.dimension]);
    return;
  }
  const auto *extents =
      manifest.entries()->Get(entryIndex)->inputs()->Get(feed)->shape();
  // A scalar has no list of extents.
  for (size_t i = 0; extents && i < extents->size() && i < shape.size(); ++i) {
    const format::Expression &extent =
        *manifest.expressions()->Get(extents->Get(i));
    if (extent.kind() == format::ExpressionKind::symbol)
      tell(extent.value(), shape[i]);
  }
}

bool Program::setSaid(size_t number, int64_t size, const std::string &option,
                      std::vector<std::string> &sayers) {
  const auto &[name, known] = sizeList[number];
  std::string &sayer = sayers[number];
  if (!sayer.empty() && known != size)
    return refuse(ErrorCode::OnnxShapeOption, sayer + " and " + option +
                                                  " both say what '" + name +
                                                  "' is");
  if (sayer.empty())
    sayer = option;
  setSize(number, size);
  return true;
}

bool Program::setDim(StringRef text, bool isImported,
                     std::vector<std::string> &sayers) {
  auto [name, number] = text.rsplit('=');
  int64_t size = 0;
  bool isNumber = !number.getAsInteger(10, size);
  std::optional<size_t> found = findSize(name);
  // The ranges of a model are in the program, and so is what follows from
  // them, and what is fixed.
  if (isImported && (!isNumber || !found))
    return true;
  if (!isNumber)
    return refuse(ErrorCode::OnnxShapeOption,
                  "\"" + text + "\" is no dimension: write --dim NAME=8");
  if (found)
    return setSaid(*found, size, "--dim " + text.str(), sayers);
  std::vector<std::string> known;
  for (const auto &[other, value] : sizeList)
    known.push_back(other);
  return refuse(ErrorCode::OnnxShapeOption,
                "\"" + name +
                    "\" is no size that a call of this program chooses" +
                    suggest(name, known));
}

bool Program::readShapes(const ModelOptions &model, bool isImported,
                         SizeOptions &parsed,
                         std::vector<std::string> &sayers) {
  format::ArtifactReader artifact;
  if (!model.shapes.empty() && !openManifest(artifact))
    return false;
  for (StringRef text : model.shapes) {
    // A range of a model is in the program.
    if (isImported && text.contains(".."))
      continue;
    if (failed(parseShapeOption(text, parsed)))
      return refuse(ErrorCode::OnnxShapeOption,
                    "\"" + text + "\" is no shape: write --shape NAME=1x128");
    const auto &[key, shape] = parsed.shapes.back();
    bool agrees = true;
    if (std::optional<size_t> feed = findArgument(feeds(), key))
      forEachTold(artifact.manifest(), *feed, shape,
                  [&](size_t symbol, int64_t size) {
                    agrees = agrees && setSaid(symbol, size,
                                               "--shape " + text.str(), sayers);
                  });
    else if (!isImported)
      return refuse(ErrorCode::UnknownName,
                    "--shape names the input '" + key +
                        "', which the program does not have");
    if (!agrees)
      return false;
  }
  return true;
}

bool Program::setSizes(const ModelOptions &model) {
  bool isImported = fileKindOf(model.path) != FileKind::Artifact,
       isChanged = areSizesSaid(model);
  SizeOptions said;
  std::vector<std::string> sayers(sizeList.size());
  for (StringRef text : model.dims)
    if (!setDim(text, isImported, sayers))
      return false;
  if (!readShapes(model, isImported, said, sayers) ||
      (isChanged && !applySizes()))
    return false;
  SmallVector<TensorSignature> list = feeds();
  for (const auto &[key, shape] : said.shapes)
    if (std::optional<size_t> feed = findArgument(list, key);
        feed && list[*feed].type.getShape() != ArrayRef(shape))
      return refuse(ErrorCode::OnnxShapeOption,
                    "--shape gives the input '" + list[*feed].name +
                        "' a shape that no call of this program takes: with "
                        "these sizes it is " +
                        typeText(list[*feed].type));
  return true;
}

bool Program::setSizes(ArrayRef<int64_t> sizes) {
  for (auto [i, size] : llvm::enumerate(sizes))
    setSize(i, size);
  return applySizes();
}

bool Program::areSizesSaid(const ModelOptions &model) const {
  auto isSaid = [&](StringRef text) {
    return !text.contains("..") && findSize(text.rsplit('=').first);
  };
  SmallVector<TensorSignature> list = feeds();
  auto isShaped = [&](StringRef text) {
    std::optional<size_t> feed = findArgument(list, text.rsplit('=').first);
    return !text.contains("..") && feed && !list[*feed].least.empty();
  };
  return llvm::any_of(model.dims, isSaid) ||
         llvm::any_of(model.shapes, isShaped);
}

bool Program::setSizesOf(ArrayRef<HostTensor> tensors) {
  if (sizeList.empty() ||
      llvm::none_of(tensors, [](const HostTensor &tensor) { return tensor; }))
    return true;
  format::ArtifactReader artifact;
  if (!openManifest(artifact))
    return false;
  const format::Manifest &manifest = artifact.manifest();
  // Of one that cannot be the call says what is wrong.
  auto tell = [&](size_t number, int64_t size) {
    const format::Symbol &symbol = *manifest.symbols()->Get(number);
    if (size >= symbol.minimum() && size <= symbol.maximum() &&
        size % symbol.multiple() == 0)
      setSize(number, size);
  };
  for (auto [feed, tensor] : llvm::enumerate(tensors))
    if (tensor)
      forEachTold(manifest, feed, tensor.shape(), tell);
  return applySizes();
}

std::string Program::brokenAssumption(ArrayRef<int64_t> sizes) {
  format::ArtifactReader artifact;
  std::vector<int64_t> values;
  if (!openManifest(artifact))
    return {};
  if (format::Error error = format::evaluate(artifact.manifest().expressions(),
                                             std::vector<int64_t>(sizes),
                                             HEDDLE_TENSOR_SHAPE, values)) {
    refuse(toErrorCode(error), error.message());
    return {};
  }
  const format::Entry &entry = *artifact.manifest().entries()->Get(entryIndex);
  if (const auto *assumptions = entry.assumptions())
    for (const format::Assumption *assumption : *assumptions)
      if (values[assumption->zero()] != 0)
        return format::text(assumption->text());
  return {};
}

bool Program::applySizes() {
  if (sizeList.empty())
    return true;
  format::ArtifactReader artifact;
  if (!openManifest(artifact))
    return false;
  std::vector<int64_t> symbols, values;
  for (auto &[name, size] : sizeList)
    symbols.push_back(size);
  const format::Manifest &manifest = artifact.manifest();
  for (auto [symbol, known] : llvm::zip(*manifest.symbols(), sizeList))
    if (known.second < symbol->minimum() || known.second > symbol->maximum() ||
        known.second % symbol->multiple() != 0)
      return refuse(ErrorCode::OnnxShapeOption,
                    "\"" + known.first + "\" is from " +
                        Twine(symbol->minimum()) + " to " +
                        Twine(symbol->maximum()) +
                        (symbol->multiple() == 1
                             ? std::string()
                             : " and a multiple of " +
                                   std::to_string(symbol->multiple())) +
                        " in this program");
  if (format::Error error = format::evaluate(manifest.expressions(), symbols,
                                             HEDDLE_MANIFEST_INVALID, values))
    return refuse(ErrorCode::OnnxShapeOption, error.message());
  const auto *inputs = manifest.entries()->Get(entryIndex)->inputs();
  for (auto [i, input] : llvm::enumerate(inputList)) {
    SmallVector<int64_t> shape;
    // A scalar has no list of extents.
    if (const auto *extents = inputs->Get(i)->shape())
      for (uint32_t extent : *extents)
        shape.push_back(values[extent]);
    input.type = RankedTensorType::get(shape, input.type.getElementType());
    input.least = shape;
  }
  setLengths();
  setParts(manifest, values);
  return true;
}
