// Operands of statements become places in a warp's registers.

#include "test/emulator/machine/Decoder.h"
#include "test/emulator/machine/Launch.h"

namespace heddle::emulator {

bool Decoder::take(std::string_view part) {
  for (size_t i = 1; i < taken.size(); ++i)
    if (!taken[i] && statement->parts[i] == part) {
      taken[i] = true;
      return true;
    }
  return false;
}

int Decoder::takeOneOf(std::initializer_list<std::string_view> parts) {
  int index = 0;
  for (std::string_view part : parts) {
    if (take(part))
      return index;
    ++index;
  }
  return -1;
}

Type Decoder::takeType() {
  for (size_t i = 1; i < taken.size(); ++i)
    if (!taken[i])
      if (Type type = typeOfName(statement->parts[i]); type != Type::None) {
        taken[i] = true;
        return type;
      }
  return Type::None;
}

std::string Decoder::takeAny() {
  for (size_t i = 1; i < taken.size(); ++i)
    if (!taken[i]) {
      taken[i] = true;
      return statement->parts[i];
    }
  return {};
}

bool Decoder::done() {
  for (size_t i = 1; i < taken.size(); ++i)
    if (!taken[i])
      return fail("'." + statement->parts[i] + "' is not known here");
  return true;
}

bool Decoder::count(unsigned wanted) {
  return operands() == wanted ||
         fail("takes " + std::to_string(wanted) + " operands, not " +
              std::to_string(operands()));
}

bool Decoder::place(const Operand &operand, RegisterPlace &out) {
  if (operand.kind != Operand::Kind::Register)
    return fail("takes a register here");
  out = frame->registers[operand.index];
  return true;
}

/// The number that the name of a variable stands for, in its own space.
uint64_t Decoder::symbolAddress(const Operand &operand, bool &good) {
  good = true;
  uint64_t offset = uint64_t(operand.offset);
  if (operand.kind == Operand::Kind::Local) {
    uint32_t at = frame->variables[operand.index];
    return offset + (at == ~0u ? program.dynamicStart : at);
  }
  if (operand.kind == Operand::Kind::Param)
    return offset + (depth ? frame->params[operand.index]
                           : program.paramOffsets[operand.index]);
  if (const Variable *variable = loaded.module.variable(operand.name)) {
    if (variable->space == Space::Shared &&
        (variable->isExtern || variable->bytes == 0)) {
      program.usesDynamic = true;
      return offset + program.dynamicStart;
    }
    return offset + loaded.addresses[operand.name];
  }
  good = fail("'" + operand.name + "' is no variable");
  return 0;
}

bool Decoder::wideSource(const Operand &operand, Type type, uint32_t &offset,
                         uint8_t &registerBytes) {
  registerBytes = uint8_t(std::max(2u, bytesOf(type)));
  switch (operand.kind) {
  case Operand::Kind::Register: {
    RegisterPlace found = frame->registers[operand.index];
    if ((found.type == Type::Pred) != (type == Type::Pred))
      return fail("'" + operand.name + "' is of another kind than the type");
    if (bitsOf(found.type) < bitsOf(type))
      return fail("'" + operand.name + "' has " +
                  std::to_string(bitsOf(found.type)) + " bits, the type " +
                  std::to_string(bitsOf(type)));
    offset = found.offset;
    registerBytes = uint8_t(std::max(2u, bytesOf(found.type)));
    return true;
  }
  case Operand::Kind::Integer:
    offset = constant(type, operand.value);
    return true;
  case Operand::Kind::Float: {
    uint64_t bits = operand.value;
    if (operand.bytes == 8 && bytesOf(type) == 4) {
      double wide;
      memcpy(&wide, &bits, 8);
      float narrow = float(wide);
      bits = 0;
      memcpy(&bits, &narrow, 4);
    } else if (operand.bytes == 4 && bytesOf(type) == 8) {
      float narrow;
      memcpy(&narrow, &bits, 4);
      double wide = narrow;
      memcpy(&bits, &wide, 8);
    } else if (operand.bytes != bytesOf(type)) {
      return fail("a literal of " + std::to_string(operand.bytes * 8) +
                  " bits for a type of " + std::to_string(bitsOf(type)));
    }
    offset = constant(type, bits);
    return true;
  }
  case Operand::Kind::Special:
    registerBytes = 4;
    offset = special(operand.name);
    return true;
  case Operand::Kind::Local:
  case Operand::Kind::Param:
  case Operand::Kind::Global: {
    bool good = true;
    uint64_t value = symbolAddress(operand, good);
    offset = constant(type, value);
    return good;
  }
  default:
    return fail("an operand of this kind cannot stand here");
  }
}

bool Decoder::source(const Operand &operand, Type type, uint32_t &offset) {
  uint8_t bytes = 0;
  if (!wideSource(operand, type, offset, bytes))
    return false;
  if (operand.kind == Operand::Kind::Special && bytesOf(type) != 4)
    return fail("special registers have 32 bits");
  if (bytes != std::max(2u, bytesOf(type)))
    return fail("'" + operand.name + "' has " + std::to_string(bytes * 8) +
                " bits, the type " + std::to_string(bitsOf(type)));
  return true;
}

bool Decoder::wideDestination(const Operand &operand, Type type,
                              uint32_t &offset, uint8_t &registerBytes) {
  if (operand.kind == Operand::Kind::Sink) {
    registerBytes = uint8_t(std::max(2u, bytesOf(type)));
    offset = temporary(type);
    return true;
  }
  if (operand.kind != Operand::Kind::Register)
    return fail("the result goes to a register");
  return wideSource(operand, type, offset, registerBytes);
}

bool Decoder::destination(const Operand &operand, Type type, uint32_t &offset) {
  if (operand.kind == Operand::Kind::Sink) {
    offset = temporary(type);
    return true;
  }
  if (operand.kind != Operand::Kind::Register)
    return fail("the result goes to a register");
  return source(operand, type, offset);
}

bool Decoder::address(unsigned index, Space space) {
  inst.space = space;
  if (index >= operands())
    return count(index + 1);
  return addressInto(operand(index), inst.space, inst.a, inst.offset);
}

bool Decoder::addressInto(const Operand &operand, Space &space, uint32_t &base,
                          int64_t &offset) {
  if (operand.kind != Operand::Kind::Address || operand.elements.empty())
    return fail("takes an address in brackets");
  const Operand &start = operand.elements[0];
  offset = operand.offset;
  if (start.kind == Operand::Kind::Register) {
    RegisterPlace found = frame->registers[start.index];
    if (bitsOf(found.type) == 32) {
      // Shared, local, const and param addresses may have 32 bits.
      if (space == Space::None || space == Space::Global)
        return fail("addresses of this space have 64 bits");
      base = found.offset;
      inst.flags |= 0x80; // a base of 32 bits
      return true;
    }
    base = found.offset;
    return bitsOf(found.type) == 64 || fail("addresses have 64 bits");
  }
  if (start.kind == Operand::Kind::Integer) {
    base = constant(Type::B64, 0);
    offset += int64_t(start.value);
    return true;
  }
  bool good = true;
  uint64_t value = symbolAddress(start, good);
  base = constant(Type::B64, value);
  // Parameters of functions lie in local memory; names without a space are
  // generic addresses.
  bool isParam = start.kind == Operand::Kind::Param;
  bool isLocalVariable =
      start.kind == Operand::Kind::Local &&
      frame->function->variables[start.index].space != Space::Shared;
  if ((isParam && depth) || (isLocalVariable && space == Space::Param))
    space = Space::Local;
  else if (space == Space::None && isParam)
    space = Space::Param;
  return good;
}

const std::vector<Operand> Decoder::elements(unsigned index) const {
  const Operand &whole = operand(index);
  if (whole.kind == Operand::Kind::Vector)
    return whole.elements;
  return {whole};
}

bool Decoder::sources(const std::vector<Operand> &from, Type type,
                      const uint32_t *&list) {
  auto made = std::make_unique<uint32_t[]>(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    if (!source(from[i], type, made[i]))
      return false;
  list = made.get();
  program.lists.push_back(std::move(made));
  return true;
}

bool Decoder::destinations(const std::vector<Operand> &from, Type type,
                           const uint32_t *&list) {
  auto made = std::make_unique<uint32_t[]>(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    if (!destination(from[i], type, made[i]))
      return false;
  list = made.get();
  program.lists.push_back(std::move(made));
  return true;
}

bool Decoder::literal(unsigned index, int64_t &value) {
  if (index >= operands())
    return count(index + 1);
  if (operand(index).kind != Operand::Kind::Integer)
    return fail("takes a literal as operand " + std::to_string(index + 1));
  value = int64_t(operand(index).value);
  return true;
}

} // namespace heddle::emulator
