// Loads, stores and spreads blocks of elements in the types that the
// interpreter computes in.

#include "Lanes.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace heddle;
using namespace heddle::reference;

void Lanes::load(ElementKind from, const char *bytes, size_t count) {
  switch (elementClass()) {
  case ElementClass::Signed:
    return loadElements(from, bytes, count, as<int64_t>());
  case ElementClass::Boolean:
  case ElementClass::Unsigned:
    return loadElements(from, bytes, count, as<uint64_t>());
  case ElementClass::Float:
    return loadElements(from, bytes, count, as<double>());
  case ElementClass::Complex:
    return loadElements(from, bytes, count, as<Complex>());
  }
}

void Lanes::store(ElementKind to, size_t count, char *bytes) const {
  switch (elementClass()) {
  case ElementClass::Signed:
    return storeElements(to, as<int64_t>(), count, bytes);
  case ElementClass::Boolean:
  case ElementClass::Unsigned:
    return storeElements(to, as<uint64_t>(), count, bytes);
  case ElementClass::Float:
    return storeElements(to, as<double>(), count, bytes);
  case ElementClass::Complex:
    return storeElements(to, as<Complex>(), count, bytes);
  }
}

void Lanes::splat(ElementKind from, const char *element, size_t count) {
  load(from, element, 1);
  if (elementClass() == ElementClass::Complex)
    std::fill(as<Complex>() + 1, as<Complex>() + count, *as<Complex>());
  else
    std::fill(as<uint64_t>() + 1, as<uint64_t>() + count, *as<uint64_t>());
}

void Lanes::canonicalise(size_t count) {
  unsigned width = bitWidth(kind);
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
    if (kind == ElementKind::F64)
      return;
    if (kind == ElementKind::F32) {
      for (size_t i = 0; i < count; ++i)
        as<double>()[i] = float(as<double>()[i]);
      return;
    }
    for (size_t i = 0; i < count; ++i)
      as<double>()[i] = roundToKind(kind, as<double>()[i]);
    return;
  case ElementClass::Complex:
    if (kind == ElementKind::C128)
      return;
    for (size_t i = 0; i < 2 * count; ++i)
      as<double>()[i] = float(as<double>()[i]);
    return;
  }
}
