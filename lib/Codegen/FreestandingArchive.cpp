// The routines that LLVM calls by itself and those that kernels call by name,
// as archives built beside this file and embedded here. HEDDLE_FREESTANDING is
// their folder in the build tree.

#include "Stages.h"

#define HEDDLE_EMBED(symbol, file)                                             \
  __asm__(".section .rodata\n"                                                 \
          ".balign 16\n" #symbol ":\n"                                         \
          ".incbin \"" HEDDLE_FREESTANDING "/" file "\"\n" #symbol "_end:\n"   \
          ".previous\n");                                                      \
  extern "C" __attribute__((visibility("hidden"))) const char symbol[],        \
      symbol##_end[]

HEDDLE_EMBED(heddle_freestanding_v2, "freestanding-x86-64-v2.a");
HEDDLE_EMBED(heddle_freestanding_v3, "freestanding-x86-64-v3.a");
HEDDLE_EMBED(heddle_freestanding_v4, "freestanding-x86-64-v4.a");
HEDDLE_EMBED(heddle_freestanding_aarch64, "freestanding-aarch64.a");

namespace heddle::codegen {

namespace {
struct Archive {
  llvm::StringLiteral name;
  const char *begin, *end;
};
} // namespace

llvm::StringRef freestandingArchive(const Machine &machine) {
  static const Archive archives[] = {
      {"x86-64-v2", heddle_freestanding_v2, heddle_freestanding_v2_end},
      {"x86-64-v3", heddle_freestanding_v3, heddle_freestanding_v3_end},
      {"x86-64-v4", heddle_freestanding_v4, heddle_freestanding_v4_end},
      {"aarch64", heddle_freestanding_aarch64, heddle_freestanding_aarch64_end},
  };
  for (const Archive &archive : archives)
    if (archive.name == machine.routines)
      return llvm::StringRef(archive.begin, archive.end - archive.begin);
  return {};
}

} // namespace heddle::codegen
