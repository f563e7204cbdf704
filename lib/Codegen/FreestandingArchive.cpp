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

namespace heddle::codegen {

llvm::StringRef freestandingArchive(const Machine &machine) {
  auto between = [](const char *begin, const char *end) {
    return llvm::StringRef(begin, end - begin);
  };
  if (machine.hasFeature("avx512bw") && machine.hasFeature("avx512vl"))
    return between(heddle_freestanding_v4, heddle_freestanding_v4_end);
  if (machine.hasFeature("avx2"))
    return between(heddle_freestanding_v3, heddle_freestanding_v3_end);
  return between(heddle_freestanding_v2, heddle_freestanding_v2_end);
}

} // namespace heddle::codegen
