// Matrices of 8 x 8 halves between shared memory and the lanes of a warp:
// ldmatrix, stmatrix, movmatrix.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Races.h"

namespace heddle::emulator {
namespace {

/// The half `j` of lane `lane` is the element of this row and column.
void placeOf(unsigned lane, unsigned j, bool transposed, unsigned &row,
             unsigned &column) {
  row = lane / 4;
  column = lane % 4 * 2 + j;
  if (transposed)
    std::swap(row, column);
}

/// The rows of matrix m begin at the addresses of lanes 8m to 8m + 7. mode 1:
/// transposed; count: matrices.
template <bool store>
void matrices(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!warp.converged(~0u, mask))
    return;
  for (unsigned m = 0; m < inst.count; ++m) {
    uint16_t *rows[8];
    for (unsigned row = 0; row < 8; ++row) {
      unsigned lane = m * 8 + row;
      uint64_t base = inst.flags & 0x80 ? warp.lanes<uint32_t>(inst.a)[lane]
                                        : warp.lanes<uint64_t>(inst.a)[lane];
      uint8_t *at = warp.memory(inst.space, base + uint64_t(inst.offset), 16,
                                lane, store);
      if (!at)
        return;
      if (Races *races = warp.cta.races.get()) {
        uint16_t stored[8];
        for (unsigned i = 0; store && i < 64; ++i) {
          unsigned to, column;
          placeOf(i / 2, i % 2, inst.mode, to, column);
          if (to == row)
            stored[column] = warp.lanes<uint16_t>(inst.list[m])[i];
        }
        races->access(warp, at, 16,
                      store ? reinterpret_cast<uint8_t *>(stored) : nullptr);
      }
      rows[row] = reinterpret_cast<uint16_t *>(at);
    }
    auto *halves = warp.lanes<uint16_t>(inst.list[m]);
    for (unsigned i = 0; i < 64; ++i) {
      unsigned row, column;
      placeOf(i / 2, i % 2, inst.mode, row, column);
      if (store)
        rows[row][column] = halves[i];
      else
        halves[i] = rows[row][column];
    }
  }
}

bool decodeMatrices(Decoder &decoder) {
  Inst &inst = decoder.inst;
  bool store = decoder.statement->parts[0] == "stmatrix";
  bool plain =
      decoder.take("sync") && decoder.take("aligned") && decoder.take("m8n8");
  int count = decoder.takeOneOf({"x1", "x2", "x4"});
  inst.mode = decoder.take("trans") ? 1 : 0;
  Space space = decoder.take("shared") || decoder.take("shared::cta")
                    ? Space::Shared
                    : Space::None;
  if (!plain || count < 0 || decoder.takeType() != Type::B16 ||
      !decoder.count(2) || (store && !decoder.needs(90)))
    return false;
  inst.count = uint8_t(1u << count);
  auto registers = decoder.elements(store ? 1 : 0);
  if (registers.size() != inst.count)
    return decoder.fail("takes " + std::to_string(inst.count) + " registers");
  return (store ? decoder.sources(registers, Type::B32, inst.list)
                : decoder.destinations(registers, Type::B32, inst.list)) &&
         decoder.address(store ? 0 : 1, space) &&
         finish(decoder, store ? matrices<true> : matrices<false>);
}

void transpose(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!warp.converged(~0u, mask))
    return;
  uint16_t from[64];
  std::memcpy(from, warp.lanes<uint16_t>(inst.a), sizeof from);
  for (unsigned i = 0; i < 64; ++i)
    warp.lanes<uint16_t>(inst.dst)[i] = from[i % 8 * 8 + i / 8];
}

bool decodeMovmatrix(Decoder &decoder) {
  return decoder.take("sync") && decoder.take("aligned") &&
         decoder.take("m8n8") && decoder.take("trans") &&
         decoder.takeType() == Type::B16 &&
         decodeOperands(decoder, Type::B32, Type::B32) &&
         finish(decoder, transpose);
}

constexpr Opcode kOpcodes[] = {{"ldmatrix", decodeMatrices},
                               {"stmatrix", decodeMatrices},
                               {"movmatrix", decodeMovmatrix}};

} // namespace

Family matrixMoveFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
