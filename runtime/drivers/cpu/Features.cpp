// Asks the processor what it has.

#include "runtime/drivers/cpu/Features.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

using namespace heddle;

/// Spellings differ in separators: avx512_vnni and avx512vnni, sse4.1, sse4_1.
static std::string plainName(std::string_view name) {
  std::string plain;
  for (char c : name)
    if (c != '_' && c != '.' && c != '-')
      plain += c;
  return plain;
}

#if defined(__x86_64__)

const char *runtime::hostArchitecture() { return "x86-64"; }

namespace {
enum Register : uint8_t { eax, ebx, ecx, edx };
/// State that the operating system must save, as bits of XCR0.
enum : uint32_t {
  noState = 0,
  avxState = 0x6,
  avx512State = 0xe6,
  amxState = 0x60000
};

/// Source: Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E.
struct FeatureBit {
  const char *name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  uint8_t bit;
  uint32_t state;
};

constexpr FeatureBit featureBits[] = {
    {"sse3", 1, 0, ecx, 0, noState},
    {"pni", 1, 0, ecx, 0, noState},
    {"pclmulqdq", 1, 0, ecx, 1, noState},
    {"ssse3", 1, 0, ecx, 9, noState},
    {"fma", 1, 0, ecx, 12, avxState},
    {"cx16", 1, 0, ecx, 13, noState},
    {"sse41", 1, 0, ecx, 19, noState},
    {"sse42", 1, 0, ecx, 20, noState},
    {"movbe", 1, 0, ecx, 22, noState},
    {"popcnt", 1, 0, ecx, 23, noState},
    {"aes", 1, 0, ecx, 25, noState},
    {"avx", 1, 0, ecx, 28, avxState},
    {"f16c", 1, 0, ecx, 29, avxState},
    {"crc32", 1, 0, ecx, 20, noState},
    {"xsave", 1, 0, ecx, 26, noState},
    {"fpu", 1, 0, edx, 0, noState},
    {"x87", 1, 0, edx, 0, noState},
    {"cx8", 1, 0, edx, 8, noState},
    {"cmov", 1, 0, edx, 15, noState},
    {"fxsr", 1, 0, edx, 24, noState},
    {"mmx", 1, 0, edx, 23, noState},
    {"sse", 1, 0, edx, 25, noState},
    {"sse2", 1, 0, edx, 26, noState},
    {"bmi1", 7, 0, ebx, 3, noState},
    {"bmi", 7, 0, ebx, 3, noState},
    {"avx2", 7, 0, ebx, 5, avxState},
    {"bmi2", 7, 0, ebx, 8, noState},
    {"avx512f", 7, 0, ebx, 16, avx512State},
    {"avx512dq", 7, 0, ebx, 17, avx512State},
    {"avx512ifma", 7, 0, ebx, 21, avx512State},
    {"avx512cd", 7, 0, ebx, 28, avx512State},
    {"avx512bw", 7, 0, ebx, 30, avx512State},
    {"avx512vl", 7, 0, ebx, 31, avx512State},
    {"avx512vbmi", 7, 0, ecx, 1, avx512State},
    {"avx512vbmi2", 7, 0, ecx, 6, avx512State},
    {"gfni", 7, 0, ecx, 8, noState},
    {"vaes", 7, 0, ecx, 9, avxState},
    {"vpclmulqdq", 7, 0, ecx, 10, avxState},
    {"avx512vnni", 7, 0, ecx, 11, avx512State},
    {"avx512bitalg", 7, 0, ecx, 12, avx512State},
    {"avx512vpopcntdq", 7, 0, ecx, 14, avx512State},
    {"amxbf16", 7, 0, edx, 22, amxState},
    {"avx512fp16", 7, 0, edx, 23, avx512State},
    {"amxtile", 7, 0, edx, 24, amxState},
    {"amxint8", 7, 0, edx, 25, amxState},
    {"avxvnni", 7, 1, eax, 4, avxState},
    {"avx512bf16", 7, 1, eax, 5, avx512State},
    {"amxfp16", 7, 1, eax, 21, amxState},
    {"avxifma", 7, 1, eax, 23, avxState},
    {"avxvnniint8", 7, 1, edx, 4, avxState},
    {"avxneconvert", 7, 1, edx, 5, avxState},
    {"avxvnniint16", 7, 1, edx, 10, avxState},
    {"sahf", 0x80000001, 0, ecx, 0, noState},
    {"lahflm", 0x80000001, 0, ecx, 0, noState},
    {"abm", 0x80000001, 0, ecx, 5, noState},
    {"lzcnt", 0x80000001, 0, ecx, 5, noState},
    {"lm", 0x80000001, 0, edx, 29, noState},
    {"64bit", 0x80000001, 0, edx, 29, noState},
};
} // namespace

/// XCR0, or 0 when the system does not save extended state at all.
static uint32_t savedState() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/// Linux keeps matrix registers for processes that asked. Source: Linux,
/// Documentation/arch/x86/xstate.rst and arch/x86/include/uapi/asm/prctl.h.
static bool mayUseMatrices() {
  constexpr long requestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long tileData = 18;              // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

bool runtime::cpuHas(std::string_view feature) {
  std::string name = plainName(feature);
  for (const FeatureBit &entry : featureBits) {
    if (name != entry.name)
      continue;
    uint32_t registers[4];
    if (!__get_cpuid_count(entry.leaf, entry.subleaf, &registers[eax],
                           &registers[ebx], &registers[ecx], &registers[edx]))
      return false;
    return (registers[entry.reg] >> entry.bit & 1) &&
           (savedState() & entry.state) == entry.state &&
           (entry.state != amxState || mayUseMatrices());
  }
  return false;
}

#elif defined(__aarch64__)

const char *runtime::hostArchitecture() { return "aarch64"; }

namespace {
/// Source: Linux, arch/arm64/include/uapi/asm/hwcap.h.
struct FeatureBit {
  const char *name;
  unsigned long type;
  uint8_t bit;
};

constexpr FeatureBit featureBits[] = {
    {"fp", AT_HWCAP, 0},        {"fparmv8", AT_HWCAP, 0},
    {"asimd", AT_HWCAP, 1},     {"neon", AT_HWCAP, 1},
    {"aes", AT_HWCAP, 3},       {"crc32", AT_HWCAP, 7},
    {"crc", AT_HWCAP, 7},       {"atomics", AT_HWCAP, 8},
    {"lse", AT_HWCAP, 8},       {"fphp", AT_HWCAP, 9},
    {"asimdhp", AT_HWCAP, 10},  {"fullfp16", AT_HWCAP, 10},
    {"asimdrdm", AT_HWCAP, 12}, {"rdm", AT_HWCAP, 12},
    {"asimddp", AT_HWCAP, 20},  {"dotprod", AT_HWCAP, 20},
    {"sve", AT_HWCAP, 22},      {"sve2", AT_HWCAP2, 1},
    {"svei8mm", AT_HWCAP2, 9},  {"svebf16", AT_HWCAP2, 12},
    {"i8mm", AT_HWCAP2, 13},    {"bf16", AT_HWCAP2, 14},
    {"sme", AT_HWCAP2, 23},
};
} // namespace

bool runtime::cpuHas(std::string_view feature) {
  std::string name = plainName(feature);
  for (const FeatureBit &entry : featureBits)
    if (name == entry.name)
      return getauxval(entry.type) >> entry.bit & 1;
  return false;
}

#else
#error "no features are known for this architecture"
#endif
