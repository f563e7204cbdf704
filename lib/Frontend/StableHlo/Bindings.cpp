// Arguments that become weights, from the files of --bind.

#include "lib/Frontend/StableHlo/Bindings.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/MappedFile.h"
#include "heddle/Support/Suggestion.h"
#include "heddle/Support/TensorFile.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace heddle {

LogicalResult parseBinding(StringRef text, StableHloImportOptions &options) {
  auto [argument, file] =
      text.starts_with("@") ? std::pair(StringRef(), text) : text.split('=');
  if (!file.consume_front("@") || file.empty())
    return failure();
  options.bindings.push_back({argument.str(), file.str()});
  return success();
}

namespace {
/// The tensors of one file.
struct Parameters {
  std::shared_ptr<MappedFile> file;
  std::vector<NamedTensor> tensors;

  const NamedTensor *find(StringRef name) const {
    for (const NamedTensor &tensor : tensors)
      if (tensor.name == name)
        return &tensor;
    return nullptr;
  }
};
} // namespace

static FailureOr<Parameters> readParameters(Location loc, StringRef path) {
  auto fail = [&](llvm::Error error) -> LogicalResult {
    return emitError(loc, ErrorCode::StableHloBind)
           << llvm::toString(std::move(error));
  };
  llvm::Expected<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file)
    return fail(file.takeError());
  MLIRContext *context = loc.getContext();
  Parameters parameters{*file, {}};
  StringRef start((*file)->bytes().data(),
                  std::min<size_t>((*file)->bytes().size(), 8));
  if (start.starts_with("\x93NUMPY")) {
    llvm::Expected<HostTensor> tensor = readNpy(context, *file);
    if (!tensor)
      return fail(tensor.takeError());
    parameters.tensors.push_back({"", std::move(*tensor)});
    return parameters;
  }
  llvm::Expected<std::vector<NamedTensor>> tensors =
      start.starts_with("PK") ? readNpz(context, *file)
                              : readSafetensors(context, *file);
  if (!tensors)
    return fail(tensors.takeError());
  parameters.tensors = std::move(*tensors);
  return parameters;
}

/// A constant over the tensor: over the file itself where its bytes lie there.
static ElementsAttr weightOf(const NamedTensor &named,
                             const Parameters &parameters, StringRef name) {
  ArrayRef<char> bytes = named.tensor.bytes();
  ArrayRef<char> file = parameters.file->bytes();
  if (bytes.size() <= kHandleThresholdBytes)
    return named.tensor.toAttribute();
  if (bytes.data() >= file.data() &&
      bytes.data() + bytes.size() <= file.data() + file.size())
    return makeWeight(named.tensor.type(), name, parameters.file,
                      bytes.data() - file.data(), bytes.size());
  return makeWeight(named.tensor.type(), name,
                    std::vector<char>(bytes.begin(), bytes.end()));
}

static std::vector<std::string> namesOf(const Parameters &parameters) {
  std::vector<std::string> names;
  for (const NamedTensor &tensor : parameters.tensors)
    names.push_back(tensor.name);
  return names;
}

static StringRef nameOf(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, "heddle.name");
  return name ? name.getValue() : StringRef();
}

/// Puts the tensor in place of the argument.
static LogicalResult bind(func::FuncOp function, unsigned index,
                          const NamedTensor &named,
                          const Parameters &parameters) {
  BlockArgument argument = function.getArgument(index);
  StringRef name = nameOf(function, index);
  Location loc = argument.getLoc();
  if (named.tensor.type() != argument.getType())
    return emitError(loc, ErrorCode::StableHloBind)
           << "argument '" << name << "' has type " << argument.getType()
           << ", the tensor for it in '" << parameters.file->path() << "' "
           << named.tensor.type();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location constantLoc = NameLoc::get(builder.getStringAttr(name),
                                      UnknownLoc::get(loc.getContext()));
  Value constant = stablehlo::ConstantOp::create(
      builder, constantLoc, weightOf(named, parameters, name));
  argument.replaceAllUsesWith(constant);
  return success();
}

LogicalResult bindArguments(func::FuncOp function,
                            ArrayRef<ArgumentBinding> bindings) {
  llvm::BitVector bound(function.getNumArguments());
  Location loc = function.getLoc();
  for (const ArgumentBinding &binding : bindings) {
    FailureOr<Parameters> parameters = readParameters(loc, binding.file);
    if (failed(parameters))
      return failure();
    bool any = false;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      StringRef name = nameOf(function, i);
      std::string number = std::to_string(i);
      bool named = binding.argument == name || binding.argument == number;
      if (bound.test(i) || (!binding.argument.empty() && !named))
        continue;
      const NamedTensor *tensor = parameters->find(name);
      if (!tensor)
        tensor = parameters->find(number);
      if (!tensor)
        tensor = parameters->find("arg" + number);
      if (!tensor && named && parameters->tensors.size() == 1)
        tensor = &parameters->tensors.front();
      if (!tensor && named)
        return emitError(loc, ErrorCode::StableHloBind)
               << "'" << binding.file << "' has no tensor '" << name
               << "' for the argument '" << binding.argument << "'"
               << suggest(name, namesOf(*parameters));
      if (!tensor)
        continue;
      if (failed(bind(function, i, *tensor, *parameters)))
        return failure();
      bound.set(i);
      any = true;
    }
    if (any)
      continue;
    std::vector<std::string> names;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      names.push_back(nameOf(function, i).str());
    if (binding.argument.empty())
      return emitError(loc, ErrorCode::StableHloBind)
             << "'" << binding.file
             << "' has a tensor for none of the arguments"
             << suggest("", names);
    return emitError(loc, ErrorCode::StableHloBind)
           << "there is no argument '" << binding.argument << "'"
           << suggest(binding.argument, names);
  }
  return function.eraseArguments(bound);
}

} // namespace heddle
