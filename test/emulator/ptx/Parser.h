// The parser of PTX: declarations, then the statements of function bodies.

#ifndef HEDDLE_TEST_EMULATOR_PTX_PARSER_H
#define HEDDLE_TEST_EMULATOR_PTX_PARSER_H

#include "test/emulator/ptx/Lexer.h"
#include "test/emulator/ptx/Module.h"

#include <map>

namespace heddle::emulator {

/// What names mean within one pair of braces.
struct NameScope {
  int parent = -1;
  std::map<std::string, uint32_t, std::less<>> registers, variables, labels;
  std::map<std::string, std::vector<std::string>, std::less<>> targetLists;
  /// `%r<100>`: the first index and how many, by the prefix.
  std::map<std::string, std::pair<uint32_t, uint32_t>, std::less<>> ranges;
};

/// Each member function of type bool is false after an error was recorded.
class Parser {
public:
  Parser(std::string_view text, Module &module, ParseError &error)
      : lexer(text), module(module), error(error) {
    token = lexer.next();
    ahead = lexer.next();
  }
  bool run();

private:
  // Parser.cpp: files and declarations.
  bool moduleItem();
  bool header();
  bool variableDeclaration(Space space, bool isExtern,
                           std::vector<Variable> &into);
  bool variableType(Variable &variable);
  bool dimensions(Variable &variable, bool &open);
  bool initializer(Variable &variable);
  bool initialElement(Variable &variable, uint64_t &offset);
  bool skipBraces();
  bool skipLine();

  // Functions.cpp: functions and their bodies.
  bool function(bool isEntry, bool isExtern);
  bool parameterList(std::vector<Variable> &into, std::vector<int> &registers);
  bool functionAttributes(Function &function);
  bool body();
  bool bodyItem();
  bool registerDeclaration();
  bool branchTargets(const std::string &name);
  bool skipPrototype();
  bool statement();
  bool resolveLabels();
  bool resolveLabel(Operand &operand, int scope, int line);

  // Operands.cpp: operands and names.
  bool operand(Operand &out);
  bool address(Operand &out);
  bool listOf(Operand &out, Operand::Kind kind, std::string_view close);
  bool number(Operand &out);
  bool name(Operand &out);
  bool findRegister(std::string_view name, uint32_t &index) const;

  // Tokens.
  bool fail(const std::string &message, int line = 0);
  bool unexpected(std::string_view wanted);
  void advance();
  bool take(std::string_view text);
  bool expect(std::string_view text);
  bool expectInteger(uint64_t &value);
  bool integerExpression(uint64_t &value);
  bool expectWord(std::string &word);

  Lexer lexer;
  Token token, ahead;
  Module &module;
  ParseError &error;
  Function *current = nullptr;
  std::vector<NameScope> scopes;
  int scope = -1;
  /// The scope of each statement of the function, for its labels.
  std::vector<int> statementScopes;
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_PTX_PARSER_H
