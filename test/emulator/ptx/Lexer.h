// Tokens of PTX text.

#ifndef HEDDLE_TEST_EMULATOR_PTX_LEXER_H
#define HEDDLE_TEST_EMULATOR_PTX_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::emulator {

struct Token {
  enum class Kind : uint8_t {
    End,
    Word,      // mov.u32, %tid.x, $L__BB0_1
    Directive, // .reg, .shared::cta
    Integer,
    Float, // value holds bits
    String,
    Punctuation,
    Bad
  };
  Kind kind = Kind::End;
  int line = 1;
  std::string_view text;
  uint64_t value = 0;
  uint8_t bytes = 0;

  bool is(std::string_view wanted) const {
    return (kind == Kind::Word || kind == Kind::Directive ||
            kind == Kind::Punctuation) &&
           text == wanted;
  }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();

private:
  void skipBlanks();
  Token number();
  Token word(Token::Kind kind, size_t start);
  char at(size_t index) const { return index < text.size() ? text[index] : 0; }

  std::string_view text;
  size_t position = 0;
  int line = 1;
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_PTX_LEXER_H
