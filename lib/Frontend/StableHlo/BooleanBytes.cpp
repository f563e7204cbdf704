// Constants of booleans in hex, from a byte an element to a bit an element.

#include "heddle/Frontend/BooleanBytes.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle {

static constexpr StringLiteral kSpace = " \t\r\n";

static bool consume(StringRef &rest, StringRef token) {
  rest = rest.ltrim(kSpace);
  return rest.consume_front(token);
}

/// The elements of a shaped type of booleans at the start of `rest`, which
/// stands behind the constant's literal: `> : tensor<8x3xi1`.
static std::optional<uint64_t> countBooleans(StringRef rest) {
  if (!consume(rest, ">") || !consume(rest, ":") ||
      !(consume(rest, "tensor") || consume(rest, "vector")) ||
      !consume(rest, "<"))
    return std::nullopt;
  uint64_t count = 1;
  while (!consume(rest, "i1")) {
    uint64_t extent;
    if (rest.consumeInteger(10, extent) || !consume(rest, "x"))
      return std::nullopt;
    bool overflows;
    count = SaturatingMultiply(count, extent, &overflows);
    if (overflows)
      return std::nullopt;
  }
  if (!rest.empty() && isAlnum(rest.front())) // i16
    return std::nullopt;
  return count;
}

/// Hex digits of a byte an element as those of eight elements a byte, the first
/// of them in the lowest bit; nothing where some byte is no boolean.
static std::optional<SmallString<64>> pack(StringRef digits) {
  SmallString<64> packed;
  for (; !digits.empty(); digits = digits.drop_front(
                              std::min<size_t>(digits.size(), 2 * CHAR_BIT))) {
    unsigned byte = 0;
    StringRef eight = digits.take_front(2 * CHAR_BIT);
    for (size_t i = 0; i < eight.size(); i += 2) {
      if (eight[i] != '0' || (eight[i + 1] != '0' && eight[i + 1] != '1'))
        return std::nullopt;
      byte |= unsigned(eight[i + 1] - '0') << (i / 2);
    }
    packed += hexdigit(byte >> 4);
    packed += hexdigit(byte & 15);
  }
  return packed;
}

/// Where the string that opens at `begin` closes; the end of `text` if it does
/// not.
static size_t closingQuote(StringRef text, size_t begin) {
  size_t at = begin + 1;
  while ((at = text.find_first_of("\"\\", at)) != StringRef::npos) {
    if (text[at] == '"')
      return at;
    at += 2; // with what is escaped
  }
  return text.size();
}

std::optional<std::string> packBooleanBytes(StringRef text) {
  if (!text.contains("xi1>") || !text.contains("\"0x"))
    return std::nullopt;
  std::optional<std::string> result;
  for (size_t at = 0;
       (at = text.find_first_of("\"/", at)) != StringRef::npos;) {
    if (text[at] == '/') {
      at = text.substr(at).starts_with("//") ? text.find('\n', at) : at + 1;
      continue;
    }
    size_t begin = at, end = closingQuote(text, at);
    at = end + 1;
    StringRef digits = text.slice(begin + 1, end);
    StringRef before = text.take_front(begin).rtrim(kSpace);
    if (!digits.consume_front("0x") || !before.consume_back("<") ||
        !before.rtrim(kSpace).ends_with("dense"))
      continue;
    std::optional<uint64_t> count = countBooleans(text.substr(end + 1));
    // One element has the same form in both.
    if (!count || *count < 2 || digits.size() % 2 ||
        digits.size() / 2 != *count)
      continue;
    auto packed = pack(digits);
    if (!packed)
      continue;
    if (!result)
      result = text.str();
    size_t place = digits.data() - text.data();
    std::fill(result->begin() + place, result->begin() + end + 1, ' ');
    std::copy(packed->begin(), packed->end(), result->begin() + place);
    (*result)[place + packed->size()] = '"';
  }
  return result;
}

} // namespace heddle
