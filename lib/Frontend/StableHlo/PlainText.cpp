// A fork of a process with much memory takes longer than compiling a small
// program. So this looks for what makes the parser or a verifier expensive:
// depth (recursion), sharing (what is printed in full is exponentially long),
// sizes (a verifier walks the elements of `dense<0> : tensor<9999999999xi64>`)
// and grammars in which other things recurse, such as affine expressions. What
// costs more than its length is small for a short text.

#include "lib/Frontend/StableHlo/PlainText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstdint>

using namespace llvm;

namespace heddle {

static constexpr size_t maxBytes = 64 << 10;
static constexpr size_t maxDepth = 100;
/// Elements of one shape, of all that are written together, and the largest
/// number outside of lists of elements.
static constexpr uint64_t maxElements = 1 << 22;
static constexpr uint64_t maxAllElements = 1 << 28;
static constexpr uint64_t maxInteger = 1 << 22;

namespace {
/// Walks over the text by what MLIR's lexer would take for a token.
class Scanner {
public:
  explicit Scanner(StringRef text) : rest(text) {}

  bool run();

private:
  bool scanToken();
  bool scanString();
  bool scanNumber();
  void skipElement();
  bool scanWord();
  bool scanHash();
  StringRef takePrefixed();
  bool open(char bracket);
  bool close(char bracket);

  StringRef rest, previous;
  SmallVector<char> brackets;
  /// How many brackets were open within the list of elements that we are in;
  /// 0 outside of one.
  size_t elementsDepth = 0;
  uint64_t allElements = 0;
};
} // namespace

/// Whether operations, attributes and types of this name have a grammar that is
/// known not to recurse without brackets.
static bool isKnownName(StringRef name) {
  static constexpr StringLiteral known[] = {"stablehlo", "chlo", "func",  "jax",
                                            "mhlo",      "tf",   "heddle"};
  auto [prefix, suffix] = name.split('.');
  return !suffix.empty() && is_contained(known, prefix);
}

/// The name behind %, ^, # and the like.
StringRef Scanner::takePrefixed() {
  rest = rest.drop_front();
  bool isNumber = !rest.empty() && isDigit(rest.front());
  StringRef name = rest.take_while([&](char c) {
    return isDigit(c) ||
           (!isNumber && (isAlpha(c) || StringRef("$._-").contains(c)));
  });
  rest = rest.drop_front(name.size());
  return name;
}

bool Scanner::scanString() {
  size_t end = 1;
  while (end < rest.size() && rest[end] != '"' && rest[end] != '\n')
    end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size() || rest[end] != '"')
    return false;
  StringRef content = rest.slice(1, end);
  rest = rest.drop_front(end + 1);
  // Before a bracket stands the name of an operation in the generic form, or in
  // a location, where a bracket or a comma is before it.
  bool isOperation = rest.ltrim().starts_with("(") &&
                     !previous.ends_with("(") && !previous.ends_with("[") &&
                     !previous.ends_with(",");
  return !isOperation || isKnownName(content);
}

/// Digits behind the point of a number.
static StringRef skipFraction(StringRef rest) {
  if (!rest.consume_front("."))
    return rest;
  rest = rest.ltrim("0123456789");
  if (rest.consume_front("e") || rest.consume_front("E"))
    rest = rest.ltrim("+-").ltrim("0123456789");
  return rest;
}

/// A number in a list of elements, of any size.
void Scanner::skipElement() {
  if (rest.consume_front("0x"))
    rest = rest.drop_while(isHexDigit);
  else
    rest = skipFraction(rest.drop_while(isDigit));
}

/// A number or the extents of a shape.
bool Scanner::scanNumber() {
  // An extent of zero looks like the start of a hexadecimal number.
  uint64_t value = 0;
  if (rest.starts_with("0x")) {
    StringRef digits = rest.drop_front(2).take_while(isHexDigit);
    if (!digits.empty() &&
        (digits.getAsInteger(16, value) || value > maxInteger))
      return false;
  }
  uint64_t elements = 1;
  while (true) {
    StringRef digits = rest.take_while(isDigit);
    rest = rest.drop_front(digits.size());
    if (digits.empty()) {
      if (!rest.consume_front("?"))
        return false;
    } else {
      if (digits.getAsInteger(10, value) || value > maxInteger)
        return false;
      elements *= std::max<uint64_t>(value, 1);
    }
    if (elements > maxElements)
      return false;
    bool goesOn = rest.size() > 1 && rest[0] == 'x' &&
                  (isDigit(rest[1]) || rest[1] == '?');
    if (!goesOn)
      break;
    rest = rest.drop_front();
  }
  allElements += elements;
  rest = skipFraction(rest);
  return allElements <= maxAllElements;
}

bool Scanner::scanWord() {
  StringRef word = rest.take_while(
      [](char c) { return isAlnum(c) || c == '_' || c == '$' || c == '.'; });
  rest = rest.drop_front(word.size());
  if (word.contains('.'))
    return isKnownName(word);
  return !word.starts_with("affine") && word != "dense_resource";
}

/// A known attribute, or the alias of a location, or which result is meant.
bool Scanner::scanHash() {
  StringRef name = takePrefixed();
  if (name.contains('.'))
    return isKnownName(name);
  bool isResult = !name.empty() && isDigit(name.front());
  if (isResult)
    return true;
  if (!name.consume_front("loc") || !all_of(name, isDigit))
    return false;
  StringRef value = rest.ltrim();
  return !value.consume_front("=") || value.ltrim().starts_with("loc(");
}

bool Scanner::open(char bracket) {
  brackets.push_back(bracket);
  if (bracket == '<' && !elementsDepth &&
      (previous == "dense" || previous == "array"))
    elementsDepth = brackets.size();
  rest = rest.drop_front();
  return brackets.size() <= maxDepth;
}

bool Scanner::close(char bracket) {
  if (brackets.empty() || brackets.pop_back_val() != bracket)
    return false;
  if (brackets.size() < elementsDepth)
    elementsDepth = 0;
  rest = rest.drop_front();
  return true;
}

bool Scanner::scanToken() {
  char c = rest.front();
  switch (c) {
  case '"':
    return scanString();
  case '#':
    return scanHash();
  case '!':
    return isKnownName(takePrefixed());
  case '%':
  case '@':
  case '^':
    return !takePrefixed().empty();
  case '(':
  case '[':
  case '{':
  case '<':
    return open(c);
  case ')':
    return close('(');
  case ']':
    return close('[');
  case '}':
    return close('{');
  case '>':
    return close('<');
  case '-':
    rest = rest.drop_front();
    rest.consume_front(">");
    return true;
  case '/':
    if (!rest.starts_with("//"))
      return false;
    rest = rest.drop_until([](char c) { return c == '\n'; });
    return true;
  case ',':
  case ':':
  case '=':
    rest = rest.drop_front();
    return true;
  default:
    if (elementsDepth && isDigit(c)) {
      skipElement();
      return true;
    }
    if (isDigit(c) || c == '?')
      return scanNumber();
    return (isAlpha(c) || c == '_') && scanWord();
  }
}

bool Scanner::run() {
  if (rest.size() > maxBytes)
    return false;
  while (true) {
    rest = rest.ltrim();
    if (rest.empty())
      return true;
    StringRef from = rest;
    if (!scanToken())
      return false;
    previous = from.drop_back(rest.size());
  }
}

bool isPlainText(StringRef text) { return Scanner(text).run(); }

} // namespace heddle
