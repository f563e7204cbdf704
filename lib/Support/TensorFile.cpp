// Reads and writes tensors by the kind of their file.

#include "TensorBytes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;
using llvm::Error;
using llvm::Expected;

Expected<std::vector<NamedTensor>>
heddle::readTensorFile(MLIRContext *context, StringRef path,
                       const TensorFileLimits &limits) {
  Expected<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  StringRef start((*file)->bytes().data(),
                  std::min<size_t>((*file)->bytes().size(), 9));
  if (start.starts_with("\x93NUMPY")) {
    Expected<HostTensor> tensor = readNpy(context, *file, limits);
    if (!tensor)
      return tensor.takeError();
    return std::vector<NamedTensor>{
        {llvm::sys::path::stem(path).str(), std::move(*tensor)}};
  }
  // An archive without entries has the end record alone.
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06"))
    return readNpz(context, *file, limits);
  if (start.size() == 9 && start[8] == '{')
    return readSafetensors(context, *file);
  return tensorFileError(path, "it is neither .npy, .npz nor .safetensors");
}

Error heddle::writeBytes(StringRef named, ArrayRef<char> bytes) {
  // A link is followed; what is there and no file is not replaced by one.
  if (isNoFile(named))
    return tensorFileError(
        named, "cannot be written: it is no file; a file is wanted");
  SmallString<128> path(named);
  if (llvm::sys::fs::exists(named))
    if (std::error_code problem = llvm::sys::fs::real_path(named, path))
      return tensorFileError(named, "cannot be written: " + problem.message());
  Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!file)
    return file.takeError();
  llvm::raw_fd_ostream out(file->FD, /*shouldClose=*/false);
  out.write(bytes.data(), bytes.size());
  out.flush();
  if (std::error_code problem = out.error()) {
    out.clear_error();
    llvm::consumeError(file->discard());
    return tensorFileError(path, "cannot be written: " + problem.message());
  }
  return file->keep(path);
}

Error heddle::writeNpy(StringRef path, const HostTensor &tensor) {
  std::string note;
  std::vector<char> bytes = encodeNpy(tensor, &note);
  if (Error problem = writeBytes(path, bytes))
    return problem;
  if (note.empty())
    return Error::success();
  return writeBytes((path + ".txt").str(), ArrayRef(note.data(), note.size()));
}
