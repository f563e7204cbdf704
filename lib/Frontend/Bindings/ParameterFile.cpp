// Reads the files of --bind, and finds which tensor is for which input.

#include "lib/Frontend/Bindings/ParameterFile.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Suggestion.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace heddle {

std::optional<ArgumentBinding> parseBinding(StringRef text) {
  auto [argument, file] =
      text.starts_with("@") ? std::pair(StringRef(), text) : text.split('=');
  if (!file.consume_front("@") || file.empty())
    return std::nullopt;
  return ArgumentBinding{argument.str(), file.str()};
}

FailureOr<ParameterFile> ParameterFile::read(Location loc, StringRef path) {
  auto fail = [&](llvm::Error error) -> LogicalResult {
    return emitError(loc, ErrorCode::StableHloBind)
           << llvm::toString(std::move(error));
  };
  llvm::Expected<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file)
    return fail(file.takeError());
  MLIRContext *context = loc.getContext();
  ParameterFile parameters;
  parameters.file = *file;
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

const NamedTensor *ParameterFile::find(StringRef name, unsigned number,
                                       bool named) const {
  std::string digits = std::to_string(number);
  for (const std::string &wanted : {name.str(), digits, "arg" + digits})
    for (const NamedTensor &tensor : tensors)
      if (tensor.name == wanted)
        return &tensor;
  return named && tensors.size() == 1 ? &tensors.front() : nullptr;
}

std::vector<std::string> ParameterFile::names() const {
  std::vector<std::string> names;
  for (const NamedTensor &tensor : tensors)
    names.push_back(tensor.name);
  return names;
}

ElementsAttr ParameterFile::elements(const NamedTensor &named,
                                     StringRef name) const {
  ArrayRef<char> bytes = named.tensor.bytes();
  ArrayRef<char> all = file->bytes();
  if (bytes.size() <= kHandleThresholdBytes)
    return named.tensor.toAttribute();
  if (bytes.data() >= all.data() &&
      bytes.data() + bytes.size() <= all.data() + all.size())
    return makeWeight(named.tensor.type(), name, file,
                      bytes.data() - all.data(), bytes.size());
  return makeWeight(named.tensor.type(), name,
                    std::vector<char>(bytes.begin(), bytes.end()));
}

LogicalResult
bindInputs(Location loc, ArrayRef<std::string> names,
           ArrayRef<ArgumentBinding> bindings,
           llvm::function_ref<LogicalResult(unsigned, const NamedTensor &,
                                            const ParameterFile &)>
               bind) {
  llvm::BitVector bound(names.size());
  for (const ArgumentBinding &binding : bindings) {
    FailureOr<ParameterFile> parameters =
        ParameterFile::read(loc, binding.file);
    if (failed(parameters))
      return failure();
    bool any = false;
    for (auto [i, name] : llvm::enumerate(names)) {
      bool named =
          binding.argument == name || binding.argument == std::to_string(i);
      if (bound.test(i) || (!binding.argument.empty() && !named))
        continue;
      const NamedTensor *tensor = parameters->find(name, i, named);
      if (!tensor && named)
        return emitError(loc, ErrorCode::StableHloBind)
               << "'" << binding.file << "' has no tensor '" << name
               << "' for the argument '" << binding.argument << "'"
               << suggest(name, parameters->names());
      if (!tensor)
        continue;
      if (failed(bind(i, *tensor, *parameters)))
        return failure();
      bound.set(i);
      any = true;
    }
    if (any)
      continue;
    if (binding.argument.empty())
      return emitError(loc, ErrorCode::StableHloBind)
             << "'" << binding.file
             << "' has a tensor for none of the arguments"
             << suggest("", names.vec());
    return emitError(loc, ErrorCode::StableHloBind)
           << "there is no argument '" << binding.argument << "'"
           << suggest(binding.argument, names.vec());
  }
  return success();
}

} // namespace heddle
