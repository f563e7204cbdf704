// Images of code that are not what a loader takes.

#include "runtime/format/ElfImage.h"
#include "test/runtime/TestModels.h"

#include "gtest/gtest.h"

#include <cstring>
#include <elf.h>

using namespace heddle;
using namespace heddle::format;
using heddle::test::KernelImage;

namespace {
/// A good image, to be changed in one place.
struct ElfImageTest : testing::Test {
  KernelImage good = KernelImage::read(HEDDLE_TEST_KERNELS);
  std::vector<char> bytes = good.bytes;

  Elf64_Ehdr &header() { return *reinterpret_cast<Elf64_Ehdr *>(bytes.data()); }
  Elf64_Phdr &segment(uint32_t type, uint32_t flags = 0) {
    auto *headers =
        reinterpret_cast<Elf64_Phdr *>(bytes.data() + header().e_phoff);
    for (unsigned i = 0; i < header().e_phnum; ++i)
      if (headers[i].p_type == type && (headers[i].p_flags & flags) == flags)
        return headers[i];
    ADD_FAILURE() << "no such segment";
    return headers[0];
  }
  Elf64_Dyn &dynamic(int64_t tag) {
    auto *entry = reinterpret_cast<Elf64_Dyn *>(bytes.data() +
                                                segment(PT_DYNAMIC).p_offset);
    while (entry->d_tag != tag && entry->d_tag != DT_NULL)
      ++entry;
    EXPECT_EQ(entry->d_tag, tag);
    return *entry;
  }
  /// The message of the refusal; empty when it is accepted.
  std::string fault() {
    ElfImage image;
    Error error = ElfImage::parse(bytes.data(), bytes.size(), image);
    EXPECT_TRUE(!error || error.code() == HEDDLE_CODE_INVALID);
    return error.message();
  }
};
} // namespace

TEST_F(ElfImageTest, Good) {
  ElfImage image;
  ASSERT_FALSE(ElfImage::parse(bytes.data(), bytes.size(), image));
  EXPECT_EQ(image.relocations.size(), 3u); // the table of three pointers
  auto [offset, size] = good.functions.at("add");
  EXPECT_TRUE(image.holdsCode(offset, size));
  EXPECT_FALSE(image.holdsCode(0, 1));
  EXPECT_FALSE(image.holdsCode(offset, uint64_t(1) << 40));
  EXPECT_FALSE(image.holdsCode(~uint64_t(0), 2));
}

TEST_F(ElfImageTest, Truncated) {
  for (size_t size = 0; size < 512; ++size) {
    bytes.resize(size);
    EXPECT_NE(fault(), "") << size;
  }
}

TEST_F(ElfImageTest, OtherKinds) {
  header().e_type = ET_EXEC;
  EXPECT_NE(fault().find("shared object"), std::string::npos);
  bytes = good.bytes;
  header().e_machine = EM_386;
  EXPECT_NE(fault().find("unknown machine"), std::string::npos);
  bytes = good.bytes;
  bytes[0] = 0;
  EXPECT_NE(fault().find("not an ELF"), std::string::npos);
  bytes = good.bytes;
  segment(PT_GNU_STACK).p_type = PT_TLS;
  EXPECT_NE(fault().find("thread-local"), std::string::npos);
  bytes = good.bytes;
  segment(PT_GNU_STACK).p_type = PT_INTERP;
  EXPECT_NE(fault().find("executable"), std::string::npos);
}

TEST_F(ElfImageTest, Segments) {
  segment(PT_LOAD, PF_X).p_flags |= PF_W;
  EXPECT_NE(fault().find("writable and executable"), std::string::npos);
  bytes = good.bytes;
  segment(PT_LOAD, PF_X).p_offset += uint64_t(1) << 40;
  EXPECT_NE(fault().find("outside the file"), std::string::npos);
  bytes = good.bytes;
  segment(PT_LOAD, PF_X).p_vaddr += 64;
  EXPECT_NE(fault().find("cannot be mapped"), std::string::npos);
  bytes = good.bytes;
  segment(PT_LOAD, PF_X).p_vaddr %= 4096;
  EXPECT_NE(fault().find("share a page"), std::string::npos);
  bytes = good.bytes;
  segment(PT_LOAD, PF_W).p_memsz = ~uint64_t(0);
  EXPECT_NE(fault().find("impossible size"), std::string::npos);
}

TEST_F(ElfImageTest, Dynamic) {
  dynamic(DT_RELACOUNT).d_tag = DT_NEEDED;
  EXPECT_NE(fault().find("shared library"), std::string::npos);
  bytes = good.bytes;
  dynamic(DT_RELACOUNT).d_tag = DT_INIT_ARRAY;
  EXPECT_NE(fault().find("initialisers"), std::string::npos);
  bytes = good.bytes;
  dynamic(DT_RELACOUNT).d_tag = DT_JMPREL;
  EXPECT_NE(fault().find("unknown form"), std::string::npos);
  bytes = good.bytes;
  dynamic(DT_RELASZ).d_un.d_val += 1;
  EXPECT_NE(fault().find("broken relocation"), std::string::npos);
}

TEST_F(ElfImageTest, Relocations) {
  uint64_t table = dynamic(DT_RELA).d_un.d_ptr; // in the first segment
  auto *entry = reinterpret_cast<Elf64_Rela *>(bytes.data() + table);
  Elf64_Rela old = *entry;
  entry->r_info = ELF64_R_INFO(1, ELF64_R_TYPE(old.r_info));
  EXPECT_NE(fault().find("other than a relative"), std::string::npos);
  *entry = old;
  entry->r_offset = segment(PT_LOAD, PF_X).p_vaddr;
  EXPECT_NE(fault().find("outside its data"), std::string::npos);
  entry->r_offset = ~uint64_t(0) - 6;
  EXPECT_NE(fault().find("outside its data"), std::string::npos);
}

TEST_F(ElfImageTest, UndefinedSymbol) {
  uint64_t table = dynamic(DT_SYMTAB).d_un.d_ptr;
  reinterpret_cast<Elf64_Sym *>(bytes.data() + table)[1].st_shndx = SHN_UNDEF;
  EXPECT_NE(fault().find("calls outside itself"), std::string::npos);
}
