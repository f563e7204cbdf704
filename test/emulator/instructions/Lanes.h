// Instructions that compute each lane by itself, from a function of one lane.

#ifndef HEDDLE_TEST_EMULATOR_INSTRUCTIONS_LANES_H
#define HEDDLE_TEST_EMULATOR_INSTRUCTIONS_LANES_H

#include "test/emulator/machine/Decoder.h"
#include "test/emulator/machine/Warp.h"

namespace heddle::emulator {

/// Writes the lanes of `mask`; all of `result` is computed.
template <class T>
inline void writeLanes(Warp &warp, uint32_t offset, const T *result,
                       uint32_t mask) {
  T *into = warp.lanes<T>(offset);
  if (mask == ~0u) {
    std::memcpy(into, result, 32 * sizeof(T));
    return;
  }
  forLanes(mask, [&](unsigned lane) { into[lane] = result[lane]; });
}

template <class R, class A, R (*function)(A)>
void unary(Warp &warp, const Inst &inst, uint32_t mask) {
  const A *a = warp.lanes<A>(inst.a);
  R result[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    result[lane] = function(a[lane]);
  writeLanes(warp, inst.dst, result, mask);
}

template <class R, class A, class B, R (*function)(A, B)>
void binary(Warp &warp, const Inst &inst, uint32_t mask) {
  const A *a = warp.lanes<A>(inst.a);
  const B *b = warp.lanes<B>(inst.b);
  R result[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    result[lane] = function(a[lane], b[lane]);
  writeLanes(warp, inst.dst, result, mask);
}

template <class R, class A, class B, class C, R (*function)(A, B, C)>
void ternary(Warp &warp, const Inst &inst, uint32_t mask) {
  const A *a = warp.lanes<A>(inst.a);
  const B *b = warp.lanes<B>(inst.b);
  const C *c = warp.lanes<C>(inst.c);
  R result[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    result[lane] = function(a[lane], b[lane], c[lane]);
  writeLanes(warp, inst.dst, result, mask);
}

/// The types of the operands of a simple instruction: d, a[, b[, c]].
inline bool decodeOperands(Decoder &decoder, Type result, Type a,
                           Type b = Type::None, Type c = Type::None) {
  unsigned count = 2 + (b != Type::None) + (c != Type::None);
  return decoder.count(count) &&
         decoder.destination(0, result, decoder.inst.dst) &&
         decoder.source(1, a, decoder.inst.a) &&
         (b == Type::None || decoder.source(2, b, decoder.inst.b)) &&
         (c == Type::None || decoder.source(3, c, decoder.inst.c));
}

/// Emits what was decoded; a null handler is a form that is not known.
inline bool finish(Decoder &decoder, Handler handler) {
  if (!handler)
    return decoder.unknown();
  decoder.emit(handler);
  return true;
}

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_INSTRUCTIONS_LANES_H
