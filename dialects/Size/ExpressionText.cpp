// Expressions as text: in IR, on the command line and in messages.

#include "dialects/Size/ExpressionText.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle::size {

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Whether a name needs no quotes.
static bool isPlainName(StringRef name) {
  return !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '.';
         });
}

std::string spellSymbol(StringRef name) {
  if (isPlainName(name))
    return name.str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '"';
  llvm::printEscapedString(name, stream);
  stream << '"';
  return text;
}

namespace {
/// IR says in which units a symbol is counted; people read quotients.
enum class Units { Written, AsQuotients };
} // namespace

static void write(llvm::raw_ostream &stream, ExpressionAttr expression,
                  Units units);

static void writeSymbol(llvm::raw_ostream &stream, SymbolAttr symbol,
                        Units units) {
  std::string name = spellSymbol(symbol.getName());
  if (symbol.getUnit() == 1)
    stream << name;
  else if (units == Units::Written)
    stream << name << ':' << symbol.getUnit();
  else
    stream << stringifyFunction(Function::FloorDiv) << '(' << name << ", "
           << symbol.getUnit() << ')';
}

static void writeFactor(llvm::raw_ostream &stream, Attribute factor,
                        Units units) {
  if (auto symbol = dyn_cast<SymbolAttr>(factor))
    return writeSymbol(stream, symbol, units);
  auto atom = cast<AtomAttr>(factor);
  stream << stringifyFunction(atom.getFunction()) << '(';
  write(stream, atom.getLhs(), units);
  if (atom.getFunction() == Function::FloorDiv ||
      atom.getFunction() == Function::Minimum) {
    stream << ", ";
    write(stream, atom.getRhs(), units);
  }
  stream << ')';
}

static void write(llvm::raw_ostream &stream, ExpressionAttr expression,
                  Units units) {
  if (expression.getMonomials().empty())
    stream << '0';
  bool first = true;
  for (auto [whole, monomial] : llvm::zip_equal(
           expression.getCoefficients(), expression.getMonomials())) {
    auto [coefficient, factors] =
        units == Units::Written
            ? Term{whole, SmallVector<Attribute>(monomial.getFactors())}
            : withReducedUnits(whole, monomial);
    // The least number has no opposite.
    uint64_t size =
        coefficient < 0 ? 0 - uint64_t(coefficient) : uint64_t(coefficient);
    if (first)
      stream << (coefficient < 0 ? "-" : "");
    else
      stream << (coefficient < 0 ? " - " : " + ");
    first = false;
    if (factors.empty() || size != 1)
      stream << size << (factors.empty() ? "" : " * ");
    llvm::interleave(
        factors,
        [&](Attribute factor) { writeFactor(stream, factor, units); },
        [&] { stream << " * "; });
  }
}

std::string Expression::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (stored)
    write(stream, stored, Units::AsQuotients);
  return text;
}

void ExpressionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  write(printer.getStream(), *this, Units::Written);
  printer << '>';
}

void ExtentsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getExtents(), printer, [&](ExpressionAttr extent) {
    write(printer.getStream(), extent, Units::Written);
  });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// sum := ['-'] product (('+' | '-') product)*; product := power ('*'
/// power)*; power := factor ['^' number]; factor := number | name | name ':'
/// number | function '(' sum (',' sum)* ')' | '(' sum ')'. Powers are for text
/// alone: IR has them written out. Units, behind names, are for IR alone.
///
/// `Tokens` takes one of them if it comes next, and says whether it did.
template <typename Tokens> class Grammar {
public:
  Grammar(MLIRContext *context, Tokens &tokens)
      : context(context), tokens(tokens) {}

  /// Null, and `problem`, for what is no expression.
  Expression sum();
  std::string problem;

private:
  Expression product();
  Expression power();
  Expression factor();
  Expression call(StringRef name);
  Expression symbol(StringRef name);
  Expression fail(const Twine &why) {
    if (problem.empty())
      problem = why.str();
    return {};
  }

  MLIRContext *context;
  Tokens &tokens;
  unsigned depth = 0;
};

} // namespace

template <typename Tokens> Expression Grammar<Tokens>::sum() {
  // What is read comes from files.
  constexpr unsigned kMaxNesting = 64;
  if (++depth > kMaxNesting)
    return fail("is nested too deeply");
  Expression result = tokens.take('-') ? -product() : product();
  while (problem.empty()) {
    if (tokens.take('+'))
      result = result + product();
    else if (tokens.take('-'))
      result = result - product();
    else
      break;
  }
  --depth;
  if (!result)
    return fail("has numbers of more than 64 bits or is too long");
  return result;
}

template <typename Tokens> Expression Grammar<Tokens>::product() {
  Expression result = power();
  while (problem.empty() && tokens.take('*'))
    result = result * power();
  return result;
}

template <typename Tokens> Expression Grammar<Tokens>::power() {
  Expression base = factor();
  if (!problem.empty() || !tokens.take('^'))
    return base;
  int64_t exponent = 0;
  if (tokens.number(exponent) != NumberToken::Taken || exponent > 62)
    return fail("lacks an exponent from 0 to 62");
  Expression result = Expression::constant(context, 1);
  for (int64_t i = 0; i < exponent; ++i)
    result = result * base;
  return result;
}

template <typename Tokens> Expression Grammar<Tokens>::factor() {
  if (tokens.take('(')) {
    Expression inner = sum();
    if (problem.empty() && !tokens.take(')'))
      return fail("lacks a ')'");
    return inner;
  }
  int64_t number = 0;
  switch (tokens.number(number)) {
  case NumberToken::Taken:
    return Expression::constant(context, number);
  case NumberToken::TooLarge:
    return fail("has a number of more than 64 bits");
  case NumberToken::None:
    break;
  }
  std::string name;
  if (!tokens.name(name))
    return fail("lacks a number or the name of a size");
  return tokens.take('(') ? call(name) : symbol(name);
}

template <typename Tokens> Expression Grammar<Tokens>::symbol(StringRef name) {
  if (!tokens.takeBeforeUnit())
    return Expression::symbol(context, name);
  int64_t unit = 0;
  if (tokens.number(unit) != NumberToken::Taken || unit < 2)
    return fail("lacks a unit of 2 or more behind '" + name + "'");
  return Expression::units(context, name, unit);
}

template <typename Tokens> Expression Grammar<Tokens>::call(StringRef name) {
  SmallVector<Expression> operands;
  do
    operands.push_back(sum());
  while (problem.empty() && tokens.take(','));
  if (!problem.empty())
    return {};
  if (!tokens.take(')'))
    return fail("lacks a ')' behind the operands of '" + name + "'");
  auto two = [&](auto compute) -> Expression {
    if (operands.size() != 2)
      return fail("gives '" + name + "' " + Twine(operands.size()) +
                  " operands; it has two");
    return compute(operands[0], operands[1]);
  };
  auto one = [&](auto compute) -> Expression {
    if (operands.size() != 1)
      return fail("gives '" + name + "' " + Twine(operands.size()) +
                  " operands; it has one");
    return compute(operands[0]);
  };
  auto quotient = [&](auto compute) {
    return two([&](Expression lhs, Expression rhs) -> Expression {
      if (std::optional<int64_t> divisor = rhs.asConstant();
          divisor && *divisor <= 0)
        return fail("divides by " + Twine(*divisor));
      return compute(lhs, rhs);
    });
  };
  if (name == "floordiv")
    return quotient([](Expression l, Expression r) { return l.floorDiv(r); });
  if (name == "ceildiv")
    return quotient([](Expression l, Expression r) { return l.ceilDiv(r); });
  if (name == "mod")
    return quotient([](Expression l, Expression r) { return l.mod(r); });
  if (name == "min")
    return two(Expression::minimum);
  if (name == "max")
    return two(Expression::maximum);
  if (name == "is_positive")
    return one(Expression::isPositive);
  if (name == "is_zero")
    return one(Expression::isZero);
  return fail("uses '" + name +
              "', which is none of floordiv, ceildiv, mod, min, max, "
              "is_positive, is_zero");
}

namespace {

/// Tokens of IR.
class ParserTokens {
public:
  explicit ParserTokens(AsmParser &parser) : parser(parser) {}

  bool take(char wanted) {
    switch (wanted) {
    case '+':
      return succeeded(parser.parseOptionalPlus());
    case '-':
      return succeeded(parser.parseOptionalMinus());
    case '*':
      return succeeded(parser.parseOptionalStar());
    case '(':
      return succeeded(parser.parseOptionalLParen());
    case ')':
      return succeeded(parser.parseOptionalRParen());
    case ',':
      return succeeded(parser.parseOptionalComma());
    default:
      return false;
    }
  }
  NumberToken number(int64_t &value) {
    APInt digits;
    OptionalParseResult parsed = parser.parseOptionalInteger(digits);
    if (!parsed.has_value() || failed(*parsed))
      return NumberToken::None;
    std::optional<int64_t> fits = digits.trySExtValue();
    value = fits.value_or(0);
    return fits ? NumberToken::Taken : NumberToken::TooLarge;
  }
  bool name(std::string &value) {
    return succeeded(parser.parseOptionalKeywordOrString(&value));
  }
  bool takeBeforeUnit() { return succeeded(parser.parseOptionalColon()); }

private:
  AsmParser &parser;
};

/// Tokens of a command line.
class TextTokens {
public:
  explicit TextTokens(StringRef text) : rest(text) {}

  bool take(char wanted) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&wanted, 1));
  }
  NumberToken number(int64_t &value) {
    rest = rest.ltrim();
    StringRef digits = rest.take_while(llvm::isDigit);
    if (digits.empty())
      return NumberToken::None;
    rest = rest.drop_front(digits.size());
    return digits.getAsInteger(10, value) ? NumberToken::TooLarge
                                          : NumberToken::Taken;
  }
  bool name(std::string &value) {
    rest = rest.ltrim();
    if (rest.starts_with("\""))
      return quotedName(value);
    StringRef plain = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    if (!isPlainName(plain))
      return false;
    rest = rest.drop_front(plain.size());
    value = plain.str();
    return true;
  }
  bool takeBeforeUnit() { return false; }
  bool atEnd() { return rest.ltrim().empty(); }

private:
  /// As expressions are written: what is not plain is a backslash and two
  /// digits.
  bool quotedName(std::string &value) {
    StringRef left = rest.drop_front();
    std::string name;
    while (!left.empty() && left.front() != '"') {
      char next = left.front();
      left = left.drop_front();
      if (next == '\\' && left.consume_front("\\"))
        next = '\\';
      else if (next == '\\') {
        uint8_t code;
        if (left.take_front(2).getAsInteger(16, code) || left.size() < 2)
          return false;
        next = static_cast<char>(code);
        left = left.drop_front(2);
      }
      name += next;
    }
    if (name.empty() || !left.consume_front("\""))
      return false;
    rest = left;
    value = std::move(name);
    return true;
  }

  StringRef rest;
};

} // namespace

static ExpressionAttr read(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  ParserTokens tokens(parser);
  Grammar<ParserTokens> grammar(parser.getContext(), tokens);
  Expression expression = grammar.sum();
  if (!grammar.problem.empty()) {
    parser.emitError(loc, "the expression ") << grammar.problem;
    return {};
  }
  return expression.attribute();
}

Attribute ExpressionAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  ExpressionAttr expression = read(parser);
  if (!expression || parser.parseGreater())
    return {};
  return expression;
}

Attribute ExtentsAttr::parse(AsmParser &parser, Type) {
  SmallVector<ExpressionAttr> extents;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&]() -> ParseResult {
                                       extents.push_back(read(parser));
                                       return success(bool(extents.back()));
                                     }))
    return {};
  return ExtentsAttr::get(parser.getContext(), extents);
}

Expression parseExpression(MLIRContext *context, StringRef text,
                           std::string &problem) {
  TextTokens tokens(text);
  Grammar<TextTokens> grammar(context, tokens);
  Expression expression = grammar.sum();
  problem = grammar.problem;
  if (problem.empty() && !tokens.atEnd())
    problem = "goes on behind its end";
  return problem.empty() ? expression : Expression();
}

} // namespace heddle::size
