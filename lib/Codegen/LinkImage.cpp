// Links in memory: lld reads and writes files, so its files are memfds.

#include "WriteImage.h"
#include "heddle/Support/Threads.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
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

/// What the linker writes. It makes a temporary file beside an output that is a
/// regular file, which a memfd has no place for: so this is a pipe, which a
/// thread empties as it is filled. Where the system refuses the thread it is a
/// file in the folder for temporary files.
class Output {
public:
  Output() {
    if (openPipe())
      return;
    if (sys::fs::createTemporaryFile("heddle", "image", file))
      file.clear();
  }
  ~Output() { finish(); }

  bool isOpen() const { return ends[1] >= 0 || !file.empty(); }
  std::string path() const {
    return file.empty() ? "/proc/self/fd/" + std::to_string(ends[1])
                        : file.str().str();
  }

  /// All that was written; closes the output.
  std::vector<char> finish() {
    if (ends[1] >= 0) {
      close(ends[1]);
      reader.join();
      close(ends[0]);
      ends[1] = -1;
    }
    if (!file.empty()) {
      if (auto written = MemoryBuffer::getFile(file))
        bytes.assign((*written)->getBufferStart(), (*written)->getBufferEnd());
      (void)sys::fs::remove(file);
      file.clear();
    }
    return std::move(bytes);
  }

private:
  bool openPipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      return false;
    reader = startThread([this] {
      char piece[1 << 16];
      for (ssize_t count; (count = ::read(ends[0], piece, sizeof(piece))) > 0;)
        bytes.insert(bytes.end(), piece, piece + count);
    });
    if (reader.joinable())
      return true;
    close(ends[0]);
    close(ends[1]);
    ends[0] = ends[1] = -1;
    return false;
  }

  int ends[2] = {-1, -1};
  SmallString<64> file;
  std::thread reader;
  std::vector<char> bytes;
};
} // namespace

/// Whether an object file needs what another one defines; also if it cannot be
/// read, which the linker says.
static bool callsOut(ArrayRef<char> bytes) {
  auto file = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(StringRef(bytes.data(), bytes.size()), "kernels"));
  if (!file) {
    consumeError(file.takeError());
    return true;
  }
  for (object::SymbolRef symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      return true;
    }
    // The first symbol of every file is undefined, and nameless.
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty())
      return true;
  }
  return false;
}

mlir::LogicalResult linkImage(ArrayRef<Object> objects, const Machine &machine,
                              bool keepSymbols, std::vector<char> &image,
                              std::string &error) {
  if (objects.size() == 1 && !keepSymbols &&
      writeImage(objects.front(), machine, image))
    return mlir::success();
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
      "-zmax-page-size=" + std::to_string(machine.pageBytes),
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
  // Few kernels call routines, and the archive is large beside them. A program
  // without kernels has an image too, and the linker wants an input.
  if (objects.empty() || llvm::any_of(objects, [](const Object &object) {
        return callsOut(object.bytes);
      })) {
    StringRef archive = freestandingArchive(machine);
    if (archive.empty()) {
      error = "there are no routines called \"" + machine.routines + "\"";
      return mlir::failure();
    }
    written &= addInput(ArrayRef<char>(archive.data(), archive.size()));
  }
  Output output;
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
  image = output.finish();
  if (result.retCode == 0 && image.empty())
    errors << "the linker wrote nothing";
  return mlir::success(result.retCode == 0 && !image.empty());
}

} // namespace heddle::codegen
