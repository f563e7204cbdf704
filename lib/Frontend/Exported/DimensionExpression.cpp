// Parses and evaluates expressions of symbolic dimensions.

#include "heddle/Frontend/DimensionExpression.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <optional>

using namespace llvm;

namespace heddle {
namespace {

/// sum := product (('+' | '-') product)*; product := power ('*' power)*;
/// power := atom ('^' number)?; atom := number | '-' atom | '(' sum ')' |
/// name | name '(' sum ',' sum ')'.
class Evaluator {
public:
  Evaluator(StringRef text, const StringMap<int64_t> &symbols)
      : text(text), rest(text), symbols(symbols) {}

  Expected<int64_t> run() {
    std::optional<int64_t> value = sum();
    if (value && rest.ltrim().empty())
      return *value;
    if (problem.empty())
      problem = "'" + text.str() + "' is no expression of dimensions";
    return createStringError(problem);
  }

private:
  /// Nesting is bounded: the text comes from a file.
  static constexpr unsigned kDepth = 64;

  bool take(char wanted) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&wanted, 1));
  }

  std::optional<int64_t> sum() {
    if (++depth > kDepth)
      return std::nullopt;
    std::optional<int64_t> value = product();
    while (value) {
      if (take('+'))
        value = combine(value, product(), checkedAdd<int64_t>);
      else if (take('-'))
        value = combine(value, product(), checkedSub<int64_t>);
      else
        break;
    }
    --depth;
    return value;
  }

  std::optional<int64_t> product() {
    std::optional<int64_t> value = power();
    while (value && take('*'))
      value = combine(value, power(), checkedMul<int64_t>);
    return value;
  }

  std::optional<int64_t> power() {
    std::optional<int64_t> base = atom();
    if (!base || !take('^'))
      return base;
    std::optional<int64_t> exponent = atom(), value = 1;
    if (!exponent || *exponent < 0 || *exponent > 62)
      return std::nullopt;
    for (int64_t i = 0; i < *exponent && value; ++i)
      value = checkedMul(*value, *base);
    return value;
  }

  std::optional<int64_t> atom() {
    if (take('('))
      return closed(sum());
    if (take('-'))
      return combine(0, ++depth > kDepth ? std::nullopt : atom(),
                     checkedSub<int64_t>);
    StringRef word = rest.take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(word.size());
    int64_t number;
    if (!word.getAsInteger(10, number))
      return number;
    if (!word.empty() && take('('))
      return function(word);
    auto symbol = symbols.find(word);
    if (symbol != symbols.end())
      return symbol->second;
    if (!word.empty() && problem.empty())
      problem = ("the dimension '" + word +
                 "' has no value: give it one by "
                 "--dim " +
                 word + "=NUMBER")
                    .str();
    return std::nullopt;
  }

  std::optional<int64_t> function(StringRef name) {
    std::optional<int64_t> a = sum();
    std::optional<int64_t> b =
        a && take(',') ? sum() : std::optional<int64_t>();
    b = closed(b);
    if (!b)
      return std::nullopt;
    if (name == "max")
      return std::max(*a, *b);
    if (name == "min")
      return std::min(*a, *b);
    if (*b <= 0)
      return std::nullopt;
    // Both round down, whatever the sign.
    int64_t remainder = (*a % *b + *b) % *b;
    if (name == "mod")
      return remainder;
    if (name == "floordiv")
      return (*a - remainder) / *b;
    return std::nullopt;
  }

  std::optional<int64_t> closed(std::optional<int64_t> value) {
    return take(')') ? value : std::nullopt;
  }

  template <typename Combine>
  static std::optional<int64_t> combine(std::optional<int64_t> a,
                                        std::optional<int64_t> b, Combine how) {
    return a && b ? how(*a, *b) : std::nullopt;
  }

  StringRef text, rest;
  const StringMap<int64_t> &symbols;
  std::string problem;
  unsigned depth = 0;
};

} // namespace

Expected<int64_t> evaluateDimension(StringRef expression,
                                    const StringMap<int64_t> &symbols) {
  return Evaluator(expression, symbols).run();
}

} // namespace heddle
