// How the elements of a weight lie in memory: a text with a meaning, from which
// follows where each element is stored.
//
//   * k n -> * n/32 k n%32
//
// Left of the arrow stand names for the dimensions of the logical tensor, `*`
// for any number before them; a dimension may be taken apart: `(g=2 o)` is two
// groups of as many o. Right of it stand factors, the outermost first: each is
// one of the digits that an index is split into. `n/32` counts whole 32s of n,
// `n%32` what is left, `k/2%4` the digit between; where the digits of an extent
// do not come out even, what is stored beyond it is zero. So above: panels of
// 32 columns, in each all rows. Others:
//
//   * k n -> * n/16 k/4 n%16 k%4              quads of rows, for VNNI
//   * k n -> * n/16 k/32 k/2%16 n%16 k%2      AMX tiles: 16 rows of 64 bytes
//   k n -> n/8 k/16 n%8 k/2%4 k/8%2 k%2       mma.m16n8k16: B of lane, register
//   * k n -> * n/32 k/2 n%32 k%2 in u8        two of 4 bits in a byte, the
//                                             first in its low bits
//   * k n -> * n/32 k/8 n%32 k%8 in u32 high  eight in a word, the first in its
//                                             highest bits; words are
//                                             little-endian

#ifndef HEDDLE_RUNTIME_FORMAT_WEIGHTLAYOUT_H
#define HEDDLE_RUNTIME_FORMAT_WEIGHTLAYOUT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::format {

class StoredLayout;

class WeightLayout {
public:
  /// A named part of a dimension; all but a dimension's last have an extent.
  struct Part {
    char name = 0;
    int64_t extent = 0;
  };
  using Dimension = std::vector<Part>;
  /// The digit (index / divisor) % modulus of the part called `name`. A modulus
  /// of 0 is none. `*` stands for the leading dimensions as they are.
  struct Factor {
    char name = 0;
    int64_t divisor = 1;
    int64_t modulus = 0;
  };
  /// Words that elements of less than a byte share; none if `bits` is 0.
  struct Word {
    unsigned bits = 0;
    /// Which end of a word its first element takes.
    bool highFirst = false;
  };

  /// Nothing if `text` is no layout: its factors must be the digits of each
  /// part, each once. Every layout is written in one way.
  static std::optional<WeightLayout> parse(std::string_view text);
  std::string str() const;

  /// The layout of a tensor with `shape`, of elements of `elementBits`. Nothing
  /// if it does not fit: too few dimensions, a part that does not divide its
  /// dimension, words that elements do not fill, too many bytes.
  std::optional<StoredLayout> of(const std::vector<int64_t> &shape,
                                 unsigned elementBits) const;

  /// The extent of the part called `name`; 0 if it has none.
  int64_t extent(char name) const;
  /// The same layout with another extent for the part called `name`.
  WeightLayout withExtent(char name, int64_t extent) const;

  bool hasLeading = false;
  std::vector<Dimension> dimensions;
  std::vector<Factor> factors;
  Word word;

private:
  bool isComplete() const;
};

/// The layout of one tensor.
class StoredLayout {
public:
  /// A factor: how many values it takes, and how many elements lie between two
  /// of them.
  struct Digit {
    unsigned part = 0;
    int64_t divisor = 1;
    int64_t extent = 1;
    int64_t stride = 1;
  };
  /// A part of a dimension, or a leading dimension.
  struct Part {
    unsigned dimension = 0;
    int64_t extent = 1;
    /// Between two of it, in the index of its dimension.
    int64_t stride = 1;
  };

  /// Extents of what is stored, the outermost first: the leading dimensions and
  /// a digit for each other factor. The last counts words where there are such.
  const std::vector<int64_t> &shape() const { return storedShape; }
  /// Of an element, or of a word where there are such.
  unsigned unitBits() const { return word.bits ? word.bits : elementBits; }
  int64_t bytes() const { return elements * elementBits / 8; }
  bool isInWords() const { return word.bits; }
  /// Bits of an element as it is stored: those of bytes where it has no word.
  unsigned elementWidth() const { return elementBits; }
  /// Where the element begins that is number `position` of those stored.
  int64_t bitOfElement(int64_t position) const;

  const std::vector<Part> &parts() const { return partList; }
  const std::vector<Digit> &digits() const { return digitList; }

  /// Where the element at `index` begins, in bits; those of a byte are counted
  /// from its lowest.
  int64_t bitOffset(const int64_t *index) const;
  /// The reverse: the index of the element that begins at `bitOffset`. False
  /// where there is none, but zeros.
  bool indexAt(int64_t bitOffset, int64_t *index) const;

private:
  friend class WeightLayout;

  std::vector<int64_t> logicalShape, storedShape;
  std::vector<Part> partList;
  std::vector<Digit> digitList;
  WeightLayout::Word word;
  unsigned elementBits = 8;
  int64_t elements = 1;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_WEIGHTLAYOUT_H
