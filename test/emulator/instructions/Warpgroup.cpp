// wgmma: products of 64 rows that a warpgroup computes from shared memory,
// asynchronously. Each warp computes its 16 rows, at the latest when it waits;
// until then the registers of results hold NaNs.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Fragments.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/machine/Async.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Races.h"

#include <algorithm>
#include <cstdio>

namespace heddle::emulator {
namespace {

struct Product {
  unsigned n, k;
  Type a, b, d;
  bool aInRegisters, transposeA, transposeB;
  float scaleA, scaleB;
};

/// A matrix in shared memory, as the ISA's "Matrix Descriptor Format" has it:
/// rows are those of M or N.
struct Descriptor {
  explicit Descriptor(uint64_t bits)
      : start(uint32_t(bits & 0x3fff) << 4),
        leading(uint32_t(bits >> 16 & 0x3fff) << 4),
        stride(uint32_t(bits >> 32 & 0x3fff) << 4), baseOffset(bits >> 49 & 7),
        swizzle(unsigned(bits >> 62)) {}

  /// The place of the byte `byte` along the dimension that is contiguous, in
  /// line `line` of the other one.
  uint32_t address(bool rowsContiguous, unsigned line, unsigned byte) const {
    static constexpr unsigned kWidths[] = {16, 128, 64, 32};
    unsigned width = kWidths[swizzle];
    uint32_t at = start + line % 8 * width + byte % width;
    if (swizzle == 0)
      // 8 lines of 16 bytes; along K the leading offset leads on, across it
      // the stride, and the other way round where rows are contiguous.
      at += rowsContiguous ? line / 8 * leading + byte / width * stride
                           : line / 8 * stride + byte / width * leading;
    else
      at += line / 8 * stride + byte / width * leading;
    static constexpr unsigned kBits[] = {0, 7, 3, 1};
    return at ^ ((at >> 7 & kBits[swizzle]) << 4);
  }

  uint32_t start, leading, stride;
  unsigned baseOffset, swizzle;
};

/// The element of row `row` (of M or N) and column `k`.
bool element(Warp &warp, const Descriptor &from, Type type, bool transposed,
             unsigned row, unsigned k, float &value) {
  unsigned bytes = bytesOf(type);
  uint32_t at = transposed ? from.address(true, k, row * bytes)
                           : from.address(false, row, k * bytes);
  const uint8_t *memory = warp.shared(at, bytes, 0, false);
  if (!memory)
    return false;
  uint32_t bits = 0;
  std::memcpy(&bits, memory, bytes);
  value = floatOf(type, bits);
  return true;
}

std::vector<uint32_t> &accumulatorsOf(Warp &warp, const Inst &inst) {
  for (Accumulators &known : warp.async->accumulators)
    if (std::equal(inst.list, inst.list + inst.target, known.inst->list,
                   known.inst->list + known.inst->target))
      return known.values;
  warp.async->accumulators.push_back({&inst, {}});
  auto &values = warp.async->accumulators.back().values;
  for (unsigned i = 0; i < inst.target; ++i) {
    auto *lanes = warp.lanes<uint32_t>(inst.list[i]);
    values.insert(values.end(), lanes, lanes + 32);
    std::fill(lanes, lanes + 32, 0x7fffdead);
  }
  return values;
}

void compute(Warp &warp, const WarpgroupProduct &work) {
  const Inst &inst = *work.inst;
  const auto &p = *static_cast<const Product *>(inst.extra);
  static thread_local float a[16][32], b[32][256], sum[16][256];
  unsigned firstRow = warp.index % 4 * 16;
  if (p.aInRegisters) {
    unsigned per = 32 / bitsOf(p.a);
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned j = 0; j < per; ++j) {
          Place at = placeOfA(lane, i, j, per, true);
          uint32_t bits = warp.lanes<uint32_t>(inst.list2[i])[lane];
          a[at.row][at.column] = floatOf(p.a, bits >> (j * bitsOf(p.a) % 32));
        }
  } else {
    Descriptor from(work.a);
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned k = 0; k < p.k; ++k)
        if (!element(warp, from, p.a, p.transposeA, firstRow + row, k,
                     a[row][k]))
          return;
  }
  Descriptor from(work.b);
  for (unsigned column = 0; column < p.n; ++column)
    for (unsigned k = 0; k < p.k; ++k)
      if (!element(warp, from, p.b, p.transposeB, column, k, b[k][column]))
        return;
  for (unsigned row = 0; row < 16; ++row) {
    std::fill(sum[row], sum[row] + p.n, 0.0f);
    for (unsigned k = 0; k < p.k; ++k) {
      float x = a[row][k] * p.scaleA * p.scaleB;
      for (unsigned column = 0; column < p.n; ++column)
        sum[row][column] += x * b[k][column];
    }
  }
  std::vector<uint32_t> &values = accumulatorsOf(warp, inst);
  for (unsigned i = 0; i < p.n / 2; ++i)
    for (unsigned lane = 0; lane < 32; ++lane) {
      Place at = placeOfC(lane, i % 4);
      float value = sum[at.row][i / 4 * 8 + at.column];
      if (p.d == Type::F32) {
        uint32_t &into = values[i * 32 + lane];
        if (work.accumulates)
          value += bitCast<float>(into);
        into = bitCast<uint32_t>(canonical(value));
        continue;
      }
      uint32_t &into = values[i / 2 * 32 + lane];
      unsigned shift = i & 1 ? 16 : 0;
      if (work.accumulates)
        value += halfToFloat(uint16_t(into >> shift));
      into = (into & (0xffff0000u >> shift)) |
             uint32_t(floatToHalf(canonical(value))) << shift;
    }
}

/// Ends the products of all groups before `group`, and gives registers their
/// results where no later product works on them.
void completeBefore(Warp &warp, uint32_t group) {
  WarpAsync &async = *warp.async;
  if (Races *races = warp.cta.races.get()) {
    std::vector<SharedRange> done, underWay;
    for (const WarpgroupProduct &product : async.products) {
      auto &ranges = product.group < group ? done : underWay;
      ranges.insert(ranges.end(), product.reads.begin(), product.reads.end());
    }
    races->finishReads(warp, done, underWay);
  }
  while (!async.products.empty() && async.products.front().group < group &&
         !warp.launch.failed()) {
    compute(warp, async.products.front());
    async.products.erase(async.products.begin());
  }
  for (size_t i = 0; i < async.accumulators.size();) {
    Accumulators &done = async.accumulators[i];
    const Inst &inst = *done.inst;
    bool busy = std::any_of(async.products.begin(), async.products.end(),
                            [&](const WarpgroupProduct &product) {
                              return std::equal(
                                  inst.list, inst.list + inst.target,
                                  product.inst->list,
                                  product.inst->list + product.inst->target);
                            });
    if (busy) {
      ++i;
      continue;
    }
    for (unsigned r = 0; r < inst.target; ++r)
      std::copy_n(done.values.begin() + r * 32, 32,
                  warp.lanes<uint32_t>(inst.list[r]));
    async.accumulators.erase(async.accumulators.begin() + long(i));
  }
}

/// Adds the pieces of 16 bytes of `lines` rows of M, N or K from `first` on.
void addReads(const Descriptor &from, bool rowsContiguous, unsigned first,
              unsigned lines, unsigned firstByte, unsigned bytes,
              std::vector<SharedRange> &reads) {
  for (unsigned line = first; line < first + lines; ++line)
    for (unsigned byte = firstByte; byte < firstByte + bytes; byte += 16)
      reads.push_back({from.address(rowsContiguous, line, byte), 16});
}

/// What a warp reads in a product: its 16 rows of A, where these are in shared
/// memory, and all of B.
std::vector<SharedRange> readsOf(Warp &warp, const Product &p,
                                 const WarpgroupProduct &work) {
  std::vector<SharedRange> reads;
  unsigned bytes = bytesOf(p.a), firstRow = warp.index % 4 * 16;
  if (!p.aInRegisters) {
    if (p.transposeA)
      addReads(Descriptor(work.a), true, 0, p.k, firstRow * bytes, 16 * bytes,
               reads);
    else
      addReads(Descriptor(work.a), false, firstRow, 16, 0, p.k * bytes, reads);
  }
  if (p.transposeB)
    addReads(Descriptor(work.b), true, 0, p.k, 0, p.n * bytes, reads);
  else
    addReads(Descriptor(work.b), false, 0, p.n, 0, p.k * bytes, reads);
  return reads;
}

void issue(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!warp.converged(~0u, mask))
    return;
  const auto &p = *static_cast<const Product *>(inst.extra);
  accumulatorsOf(warp, inst);
  uint64_t a = p.aInRegisters ? 0 : warp.lanes<uint64_t>(inst.a)[0];
  warp.async->products.push_back({&inst,
                                  a,
                                  warp.lanes<uint64_t>(inst.b)[0],
                                  (warp.predicate(inst.c) & 1) != 0,
                                  warp.async->productGroup,
                                  {}});
  if (Races *races = warp.cta.races.get()) {
    WarpgroupProduct &work = warp.async->products.back();
    work.reads = readsOf(warp, p, work);
    for (SharedRange range : work.reads)
      if (warp.shared(range.at, range.bytes, 0, false))
        races->startRead(warp, range);
  }
}

void fence(Warp &warp, const Inst &, uint32_t mask) {
  warp.converged(~0u, mask);
}

void commit(Warp &warp, const Inst &, uint32_t mask) {
  if (!warp.converged(~0u, mask))
    return;
  ++warp.async->productGroup;
  // Some end at once; none does where races are looked for, since only a wait
  // tells that they have.
  if (!warp.cta.races && warp.launch.random.below(4) == 0)
    completeBefore(warp, warp.async->productGroup);
}

/// target: groups that may still be under way.
void waitGroup(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!warp.converged(~0u, mask))
    return;
  uint32_t group = warp.async->productGroup;
  completeBefore(warp, group > inst.target ? group - inst.target : 0);
}

bool decodeProduct(Decoder &decoder) {
  Inst &inst = decoder.inst;
  auto &p = decoder.extra<Product>();
  if (!decoder.take("sync") || !decoder.take("aligned"))
    return false;
  unsigned m = 0;
  std::string shape = decoder.takeAny();
  if (std::sscanf(shape.c_str(), "m%un%uk%u", &m, &p.n, &p.k) != 3 || m != 64 ||
      p.n % 8 || p.n < 8 || p.n > 256)
    return false;
  p.d = decoder.takeType();
  p.a = decoder.takeType();
  p.b = decoder.takeType();
  bool half = p.a == Type::F16 || p.a == Type::BF16;
  bool eighth = p.a == Type::E4M3 || p.a == Type::E5M2;
  bool eighthB = p.b == Type::E4M3 || p.b == Type::E5M2;
  if ((!half && !eighth && p.a != Type::TF32) ||
      (eighth ? !eighthB : p.b != p.a) || p.k * bitsOf(p.a) != 256)
    return false;
  bool halfResult = p.d == Type::F16 && (p.a == Type::F16 || eighth);
  if (p.d != Type::F32 && !halfResult)
    return false;
  p.aInRegisters = decoder.operands() > 1 &&
                   decoder.operand(1).kind == Operand::Kind::Vector;
  unsigned transposes = half ? (p.aInRegisters ? 1 : 2) : 0;
  if (!decoder.needs(90) || !decoder.count(6 + transposes))
    return false;
  int64_t scaleA = 0, scaleB = 0, a = 0, b = 0;
  if (!decoder.literal(4, scaleA) || !decoder.literal(5, scaleB) ||
      (transposes == 2 && !decoder.literal(6, a)) ||
      (transposes && !decoder.literal(5 + transposes, b)))
    return false;
  p.scaleA = float(scaleA);
  p.scaleB = float(scaleB);
  p.transposeA = a;
  p.transposeB = b;
  auto results = decoder.elements(0);
  inst.target = p.n / (p.d == Type::F32 ? 2 : 4);
  if (results.size() != inst.target)
    return decoder.fail("takes " + std::to_string(inst.target) +
                        " registers of results");
  if (p.aInRegisters
          ? decoder.elements(1).size() != 4 ||
                !decoder.sources(decoder.elements(1), Type::B32, inst.list2)
          : !decoder.source(1, Type::B64, inst.a))
    return false;
  return decoder.destinations(results, Type::B32, inst.list) &&
         decoder.source(2, Type::B64, inst.b) &&
         decoder.source(3, Type::Pred, inst.c) && finish(decoder, issue);
}

bool decodeWgmma(Decoder &decoder) {
  if (decoder.take("mma_async"))
    return decodeProduct(decoder);
  int which = decoder.takeOneOf({"fence", "commit_group", "wait_group"});
  if (which < 0 || !decoder.take("sync") || !decoder.take("aligned") ||
      !decoder.needs(90) || !decoder.count(which == 2 ? 1 : 0))
    return false;
  if (which < 2)
    return finish(decoder, which ? commit : fence);
  int64_t groups = 0;
  if (!decoder.literal(0, groups))
    return false;
  decoder.inst.target = uint32_t(groups);
  return finish(decoder, waitGroup);
}

constexpr Opcode kOpcodes[] = {{"wgmma", decodeWgmma}};

} // namespace

Family warpgroupFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
