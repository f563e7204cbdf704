// Links in memory: lld reads and writes files, so its files are memfds.

#include "Stages.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <sys/mman.h>
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

  bool read(std::vector<char> &bytes) {
    off_t size = lseek(descriptor, 0, SEEK_END);
    if (size <= 0)
      return false;
    bytes.resize(size);
    for (size_t done = 0; done < bytes.size();) {
      ssize_t count =
          pread(descriptor, bytes.data() + done, bytes.size() - done, done);
      if (count <= 0)
        return false;
      done += count;
    }
    return true;
  }

private:
  int descriptor;
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
  MemoryFile output;
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
  if (result.retCode == 0 && !output.read(image))
    errors << "the linker wrote nothing";
  return mlir::success(result.retCode == 0 && !image.empty());
}

} // namespace heddle::codegen
