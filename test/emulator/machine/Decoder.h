// Turns statements into instructions; each family of instructions decodes its
// own.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_DECODER_H
#define HEDDLE_TEST_EMULATOR_MACHINE_DECODER_H

#include "test/emulator/machine/Program.h"

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::emulator {

struct RegisterPlace {
  uint32_t offset = 0;
  Type type = Type::None;
};

/// Where a function's names lie in one of the places where it is called.
struct Frame {
  const Function *function = nullptr;
  std::vector<RegisterPlace> registers;
  std::vector<uint32_t> variables;
  /// Offsets in local memory, for parameters of functions; results follow.
  std::vector<uint32_t> params;
  /// Statement to place in the program.
  std::vector<uint32_t> places;
};

class Decoder {
public:
  Decoder(LoadedModule &loaded, Program &program, ParseError &error)
      : loaded(loaded), program(program), error(error) {}
  bool kernel(const Function &function);

  // What a family asks of its statement. The functions are false, or give an
  // invalid value, after an error.

  /// The modifiers behind the name of the instruction, taken in any order.
  bool take(std::string_view part);
  /// The one of these that stands there, as its index, or -1.
  int takeOneOf(std::initializer_list<std::string_view> parts);
  /// The next modifier that is a type.
  Type takeType();
  /// The next modifier, whatever it is.
  std::string takeAny();
  /// A modifier that was not taken is an error.
  bool done();

  unsigned operands() const { return unsigned(statement->operands.size()); }
  const Operand &operand(unsigned index) const {
    return statement->operands[index];
  }
  bool count(unsigned wanted);

  /// A value of `type`: a register of that size, a literal, a special
  /// register, the address of a variable.
  bool source(const Operand &operand, Type type, uint32_t &offset);
  bool source(unsigned index, Type type, uint32_t &offset) {
    return index < operands() ? source(operand(index), type, offset)
                              : count(index + 1);
  }
  /// A register to write; `_` is a place that nobody reads.
  bool destination(const Operand &operand, Type type, uint32_t &offset);
  bool destination(unsigned index, Type type, uint32_t &offset) {
    return index < operands() ? destination(operand(index), type, offset)
                              : count(index + 1);
  }
  /// Registers may be wider than the type: for loads, stores, conversions.
  bool wideSource(const Operand &operand, Type type, uint32_t &offset,
                  uint8_t &registerBytes);
  bool wideDestination(const Operand &operand, Type type, uint32_t &offset,
                       uint8_t &registerBytes);
  /// [base + offset]: into inst.a and inst.offset, the space made plain where
  /// the operand names a variable.
  bool address(unsigned index, Space space);
  bool addressInto(const Operand &operand, Space &space, uint32_t &base,
                   int64_t &offset);
  /// The elements of a vector operand, or the operand itself.
  const std::vector<Operand> elements(unsigned index) const;
  bool sources(const std::vector<Operand> &from, Type type,
               const uint32_t *&list);
  bool destinations(const std::vector<Operand> &from, Type type,
                    const uint32_t *&list);
  /// A literal.
  bool literal(unsigned index, int64_t &value);

  uint32_t constant(Type type, uint64_t value);
  /// Memory for what a family keeps with an instruction.
  template <class T> T &extra() {
    auto owned = std::make_shared<T>();
    program.extras.push_back(owned);
    inst.extra = owned.get();
    return *owned;
  }
  uint32_t temporary(Type type);
  /// The predicate that add.cc and its like set.
  uint32_t carryFlag() {
    if (!carry)
      carry = temporary(Type::Pred);
    return carry;
  }
  bool fail(const std::string &message);
  bool unknown(); // "no such form of the instruction"
  /// Whether the target is at least this.
  bool needs(unsigned capability);

  // Control flow.
  bool branch(unsigned index);
  bool call();
  /// The lists of targets of the running function.
  const std::vector<uint32_t> *targets(unsigned index);
  void emit(Handler handler) {
    inst.run = handler;
    program.code.push_back(inst);
  }
  /// Ends the function: `jump` to what follows its call, `end` in a kernel.
  bool leave(Handler jump, Handler end);
  uint64_t symbolAddress(const Operand &operand, bool &good);

  const Statement *statement = nullptr;
  Inst inst;
  LoadedModule &loaded;
  Program &program;

private:
  bool function(const Function &function, Frame &frame, unsigned depth);
  bool decode(const Statement &from);
  bool layout(const Function &function, Frame &frame);
  uint32_t special(const std::string &name);
  uint32_t reserve(Type type, uint32_t lanes = 32);
  bool place(const Operand &operand, RegisterPlace &out);

  ParseError &error;
  Frame *frame = nullptr;
  unsigned depth = 0;
  uint32_t carry = 0;
  std::vector<bool> taken;
  /// Instructions whose target is a statement of the running function, or its
  /// end.
  std::vector<uint32_t> branches, leaves;
  std::vector<std::pair<uint32_t *, size_t>> lists;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constants;
};

struct Opcode {
  std::string_view name;
  bool (*decode)(Decoder &decoder);
};

/// The decoder of an instruction's first word, or null.
const Opcode *findOpcode(std::string_view name);

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_DECODER_H
