// Tensors by name out of files and folders.

#include "heddle/Driver/Feeds.h"
#include "heddle/Frontend/OnnxTensors.h"
#include "heddle/Support/TensorFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;
namespace fs = llvm::sys::fs;

using NamedTensors = std::vector<std::pair<std::string, HostTensor>>;

static bool readFile(Session &session, StringRef path, NamedTensors &tensors) {
  if (llvm::sys::path::extension(path) == ".pb") {
    auto tensor = readOnnxTensor(&session.typeContext(), path);
    if (tensor) {
      tensors.emplace_back(tensor->name, tensor->tensor);
      return true;
    }
    session.diagnostics.report(ErrorCode::BadTensorFile,
                               llvm::toString(tensor.takeError()));
    return false;
  }
  auto read = readTensorFile(&session.typeContext(), path);
  if (!read) {
    session.diagnostics.report(fs::exists(path) ? ErrorCode::BadTensorFile
                                                : ErrorCode::FileUnreadable,
                               llvm::toString(read.takeError()));
    return false;
  }
  for (NamedTensor &entry : *read)
    tensors.emplace_back(std::move(entry.name), std::move(entry.tensor));
  return true;
}

/// Half of an ONNX test data set: input_0.pb and on, or output_0.pb and on. A
/// tensor without a name goes by its number.
static bool readTestData(Session &session, StringRef path, TensorRole role,
                         NamedTensors &tensors) {
  auto read = readOnnxTestData(
      &session.typeContext(), path,
      role == TensorRole::Input ? OnnxTestData::Inputs : OnnxTestData::Outputs);
  if (!read) {
    session.diagnostics.report(ErrorCode::BadTensorFile,
                               llvm::toString(read.takeError()));
    return false;
  }
  for (auto [number, entry] : llvm::enumerate(*read))
    tensors.emplace_back(
        entry.name.empty() ? std::to_string(number) : entry.name, entry.tensor);
  return true;
}

/// A data set for a model without inputs holds outputs only.
static bool isTestData(StringRef path) {
  for (StringRef name : {"input_0.pb", "output_0.pb"}) {
    SmallString<128> first(path);
    llvm::sys::path::append(first, name);
    if (fs::exists(first))
      return true;
  }
  return false;
}

/// All .npy files of a folder, by name.
static bool readFolder(Session &session, StringRef path, TensorRole role,
                       NamedTensors &tensors) {
  if (isTestData(path))
    return readTestData(session, path, role, tensors);
  std::error_code problem;
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, problem), end;
       entry != end && !problem; entry.increment(problem))
    if (llvm::sys::path::extension(entry->path()) == ".npy")
      files.push_back(entry->path());
  if (problem) {
    session.diagnostics.report(ErrorCode::FileUnreadable,
                               path + ": " + problem.message());
    return false;
  }
  if (files.empty()) {
    session.diagnostics.report(ErrorCode::FileUnreadable,
                               path + ": the folder holds no .npy file");
    return false;
  }
  llvm::sort(files);
  for (const std::string &file : files)
    if (!readFile(session, file, tensors))
      return false;
  return true;
}

std::optional<NamedTensors>
heddle::readTensors(Session &session, StringRef path, TensorRole role) {
  NamedTensors tensors;
  bool good = fs::is_directory(path) ? readFolder(session, path, role, tensors)
                                     : readFile(session, path, tensors);
  if (!good)
    return std::nullopt;
  return tensors;
}
