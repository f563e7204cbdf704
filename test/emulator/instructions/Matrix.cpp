// mma.sync: products of small matrices whose elements lie spread over a warp.
// The places of elements are those of the tables in the PTX ISA, "Matrix
// Fragments for mma".

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Fragments.h"
#include "test/emulator/instructions/Lanes.h"

#include <algorithm>
#include <cstdio>

namespace heddle::emulator {
namespace {

struct Shape {
  unsigned m, n, k;
  Type a, b, c, d;
  bool saturate;
};

/// Elements of a register of 32 bits (doubles have registers of their own).
unsigned perRegister(Type type) {
  return type == Type::F64 ? 1 : 32 / bitsOf(type);
}

int32_t integerOf(Type type, uint32_t bits) {
  return type == Type::S8 ? int8_t(bits) : int32_t(bits & 0xff);
}

/// Reads both fragments as `E`, multiplies with sums in `S`.
template <class E, class S, class Read>
void product(const Inst &inst, const Shape &s, Read read, S (&sum)[16][8]) {
  static thread_local E a[16][64], b[64][8];
  unsigned perA = perRegister(s.a), perB = perRegister(s.b);
  unsigned registersA = s.m * s.k / 32 / perA, registersB = s.k * 8 / 32 / perB;
  for (unsigned i = 0; i < registersA; ++i)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned j = 0; j < perA; ++j) {
        Place at = placeOfA(lane, i, j, perA, s.m == 16);
        a[at.row][at.column] = read(s.a, inst.list[i], lane, j, perA);
      }
  const uint32_t *listB = inst.list + registersA;
  for (unsigned i = 0; i < registersB; ++i)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned j = 0; j < perB; ++j) {
        Place at = placeOfB(lane, i, j, perB);
        b[at.row][at.column] = read(s.b, listB[i], lane, j, perB);
      }
  for (unsigned row = 0; row < s.m; ++row)
    for (unsigned k = 0; k < s.k; ++k)
      for (unsigned column = 0; column < 8; ++column)
        sum[row][column] += S(a[row][k]) * S(b[k][column]);
}

void multiply(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!warp.aligned(mask))
    return;
  const auto &s = *static_cast<const Shape *>(inst.extra);
  unsigned results = s.m * 8 / 32; // numbers of a lane
  const uint32_t *c = inst.list2, *d = c + inst.count;
  if (s.c == Type::F64) {
    double sum[16][8] = {};
    product<double>(
        inst, s,
        [&](Type, uint32_t offset, unsigned lane, unsigned, unsigned) {
          return warp.lanes<double>(offset)[lane];
        },
        sum);
    double out[4][32];
    for (unsigned i = 0; i < results; ++i)
      for (unsigned lane = 0; lane < 32; ++lane) {
        Place at = placeOfC(lane, i);
        out[i][lane] = warp.lanes<double>(c[i])[lane] + sum[at.row][at.column];
      }
    for (unsigned i = 0; i < results; ++i)
      writeLanes(warp, d[i], out[i], ~0u);
    return;
  }
  auto bits = [&](Type type, uint32_t offset, unsigned lane, unsigned j) {
    return warp.lanes<uint32_t>(offset)[lane] >> (j * bitsOf(type) % 32);
  };
  if (s.c == Type::S32) {
    int64_t sum[16][8] = {};
    product<int32_t>(
        inst, s,
        [&](Type type, uint32_t offset, unsigned lane, unsigned j, unsigned) {
          return integerOf(type, bits(type, offset, lane, j));
        },
        sum);
    int32_t out[4][32];
    for (unsigned i = 0; i < results; ++i)
      for (unsigned lane = 0; lane < 32; ++lane) {
        Place at = placeOfC(lane, i);
        int64_t value =
            warp.lanes<int32_t>(c[i])[lane] + sum[at.row][at.column];
        if (s.saturate)
          value = std::clamp<int64_t>(value, INT32_MIN, INT32_MAX);
        out[i][lane] = int32_t(value);
      }
    for (unsigned i = 0; i < results; ++i)
      writeLanes(warp, d[i], out[i], ~0u);
    return;
  }
  float sum[16][8] = {};
  product<float>(
      inst, s,
      [&](Type type, uint32_t offset, unsigned lane, unsigned j, unsigned) {
        return floatOf(type, bits(type, offset, lane, j));
      },
      sum);
  // Results may lie in registers of c in another order: they are written last.
  float out[4][32];
  for (unsigned i = 0; i < results; ++i)
    for (unsigned lane = 0; lane < 32; ++lane) {
      Place at = placeOfC(lane, i);
      float value = sum[at.row][at.column];
      unsigned half = i & 1;
      value +=
          s.c == Type::F32
              ? warp.lanes<float>(c[i])[lane]
              : halfToFloat(warp.lanes<uint16_t>(c[i / 2])[2 * lane + half]);
      out[i][lane] = canonical(value);
    }
  for (unsigned i = 0; i < results; ++i) {
    if (s.d == Type::F32) {
      writeLanes(warp, d[i], out[i], ~0u);
      continue;
    }
    auto *halves = warp.lanes<uint16_t>(d[i / 2]);
    for (unsigned lane = 0; lane < 32; ++lane)
      halves[2 * lane + (i & 1)] = floatToHalf(out[i][lane]);
  }
}

/// Shapes and types that there are, with the least target.
bool isKnown(const Shape &s, unsigned &capability) {
  capability = 80;
  bool floats = s.c == Type::F32 && s.d == Type::F32;
  bool halves = s.c == Type::F16 && s.d == Type::F16;
  if (s.a == Type::F64) {
    capability = s.m == 16 ? 90 : 80;
    return s.b == s.a && s.c == s.a && s.d == s.a &&
           ((s.m == 8 && s.k == 4) ||
            (s.m == 16 && (s.k == 4 || s.k == 8 || s.k == 16)));
  }
  if (s.m != 16)
    return false;
  switch (s.a) {
  case Type::F16:
    return s.b == s.a && (floats || halves) && (s.k == 8 || s.k == 16);
  case Type::BF16:
    return s.b == s.a && floats && (s.k == 8 || s.k == 16);
  case Type::TF32:
    return s.b == s.a && floats && (s.k == 4 || s.k == 8);
  case Type::S8:
  case Type::U8:
    return (s.b == Type::S8 || s.b == Type::U8) && s.c == Type::S32 &&
           s.d == s.c && (s.k == 16 || s.k == 32);
  case Type::E4M3:
  case Type::E5M2:
    capability = 89;
    return (s.b == Type::E4M3 || s.b == Type::E5M2) && (floats || halves) &&
           s.k == 32;
  default:
    return false;
  }
}

bool decodeMma(Decoder &decoder) {
  Inst &inst = decoder.inst;
  auto &s = decoder.extra<Shape>();
  if (!decoder.take("sync") || !decoder.take("aligned"))
    return false;
  std::string shape = decoder.takeAny();
  if (std::sscanf(shape.c_str(), "m%un%uk%u", &s.m, &s.n, &s.k) != 3 ||
      s.n != 8 || !decoder.take("row") || !decoder.take("col"))
    return false;
  s.saturate = decoder.take("satfinite");
  s.d = decoder.takeType();
  s.a = decoder.takeType();
  s.b = decoder.takeType();
  s.c = decoder.takeType();
  unsigned capability = 0;
  if (!isKnown(s, capability))
    return false;
  if (!decoder.needs(capability) || !decoder.count(4))
    return false;
  bool wide = s.a == Type::F64;
  unsigned results = s.m * 8 / 32 / (s.d == Type::F16 ? 2 : 1);
  unsigned wanted[] = {results, s.m * s.k / 32 / perRegister(s.a),
                       s.k * 8 / 32 / perRegister(s.b), results};
  for (unsigned i = 0; i < 4; ++i)
    if (decoder.elements(i).size() != wanted[i])
      return decoder.fail("operand " + std::to_string(i + 1) + " has " +
                          std::to_string(wanted[i]) + " registers");
  auto join = [](std::vector<Operand> left, const std::vector<Operand> &right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  };
  Type type = wide ? Type::F64 : Type::B32;
  inst.count = uint8_t(results);
  return decoder.sources(join(decoder.elements(1), decoder.elements(2)), type,
                         inst.list) &&
         decoder.sources(join(decoder.elements(3), decoder.elements(0)), type,
                         inst.list2) &&
         finish(decoder, multiply);
}

constexpr Opcode kOpcodes[] = {{"mma", decodeMma}};

} // namespace

Family matrixFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
