// Reading layouts of weights, from files that may be hostile, and where each
// element of one lies.

#include "runtime/format/WeightLayout.h"

#include <algorithm>

using namespace heddle::format;

/// No weight has more bytes, so that sums of two do not overflow.
static constexpr int64_t mostBytes = int64_t(1) << 46;
/// More would be a mistake: layouts describe what a kernel reads at once.
static constexpr size_t mostText = 256, mostFactors = 16, mostDimensions = 32;
static constexpr int64_t mostExtent = int64_t(1) << 30, mostBlock = int64_t(1)
                                                                    << 20;

namespace {
/// Goes through a text.
class Reader {
public:
  explicit Reader(std::string_view text) : rest(text) {}

  bool atEnd() const { return rest.empty(); }
  bool consume(std::string_view word) {
    if (rest.substr(0, word.size()) != word)
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  bool name(char &name) {
    if (rest.empty() || rest[0] < 'a' || rest[0] > 'z')
      return false;
    name = rest[0];
    rest.remove_prefix(1);
    return true;
  }
  /// From 1 to the most that makes sense.
  bool number(int64_t &number) {
    number = 0;
    size_t length = 0;
    while (length < rest.size() && rest[length] >= '0' && rest[length] <= '9') {
      number = number * 10 + (rest[length++] - '0');
      if (number > mostExtent)
        return false;
    }
    rest.remove_prefix(length);
    return length && number >= 1;
  }

private:
  std::string_view rest;
};
} // namespace

/// `n`, or `(g=2 o)`.
static bool readDimension(Reader &reader, WeightLayout::Dimension &dimension) {
  WeightLayout::Part part;
  if (!reader.consume("(")) {
    dimension.push_back(part);
    return reader.name(dimension.back().name);
  }
  while (reader.name(part.name)) {
    if (!reader.consume("=")) {
      dimension.push_back({part.name, 0});
      return dimension.size() > 1 && reader.consume(")");
    }
    if (!reader.number(part.extent) || !reader.consume(" ") ||
        dimension.size() == mostFactors)
      return false;
    dimension.push_back(part);
  }
  return false;
}

/// `*`, `n/32`, `n%32` or `k/2%4`.
static bool readFactor(Reader &reader, WeightLayout::Factor &factor) {
  if (reader.consume("*")) {
    factor.name = '*';
    return true;
  }
  return reader.name(factor.name) &&
         (!reader.consume("/") || reader.number(factor.divisor)) &&
         (!reader.consume("%") || reader.number(factor.modulus));
}

/// `u8`, or `u32 high`.
static bool readWord(Reader &reader, WeightLayout::Word &word) {
  int64_t bits = 0;
  if (!reader.consume("u") || !reader.number(bits))
    return false;
  word.bits = unsigned(bits);
  word.highFirst = reader.consume(" high");
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

std::optional<WeightLayout> WeightLayout::parse(std::string_view text) {
  WeightLayout layout;
  if (text.size() > mostText)
    return std::nullopt;
  Reader reader(text);
  layout.hasLeading = reader.consume("* ");
  while (!reader.consume("->"))
    if (layout.dimensions.size() == mostFactors ||
        !readDimension(reader, layout.dimensions.emplace_back()) ||
        !reader.consume(" "))
      return std::nullopt;
  while (!reader.atEnd()) {
    if (!reader.consume(" "))
      return std::nullopt;
    if (reader.consume("in ")) {
      if (!readWord(reader, layout.word) || !reader.atEnd())
        return std::nullopt;
      break;
    }
    if (layout.factors.size() == mostFactors ||
        !readFactor(reader, layout.factors.emplace_back()))
      return std::nullopt;
  }
  if (!layout.isComplete() || layout.str() != text)
    return std::nullopt;
  return layout;
}

bool WeightLayout::isComplete() const {
  size_t leading = 0, used = 0;
  for (const Factor &factor : factors)
    leading += factor.name == '*';
  if (leading != (hasLeading ? 1 : 0))
    return false;
  std::string names;
  int64_t block = 1; // of all digits but the highest
  for (const Dimension &dimension : dimensions)
    for (const Part &part : dimension) {
      if (names.find(part.name) != std::string::npos)
        return false;
      names += part.name;
      // From the lowest digit on, each begins where the one below ends; the
      // highest goes on for as long as there is.
      std::vector<Factor> digits;
      for (const Factor &factor : factors)
        if (factor.name == part.name)
          digits.push_back(factor);
      used += digits.size();
      std::sort(digits.begin(), digits.end(),
                [](const Factor &a, const Factor &b) {
                  return a.divisor < b.divisor;
                });
      int64_t next = 1;
      for (size_t i = 0; i < digits.size(); ++i) {
        bool isHighest = i + 1 == digits.size();
        if (digits[i].divisor != next ||
            (digits[i].modulus == 0) != isHighest || digits[i].modulus == 1)
          return false;
        int64_t values = isHighest ? 1 : digits[i].modulus;
        next *= values;
        block *= values;
        if (block > mostBlock)
          return false;
      }
      if (digits.empty())
        return false;
    }
  return !dimensions.empty() && used + leading == factors.size();
}

std::string WeightLayout::str() const {
  std::string text;
  if (hasLeading)
    text += "* ";
  for (const Dimension &dimension : dimensions) {
    if (dimension.size() > 1)
      text += "(";
    for (const Part &part : dimension) {
      text += part.name;
      if (&part != &dimension.back())
        text += "=" + std::to_string(part.extent) + " ";
    }
    text += dimension.size() > 1 ? ") " : " ";
  }
  text += "->";
  for (const Factor &factor : factors) {
    text += std::string(" ") + factor.name;
    if (factor.divisor != 1)
      text += "/" + std::to_string(factor.divisor);
    if (factor.modulus)
      text += "%" + std::to_string(factor.modulus);
  }
  if (word.bits)
    text += " in u" + std::to_string(word.bits);
  if (word.highFirst)
    text += " high";
  return text;
}

int64_t WeightLayout::extent(char name) const {
  for (const Dimension &dimension : dimensions)
    for (const Part &part : dimension)
      if (part.name == name)
        return part.extent;
  return 0;
}

WeightLayout WeightLayout::withExtent(char name, int64_t extent) const {
  WeightLayout other = *this;
  for (Dimension &dimension : other.dimensions)
    for (Part &part : dimension)
      if (part.name == name && part.extent)
        part.extent = extent;
  return other;
}

std::optional<StoredLayout> WeightLayout::of(const std::vector<int64_t> &shape,
                                             unsigned elementBits) const {
  size_t rank = shape.size();
  if (rank > mostDimensions || rank < dimensions.size() ||
      (!hasLeading && rank > dimensions.size()) || !elementBits)
    return std::nullopt;
  StoredLayout stored;
  stored.logicalShape = shape;
  stored.word = word;
  // Words hold several elements of equal width; without words an element of
  // less than a byte takes one.
  if (word.bits && (elementBits >= 8 || word.bits % elementBits))
    return std::nullopt;
  stored.elementBits = word.bits ? elementBits : (elementBits + 7) / 8 * 8;

  for (int64_t extent : shape)
    if (extent < 0 || extent > mostBytes)
      return std::nullopt;
  size_t leading = rank - dimensions.size();
  for (size_t i = 0; i < leading; ++i)
    stored.partList.push_back({unsigned(i), shape[i], 1});
  std::string names; // of parts beyond the leading ones
  for (size_t i = 0; i < dimensions.size(); ++i) {
    int64_t product = 1;
    for (const Part &part : dimensions[i])
      if (__builtin_mul_overflow(product, part.extent ? part.extent : 1,
                                 &product) ||
          product > mostBytes)
        return std::nullopt;
    int64_t extent = shape[leading + i];
    if (extent % product)
      return std::nullopt;
    int64_t last = extent / product, stride = extent;
    for (const Part &part : dimensions[i]) {
      int64_t own = part.extent ? part.extent : last;
      stride = own ? stride / own : 1;
      stored.partList.push_back({unsigned(leading + i), own, stride});
      names += part.name;
    }
  }

  for (const Factor &factor : factors) {
    if (factor.name == '*') {
      for (size_t i = 0; i < leading; ++i)
        stored.digitList.push_back({unsigned(i), 1, shape[i], 1});
      continue;
    }
    unsigned part = unsigned(leading + names.find(factor.name));
    int64_t extent = stored.partList[part].extent;
    int64_t digits =
        factor.modulus ? factor.modulus
                       : extent / factor.divisor + !!(extent % factor.divisor);
    stored.digitList.push_back({part, factor.divisor, digits, 1});
  }
  for (size_t i = stored.digitList.size(); i-- > 0;) {
    StoredLayout::Digit &digit = stored.digitList[i];
    digit.stride = stored.elements;
    // What has no elements still has shapes, which must be countable.
    if (__builtin_mul_overflow(stored.elements, digit.extent,
                               &stored.elements) ||
        stored.elements > mostBytes / stored.elementBits * 8)
      return std::nullopt;
    stored.storedShape.insert(stored.storedShape.begin(), digit.extent);
  }
  if (word.bits) {
    int64_t perWord = word.bits / elementBits;
    if (stored.storedShape.empty() || stored.storedShape.back() % perWord)
      return std::nullopt;
    stored.storedShape.back() /= perWord;
  }
  return stored;
}

int64_t StoredLayout::bitOfElement(int64_t position) const {
  if (!word.highFirst)
    return position * elementBits;
  int64_t perWord = word.bits / elementBits;
  int64_t inWord = perWord - 1 - position % perWord;
  return position / perWord * word.bits + inWord * elementBits;
}

int64_t StoredLayout::bitOffset(const int64_t *index) const {
  int64_t position = 0;
  for (const Digit &digit : digitList) {
    const Part &part = partList[digit.part];
    int64_t value = index[part.dimension] / part.stride % part.extent;
    position += value / digit.divisor % digit.extent * digit.stride;
  }
  return bitOfElement(position);
}

bool StoredLayout::indexAt(int64_t bitOffset, int64_t *index) const {
  // The order within words is its own reverse.
  int64_t position = bitOfElement(bitOffset / elementBits) / elementBits;
  std::vector<int64_t> values(partList.size(), 0);
  for (const Digit &digit : digitList)
    values[digit.part] +=
        position / digit.stride % digit.extent * digit.divisor;
  std::fill(index, index + logicalShape.size(), 0);
  for (size_t i = 0; i < partList.size(); ++i) {
    if (values[i] >= partList[i].extent)
      return false;
    index[partList[i].dimension] += values[i] * partList[i].stride;
  }
  return true;
}
