// Reads one tensor from a file of its own, as ONNX's test data has them.

#include "heddle/Frontend/OnnxTensors.h"

#include "NodeImporter.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static llvm::Error damaged(StringRef path, const Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "'" + path +
                                     "' is no readable ONNX tensor: " + what);
}

llvm::Expected<NamedTensor> heddle::readOnnxTensor(MLIRContext *context,
                                                   StringRef path) {
  llvm::Expected<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  Tensor tensor;
  StringRef content((*file)->bytes().data(), (*file)->bytes().size());
  if (std::optional<ReadError> error = readTensorFile(content, tensor))
    return damaged(path, error->message);
  Type element = elementType(context, tensor.type);
  if (!element)
    return damaged(path, "its type is " + spell(tensor.type));
  if (tensor.isExternal)
    return damaged(path, "its data lies in another file");
  TensorBytes bytes;
  if (std::optional<ReadError> error = readTensor(tensor, bytes))
    return damaged(path, error->message);

  auto type = RankedTensorType::get(tensor.shape, element);
  NamedTensor result{tensor.name.str(), {}};
  if (!bytes.isView)
    result.tensor = HostTensor::fromBytes(type, std::move(bytes.owned));
  else
    result.tensor = HostTensor::view(
        type, ArrayRef<char>(bytes.view.data(), bytes.view.size()), *file);
  return result;
}

llvm::Expected<std::vector<NamedTensor>>
heddle::readOnnxTestData(MLIRContext *context, StringRef folder,
                         OnnxTestData which) {
  StringRef stem = which == OnnxTestData::Inputs ? "input_" : "output_";
  std::vector<NamedTensor> tensors;
  for (size_t i = 0;; ++i) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, stem + Twine(i) + ".pb");
    if (!llvm::sys::fs::exists(path))
      return tensors;
    llvm::Expected<NamedTensor> tensor = readOnnxTensor(context, path);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
}
