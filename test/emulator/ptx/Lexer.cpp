// Cuts PTX text into tokens; comments and blanks go.

#include "test/emulator/ptx/Lexer.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

namespace heddle::emulator {

static bool startsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}

static bool inName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

void Lexer::skipBlanks() {
  while (position < text.size()) {
    char c = text[position];
    if (c == '\n')
      ++line;
    if (std::isspace(static_cast<unsigned char>(c)) || c == 0) {
      ++position;
    } else if (c == '/' && at(position + 1) == '/') {
      while (position < text.size() && text[position] != '\n')
        ++position;
    } else if (c == '/' && at(position + 1) == '*') {
      position += 2;
      while (position < text.size() &&
             !(text[position] == '*' && at(position + 1) == '/'))
        line += text[position++] == '\n';
      position += 2;
    } else {
      return;
    }
  }
}

/// A name with its dotted parts; a directive has one part.
Token Lexer::word(Token::Kind kind, size_t start) {
  auto run = [&] {
    while (inName(at(position)))
      ++position;
  };
  run();
  while (true) {
    bool dotted = kind == Token::Kind::Word && at(position) == '.' &&
                  inName(at(position + 1));
    bool scoped = at(position) == ':' && at(position + 1) == ':' &&
                  inName(at(position + 2));
    if (!dotted && !scoped)
      break;
    position += dotted ? 1 : 2;
    run();
  }
  return {kind, line, text.substr(start, position - start)};
}

Token Lexer::number() {
  size_t start = position;
  char second = at(position + 1);
  Token token{Token::Kind::Integer, line, {}};
  bool zero = text[position] == '0';
  if (zero &&
      (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    token.bytes = second == 'f' || second == 'F' ? 4 : 8;
    size_t digits = token.bytes * 2;
    token.kind = Token::Kind::Float;
    std::string hex(text.substr(position + 2, digits));
    token.value = std::strtoull(hex.c_str(), nullptr, 16);
    position += 2 + digits;
  } else if (zero && (second == 'b' || second == 'B')) {
    for (position += 2; at(position) == '0' || at(position) == '1'; ++position)
      token.value = token.value * 2 + (text[position] - '0');
  } else {
    bool hex = zero && (second == 'x' || second == 'X');
    position += hex ? 2 : 0;
    while (hex ? std::isxdigit(static_cast<unsigned char>(at(position)))
               : std::isdigit(static_cast<unsigned char>(at(position))))
      ++position;
    bool fraction = !hex && at(position) == '.' &&
                    std::isdigit(static_cast<unsigned char>(at(position + 1)));
    bool exponent = !hex && (at(position) == 'e' || at(position) == 'E');
    if (fraction || exponent) {
      std::string copy(text.substr(start, 64));
      char *end = nullptr;
      double value = std::strtod(copy.c_str(), &end);
      position = start + size_t(end - copy.c_str());
      std::memcpy(&token.value, &value, 8);
      token.kind = Token::Kind::Float;
      token.bytes = 8;
    } else {
      std::string copy(text.substr(start, position - start));
      token.value = std::strtoull(copy.c_str(), nullptr, 0);
    }
  }
  if (at(position) == 'U')
    ++position;
  token.text = text.substr(start, position - start);
  return token;
}

Token Lexer::next() {
  skipBlanks();
  if (position >= text.size())
    return {Token::Kind::End, line, "the end of the file"};
  size_t start = position;
  char c = text[position];
  if (startsName(c)) {
    ++position;
    return word(Token::Kind::Word, start);
  }
  if (c == '.' && startsName(at(position + 1))) {
    ++position;
    return word(Token::Kind::Directive, start);
  }
  if (std::isdigit(static_cast<unsigned char>(c)))
    return number();
  if (c == '"') {
    for (++position; position < text.size() && text[position] != '"';)
      ++position;
    ++position;
    return {Token::Kind::String, line,
            text.substr(start + 1, position - start - 2)};
  }
  ++position;
  if (!std::strchr("{}[]()<>,;:=+-*/|&!~@.^?", c))
    return {Token::Kind::Bad, line, text.substr(start, 1)};
  return {Token::Kind::Punctuation, line, text.substr(start, 1)};
}

} // namespace heddle::emulator
