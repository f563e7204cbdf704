// Kernels become lists of instructions: places of registers and variables,
// labels, functions put in where they are called.

#include "test/emulator/machine/Decoder.h"

#include <algorithm>

namespace heddle::emulator {

static uint32_t alignTo(uint32_t value, uint32_t align) {
  return (value + align - 1) / align * align;
}

/// Bytes of a lane of a register; predicates are masks.
static uint32_t laneBytes(Type type) {
  return type == Type::Pred ? 0 : std::max(2u, bytesOf(type));
}

bool Decoder::fail(const std::string &message) {
  if (error.message.empty()) {
    error.line = statement ? statement->line : 0;
    error.message = (statement ? statement->opcode + ": " : "") + message;
  }
  return false;
}

bool Decoder::unknown() {
  return fail("this form of the instruction is not known here");
}

bool Decoder::needs(unsigned capability) {
  return program.capability >= capability ||
         fail("needs sm_" + std::to_string(capability) + ", the device is sm_" +
              std::to_string(program.capability));
}

uint32_t Decoder::reserve(Type type, uint32_t lanes) {
  uint32_t bytes = laneBytes(type);
  uint32_t size = bytes ? alignTo(bytes * lanes, 64) : 4;
  uint32_t offset = alignTo(program.registerBytes, bytes ? 64 : 4);
  program.registerBytes = offset + size;
  return offset;
}

uint32_t Decoder::temporary(Type type) { return reserve(type); }

uint32_t Decoder::constant(Type type, uint64_t value) {
  uint32_t bytes = laneBytes(type);
  if (bytes && bytes < 8)
    value &= (uint64_t(1) << (bytes * 8)) - 1;
  auto [found, fresh] = constants.try_emplace({bytes, value}, 0);
  if (fresh) {
    found->second = reserve(type);
    program.constants.push_back({found->second, bytes, value});
  }
  return found->second;
}

uint32_t Decoder::special(const std::string &name) {
  for (const SpecialRegister &known : program.specials)
    if (known.name == name)
      return known.offset;
  program.specials.push_back({name, reserve(Type::U32)});
  return program.specials.back().offset;
}

bool Decoder::layout(const Function &function, Frame &made) {
  made.function = &function;
  for (const Register &reg : function.registers)
    made.registers.push_back({reserve(reg.type), reg.type});
  for (const Variable &variable : function.variables) {
    bool shared = variable.space == Space::Shared;
    uint32_t &end = shared ? program.sharedBytes : program.localBytes;
    uint32_t at = alignTo(end, variable.align);
    if (shared && variable.isExtern) {
      program.usesDynamic = true;
      made.variables.push_back(~0u);
      continue;
    }
    made.variables.push_back(at);
    end = at + uint32_t(variable.bytes);
  }
  return true;
}

bool Decoder::kernel(const Function &kernel) {
  program.name = kernel.name;
  program.function = &kernel;
  program.sharedStart = program.capability >= 90 ? 1024 : 0;
  program.sharedBytes = program.sharedStart;
  for (const Variable &param : kernel.params) {
    uint32_t at = alignTo(program.paramBytes, param.align);
    program.paramOffsets.push_back(at);
    program.paramBytes = at + uint32_t(param.bytes);
  }
  // Shared variables of the module first: their places are the same in all
  // kernels of it.
  uint32_t dynamicAlign = 16;
  for (const Variable &variable : loaded.module.variables) {
    if (variable.space != Space::Shared)
      continue;
    if (variable.isExtern || variable.bytes == 0) {
      dynamicAlign = std::max(dynamicAlign, variable.align);
      continue;
    }
    program.sharedBytes = alignTo(program.sharedBytes, variable.align);
    loaded.addresses[variable.name] = program.sharedBytes;
    program.sharedBytes += uint32_t(variable.bytes);
  }
  // Static variables of functions that are put in later come behind it: the
  // dynamic memory starts behind what all functions of the module may need.
  uint32_t most = program.sharedBytes;
  for (const Function &function : loaded.module.functions)
    for (const Variable &variable : function.variables)
      if (variable.space == Space::Shared && !variable.isExtern &&
          (&function == &kernel || !function.isEntry))
        most = alignTo(most, variable.align) + uint32_t(variable.bytes);
  program.dynamicStart = alignTo(most, dynamicAlign);
  constant(Type::Pred, 1);
  Frame main;
  statement = nullptr;
  if (!function(kernel, main, 0))
    return false;
  if (program.sharedBytes > program.dynamicStart)
    return fail("a function with shared variables is called at several places");
  program.firstRegister = 0;
  return true;
}

bool Decoder::function(const Function &body, Frame &made, unsigned level) {
  if (level > 16)
    return fail("functions that call themselves are not emulated");
  if (!layout(body, made))
    return false;
  Frame *outerFrame = frame;
  const Statement *outerStatement = statement;
  std::vector<uint32_t> outerBranches = std::move(branches),
                        outerLeaves = std::move(leaves);
  auto outerLists = std::move(lists);
  branches.clear();
  leaves.clear();
  lists.clear();
  frame = &made;
  unsigned outerDepth = depth;
  depth = level;
  for (const Statement &next : body.code) {
    made.places.push_back(uint32_t(program.code.size()));
    if (!decode(next))
      return false;
  }
  made.places.push_back(uint32_t(program.code.size()));
  // What runs to the end of the body returns.
  statement = nullptr;
  if (level == 0) {
    inst = {};
    inst.guard = constant(Type::Pred, 1);
    if (const Opcode *ret = findOpcode("ret")) {
      static const Statement kEnd{0, -1, false, "ret", {"ret"}, {}};
      statement = &kEnd;
      taken.assign(1, true);
      inst.source = &kEnd;
      ret->decode(*this);
    }
  }
  for (uint32_t at : branches)
    program.code[at].target = made.places[program.code[at].target];
  for (uint32_t at : leaves)
    program.code[at].target = uint32_t(program.code.size());
  for (auto [list, count] : lists)
    for (size_t i = 0; i < count; ++i)
      list[i] = made.places[list[i]];
  frame = outerFrame;
  statement = outerStatement;
  branches = std::move(outerBranches);
  leaves = std::move(outerLeaves);
  lists = std::move(outerLists);
  depth = outerDepth;
  return true;
}

bool Decoder::decode(const Statement &from) {
  statement = &from;
  inst = {};
  inst.source = &from;
  inst.guard = constant(Type::Pred, 1);
  if (from.guard >= 0) {
    inst.guard = frame->registers[size_t(from.guard)].offset;
    inst.guardFlip = from.guardNegated ? ~0u : 0;
  }
  taken.assign(from.parts.size(), false);
  taken[0] = true;
  const Opcode *opcode = findOpcode(from.parts[0]);
  if (!opcode)
    return fail("this instruction is not known here");
  if (!opcode->decode(*this))
    return error.message.empty() ? unknown() : false;
  return done();
}

bool Decoder::branch(unsigned index) {
  if (index >= operands() || operand(index).kind != Operand::Kind::Label)
    return fail("takes a label");
  inst.target = operand(index).index;
  branches.push_back(uint32_t(program.code.size()));
  return true;
}

const std::vector<uint32_t> *Decoder::targets(unsigned index) {
  if (index >= operands() || operand(index).kind != Operand::Kind::Label ||
      operand(index).index >= frame->function->targetLists.size()) {
    fail("takes a list of branch targets");
    return nullptr;
  }
  const auto &found = frame->function->targetLists[operand(index).index];
  auto list = std::make_unique<uint32_t[]>(found.size());
  std::copy(found.begin(), found.end(), list.get());
  inst.list = list.get();
  lists.push_back({list.get(), found.size()});
  program.lists.push_back(std::move(list));
  return &found;
}

bool Decoder::leave(Handler jump, Handler end) {
  if (depth)
    leaves.push_back(uint32_t(program.code.size()));
  emit(depth ? jump : end);
  return true;
}

/// call (results), name, (arguments): the body is put in here. Parameters are
/// the variables that the caller passes.
bool Decoder::call() {
  unsigned at = 0;
  std::vector<Operand> results, arguments;
  if (at < operands() && operand(at).kind == Operand::Kind::List)
    results = operand(at++).elements;
  if (at >= operands() || operand(at).kind != Operand::Kind::Global)
    return fail("calls through addresses are not emulated");
  const Function *callee = loaded.module.function(operand(at).name);
  std::string name = operand(at++).name;
  if (at < operands() && operand(at).kind == Operand::Kind::List)
    arguments = operand(at++).elements;
  if (!callee || callee->isExtern)
    return fail("function '" + name + "' has no body here");
  if (results.size() != callee->results.size() ||
      arguments.size() != callee->params.size())
    return fail("'" + name + "' takes " +
                std::to_string(callee->params.size()) +
                " arguments and gives " +
                std::to_string(callee->results.size()) + " results");
  if (statement->guard >= 0)
    return fail("calls under a predicate are not emulated");
  Frame inner;
  arguments.insert(arguments.end(), results.begin(), results.end());
  for (const Operand &argument : arguments) {
    if (argument.kind != Operand::Kind::Local)
      return fail("arguments are variables of .param");
    inner.params.push_back(frame->variables[argument.index]);
  }
  return function(*callee, inner, depth + 1);
}

bool decodeKernel(LoadedModule &loaded, const Function &kernel,
                  Program &program, ParseError &error) {
  return Decoder(loaded, program, error).kernel(kernel);
}

} // namespace heddle::emulator
