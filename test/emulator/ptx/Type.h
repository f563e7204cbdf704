// The fundamental types of PTX, as instruction suffixes and declarations name
// them.

#ifndef HEDDLE_TEST_EMULATOR_PTX_TYPE_H
#define HEDDLE_TEST_EMULATOR_PTX_TYPE_H

#include <cstdint>
#include <string_view>

namespace heddle::emulator {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  B1024,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  E2M1x2,
  E2M3x2,
  E3M2x2,
  UE8M0x2,
  U16x2,
  S16x2,
};

/// The type of a suffix ("f32"); `None` where there is no such type.
Type typeOfName(std::string_view name);

/// How PTX writes a type, without the dot.
std::string_view nameOf(Type type);

/// Bits of a value of the type; 1 for predicates.
unsigned bitsOf(Type type);

inline unsigned bytesOf(Type type) { return (bitsOf(type) + 7) / 8; }

inline bool isSigned(Type type) {
  return type >= Type::S8 && type <= Type::S64;
}

inline bool isUnsigned(Type type) {
  return type >= Type::U8 && type <= Type::U64;
}

inline bool isBits(Type type) { return type >= Type::B8 && type <= Type::B128; }

inline bool isInteger(Type type) { return isSigned(type) || isUnsigned(type); }

/// State spaces of variables and addresses. `None` is a generic address.
enum class Space : uint8_t {
  None,
  Const,
  Global,
  Local,
  Param,
  Shared,
  SharedCluster
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_PTX_TYPE_H
