// A temporary folder with what another runtime needs for a call.

#include "heddle/Testing/PeerFolder.h"

#include "heddle/Driver/FileKind.h"
#include "heddle/Support/TensorFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <utility>

using namespace heddle;
using llvm::ArrayRef;
using llvm::StringRef;

std::optional<PeerFolder> PeerFolder::make(Session &session, StringRef peer,
                                           StringRef model,
                                           ArrayRef<TensorSignature> inputs,
                                           ArrayRef<HostTensor> feeds) {
  PeerFolder folder(session, peer);
  std::string problem = folder.prepare(model, inputs, feeds);
  if (problem.empty())
    return folder;
  session.diagnostics.report(ErrorCode::MissingPeer, problem);
  return std::nullopt;
}

std::string PeerFolder::prepare(StringRef model,
                                ArrayRef<TensorSignature> inputs,
                                ArrayRef<HostTensor> feeds) {
  if (fileKindOf(model) != FileKind::Onnx)
    return peer + " runs ONNX models only";
  const char *chosen = std::getenv("HEDDLE_PYTHON");
  auto found = llvm::sys::findProgramByName(chosen ? chosen : "python3");
  if (!found)
    return chosen ? "HEDDLE_PYTHON names \"" + std::string(chosen) +
                        "\", which is no program"
                  : "there is no python3";
  interpreter = *found;
  if (llvm::sys::fs::createUniqueDirectory("heddle", path)) {
    path.clear();
    return "no temporary folder can be made";
  }
  std::vector<NamedTensor> named;
  for (auto [input, tensor] : llvm::zip(inputs, feeds))
    named.push_back({input.name, tensor});
  auto bytes = encodeNpz(named);
  if (!bytes)
    return llvm::toString(bytes.takeError());
  if (llvm::Error error = writeBytes(this->feeds(), *bytes))
    return llvm::toString(std::move(error));
  if (llvm::Error error = writeBytes(printed(), {}))
    return llvm::toString(std::move(error));
  return "";
}

PeerFolder::PeerFolder(PeerFolder &&other)
    : session(other.session), peer(std::move(other.peer)),
      interpreter(std::move(other.interpreter)), path(other.path) {
  other.path.clear();
}

PeerFolder::~PeerFolder() {
  if (!path.empty())
    llvm::sys::fs::remove_directories(path);
}

std::string PeerFolder::file(StringRef name) const {
  llvm::SmallString<128> full(path);
  llvm::sys::path::append(full, name);
  return full.str().str();
}

void PeerFolder::reportFailure() const {
  auto text = llvm::MemoryBuffer::getFile(printed());
  StringRef rest = text ? (*text)->getBuffer().rtrim() : StringRef();
  StringRef line = rest.substr(rest.rfind('\n') + 1);
  session.diagnostics.report(
      ErrorCode::MissingPeer,
      peer + " failed: " + (line.empty() ? "it said nothing" : line.str()));
}
