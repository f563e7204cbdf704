// An image of one object file that calls nothing, without the linker: setting
// that up takes as long as compiling a small kernel. What is unusual in any
// way is left to the linker.
//
// All tables and the read-only data are one segment, code is another; the file
// is laid out as memory is.

#include "WriteImage.h"

#include "Relocations.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;

namespace heddle::codegen {

namespace {
using File = object::ELFFile<object::ELF64LE>;

class ImageWriter {
public:
  ImageWriter(File file, uint64_t pageBytes, std::vector<char> &image)
      : file(std::move(file)), pageBytes(pageBytes), image(image) {}

  /// Failure if the object is not as simple as it has to be.
  llvm::Error run();

private:
  /// The sections of the image.
  enum : unsigned { Null, DynSym, Hash, DynStr, Data, Text, Dynamic, Names };
  static constexpr unsigned numSections = Names + 1;

  static llvm::Error unusual() {
    return createStringError("is left to the linker");
  }
  llvm::Error collectSections();
  llvm::Error collectSymbols();
  void describeSections();
  void layOut();
  llvm::Error copySections();
  llvm::Error relocate(const File::Elf_Shdr &section);
  llvm::Error relocateOne(const File::Elf_Shdr &section,
                          const File::Elf_Rela &entry);
  void writeTables();

  template <typename T> void put(uint64_t at, const T &value) {
    std::memcpy(image.data() + at, &value, sizeof(T));
  }
  /// Places `bytes` behind what is placed, as section `number`.
  uint64_t place(unsigned number, uint64_t bytes, uint64_t alignment) {
    end = alignTo(end, alignment);
    ELF::Elf64_Shdr &header = headers[number];
    header.sh_addr = header.sh_offset = end;
    header.sh_size = bytes;
    header.sh_addralign = alignment;
    end += bytes;
    return header.sh_addr;
  }

  File file;
  const uint64_t pageBytes;
  std::vector<char> &image;
  File::Elf_Shdr_Range sections;
  /// Addresses of the object's sections that are in the image, else 0.
  SmallVector<uint64_t> addresses;
  SmallVector<unsigned> data, text;
  File::Elf_Sym_Range symbols;
  SmallVector<ELF::Elf64_Sym> exported;
  std::string names = std::string(1, '\0'), strings = std::string(1, '\0');
  ELF::Elf64_Shdr headers[numSections] = {};
  uint64_t headersAt = 0, end = 0;
};
} // namespace

llvm::Error ImageWriter::collectSections() {
  auto all = file.sections();
  if (!all)
    return all.takeError();
  sections = *all;
  addresses.resize(sections.size());
  for (auto [number, section] : enumerate(sections)) {
    if (!(section.sh_flags & ELF::SHF_ALLOC))
      continue;
    if (section.sh_type != ELF::SHT_PROGBITS ||
        section.sh_flags & (ELF::SHF_WRITE | ELF::SHF_TLS) ||
        section.sh_addralign > pageBytes)
      return unusual();
    bool isText = section.sh_flags & ELF::SHF_EXECINSTR;
    (isText ? text : data).push_back(number);
  }
  return text.empty() ? unusual() : llvm::Error::success();
}

/// The functions that are seen from outside.
llvm::Error ImageWriter::collectSymbols() {
  for (const File::Elf_Shdr &section : sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto all = file.symbols(&section);
    if (!all)
      return all.takeError();
    symbols = *all;
    auto table = file.getStringTableForSymtab(section);
    if (!table)
      return table.takeError();
    for (const File::Elf_Sym &symbol : drop_begin(symbols)) {
      if (symbol.st_shndx == ELF::SHN_ABS && symbol.getType() == ELF::STT_FILE)
        continue;
      if (symbol.st_shndx == ELF::SHN_UNDEF ||
          symbol.st_shndx >= sections.size())
        return unusual();
      if (symbol.getBinding() == ELF::STB_LOCAL)
        continue;
      if (symbol.getBinding() != ELF::STB_GLOBAL ||
          symbol.getType() != ELF::STT_FUNC ||
          symbol.getVisibility() != ELF::STV_DEFAULT)
        return unusual();
      auto name = symbol.getName(*table);
      if (!name)
        return name.takeError();
      ELF::Elf64_Sym out = {};
      out.st_name = strings.size();
      out.st_info = symbol.st_info;
      out.st_shndx = symbol.st_shndx; // for now, the object's
      out.st_value = symbol.st_value;
      out.st_size = symbol.st_size;
      exported.push_back(out);
      strings += *name;
      strings += '\0';
    }
  }
  return llvm::Error::success();
}

void ImageWriter::describeSections() {
  auto describe = [&](unsigned number, StringRef name, unsigned type,
                      uint64_t flags, unsigned link, uint64_t entrySize) {
    ELF::Elf64_Shdr &header = headers[number];
    header.sh_name = names.size();
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_link = link;
    header.sh_entsize = entrySize;
    names += name;
    names += '\0';
  };
  describe(DynSym, ".dynsym", ELF::SHT_DYNSYM, ELF::SHF_ALLOC, DynStr,
           sizeof(ELF::Elf64_Sym));
  headers[DynSym].sh_info = 1; // the first symbol that is not local
  describe(Hash, ".hash", ELF::SHT_HASH, ELF::SHF_ALLOC, DynSym, 4);
  describe(DynStr, ".dynstr", ELF::SHT_STRTAB, ELF::SHF_ALLOC, 0, 0);
  describe(Dynamic, ".dynamic", ELF::SHT_DYNAMIC, ELF::SHF_ALLOC, DynStr,
           sizeof(ELF::Elf64_Dyn));
  describe(Data, ".rodata", ELF::SHT_PROGBITS, ELF::SHF_ALLOC, 0, 0);
  describe(Text, ".text", ELF::SHT_PROGBITS,
           ELF::SHF_ALLOC | ELF::SHF_EXECINSTR, 0, 0);
  describe(Names, ".shstrtab", ELF::SHT_STRTAB, 0, 0, 0);
}

void ImageWriter::layOut() {
  constexpr unsigned numSegments = 4;
  end = sizeof(ELF::Elf64_Ehdr) + numSegments * sizeof(ELF::Elf64_Phdr);
  unsigned numSymbols = exported.size() + 1;
  place(DynSym, numSymbols * sizeof(ELF::Elf64_Sym), 8);
  // One bucket: its number and the symbols', the bucket, the chain.
  place(Hash, (3 + numSymbols) * sizeof(uint32_t), 8);
  place(DynStr, strings.size(), 1);
  place(Dynamic, 6 * sizeof(ELF::Elf64_Dyn), 8);

  place(Names, names.size(), 1);
  headersAt = end = alignTo(end, 8);
  end += sizeof(headers);

  auto placeAll = [&](unsigned number, ArrayRef<unsigned> parts) {
    uint64_t alignment = number == Text ? pageBytes : 64;
    for (unsigned part : parts)
      alignment = std::max<uint64_t>(alignment, sections[part].sh_addralign);
    uint64_t begin = place(number, 0, alignment);
    for (unsigned part : parts) {
      end = alignTo(end, std::max<uint64_t>(1, sections[part].sh_addralign));
      addresses[part] = end;
      end += sections[part].sh_size;
    }
    headers[number].sh_size = end - begin;
  };
  placeAll(Data, data);
  placeAll(Text, text);
}

llvm::Error ImageWriter::copySections() {
  image.assign(end, 0);
  for (unsigned number : concat<unsigned>(data, text)) {
    auto bytes = file.getSectionContents(sections[number]);
    if (!bytes)
      return bytes.takeError();
    std::memcpy(image.data() + addresses[number], bytes->data(), bytes->size());
  }
  for (const File::Elf_Shdr &section : sections) {
    if (section.sh_type == ELF::SHT_REL)
      return unusual();
    if (section.sh_type != ELF::SHT_RELA ||
        section.sh_info >= sections.size() || !addresses[section.sh_info])
      continue;
    if (llvm::Error error = relocate(section))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error ImageWriter::relocate(const File::Elf_Shdr &section) {
  auto entries = file.relas(section);
  if (!entries)
    return entries.takeError();
  for (const File::Elf_Rela &entry : *entries)
    if (llvm::Error error = relocateOne(section, entry))
      return error;
  return llvm::Error::success();
}

llvm::Error ImageWriter::relocateOne(const File::Elf_Shdr &section,
                                     const File::Elf_Rela &entry) {
  const File::Elf_Shdr &target = sections[section.sh_info];
  uint32_t type = entry.getType(/*isMips64EL=*/false);
  uint32_t number = entry.getSymbol(/*isMips64EL=*/false);
  if (number == 0 || number >= symbols.size() ||
      entry.r_offset >= target.sh_size)
    return unusual();
  const File::Elf_Sym &symbol = symbols[number];
  if (symbol.st_shndx >= sections.size() || !addresses[symbol.st_shndx])
    return unusual();
  uint64_t at = addresses[section.sh_info] + entry.r_offset;
  bool placed = codegen::relocate(
      file.getHeader().e_machine, type, image.data() + at,
      target.sh_size - entry.r_offset, at,
      addresses[symbol.st_shndx] + symbol.st_value + entry.r_addend);
  return placed ? llvm::Error::success() : unusual();
}

void ImageWriter::writeTables() {
  // The symbols, and a hash table of one bucket, whose chain is all of them.
  uint64_t at = headers[DynSym].sh_addr + sizeof(ELF::Elf64_Sym);
  for (ELF::Elf64_Sym symbol : exported) {
    symbol.st_value += addresses[symbol.st_shndx];
    symbol.st_shndx = Text;
    put(at, symbol);
    at += sizeof(symbol);
  }
  uint32_t numSymbols = exported.size() + 1;
  SmallVector<uint32_t> hash = {1, numSymbols, numSymbols > 1 ? 1u : 0u, 0};
  for (uint32_t symbol = 1; symbol < numSymbols; ++symbol)
    hash.push_back(symbol + 1 < numSymbols ? symbol + 1 : 0);
  std::memcpy(image.data() + headers[Hash].sh_addr, hash.data(),
              hash.size() * sizeof(uint32_t));
  std::memcpy(image.data() + headers[DynStr].sh_addr, strings.data(),
              strings.size());
  std::memcpy(image.data() + headers[Names].sh_offset, names.data(),
              names.size());
  headers[Names].sh_addr = 0; // not in memory, but for its place
  put(headersAt, headers);
  const std::pair<int64_t, uint64_t> entries[] = {
      {ELF::DT_SYMTAB, headers[DynSym].sh_addr},
      {ELF::DT_SYMENT, sizeof(ELF::Elf64_Sym)},
      {ELF::DT_STRTAB, headers[DynStr].sh_addr},
      {ELF::DT_STRSZ, strings.size()},
      {ELF::DT_HASH, headers[Hash].sh_addr},
      {ELF::DT_NULL, 0}};
  at = headers[Dynamic].sh_addr;
  for (auto [tag, value] : entries) {
    ELF::Elf64_Dyn entry = {};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    put(at, entry);
    at += sizeof(entry);
  }
}

llvm::Error ImageWriter::run() {
  if (llvm::Error error = collectSections())
    return error;
  if (llvm::Error error = collectSymbols())
    return error;
  describeSections();
  layOut();
  if (llvm::Error error = copySections())
    return error;
  writeTables();

  ELF::Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELF::ElfMagic, 4);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  header.e_type = ELF::ET_DYN;
  header.e_machine = file.getHeader().e_machine;
  header.e_version = ELF::EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_shoff = headersAt;
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  header.e_shnum = numSections;
  header.e_shstrndx = Names;

  SmallVector<ELF::Elf64_Phdr> segments;
  auto segment = [&](unsigned type, unsigned flags, uint64_t begin,
                     uint64_t bytes, uint64_t alignment) {
    ELF::Elf64_Phdr out = {};
    out.p_type = type;
    out.p_flags = flags;
    out.p_offset = out.p_vaddr = out.p_paddr = begin;
    out.p_filesz = out.p_memsz = bytes;
    out.p_align = alignment;
    segments.push_back(out);
  };
  const ELF::Elf64_Shdr &lastData = headers[Data], &code = headers[Text];
  const ELF::Elf64_Shdr &dynamic = headers[Dynamic];
  segment(ELF::PT_LOAD, ELF::PF_R, 0, lastData.sh_addr + lastData.sh_size,
          pageBytes);
  segment(ELF::PT_LOAD, ELF::PF_R | ELF::PF_X, code.sh_addr, code.sh_size,
          pageBytes);
  segment(ELF::PT_DYNAMIC, ELF::PF_R, dynamic.sh_addr, dynamic.sh_size, 8);
  segment(ELF::PT_GNU_STACK, ELF::PF_R | ELF::PF_W, 0, 0, 0);
  header.e_phnum = segments.size();
  put(0, header);
  std::memcpy(image.data() + sizeof(header), segments.data(),
              segments.size() * sizeof(segments[0]));
  return llvm::Error::success();
}

bool writeImage(const Object &object, const Machine &machine,
                std::vector<char> &image) {
  auto file = File::create(StringRef(object.bytes.data(), object.bytes.size()));
  if (!file) {
    consumeError(file.takeError());
    return false;
  }
  if (llvm::Error error =
          ImageWriter(std::move(*file), machine.pageBytes, image).run()) {
    consumeError(std::move(error));
    image.clear();
    return false;
  }
  return true;
}

} // namespace heddle::codegen
