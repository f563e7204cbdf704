// Tells what a file is by its content.

#include "heddle/Driver/FileKind.h"

#include "heddle/Driver/Options.h"
#include "heddle/Frontend/Exported.h"
#include "heddle/Support/MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <cstdio>
#include <sys/stat.h>

using namespace heddle;
using llvm::StringRef;

/// Printable, in any encoding that is a superset of ASCII.
static bool looksLikeText(StringRef head) {
  return llvm::none_of(head, [](unsigned char c) {
    return c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
}

/// A ModelProto starts with one of its fields: ir_version (a small number),
/// or, written by other hands, an opset, a graph or a producer's name.
static bool looksLikeModelProto(StringRef head) {
  if (head.size() < 2)
    return false;
  unsigned char tag = head[0], next = head[1];
  return tag == 0x08 ? next < 0x80 : tag == 0x12 || tag == 0x3A || tag == 0x42;
}

FileKind heddle::fileKind(StringRef path, StringRef head) {
  if (head.starts_with("ML\xEFR"))
    return FileKind::MlirBytecode;
  if (head.starts_with("\x89HEDDLE"))
    return FileKind::Artifact;
  StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".mlir" ||
      (extension != ".onnx" && !head.empty() && looksLikeText(head)))
    return FileKind::MlirText;
  // Bytecode, with what must be known to call it.
  if (extension != ".onnx" && looksLikeExported(head))
    return FileKind::MlirBytecode;
  if (extension == ".onnx" || looksLikeModelProto(head))
    return FileKind::Onnx;
  // A damaged artifact is rejected as one, with the runtime's reason.
  return extension == ".heddle" ? FileKind::Artifact : FileKind::Unknown;
}

FileKind heddle::fileKindOf(StringRef path) {
  char head[4096];
  // Opening a pipe would wait for its other end, and reading it would take the
  // bytes away.
  struct stat status;
  if (stat(path.str().c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return FileKind::Unknown;
  FILE *file = std::fopen(path.str().c_str(), "rbe");
  if (!file)
    return FileKind::Unknown;
  size_t size = std::fread(head, 1, sizeof head, file);
  std::fclose(file);
  return fileKind(path, StringRef(head, size));
}

FileKind heddle::fileKindOf(const ModelOptions &model) {
  if (!model.memory)
    return fileKindOf(StringRef(model.path));
  llvm::ArrayRef<char> head = model.memory->bytes().take_front(4096);
  return fileKind(model.path, StringRef(head.data(), head.size()));
}
