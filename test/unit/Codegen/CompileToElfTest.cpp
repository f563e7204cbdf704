// What a linked image promises: no undefined symbols, no relocations, nothing
// writable, equal bytes; and that a stack frame over the limit is refused.

#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "runtime/format/kernel_abi.h"
#include "test/unit/CompileModule.h"

#include "gtest/gtest.h"
#include <atomic>
#include <cstring>
#include <elf.h>
#include <map>
#include <sys/mman.h>

using namespace heddle;
using namespace mlir;

namespace {

/// Kernels that need a remainder, a bf16 conversion and a table.
const char *const kernels = R"(
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  func.func @remainder(%a: memref<?xf32>, %out: memref<?xf32>, %s: memref<?xi8>, %w: index, %b: index, %e: index) attributes {kernel.tiles = 1 : i64} {
    %x = memref.load %a[%b] : memref<?xf32>
    %t = memref.get_global @table : memref<4xf32>
    %y = memref.load %t[%w] : memref<4xf32>
    %r = arith.remf %x, %y : f32
    memref.store %r, %out[%b] : memref<?xf32>
    return
  }
  func.func @narrow(%a: memref<?xf64>, %out: memref<?xbf16>, %s: memref<?xi8>, %w: index, %b: index, %e: index) attributes {kernel.tiles = 1 : i64} {
    %x = memref.load %a[%b] : memref<?xf64>
    %r = arith.truncf %x : f64 to bf16
    memref.store %r, %out[%b] : memref<?xbf16>
    return
  })";

class Image : public testing::Test {
protected:
  Image() {
    context.loadDialect<kernel::KernelDialect>();
    prepareCodegen(&context);
  }

  /// The image of `text`, empty on failure with the reason in `error`.
  std::vector<char> compile(const char *text, const char *machine,
                            const CodegenOptions &options = {}) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error += diagnostic.str();
      where.push_back(diagnostic.getLocation());
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    FailureOr<std::vector<char>> image =
        compileModule(*module, *findMachine(machine), options);
    return succeeded(image) ? std::move(*image) : std::vector<char>();
  }

  MLIRContext context;
  std::string error;
  std::vector<Location> where;
};

/// What the loader asks of an image, and that it has the functions `wanted`.
void checkImage(const std::vector<char> &image,
                std::vector<std::string> wanted) {
  auto header = reinterpret_cast<const Elf64_Ehdr *>(image.data());
  EXPECT_EQ(header->e_type, ET_DYN);
  auto segments =
      reinterpret_cast<const Elf64_Phdr *>(image.data() + header->e_phoff);
  const Elf64_Dyn *dynamic = nullptr;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD) {
      EXPECT_FALSE(segments[i].p_flags & PF_W);
    }
    if (segments[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const Elf64_Dyn *>(image.data() +
                                                    segments[i].p_offset);
  }
  ASSERT_TRUE(dynamic);
  uint64_t symbols = 0, strings = 0, hash = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    EXPECT_NE(dynamic->d_tag, DT_NEEDED);
    EXPECT_NE(dynamic->d_tag, DT_RELA);
    EXPECT_NE(dynamic->d_tag, DT_JMPREL);
    if (dynamic->d_tag == DT_SYMTAB)
      symbols = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_STRTAB)
      strings = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_HASH)
      hash = dynamic->d_un.d_ptr;
  }
  // The first segment maps the file's start at 0, and holds these tables.
  ASSERT_TRUE(symbols && strings && hash);
  auto table = reinterpret_cast<const Elf64_Sym *>(image.data() + symbols);
  uint32_t count = reinterpret_cast<const uint32_t *>(image.data() + hash)[1];
  std::vector<std::string> names;
  for (uint32_t i = 1; i < count; ++i) {
    EXPECT_NE(table[i].st_shndx, SHN_UNDEF);
    names.push_back(image.data() + strings + table[i].st_name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, wanted);
}

TEST_F(Image, IsGivenUpBetweenKernelsWithoutAWord) {
  CodegenOptions options;
  std::atomic<unsigned> asked{0};
  options.isCancelled = [&] { return ++asked != 0; };
  EXPECT_TRUE(compile(kernels, "x86-64-v3", options).empty());
  EXPECT_EQ(error, "");
  EXPECT_GT(asked, 0u);
}

TEST_F(Image, IsSelfContainedAndReadOnly) {
  for (const Machine &machine : machines()) {
    std::vector<char> image = compile(kernels, machine.name.c_str());
    ASSERT_FALSE(image.empty()) << error;
    checkImage(image, {"narrow", "remainder"});
  }
}

TEST_F(Image, IsTheSameEveryTime) {
  std::vector<char> first = compile(kernels, "x86-64-v3");
  context.disableMultithreading();
  EXPECT_EQ(first, compile(kernels, "x86-64-v3"));
  EXPECT_NE(first, compile(kernels, "x86-64-v2"));
}

/// A kernel whose stack frame is too large, beside two that are small.
const char *const deepKernel = R"(
    func.func @before(%a: memref<?xf32>, %s: memref<?xi8>, %w: index, %b: index, %e: index) attributes {kernel.tiles = 1 : i64} {
      return
    } loc("before")
    func.func @deep(%a: memref<?xf32>, %s: memref<?xi8>, %w: index, %b: index, %e: index) attributes {kernel.tiles = 1 : i64} {
      %c1 = arith.constant 1 : index
      %m = memref.alloca() : memref<8192xf32>
      scf.for %i = %b to %e step %c1 {
        %x = memref.load %a[%i] : memref<?xf32>
        memref.store %x, %m[%i] : memref<8192xf32>
      }
      %y = memref.load %m[%w] : memref<8192xf32>
      memref.store %y, %a[%w] : memref<?xf32>
      return
    } loc("deep")
    func.func @after(%a: memref<?xf32>, %s: memref<?xi8>, %w: index, %b: index, %e: index) attributes {kernel.tiles = 1 : i64} {
      return
    } loc("after"))";

TEST_F(Image, LargeStackFramesAreRefused) {
  std::vector<char> image = compile(deepKernel, "x86-64-v3");
  EXPECT_TRUE(image.empty());
  EXPECT_NE(error.find("stack frame size"), std::string::npos) << error;
  // Once, at the kernel that it is.
  EXPECT_EQ(error.find("stack frame size"), error.rfind("stack frame size"));
  ASSERT_EQ(where.size(), 1u);
  EXPECT_EQ(cast<NameLoc>(where[0]).getName(), "deep");
}

/// A loop in which loop strength reduction moves each address by a constant,
/// 80 bytes for the second.
std::string loopKernel(const char *name, const char *attributes) {
  return std::string("func.func @") + name +
         R"((%a: memref<?xf32>, %out: memref<?xf32>, %s: memref<?xi8>, %w: index, %b: index, %e: index)
      attributes {kernel.tiles = 1 : i64)" +
         attributes + R"(} {
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %c20 = arith.constant 20 : index
    scf.for %i = %b to %e step %c1 {
      %from = arith.muli %i, %c12 : index
      %to = arith.muli %i, %c20 : index
      %x = memref.load %a[%from] : memref<?xf32>
      memref.store %x, %out[%to] : memref<?xf32>
    }
    return
  }
)";
}

TEST_F(Image, LoopsOfBriefKernelsStayAsTheyAre) {
  std::string brief = loopKernel("brief", ", kernel.brief"),
              other = loopKernel("other", "");
  std::map<std::string, std::string> assembly;
  CodegenOptions options;
  options.dump = [&](StringRef kernel, StringRef text) {
    assembly[kernel.str()] = text.str();
  };
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(brief + other, &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(
      succeeded(compileModule(*module, *findMachine("x86-64-v3"), options)));
  EXPECT_EQ(assembly["brief"].find("$80"), std::string::npos)
      << assembly["brief"];
  EXPECT_NE(assembly["other"].find("$80"), std::string::npos)
      << assembly["other"];
  // Each kind is put together, whatever the order.
  EXPECT_EQ(compile((brief + other).c_str(), "x86-64-v3"),
            compile((other + brief).c_str(), "x86-64-v3"));
}

/// Two kernels that call nothing, with constants and a table: no linker runs.
const char *const simpleKernels = R"(
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 4.0, 8.0]>
  func.func @scaled(%a: memref<?xf32>, %s: memref<?xi8>, %w: index, %b: index, %e: index) attributes {kernel.tiles = 1 : i64} {
    %c = arith.constant 3.25 : f32
    %x = memref.load %a[%b] : memref<?xf32>
    %r = arith.mulf %x, %c : f32
    memref.store %r, %a[%b] : memref<?xf32>
    return
  }
  func.func @looked_up(%a: memref<?xf32>, %s: memref<?xi8>, %w: index, %b: index, %e: index) attributes {kernel.tiles = 1 : i64} {
    %t = memref.get_global @table : memref<4xf32>
    %x = memref.load %t[%b] : memref<4xf32>
    memref.store %x, %a[%b] : memref<?xf32>
    return
  })";

TEST_F(Image, IsMadeWithoutTheLinker) {
  for (const Machine &machine : machines()) {
    std::vector<char> image = compile(simpleKernels, machine.name.c_str());
    ASSERT_FALSE(image.empty()) << error;
    checkImage(image, {"looked_up", "scaled"});
    auto header = reinterpret_cast<const Elf64_Ehdr *>(image.data());
    EXPECT_EQ(header->e_machine,
              machine.architecture == "aarch64" ? EM_AARCH64 : EM_X86_64);
    auto sections =
        reinterpret_cast<const Elf64_Shdr *>(image.data() + header->e_shoff);
    // The linker would say that it was here.
    std::string names =
        image.data() + sections[header->e_shstrndx].sh_offset + 1;
    EXPECT_EQ(names, ".dynsym") << machine.name;
  }
}

TEST_F(Image, MadeWithoutTheLinkerRuns) {
  std::vector<char> image = compile(simpleKernels, "x86-64-v2");
  ASSERT_FALSE(image.empty()) << error;
  auto header = reinterpret_cast<const Elf64_Ehdr *>(image.data());
  auto sections =
      reinterpret_cast<const Elf64_Shdr *>(image.data() + header->e_shoff);
  const Elf64_Sym *scaled = nullptr, *lookedUp = nullptr;
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM)
      continue;
    auto symbols = reinterpret_cast<const Elf64_Sym *>(image.data() +
                                                       sections[i].sh_offset);
    const char *strings =
        image.data() + sections[sections[i].sh_link].sh_offset;
    for (size_t at = 1; at < sections[i].sh_size / sizeof(Elf64_Sym); ++at)
      (strings + symbols[at].st_name == std::string("scaled") ? scaled
                                                              : lookedUp) =
          symbols + at;
  }
  ASSERT_TRUE(scaled && lookedUp);
  size_t bytes = (image.size() + 4095) / 4096 * 4096;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  // The file is laid out as memory is.
  std::memcpy(memory, image.data(), image.size());
  ASSERT_EQ(mprotect(memory, bytes, PROT_READ | PROT_EXEC), 0);
  float values[4] = {0, 2, 0, 0};
  void *buffers[] = {values};
  heddle_kernel_args args = {};
  args.buffers = buffers;
  args.tile_begin = 1;
  auto call = [&](const Elf64_Sym *symbol) {
    reinterpret_cast<void (*)(const heddle_kernel_args *)>(
        static_cast<char *>(memory) + symbol->st_value)(&args);
  };
  call(scaled);
  EXPECT_EQ(values[1], 6.5f);
  call(lookedUp);
  EXPECT_EQ(values[1], 2.0f);
  munmap(memory, bytes);
}

TEST_F(Image, CallsOutAreRefused) {
  std::vector<char> image = compile(R"(
    func.func @calls(%a: memref<?xf32>, %s: memref<?xi8>, %w: index, %b: index, %e: index) attributes {kernel.tiles = 1 : i64} {
      %x = memref.load %a[%b] : memref<?xf32>
      %y = math.exp %x : f32
      memref.store %y, %a[%b] : memref<?xf32>
      return
    })",
                                    "x86-64-v3");
  EXPECT_TRUE(image.empty());
  EXPECT_NE(error.find("undefined symbol: expf"), std::string::npos) << error;
}

} // namespace
