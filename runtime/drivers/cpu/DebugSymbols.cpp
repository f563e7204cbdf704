// Tells perf and gdb where kernels lie.

#include "runtime/drivers/cpu/DebugSymbols.h"

#include "runtime/ForkLock.h"
#include "runtime/format/ManifestTables.h"

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <vector>

using namespace heddle;
using namespace heddle::runtime;
using format::length;
using format::text;

//===----------------------------------------------------------------------===//
// perf
//===----------------------------------------------------------------------===//

void runtime::writePerfMap(const CodeImage &image,
                           const format::Variant &variant) {
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  // Others can write to /tmp: a link that waits there is not followed.
  int file = open(path.c_str(),
                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  FILE *out = file >= 0 ? fdopen(file, "a") : nullptr;
  if (!out) {
    if (file >= 0)
      close(file);
    return;
  }
  for (uint32_t i = 0; i < length(variant.kernels()); ++i) {
    const format::Kernel &kernel = *variant.kernels()->Get(i);
    const format::CpuLaunch *launch = kernel.launch_as_CpuLaunch();
    if (!launch)
      continue;
    std::fprintf(
        out, "%llx %llx heddle:%s\n",
        static_cast<unsigned long long>(
            reinterpret_cast<uintptr_t>(image.data()) + launch->offset()),
        static_cast<unsigned long long>(launch->size()),
        text(kernel.name()).c_str());
  }
  std::fclose(out);
}

//===----------------------------------------------------------------------===//
// gdb
//===----------------------------------------------------------------------===//

// The interface is these names: gdb puts a breakpoint on the function and reads
// the descriptor (gdb manual, "JIT Compilation Interface").
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry;
  jit_code_entry *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry *relevant_entry;
  jit_code_entry *first_entry;
};
__attribute__((visibility("default"), weak,
               used)) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr,
                                                               nullptr};
__attribute__((visibility("default"), weak, noinline)) void
__jit_debug_register_code() {
  __asm__ volatile("" ::: "memory");
}
}

namespace {
enum : uint32_t { jitRegister = 1, jitUnregister = 2 };

struct GdbRegistration {
  jit_code_entry entry;
  std::vector<char> file;
};

/// An ELF file with nothing but symbols: where the code lies already.
class SymbolFile {
public:
  SymbolFile(const CodeImage &image, const format::Variant &variant);
  std::vector<char> take() { return std::move(file); }

private:
  template <typename T> uint64_t append(const T *data, size_t count) {
    file.resize(format::alignUp(file.size(), 8));
    uint64_t at = file.size();
    const char *bytes = reinterpret_cast<const char *>(data);
    file.insert(file.end(), bytes, bytes + count * sizeof(T));
    return at;
  }
  std::vector<char> file;
};

/// gdb's list, which is one per process, whoever puts something in.
struct GdbList;
} // namespace

SymbolFile::SymbolFile(const CodeImage &image, const format::Variant &variant) {
  enum : uint16_t { textIndex = 1, symbolsIndex, stringsIndex, sectionCount };
  static const char sectionNames[] = "\0.text\0.symtab\0.strtab";
  uint64_t base = reinterpret_cast<uintptr_t>(image.data());

  std::string strings(sectionNames, sizeof(sectionNames));
  std::vector<Elf64_Sym> symbols(1);
  for (uint32_t i = 0; i < length(variant.kernels()); ++i) {
    const format::Kernel &kernel = *variant.kernels()->Get(i);
    const format::CpuLaunch *launch = kernel.launch_as_CpuLaunch();
    if (!launch)
      continue;
    Elf64_Sym symbol = {};
    symbol.st_name = static_cast<Elf64_Word>(strings.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = textIndex;
    symbol.st_value = base + launch->offset();
    symbol.st_size = launch->size();
    symbols.push_back(symbol);
    strings += text(kernel.name()) + '\0';
  }

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC; // addresses are final
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = sectionCount;
  header.e_shstrndx = stringsIndex;
  append(&header, 1);

  Elf64_Shdr sections[sectionCount] = {};
  Elf64_Shdr &code = sections[textIndex];
  code.sh_name = 1;
  code.sh_type = SHT_NOBITS;
  code.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  code.sh_addr = base;
  code.sh_size = image.size();
  code.sh_addralign = 16;
  Elf64_Shdr &table = sections[symbolsIndex];
  table.sh_name = 7;
  table.sh_type = SHT_SYMTAB;
  table.sh_offset = append(symbols.data(), symbols.size());
  table.sh_size = symbols.size() * sizeof(Elf64_Sym);
  table.sh_link = stringsIndex;
  table.sh_info = 1;
  table.sh_addralign = 8;
  table.sh_entsize = sizeof(Elf64_Sym);
  Elf64_Shdr &names = sections[stringsIndex];
  names.sh_name = 15;
  names.sh_type = SHT_STRTAB;
  names.sh_offset = append(strings.data(), strings.size());
  names.sh_size = strings.size();
  names.sh_addralign = 1;

  header.e_shoff = append(sections, sectionCount);
  std::memcpy(file.data(), &header, sizeof(header));
}

void *runtime::registerWithGdb(const CodeImage &image,
                               const format::Variant &variant) {
  auto registration = std::make_unique<GdbRegistration>();
  registration->file = SymbolFile(image, variant).take();
  ForkLock<GdbList> lock;
  jit_code_entry *first = __jit_debug_descriptor.first_entry;
  registration->entry = {first, nullptr, registration->file.data(),
                         registration->file.size()};
  if (first)
    first->prev_entry = &registration->entry;
  __jit_debug_descriptor.first_entry = &registration->entry;
  __jit_debug_descriptor.relevant_entry = &registration->entry;
  __jit_debug_descriptor.action_flag = jitRegister;
  __jit_debug_register_code();
  return registration.release();
}

void runtime::unregisterFromGdb(void *opaque) {
  if (!opaque)
    return;
  auto *registration = static_cast<GdbRegistration *>(opaque);
  {
    ForkLock<GdbList> lock;
    jit_code_entry &entry = registration->entry;
    if (entry.prev_entry)
      entry.prev_entry->next_entry = entry.next_entry;
    else
      __jit_debug_descriptor.first_entry = entry.next_entry;
    if (entry.next_entry)
      entry.next_entry->prev_entry = entry.prev_entry;
    __jit_debug_descriptor.relevant_entry = &entry;
    __jit_debug_descriptor.action_flag = jitUnregister;
    __jit_debug_register_code();
  }
  delete registration;
}
