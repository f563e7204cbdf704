// Loads, stores and spreads blocks of elements in the types that the
// interpreter computes in.

#include "Lanes.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace heddle;
using namespace heddle::reference;

bool reference::hasBits(ElementKind kind) {
  return heddle::elementClass(kind) == ElementClass::Float &&
         kind != ElementKind::F64;
}

/// What lies above the bits of an element of less than a byte is none of it.
template <typename Stored>
static void readBits(ElementKind kind, const char *bytes, size_t count,
                     uint32_t *bits) {
  auto mask = llvm::maskTrailingOnes<Stored>(bitWidth(kind));
  for (size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, bytes + i * sizeof(Stored), sizeof(Stored));
    bits[i] = stored & mask;
  }
}

template <typename Stored>
static void writeBits(const uint32_t *bits, size_t count, char *bytes) {
  for (size_t i = 0; i < count; ++i) {
    auto stored = static_cast<Stored>(bits[i]);
    std::memcpy(bytes + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

void Lanes::load(ElementKind from, const char *bytes, size_t count,
                 size_t first) {
  bitsKnown = from == kind && hasBits(kind);
  if (bitsKnown)
    switch (storedBytes(kind)) {
    case 1:
      readBits<uint8_t>(kind, bytes, count, bits + first);
      break;
    case 2:
      readBits<uint16_t>(kind, bytes, count, bits + first);
      break;
    default:
      readBits<uint32_t>(kind, bytes, count, bits + first);
    }
  switch (elementClass()) {
  case ElementClass::Signed:
    return loadElements(from, bytes, count, as<int64_t>() + first);
  case ElementClass::Boolean:
  case ElementClass::Unsigned:
    return loadElements(from, bytes, count, as<uint64_t>() + first);
  case ElementClass::Float:
    return loadElements(from, bytes, count, as<double>() + first);
  case ElementClass::Complex:
    return loadElements(from, bytes, count, as<Complex>() + first);
  }
}

void Lanes::store(ElementKind to, size_t count, char *bytes,
                  size_t first) const {
  if (bitsKnown && to == kind)
    switch (storedBytes(kind)) {
    case 1:
      return writeBits<uint8_t>(bits + first, count, bytes);
    case 2:
      return writeBits<uint16_t>(bits + first, count, bytes);
    default:
      return writeBits<uint32_t>(bits + first, count, bytes);
    }
  switch (elementClass()) {
  case ElementClass::Signed:
    return storeElements(to, as<int64_t>() + first, count, bytes);
  case ElementClass::Boolean:
  case ElementClass::Unsigned:
    return storeElements(to, as<uint64_t>() + first, count, bytes);
  case ElementClass::Float:
    return storeElements(to, as<double>() + first, count, bytes);
  case ElementClass::Complex:
    return storeElements(to, as<Complex>() + first, count, bytes);
  }
}

void Lanes::splat(ElementKind from, const char *element, size_t count) {
  load(from, element, 1);
  if (elementClass() == ElementClass::Complex)
    std::fill(as<Complex>() + 1, as<Complex>() + count, *as<Complex>());
  else
    std::fill(as<uint64_t>() + 1, as<uint64_t>() + count, *as<uint64_t>());
  if (bitsKnown)
    std::fill(bits + 1, bits + count, bits[0]);
}

void Lanes::move(const Lanes &from, size_t count) {
  size_t width = elementClass() == ElementClass::Complex ? sizeof(Complex)
                                                         : sizeof(uint64_t);
  std::memcpy(storage, from.storage, count * width);
  bitsKnown = from.bitsKnown && from.kind == kind;
  if (bitsKnown)
    std::copy_n(from.bits, count, bits);
}

void Lanes::canonicalise(size_t count, unsigned width) {
  switch (elementClass()) {
  case ElementClass::Boolean:
  case ElementClass::Unsigned:
    if (width < 64)
      for (size_t i = 0; i < count; ++i)
        as<uint64_t>()[i] &= llvm::maskTrailingOnes<uint64_t>(width);
    return;
  case ElementClass::Signed:
    if (width < 64)
      for (size_t i = 0; i < count; ++i)
        as<int64_t>()[i] = llvm::SignExtend64(as<uint64_t>()[i], width);
    return;
  case ElementClass::Float:
    if (kind == ElementKind::F64 || bitsKnown)
      return;
    bitsKnown = true;
    for (size_t i = 0; i < count; ++i) {
      if (kind == ElementKind::F32) {
        float narrow = as<double>()[i];
        bits[i] = llvm::bit_cast<uint32_t>(narrow);
        as<double>()[i] = narrow;
        continue;
      }
      bits[i] = floatToBits(kind, as<double>()[i]);
      as<double>()[i] = bitsToFloat(kind, bits[i]);
    }
    return;
  case ElementClass::Complex:
    if (kind == ElementKind::C128)
      return;
    for (size_t i = 0; i < 2 * count; ++i)
      as<double>()[i] = float(as<double>()[i]);
    return;
  }
}
