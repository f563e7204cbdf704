// Names and sizes of the types of PTX.

#include "test/emulator/ptx/Type.h"

namespace heddle::emulator {
namespace {

struct Row {
  Type type;
  std::string_view name;
  unsigned bits;
};

constexpr Row kRows[] = {
    {Type::None, "", 0},          {Type::Pred, "pred", 1},
    {Type::B8, "b8", 8},          {Type::B16, "b16", 16},
    {Type::B32, "b32", 32},       {Type::B64, "b64", 64},
    {Type::B128, "b128", 128},    {Type::B1024, "b1024", 1024},
    {Type::U8, "u8", 8},          {Type::U16, "u16", 16},
    {Type::U32, "u32", 32},       {Type::U64, "u64", 64},
    {Type::S8, "s8", 8},          {Type::S16, "s16", 16},
    {Type::S32, "s32", 32},       {Type::S64, "s64", 64},
    {Type::F16, "f16", 16},       {Type::F16x2, "f16x2", 32},
    {Type::BF16, "bf16", 16},     {Type::BF16x2, "bf16x2", 32},
    {Type::TF32, "tf32", 32},     {Type::F32, "f32", 32},
    {Type::F32x2, "f32x2", 64},   {Type::F64, "f64", 64},
    {Type::E4M3, "e4m3", 8},      {Type::E5M2, "e5m2", 8},
    {Type::E4M3x2, "e4m3x2", 16}, {Type::E5M2x2, "e5m2x2", 16},
    {Type::E2M1x2, "e2m1x2", 8},  {Type::E2M3x2, "e2m3x2", 16},
    {Type::E3M2x2, "e3m2x2", 16}, {Type::UE8M0x2, "ue8m0x2", 16},
    {Type::U16x2, "u16x2", 32},   {Type::S16x2, "s16x2", 32},
};

} // namespace

Type typeOfName(std::string_view name) {
  for (const Row &row : kRows)
    if (row.name == name)
      return row.type;
  return Type::None;
}

std::string_view nameOf(Type type) { return kRows[unsigned(type)].name; }

unsigned bitsOf(Type type) { return kRows[unsigned(type)].bits; }

} // namespace heddle::emulator
