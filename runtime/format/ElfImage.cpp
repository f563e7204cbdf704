// Checks headers, segments and symbols of a kernel image.

#include "runtime/format/ElfImage.h"

#include "runtime/format/Layout.h"

#include <cstring>
#include <elf.h>

namespace heddle::format {

namespace {
class Parser {
public:
  Parser(const void *data, size_t bytes, ElfImage &image)
      : data(static_cast<const char *>(data)), bytes(bytes), image(image) {}

  Error parse();

private:
  Error fail(const char *what) const {
    return {HEDDLE_CODE_INVALID, std::string("kernel code ") + what};
  }
  template <typename T> bool read(uint64_t offset, T &value) const {
    if (offset > bytes || bytes - offset < sizeof(T))
      return false;
    std::memcpy(&value, data + offset, sizeof(T));
    return true;
  }
  /// Like read, at an address of the image that the file backs.
  template <typename T> bool readAt(uint64_t address, T &value) const;

  Error addSegment(const Elf64_Phdr &header);
  Error readDynamic(const Elf64_Phdr &header);
  Error checkSymbols(uint64_t symbols, uint64_t symbolBytes,
                     uint64_t hashTable);
  Error readRelocations(uint64_t table, uint64_t tableBytes);

  const char *data;
  uint64_t bytes;
  ElfImage &image;
};
} // namespace

/// Kernels are code: a gigabyte of it is a mistake.
static constexpr uint64_t maximumImageBytes = uint64_t(1) << 30;

template <typename T> bool Parser::readAt(uint64_t address, T &value) const {
  for (const ElfImage::Segment &segment : image.segments)
    if (address >= segment.address &&
        address - segment.address <= segment.fileBytes &&
        segment.fileBytes - (address - segment.address) >= sizeof(T))
      return read(segment.fileOffset + (address - segment.address), value);
  return false;
}

Error Parser::addSegment(const Elf64_Phdr &header) {
  if (header.p_filesz > header.p_memsz || header.p_memsz > maximumImageBytes ||
      header.p_vaddr > maximumImageBytes)
    return fail("has a segment of impossible size");
  if (header.p_offset > bytes || bytes - header.p_offset < header.p_filesz)
    return fail("has a segment outside the file");
  if ((header.p_vaddr - header.p_offset) % pageBytes)
    return fail("has a segment that cannot be mapped");
  bool writable = header.p_flags & PF_W, executable = header.p_flags & PF_X;
  if (writable && executable)
    return fail("is writable and executable at once");
  if (!image.segments.empty() &&
      alignUp(image.imageBytes, pageBytes) >
          header.p_vaddr - header.p_vaddr % pageBytes)
    return fail("has segments that share a page or are out of order");
  image.segments.push_back({header.p_vaddr, header.p_memsz, header.p_offset,
                            header.p_filesz, writable, executable});
  image.imageBytes = header.p_vaddr + header.p_memsz;
  return {};
}

Error Parser::checkSymbols(uint64_t symbols, uint64_t symbolBytes,
                           uint64_t hashTable) {
  // The table's length stands only in the classic hash table (nchain). Without
  // it, an undefined symbol could still only be used by a symbolic relocation,
  // and those are refused.
  Elf64_Word count = 0;
  if (!hashTable || !symbols)
    return {};
  if (symbolBytes != sizeof(Elf64_Sym) ||
      !readAt(hashTable + sizeof(Elf64_Word), count))
    return fail("has a broken symbol table");
  for (Elf64_Word i = 1; i < count; ++i) {
    Elf64_Sym symbol;
    if (!readAt(symbols + uint64_t(i) * sizeof(symbol), symbol))
      return fail("has a broken symbol table");
    if (symbol.st_shndx == SHN_UNDEF)
      return fail("calls outside itself");
  }
  return {};
}

Error Parser::readRelocations(uint64_t table, uint64_t tableBytes) {
  if (tableBytes > bytes || tableBytes % sizeof(Elf64_Rela))
    return fail("has a broken relocation table");
  uint32_t relative = image.aarch64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
  for (uint64_t at = 0; at < tableBytes; at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    if (!readAt(table + at, entry))
      return fail("has a broken relocation table");
    if (ELF64_R_TYPE(entry.r_info) != relative || ELF64_R_SYM(entry.r_info))
      return fail("needs a relocation other than a relative one");
    bool inside = false;
    for (const ElfImage::Segment &segment : image.segments)
      inside |= segment.writable && entry.r_offset >= segment.address &&
                segment.memoryBytes >= 8 &&
                entry.r_offset - segment.address <= segment.memoryBytes - 8 &&
                entry.r_offset % 8 == 0;
    if (!inside)
      return fail("has a relocation outside its data");
    image.relocations.push_back(
        {entry.r_offset, static_cast<uint64_t>(entry.r_addend)});
  }
  return {};
}

Error Parser::readDynamic(const Elf64_Phdr &header) {
  uint64_t symbols = 0, symbolBytes = sizeof(Elf64_Sym), hashTable = 0;
  uint64_t relocations = 0, relocationBytes = 0;
  for (uint64_t at = 0; at < header.p_filesz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (!readAt(header.p_vaddr + at, entry))
      return fail("has a broken dynamic section");
    switch (entry.d_tag) {
    case DT_NULL:
      at = header.p_filesz - sizeof(Elf64_Dyn);
      break;
    case DT_SYMTAB:
      symbols = entry.d_un.d_ptr;
      break;
    case DT_SYMENT:
      symbolBytes = entry.d_un.d_val;
      break;
    case DT_HASH:
      hashTable = entry.d_un.d_ptr;
      break;
    case DT_RELA:
      relocations = entry.d_un.d_ptr;
      break;
    case DT_RELASZ:
      relocationBytes = entry.d_un.d_val;
      break;
    case DT_NEEDED:
      return fail("needs a shared library");
    case DT_INIT:
    case DT_FINI:
    case DT_INIT_ARRAY:
    case DT_FINI_ARRAY:
    case DT_PREINIT_ARRAY:
      return fail("has initialisers");
    case DT_JMPREL:
    case DT_REL:
    case DT_RELR:
    case DT_TEXTREL:
      return fail("needs relocations of an unknown form");
    default:
      break;
    }
  }
  if (Error error = checkSymbols(symbols, symbolBytes, hashTable))
    return error;
  return relocationBytes ? readRelocations(relocations, relocationBytes)
                         : Error();
}

Error Parser::parse() {
  Elf64_Ehdr elf;
  if (!read(0, elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
    return fail("is not an ELF file");
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_type != ET_DYN)
    return fail("is not a 64-bit little-endian shared object");
  if (elf.e_machine != EM_X86_64 && elf.e_machine != EM_AARCH64)
    return fail("is for an unknown machine");
  image.aarch64 = elf.e_machine == EM_AARCH64;
  if (elf.e_phentsize != sizeof(Elf64_Phdr))
    return fail("has a broken program header");

  // Segments first: the dynamic section is read through them.
  Elf64_Phdr dynamic = {};
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr header;
    if (elf.e_phoff > bytes ||
        !read(elf.e_phoff + uint64_t(i) * sizeof(header), header))
      return fail("has a broken program header");
    switch (header.p_type) {
    case PT_LOAD:
      if (Error error = addSegment(header))
        return error;
      break;
    case PT_DYNAMIC:
      dynamic = header;
      break;
    case PT_TLS:
      return fail("has thread-local data");
    case PT_INTERP:
      return fail("is an executable");
    default:
      break;
    }
  }
  if (image.segments.empty())
    return fail("has nothing to load");
  if (dynamic.p_filesz > bytes || dynamic.p_filesz % sizeof(Elf64_Dyn))
    return fail("has a broken dynamic section");
  return readDynamic(dynamic);
}

Error ElfImage::parse(const void *data, size_t bytes, ElfImage &image) {
  image = {};
  return Parser(data, bytes, image).parse();
}

bool ElfImage::holdsCode(uint64_t address, uint64_t bytes) const {
  for (const Segment &segment : segments)
    if (segment.executable && address >= segment.address &&
        address - segment.address < segment.fileBytes &&
        segment.fileBytes - (address - segment.address) >= bytes)
      return true;
  return false;
}

} // namespace heddle::format
