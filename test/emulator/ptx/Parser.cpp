// Files of PTX and the variables they declare.

#include "test/emulator/ptx/Parser.h"

#include <cstring>

namespace heddle::emulator {

const Function *Module::function(std::string_view name) const {
  for (const Function &candidate : functions)
    if (candidate.name == name)
      return &candidate;
  return nullptr;
}

const Variable *Module::variable(std::string_view name) const {
  for (const Variable &candidate : variables)
    if (candidate.name == name)
      return &candidate;
  return nullptr;
}

bool Parser::fail(const std::string &message, int line) {
  if (error.message.empty())
    error = {line ? line : token.line, message};
  return false;
}

bool Parser::unexpected(std::string_view wanted) {
  return fail("expected " + std::string(wanted) + ", found '" +
              std::string(token.text) + "'");
}

void Parser::advance() {
  token = ahead;
  ahead = lexer.next();
}

bool Parser::take(std::string_view text) {
  if (!token.is(text))
    return false;
  advance();
  return true;
}

bool Parser::expect(std::string_view text) {
  return take(text) || unexpected("'" + std::string(text) + "'");
}

bool Parser::expectInteger(uint64_t &value) {
  bool negative = take("-");
  if (token.kind != Token::Kind::Integer)
    return unexpected("an integer");
  value = negative ? -token.value : token.value;
  advance();
  return true;
}

/// Sums and products of literals, as initializers have them.
bool Parser::integerExpression(uint64_t &value) {
  auto primary = [&](uint64_t &out) {
    if (!take("("))
      return expectInteger(out);
    return integerExpression(out) && expect(")");
  };
  if (!primary(value))
    return false;
  while (token.is("+") || token.is("-") || token.is("*")) {
    char sign = token.text[0];
    advance();
    uint64_t right = 0;
    if (!primary(right))
      return false;
    value = sign == '+'   ? value + right
            : sign == '-' ? value - right
                          : value * right;
  }
  return true;
}

bool Parser::expectWord(std::string &word) {
  if (token.kind != Token::Kind::Word)
    return unexpected("a name");
  word = std::string(token.text);
  advance();
  return true;
}

bool Parser::run() {
  while (token.kind != Token::Kind::End)
    if (!moduleItem())
      return false;
  if (module.version == 0)
    return fail("no .version: this is no PTX", 1);
  return true;
}

bool Parser::skipLine() {
  int line = token.line;
  while (token.kind != Token::Kind::End && token.line == line)
    advance();
  return true;
}

bool Parser::skipBraces() {
  if (!expect("{"))
    return false;
  for (int depth = 1; depth; advance()) {
    if (token.kind == Token::Kind::End)
      return unexpected("'}'");
    depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
  }
  return true;
}

bool Parser::header() {
  if (take(".version")) {
    if (token.kind != Token::Kind::Float)
      return unexpected("a version as 8.7");
    double value;
    std::memcpy(&value, &token.value, 8);
    module.version = unsigned(value * 10 + 0.5);
    advance();
    return true;
  }
  if (take(".target")) {
    module.target = std::string(token.text);
    return skipLine();
  }
  uint64_t bits = 0;
  advance(); // .address_size
  if (!expectInteger(bits))
    return false;
  return bits == 64 ||
         fail("addresses have 64 bits, not " + std::to_string(bits));
}

bool Parser::moduleItem() {
  if (token.is(".version") || token.is(".target") || token.is(".address_size"))
    return header();
  if (token.is(".file") || token.is(".loc") || token.is(".pragma"))
    return skipLine();
  if (take(".section")) {
    advance();
    return skipBraces();
  }
  bool isExtern = false;
  while (token.is(".visible") || token.is(".extern") || token.is(".weak") ||
         token.is(".common")) {
    isExtern |= token.is(".extern");
    advance();
  }
  if (take(".entry"))
    return function(true, isExtern);
  if (take(".func"))
    return function(false, isExtern);
  Space space = token.is(".global")   ? Space::Global
                : token.is(".const")  ? Space::Const
                : token.is(".shared") ? Space::Shared
                                      : Space::None;
  if (space == Space::None)
    return unexpected("a declaration");
  advance();
  return variableDeclaration(space, isExtern, module.variables);
}

/// .align 16 .v2 .b32
bool Parser::variableType(Variable &variable) {
  uint32_t count = 1;
  while (token.kind == Token::Kind::Directive) {
    std::string_view word = token.text.substr(1);
    if (take(".align")) {
      uint64_t align = 0;
      if (!expectInteger(align))
        return false;
      variable.align = uint32_t(align);
    } else if (word == "v2" || word == "v4") {
      count = word == "v2" ? 2 : 4;
      advance();
    } else if (take(".attribute")) {
      while (!token.is(")") && token.kind != Token::Kind::End)
        advance();
      advance();
    } else if (word == "ptr" || word == "global" || word == "const" ||
               word == "shared" || word == "local") {
      advance(); // what an address given as a parameter points to
      uint64_t ignored = 0;
      if (take(".align") && !expectInteger(ignored))
        return false;
    } else {
      Type type = typeOfName(word);
      if (type == Type::None)
        return unexpected("a type");
      advance();
      variable.type = type;
      variable.elementBytes = bytesOf(type) * count;
      variable.align = std::max(variable.align, variable.elementBytes);
    }
  }
  return variable.type != Type::None || unexpected("a type");
}

bool Parser::dimensions(Variable &variable, bool &open) {
  variable.bytes = variable.elementBytes;
  open = false;
  while (take("[")) {
    if (take("]")) {
      open = true;
      variable.bytes = 0;
      continue;
    }
    uint64_t extent = 0;
    if (!integerExpression(extent) || !expect("]"))
      return false;
    variable.bytes *= extent;
  }
  return true;
}

bool Parser::variableDeclaration(Space space, bool isExtern,
                                 std::vector<Variable> &into) {
  Variable form;
  form.space = space;
  form.isExtern = isExtern;
  if (!variableType(form))
    return false;
  do {
    Variable variable = form;
    variable.line = token.line;
    bool open = false;
    if (!expectWord(variable.name))
      return false;
    // Parameterized names: .param .b32 p<4>;
    if (take("<"))
      return fail("names with counts are for registers");
    if (!dimensions(variable, open))
      return false;
    if (take("=") && !initializer(variable))
      return false;
    into.push_back(variable);
  } while (take(","));
  return expect(";");
}

bool Parser::initializer(Variable &variable) {
  uint64_t offset = 0;
  variable.data.resize(variable.bytes);
  if (!initialElement(variable, offset))
    return false;
  if (variable.bytes == 0) // x[] = {...}
    variable.bytes = offset;
  if (offset > variable.bytes)
    return fail("'" + variable.name +
                "' has more initial values than elements");
  variable.data.resize(variable.bytes);
  return true;
}

bool Parser::initialElement(Variable &variable, uint64_t &offset) {
  if (take("{")) {
    if (take("}"))
      return true;
    do
      if (!initialElement(variable, offset))
        return false;
    while (take(","));
    return expect("}");
  }
  unsigned bytes = bytesOf(variable.type);
  auto put = [&](uint64_t value) {
    variable.data.resize(
        std::max<uint64_t>(variable.data.size(), offset + bytes));
    std::memcpy(variable.data.data() + offset, &value, bytes);
    offset += bytes;
    return true;
  };
  bool negative = token.is("-") && ahead.kind == Token::Kind::Float;
  if (negative)
    advance();
  if (token.kind == Token::Kind::Float) {
    uint64_t bits = token.value;
    if (token.bytes == 8 && bytes == 4) {
      double value;
      std::memcpy(&value, &bits, 8);
      float narrow = float(value);
      bits = 0;
      std::memcpy(&bits, &narrow, 4);
    }
    if (negative)
      bits ^= uint64_t(1) << (bytes * 8 - 1);
    advance();
    return put(bits);
  }
  if (token.kind != Token::Kind::Word) {
    uint64_t value = 0;
    return integerExpression(value) && put(value);
  }
  bool generic = take("generic");
  if (generic && !expect("("))
    return false;
  AddressInitializer address{offset, bytes, std::string(token.text), 0};
  advance();
  if (generic && !expect(")"))
    return false;
  if (take("+")) {
    uint64_t addend = 0;
    if (!integerExpression(addend))
      return false;
    address.addend = int64_t(addend);
  }
  variable.addresses.push_back(address);
  return put(0);
}

bool parseModule(std::string_view text, Module &module, ParseError &error) {
  return Parser(text, module, error).run();
}

} // namespace heddle::emulator
