// A PTX file as read: variables, functions, statements whose names are
// resolved.

#ifndef HEDDLE_TEST_EMULATOR_PTX_MODULE_H
#define HEDDLE_TEST_EMULATOR_PTX_MODULE_H

#include "test/emulator/ptx/Type.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace heddle::emulator {

/// An initializer that is the address of another variable.
struct AddressInitializer {
  uint64_t offset;
  unsigned bytes;
  std::string symbol;
  int64_t addend;
};

struct Variable {
  std::string name;
  Space space = Space::None;
  Type type = Type::None;
  uint32_t align = 1;
  /// Bytes of one element, and of all; an extern array has none.
  uint32_t elementBytes = 0;
  uint64_t bytes = 0;
  bool isExtern = false;
  std::vector<uint8_t> data;
  std::vector<AddressInitializer> addresses;
  int line = 0;
};

struct Operand {
  enum class Kind : uint8_t {
    Register, // index into Function::registers
    Special,  // name is that of a special register
    Integer,  // value
    Float,    // value holds bits; bytes says 4 or 8
    Local,    // index into Function::variables
    Param,    // index into Function::params
    Global,   // name is that of a variable or function of the module
    Label,    // index into Function::code
    Address,  // [elements[0] + offset], further elements in tensor addresses
    Vector,   // {a, b, ...}
    Pair,     // a|b
    List,     // (a, b, ...)
    Sink,     // _
  };
  Kind kind = Kind::Sink;
  bool negated = false;
  uint8_t bytes = 0;
  uint32_t index = 0;
  uint64_t value = 0;
  int64_t offset = 0;
  std::string name;
  std::vector<Operand> elements;
};

struct Statement {
  int line = 0;
  /// Index of the predicate register, or -1.
  int guard = -1;
  bool guardNegated = false;
  /// As written, for messages.
  std::string opcode;
  /// The opcode at its dots: {"ld", "global", "v4", "b32"}.
  std::vector<std::string> parts;
  std::vector<Operand> operands;
};

struct Register {
  std::string name;
  Type type;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool isExtern = false;
  int line = 0;
  std::vector<Variable> results;
  std::vector<Variable> params;
  /// Registers among results and parameters (`.reg` of old functions) have
  /// these indices, -1 for the others.
  std::vector<int> resultRegisters, paramRegisters;
  std::vector<Register> registers;
  /// Shared, local and param variables of the body.
  std::vector<Variable> variables;
  std::vector<Statement> code;
  /// Branch targets of brx.idx.
  std::vector<std::vector<uint32_t>> targetLists;
  std::array<uint32_t, 3> requiredThreads{}, maxThreads{}, clusterSize{};
  uint32_t maxRegisters = 0, minCtas = 0;
};

struct Module {
  unsigned version = 0; // 87 for 8.7
  std::string target;   // "sm_90a"
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function *function(std::string_view name) const;
  const Variable *variable(std::string_view name) const;
};

/// What was wrong, and where.
struct ParseError {
  int line = 0;
  std::string message;
};

/// Reads `text`. False with `error` filled where it is no PTX known here.
bool parseModule(std::string_view text, Module &module, ParseError &error);

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_PTX_MODULE_H
