// Reads and prints the words of a packing, and says what a packed weight is
// stored as.

#include "dialects/Kernel/Packing.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Kernel/NarrowPacking.h"
#include "runtime/format/WeightLayout.h"

#include <cstring>

using namespace mlir;
using namespace heddle;
using format::StoredLayout;
using format::WeightLayout;

static std::optional<WeightLayout> parse(StringRef text) {
  return WeightLayout::parse({text.data(), text.size()});
}

/// 0 for what has no bits.
static unsigned bitsOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bitsOf(complex.getElementType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

static std::optional<StoredLayout> layoutOf(StringRef packing,
                                            RankedTensorType value) {
  std::optional<WeightLayout> layout = parse(packing);
  if (!layout || !value.hasStaticShape())
    return std::nullopt;
  return layout->of(value.getShape().vec(), bitsOf(value.getElementType()));
}

bool kernel::isPacking(StringRef text) { return parse(text).has_value(); }

/// Whether the layout names the dimensions `names`, behind leading ones.
static bool names(const WeightLayout &layout, StringRef names) {
  std::string own;
  for (const WeightLayout::Dimension &dimension : layout.dimensions)
    for (const WeightLayout::Part &part : dimension)
      own += part.name;
  return layout.hasLeading && layout.dimensions.size() == 2 && own == names;
}

bool kernel::isMatrixPacking(StringRef text) {
  std::optional<WeightLayout> layout = parse(text);
  return layout && names(*layout, "kn");
}

std::optional<int64_t> kernel::filterGroups(StringRef text) {
  std::optional<WeightLayout> layout = parse(text);
  if (!layout || !names(*layout, "igo") || !layout->extent('g') ||
      layout->dimensions[1].size() != 2)
    return std::nullopt;
  return layout->extent('g');
}

std::string kernel::withGroups(StringRef text, int64_t groups) {
  return parse(text)->withExtent('g', groups).str();
}

unsigned kernel::leadingPosition(StringRef text) {
  std::optional<WeightLayout> layout = parse(text);
  unsigned position = 0;
  for (const WeightLayout::Factor &factor : layout->factors) {
    if (factor.name == '*')
      break;
    ++position;
  }
  return position;
}

std::string kernel::matrixPanels(int64_t columns) {
  std::string width = std::to_string(columns);
  return "* k n -> * n/" + width + " k n%" + width;
}

/// Panels of `columns` columns, of each as many rows side by side.
static std::string matrixRuns(int64_t columns, int64_t rows) {
  std::string width = std::to_string(columns), run = std::to_string(rows);
  return "* k n -> * n/" + width + " k/" + run + " n%" + width + " k%" + run;
}

std::string kernel::matrixNibbles(StringRef panels) {
  WeightLayout layout = *parse(panels);
  for (WeightLayout::Factor &factor : layout.factors)
    if (factor.name == 'k')
      factor.divisor = kNibbles;
  layout.factors.push_back({'k', 1, kNibbles});
  layout.word = {32, /*highFirst=*/false};
  return layout.str();
}

static std::string filterRuns(int64_t columns, int64_t groups,
                              int64_t channels) {
  std::string width = std::to_string(columns), run = std::to_string(channels);
  return "* i (g=" + std::to_string(groups) + " o) -> g o/" + width + " * i/" +
         run + " o%" + width + " i%" + run;
}

std::string kernel::matrixQuads(int64_t columns) {
  return matrixRuns(columns, kQuad);
}

std::string kernel::matrixPairs(int64_t columns) {
  return matrixRuns(columns, kPair);
}

std::string kernel::filterPanels(int64_t columns, int64_t groups) {
  std::string width = std::to_string(columns);
  return "* i (g=" + std::to_string(groups) + " o) -> g o/" + width +
         " * i o%" + width;
}

std::string kernel::filterQuads(int64_t columns, int64_t groups) {
  return filterRuns(columns, groups, kQuad);
}

std::string kernel::filterPairs(int64_t columns, int64_t groups) {
  return filterRuns(columns, groups, kPair);
}

RankedTensorType kernel::storedType(StringRef packing, RankedTensorType value) {
  std::optional<StoredLayout> layout = layoutOf(packing, value);
  if (!layout)
    return {};
  Type element = value.getElementType();
  if (parse(packing)->word.bits)
    element = IntegerType::get(value.getContext(), layout->unitBits());
  return RankedTensorType::get(layout->shape(), element);
}

/// Calls `visit` with the number of each element, and where its bits are
/// stored.
static void forEachElement(const StoredLayout &layout, ArrayRef<int64_t> shape,
                           llvm::function_ref<void(int64_t, int64_t)> visit) {
  int64_t count = ShapedType::getNumElements(shape);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t number = 0; number < count; ++number) {
    visit(number, layout.bitOffset(index.data()));
    for (size_t i = shape.size(); i-- > 0;) {
      if (++index[i] < shape[i])
        break;
      index[i] = 0;
    }
  }
}

/// Bits of an element that shares a byte with others; 0 for others.
static unsigned sharedBits(StringRef packing, RankedTensorType value) {
  return parse(packing)->word.bits ? bitsOf(value.getElementType()) : 0;
}

static int64_t bytesOf(RankedTensorType value) {
  return (bitsOf(value.getElementType()) + 7) / 8;
}

void kernel::packElements(StringRef packing, RankedTensorType value,
                          const char *from, char *to) {
  unsigned shared = sharedBits(packing, value);
  int64_t bytes = bytesOf(value);
  forEachElement(*layoutOf(packing, value), value.getShape(),
                 [&](int64_t number, int64_t bit) {
                   if (!shared) {
                     std::memcpy(to + bit / 8, from + number * bytes, bytes);
                     return;
                   }
                   unsigned mask = (1u << shared) - 1;
                   to[bit / 8] |= char((from[number] & mask) << bit % 8);
                 });
}

void kernel::unpackElements(StringRef packing, RankedTensorType value,
                            const char *from, char *to) {
  unsigned shared = sharedBits(packing, value);
  int64_t bytes = bytesOf(value);
  auto integer = dyn_cast<IntegerType>(value.getElementType());
  // A byte holds a number with its sign; booleans and bits of floats have none.
  bool isSigned = integer && !integer.isUnsigned() && !integer.isInteger(1);
  forEachElement(
      *layoutOf(packing, value), value.getShape(),
      [&](int64_t number, int64_t bit) {
        if (!shared) {
          std::memcpy(to + number * bytes, from + bit / 8, bytes);
          return;
        }
        unsigned unused = 8 - shared;
        auto high = static_cast<unsigned char>(
            static_cast<unsigned char>(from[bit / 8]) >> bit % 8 << unused);
        to[number] = isSigned ? static_cast<signed char>(high) >> unused
                              : high >> unused;
      });
}
