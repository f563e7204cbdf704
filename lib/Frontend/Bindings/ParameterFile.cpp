// Reads the files of --bind, and finds which tensor is for which input.

#include "lib/Frontend/Bindings/ParameterFile.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Suggestion.h"
#include "heddle/Support/TensorFile.h"
#include "heddle/Support/Weights.h"
#include "lib/Frontend/Bindings/GgufWeights.h"
#include "lib/Frontend/Bindings/PackedWeights.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace heddle {

//===--- The option ------------------------------------------------------===//

/// Splits `FILE[:TENSOR]`: a colon in a name of a folder or a file is part of
/// it, so that a tensor's stands behind the file's ending.
static std::pair<StringRef, StringRef> splitTensor(StringRef text) {
  for (StringRef ending : {".gguf:", ".npz:", ".npy:", ".safetensors:"})
    if (size_t at = text.find(ending); at != StringRef::npos) {
      size_t colon = at + ending.size() - 1;
      return {text.take_front(colon), text.drop_front(colon + 1)};
    }
  return {text, ""};
}

std::optional<ArgumentBinding> parseBinding(StringRef text) {
  auto [argument, rest] =
      text.starts_with("@") ? std::pair(StringRef(), text) : text.split('=');
  if (!rest.consume_front("@"))
    return std::nullopt;
  ArgumentBinding binding;
  binding.argument = argument.str();
  binding.isTransposed = rest.consume_back("^T");
  auto [file, tensor] = splitTensor(rest);
  // One tensor is not for all inputs.
  if (file.empty() || (argument.empty() && !tensor.empty()))
    return std::nullopt;
  binding.file = file.str();
  binding.tensor = tensor.str();
  return binding;
}

//===--- Files -----------------------------------------------------------===//

using Parameters = llvm::Expected<std::vector<Parameter>>;

static Parameter plainParameter(StringRef name, HostTensor tensor,
                                std::shared_ptr<MappedFile> file) {
  Parameter parameter;
  parameter.name = name.str();
  parameter.shape.assign(tensor.shape().begin(), tensor.shape().end());
  parameter.tensor = std::move(tensor);
  parameter.file = std::move(file);
  return parameter;
}

static Parameters readGgufParameters(MLIRContext *context,
                                     const std::shared_ptr<MappedFile> &file) {
  llvm::Expected<std::vector<GgufTensor>> tensors = readGguf(*file);
  if (!tensors)
    return tensors.takeError();
  std::vector<Parameter> parameters;
  for (GgufTensor &tensor : *tensors) {
    Type element =
        tensor.format ? ggufElement(context, *tensor.format) : Type();
    if (element) {
      auto type = RankedTensorType::get(tensor.shape, element);
      ArrayRef<char> bytes = file->bytes().slice(tensor.offset, tensor.bytes);
      parameters.push_back(plainParameter(
          tensor.name, HostTensor::view(type, bytes, file), file));
      continue;
    }
    Parameter parameter;
    parameter.name = tensor.name;
    parameter.shape = tensor.shape;
    parameter.file = file;
    if (!tensor.format)
      parameter.refusal = "is in a format of ggml's that heddle does not know, "
                          "number " +
                          std::to_string(tensor.formatNumber);
    else if (!readsGgufBlocks(*tensor.format))
      parameter.refusal = ("is in the format " + tensor.format->name +
                           ", which heddle does not read")
                              .str();
    else
      parameter.write = [tensor](WeightProgram &program, FloatType result,
                                 bool isTransposed) {
        Value value = writeGgufWeight(program, tensor, result);
        return isTransposed ? program.transpose(value, {1, 0}) : value;
      };
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

static Parameters readParameters(MLIRContext *context,
                                 const std::shared_ptr<MappedFile> &file) {
  StringRef start(file->bytes().data(),
                  std::min<size_t>(file->bytes().size(), 8));
  if (start.starts_with(kGgufMagic))
    return readGgufParameters(context, file);
  std::vector<Parameter> parameters;
  if (start.starts_with("\x93NUMPY")) {
    llvm::Expected<HostTensor> tensor = readNpy(context, file);
    if (!tensor)
      return tensor.takeError();
    parameters.push_back(plainParameter("", std::move(*tensor), file));
    return parameters;
  }
  bool isArchive = start.starts_with("PK");
  llvm::Expected<std::vector<NamedTensor>> tensors =
      isArchive ? readNpz(context, file) : readSafetensors(context, file);
  if (!tensors)
    return tensors.takeError();
  if (!isArchive) {
    Parameters packed = packedWeights(*tensors, file);
    if (!packed)
      return packed;
    // These come first: a weight of integers has its layer's name itself.
    parameters = std::move(*packed);
  }
  for (NamedTensor &named : *tensors)
    parameters.push_back(
        plainParameter(named.name, std::move(named.tensor), file));
  return parameters;
}

FailureOr<ParameterFile> ParameterFile::read(Location loc, StringRef path) {
  auto fail = [&](llvm::Error error) -> LogicalResult {
    return emitError(loc, ErrorCode::StableHloBind)
           << llvm::toString(std::move(error));
  };
  llvm::Expected<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file)
    return fail(file.takeError());
  Parameters parameters = readParameters(loc.getContext(), *file);
  if (!parameters)
    return fail(parameters.takeError());
  ParameterFile result;
  result.parameters = std::move(*parameters);
  return result;
}

const Parameter *ParameterFile::find(StringRef name) const {
  for (const Parameter &parameter : parameters)
    if (parameter.name == name)
      return &parameter;
  return nullptr;
}

const Parameter *ParameterFile::find(StringRef name, unsigned number,
                                     bool named) const {
  std::string digits = std::to_string(number);
  for (const std::string &wanted : {name.str(), digits, "arg" + digits})
    if (const Parameter *parameter = find(wanted))
      return parameter;
  return named && parameters.size() == 1 ? &parameters.front() : nullptr;
}

std::vector<std::string> ParameterFile::names() const {
  std::vector<std::string> names;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name);
  return names;
}

//===--- Values ----------------------------------------------------------===//

/// Whether floats of `from` are exact in `to`.
static bool widens(Type from, Type to) {
  auto narrow = dyn_cast<FloatType>(from), wide = dyn_cast<FloatType>(to);
  return narrow && wide && narrow != wide &&
         APFloat::isRepresentableBy(narrow.getFloatSemantics(),
                                    wide.getFloatSemantics());
}

bool BoundParameter::isTakenAsStored(Type element) const {
  if (!parameter.tensor)
    return false;
  bool standsForFloats = parameter.write || !parameter.refusal.empty();
  return !standsForFloats ||
         element == parameter.tensor.type().getElementType();
}

RankedTensorType BoundParameter::typeFor(Type element) const {
  SmallVector<int64_t> shape = parameter.shape;
  if (binding.isTransposed && shape.size() == 2)
    std::swap(shape[0], shape[1]);
  Type own = parameter.tensor ? parameter.tensor.type().getElementType()
                              : Float32Type::get(element.getContext());
  bool isFree = !isTakenAsStored(element) && isa<FloatType>(element) &&
                element.getIntOrFloatBitWidth() >= 16;
  return RankedTensorType::get(shape,
                               isFree || widens(own, element) ? element : own);
}

/// The elements of a tensor: over the file itself where its bytes lie there.
static ElementsAttr elementsOf(const Parameter &parameter, StringRef name) {
  const HostTensor &tensor = parameter.tensor;
  ArrayRef<char> bytes = tensor.bytes(), all = parameter.file->bytes();
  if (bytes.size() <= kHandleThresholdBytes)
    return tensor.toAttribute();
  if (bytes.data() >= all.data() &&
      bytes.data() + bytes.size() <= all.data() + all.size())
    return makeWeight(tensor.type(), name, parameter.file,
                      bytes.data() - all.data(), bytes.size());
  return makeWeight(tensor.type(), name,
                    std::vector<char>(bytes.begin(), bytes.end()));
}

std::string BoundParameter::hint(StringRef name,
                                 ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> turned = llvm::to_vector(llvm::reverse(parameter.shape));
  if (binding.isTransposed || shape.size() != 2 || ArrayRef(turned) != shape)
    return "";
  auto bound = [&](StringRef argument, StringRef tensor) {
    return "--bind " + argument.str() + "=@" + binding.file +
           (tensor.empty() ? "" : ":" + tensor.str()) + "^T";
  };
  if (!binding.argument.empty())
    return "; its transpose would fit: write ^T behind it, " +
           bound(binding.argument, binding.tensor);
  return "; its transpose would fit: put " + bound(name, parameter.name) +
         " before this --bind";
}

LogicalResult BoundParameter::check(Location loc, Type element) const {
  auto refuse = [&](const Twine &why) -> LogicalResult {
    return emitError(loc, ErrorCode::TypeUnsupported)
           << "the tensor '" << parameter.name << "' in " << file() << " "
           << why;
  };
  if (!parameter.refusal.empty() && !isTakenAsStored(element))
    return refuse(parameter.refusal);
  if (binding.isTransposed && parameter.shape.size() != 2)
    return refuse("has " + Twine(parameter.shape.size()) +
                  " dimensions; ^T transposes matrices");
  return success();
}

Value BoundParameter::value(OpBuilder &builder, Location loc, StringRef name,
                            Type element) const {
  WeightProgram program(builder, loc, name, parameter.file);
  if (!isTakenAsStored(element))
    return parameter.write(program, cast<FloatType>(element),
                           binding.isTransposed);
  Value constant =
      stablehlo::ConstantOp::create(builder, loc, elementsOf(parameter, name));
  Value value = program.convert(constant, typeFor(element).getElementType());
  return binding.isTransposed ? program.transpose(value, {1, 0}) : value;
}

//===--- Inputs ----------------------------------------------------------===//

/// The tensor of `file` that `binding` takes for input `number`; null if it
/// takes none. Fails after an error at `loc` if it should.
static FailureOr<const Parameter *>
findTensor(Location loc, const ArgumentBinding &binding,
           const ParameterFile &file, StringRef name, unsigned number) {
  bool named = !binding.argument.empty();
  StringRef wanted = binding.tensor.empty() ? name : StringRef(binding.tensor);
  const Parameter *tensor = binding.tensor.empty()
                                ? file.find(name, number, named)
                                : file.find(wanted);
  if (!tensor && named)
    return emitError(loc, ErrorCode::StableHloBind)
           << "'" << binding.file << "' has no tensor '" << wanted
           << "' for the argument '" << binding.argument << "'"
           << suggest(wanted, file.names());
  return tensor;
}

LogicalResult bindInputs(
    Location loc, ArrayRef<std::string> names,
    ArrayRef<ArgumentBinding> bindings,
    llvm::function_ref<LogicalResult(unsigned, const BoundParameter &)> bind) {
  llvm::BitVector bound(names.size());
  // Many bindings name one file.
  llvm::StringMap<ParameterFile> files;
  for (const ArgumentBinding &binding : bindings) {
    auto file = files.find(binding.file);
    if (file == files.end()) {
      FailureOr<ParameterFile> fresh = ParameterFile::read(loc, binding.file);
      if (failed(fresh))
        return failure();
      file = files.try_emplace(binding.file, std::move(*fresh)).first;
    }
    bool any = false;
    for (auto [i, name] : llvm::enumerate(names)) {
      bool named =
          binding.argument == name || binding.argument == std::to_string(i);
      if (named && !binding.argument.empty() && bound.test(i))
        return emitError(loc, ErrorCode::StableHloBind)
               << "argument '" << name
               << "' is bound twice, the second time to '" << binding.file
               << "': leave one binding out";
      if (bound.test(i) || (!binding.argument.empty() && !named))
        continue;
      FailureOr<const Parameter *> tensor =
          findTensor(loc, binding, file->second, name, i);
      if (failed(tensor))
        return failure();
      if (!*tensor)
        continue;
      BoundParameter parameter(**tensor, binding);
      if (failed(bind(i, parameter)))
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
