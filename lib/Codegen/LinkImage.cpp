// Links in memory. lld reads and writes files by name: what it reads are
// memfds, what it writes is a pipe, since for a regular file it would make a
// temporary one beside it and rename that.

#include "Stages.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace heddle::codegen {

namespace {
/// An anonymous file in memory, with a path while it is open.
class MemoryFile {
public:
  MemoryFile() : descriptor(memfd_create("heddle", MFD_CLOEXEC)) {}
  MemoryFile(MemoryFile &&other) : descriptor(other.descriptor) {
    other.descriptor = -1;
  }
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  bool isOpen() const { return descriptor >= 0; }
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

  bool write(ArrayRef<char> bytes) {
    while (!bytes.empty()) {
      ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
      if (written <= 0)
        return false;
      bytes = bytes.drop_front(written);
    }
    return true;
  }

private:
  int descriptor;
};

/// A pipe whose other end is emptied by a thread of its own.
class CollectingPipe {
public:
  CollectingPipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      return;
    reader = std::thread([this] {
      char buffer[65536];
      ssize_t count;
      while ((count = ::read(ends[0], buffer, sizeof buffer)) > 0)
        bytes.insert(bytes.end(), buffer, buffer + count);
    });
  }
  ~CollectingPipe() {
    finish();
    if (ends[0] >= 0)
      close(ends[0]);
  }

  bool isOpen() const { return ends[1] >= 0; }
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(ends[1]);
  }
  /// Everything written; nothing can be written afterwards.
  std::vector<char> &finish() {
    if (ends[1] >= 0)
      close(ends[1]);
    ends[1] = -1;
    if (reader.joinable())
      reader.join();
    return bytes;
  }

private:
  int ends[2] = {-1, -1};
  std::vector<char> bytes;
  std::thread reader;
};
} // namespace

mlir::LogicalResult linkImage(ArrayRef<Object> objects, const Machine &machine,
                              bool keepSymbols, std::vector<char> &image,
                              std::string &error) {
  SmallVector<MemoryFile> files;
  SmallVector<std::string> arguments = {
      "ld.lld",
      "-shared",
      // Kernels call nothing outside, and need no writable or relocated page.
      "--no-undefined",
      "-Bsymbolic",
      "-ztext",
      "-zrodynamic",
      "-znorelro",
      "-znoexecstack",
      "-zseparate-code",
      "-zmax-page-size=4096",
      "--hash-style=sysv",
      "--build-id=none",
      "--gc-sections",
      "--no-mmap-output-file",
      "--threads=1",
  };
  if (!keepSymbols)
    arguments.push_back("--strip-all");
  auto addInput = [&](ArrayRef<char> bytes) {
    MemoryFile &file = files.emplace_back();
    if (!file.isOpen() || !file.write(bytes))
      return false;
    arguments.push_back(file.path());
    return true;
  };
  bool written = llvm::all_of(
      objects, [&](const Object &object) { return addInput(object.bytes); });
  StringRef archive = freestandingArchive(machine);
  written &= addInput(ArrayRef<char>(archive.data(), archive.size()));
  CollectingPipe output;
  if (!written || !output.isOpen()) {
    error = "cannot hold the object files in memory";
    return mlir::failure();
  }
  arguments.push_back("-o");
  arguments.push_back(output.path());

  SmallVector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  // lld keeps its state in globals.
  static std::mutex oneAtATime;
  std::lock_guard<std::mutex> lock(oneAtATime);
  raw_string_ostream errors(error);
  lld::Result result =
      lld::lldMain(pointers, errors, errors, {{lld::Gnu, &lld::elf::link}});
  image = std::move(output.finish());
  if (result.retCode == 0 && image.empty())
    errors << "the linker wrote nothing";
  return mlir::success(result.retCode == 0 && !image.empty());
}

} // namespace heddle::codegen
