// Relocations that kernels which call nothing need. Sources: System V ABI,
// AMD64 supplement 1.0, section 4.4; ELF for the Arm 64-bit Architecture
// (AAELF64), section 5.7.

#include "Relocations.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::codegen {

static bool putDistance(char *at, uint64_t room, int64_t distance) {
  if (room < sizeof(int32_t) || !isInt<32>(distance))
    return false;
  support::endian::write32le(at, static_cast<uint32_t>(distance));
  return true;
}

static bool relocateX86(uint32_t type, char *at, uint64_t room, uint64_t place,
                        uint64_t target) {
  if (type != ELF::R_X86_64_PC32 && type != ELF::R_X86_64_PLT32)
    return false;
  return putDistance(at, room, target - place);
}

/// The low 12 bits of an address as the offset of a load or store of
/// `1 << scale` bytes, or of an addition (scale 0).
static bool putLow12(uint32_t &instruction, uint64_t target, unsigned scale) {
  uint64_t low = target & 0xfff;
  if (low & maskTrailingOnes<uint64_t>(scale))
    return false;
  instruction = (instruction & ~(0xfffu << 10)) |
                static_cast<uint32_t>(low >> scale) << 10;
  return true;
}

static bool relocateAArch64(uint32_t type, char *at, uint64_t room,
                            uint64_t place, uint64_t target) {
  if (type == ELF::R_AARCH64_PREL32)
    return putDistance(at, room, target - place);
  if (room < sizeof(uint32_t) || place % sizeof(uint32_t))
    return false;
  uint32_t instruction = support::endian::read32le(at);
  bool fits = false;
  switch (type) {
  case ELF::R_AARCH64_ADR_PREL_PG_HI21: {
    int64_t pages = static_cast<int64_t>((target & ~uint64_t(0xfff)) -
                                         (place & ~uint64_t(0xfff))) >>
                    12;
    fits = isInt<21>(pages);
    instruction = (instruction & 0x9f00001f) |
                  (static_cast<uint32_t>(pages) & 3) << 29 |
                  (static_cast<uint32_t>(pages >> 2) & 0x7ffff) << 5;
    break;
  }
  case ELF::R_AARCH64_ADR_PREL_LO21: {
    int64_t distance = static_cast<int64_t>(target - place);
    fits = isInt<21>(distance);
    instruction = (instruction & 0x9f00001f) |
                  (static_cast<uint32_t>(distance) & 3) << 29 |
                  (static_cast<uint32_t>(distance >> 2) & 0x7ffff) << 5;
    break;
  }
  case ELF::R_AARCH64_CALL26:
  case ELF::R_AARCH64_JUMP26: {
    int64_t distance = static_cast<int64_t>(target - place);
    fits = isInt<28>(distance) && distance % 4 == 0;
    instruction = (instruction & 0xfc000000) |
                  (static_cast<uint32_t>(distance >> 2) & 0x03ffffff);
    break;
  }
  case ELF::R_AARCH64_ADD_ABS_LO12_NC:
  case ELF::R_AARCH64_LDST8_ABS_LO12_NC:
    fits = putLow12(instruction, target, 0);
    break;
  case ELF::R_AARCH64_LDST16_ABS_LO12_NC:
    fits = putLow12(instruction, target, 1);
    break;
  case ELF::R_AARCH64_LDST32_ABS_LO12_NC:
    fits = putLow12(instruction, target, 2);
    break;
  case ELF::R_AARCH64_LDST64_ABS_LO12_NC:
    fits = putLow12(instruction, target, 3);
    break;
  case ELF::R_AARCH64_LDST128_ABS_LO12_NC:
    fits = putLow12(instruction, target, 4);
    break;
  default:
    break;
  }
  if (fits)
    support::endian::write32le(at, instruction);
  return fits;
}

bool relocate(unsigned machine, uint32_t type, char *at, uint64_t room,
              uint64_t place, uint64_t target) {
  if (machine == ELF::EM_X86_64)
    return relocateX86(type, at, room, place, target);
  if (machine == ELF::EM_AARCH64)
    return relocateAArch64(type, at, room, place, target);
  return false;
}

} // namespace heddle::codegen
