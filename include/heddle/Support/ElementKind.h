// The element types of tensors, and exact conversions between their stored form
// and the four types that host code computes in: int64_t, uint64_t, double and
// std::complex<double>.
//
// double holds every value of every float type up to f64, and one operation in
// double rounded once to f32 or narrower is the correctly rounded result for
// + - * / and sqrt. So host code needs no arithmetic per type: it loads,
// computes and stores.

#ifndef HEDDLE_SUPPORT_ELEMENTKIND_H
#define HEDDLE_SUPPORT_ELEMENTKIND_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <complex>
#include <cstdint>
#include <optional>

namespace llvm {
struct fltSemantics;
} // namespace llvm

namespace heddle {

enum class ElementKind : uint8_t {
  I1,
  I2,
  I4,
  I8,
  I16,
  I32,
  I64,
  UI2,
  UI4,
  UI8,
  UI16,
  UI32,
  UI64,
  Index,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  BF16,
  F16,
  F32,
  F64,
  C64,
  C128,
};
constexpr unsigned kElementKinds = unsigned(ElementKind::C128) + 1;

/// What host code computes an element in: Boolean and Unsigned in uint64_t,
/// Signed in int64_t, Float in double, Complex in std::complex<double>.
enum class ElementClass : uint8_t { Boolean, Signed, Unsigned, Float, Complex };

/// The kind of an MLIR element type: signless integers count as signed; nothing
/// for other types.
std::optional<ElementKind> elementKind(mlir::Type type);
mlir::Type elementType(mlir::MLIRContext *context, ElementKind kind);

ElementClass elementClass(ElementKind kind);
/// Bits of a value: 1 for i1, 4 for ui4 and f4E2M1FN, 64 for complex<f32>.
unsigned bitWidth(ElementKind kind);
/// Bytes of a stored element: types below a byte take a whole one.
unsigned storedBytes(ElementKind kind);
/// Whether elements are integers of less than a byte that have a sign: in
/// memory it fills the byte, where MLIR's constants have zeros above the
/// element's bits.
bool isNarrowSigned(ElementKind kind);
bool isNarrowSigned(mlir::Type element);
/// Fills the bytes of such integers with their signs, whatever stood above
/// their bits; leaves elements of all other kinds as they are.
void extendSigns(ElementKind kind, llvm::MutableArrayRef<char> bytes);
/// "f32", "ui8", "complex<f64>" as MLIR writes them.
llvm::StringRef elementName(ElementKind kind);
/// For float kinds; the part's semantics for complex ones.
const llvm::fltSemantics &floatSemantics(ElementKind kind);
/// F32 for C64, F64 for C128, otherwise the kind itself.
ElementKind partKind(ElementKind kind);

/// Reads `count` elements of `kind`, stored at any alignment. Integers sign- or
/// zero-extend from their low bits. As double, integers are converted; as
/// complex, the imaginary part of others is 0. As integers, floats are not
/// readable (how to round is the caller's business).
void loadElements(ElementKind kind, const char *bytes, size_t count,
                  double *values);
void loadElements(ElementKind kind, const char *bytes, size_t count,
                  int64_t *values);
void loadElements(ElementKind kind, const char *bytes, size_t count,
                  uint64_t *values);
void loadElements(ElementKind kind, const char *bytes, size_t count,
                  std::complex<double> *values);

/// Writes elements. Integers wrap to the kind's width (i1: the low bit); floats
/// round to nearest even, overflow as the format says (to infinity, to NaN
/// where there is none, to the largest value where there is neither). Doubles
/// go to float and complex kinds, complex values to complex kinds only.
void storeElements(ElementKind kind, const double *values, size_t count,
                   char *bytes);
void storeElements(ElementKind kind, const int64_t *values, size_t count,
                   char *bytes);
void storeElements(ElementKind kind, const uint64_t *values, size_t count,
                   char *bytes);
void storeElements(ElementKind kind, const std::complex<double> *values,
                   size_t count, char *bytes);

/// The nearest value of a float kind (ties to even).
double roundToKind(ElementKind kind, double value);
/// The stored bits of `value` rounded to a float kind, and the value of bits.
uint64_t floatToBits(ElementKind kind, double value);
double bitsToFloat(ElementKind kind, uint64_t bits);

} // namespace heddle

#endif // HEDDLE_SUPPORT_ELEMENTKIND_H
