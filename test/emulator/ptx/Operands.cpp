// Operands of PTX statements, and what their names stand for.

#include "test/emulator/ptx/Parser.h"

#include <cstdlib>

namespace heddle::emulator {

bool Parser::findRegister(std::string_view name, uint32_t &index) const {
  size_t digits = name.size();
  while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (int at = scope; at >= 0; at = scopes[at].parent) {
    auto single = scopes[at].registers.find(name);
    if (single != scopes[at].registers.end()) {
      index = single->second;
      return true;
    }
    if (digits == name.size())
      continue;
    auto range = scopes[at].ranges.find(name.substr(0, digits));
    if (range == scopes[at].ranges.end())
      continue;
    std::string number(name.substr(digits));
    uint64_t place = std::strtoull(number.c_str(), nullptr, 10);
    if (place < range->second.second) {
      index = range->second.first + uint32_t(place);
      return true;
    }
  }
  return false;
}

bool Parser::name(Operand &out) {
  std::string_view text = token.text;
  out.name = std::string(text);
  if (text == "_") {
    out.kind = Operand::Kind::Sink;
    advance();
    return true;
  }
  if (findRegister(text, out.index)) {
    out.kind = Operand::Kind::Register;
    advance();
    return true;
  }
  if (text == "WARP_SZ") {
    out.kind = Operand::Kind::Integer;
    out.value = 32;
    advance();
    return true;
  }
  if (text[0] == '%') {
    static constexpr std::string_view kSpecial[] = {"tid",
                                                    "ntid",
                                                    "ctaid",
                                                    "nctaid",
                                                    "laneid",
                                                    "warpid",
                                                    "nwarpid",
                                                    "smid",
                                                    "nsmid",
                                                    "gridid",
                                                    "lanemask_eq",
                                                    "lanemask_le",
                                                    "lanemask_lt",
                                                    "lanemask_ge",
                                                    "lanemask_gt",
                                                    "clock",
                                                    "clock_hi",
                                                    "clock64",
                                                    "globaltimer",
                                                    "clusterid",
                                                    "nclusterid",
                                                    "cluster_ctaid",
                                                    "cluster_nctaid",
                                                    "cluster_ctarank",
                                                    "cluster_nctarank",
                                                    "is_explicit_cluster",
                                                    "dynamic_smem_size",
                                                    "total_smem_size",
                                                    "aggr_smem_size",
                                                    "globaltimer_lo",
                                                    "globaltimer_hi"};
    std::string_view stem = text.substr(1, text.find('.') - 1);
    for (std::string_view special : kSpecial)
      if (special == stem) {
        out.kind = Operand::Kind::Special;
        advance();
        return true;
      }
    return fail("no register '" + out.name + "' is declared here");
  }
  out.kind = Operand::Kind::Global;
  for (int at = scope; at >= 0; at = scopes[at].parent) {
    auto variable = scopes[at].variables.find(text);
    if (variable != scopes[at].variables.end()) {
      out.kind = Operand::Kind::Local;
      out.index = variable->second;
      advance();
      return true;
    }
  }
  for (const std::vector<Variable> *list :
       {&current->params, &current->results})
    for (size_t i = 0; i < list->size(); ++i)
      if ((*list)[i].name == text) {
        out.kind = Operand::Kind::Param;
        bool result = list == &current->results;
        out.index = uint32_t(i + (result ? current->params.size() : 0));
      }
  advance();
  return true;
}

bool Parser::number(Operand &out) {
  bool negative = false, complement = false;
  while (token.is("-") || token.is("~") || token.is("+")) {
    negative ^= token.is("-");
    complement ^= token.is("~");
    advance();
  }
  if (token.kind == Token::Kind::Float) {
    out.kind = Operand::Kind::Float;
    out.bytes = token.bytes;
    out.value = token.value;
    if (negative)
      out.value ^= uint64_t(1) << (token.bytes * 8 - 1);
    advance();
    return true;
  }
  if (token.kind != Token::Kind::Integer)
    return unexpected("an operand");
  out.kind = Operand::Kind::Integer;
  out.value = negative ? -token.value : token.value;
  if (complement)
    out.value = ~out.value;
  advance();
  return true;
}

bool Parser::listOf(Operand &out, Operand::Kind kind, std::string_view close) {
  out.kind = kind;
  if (take(close))
    return true;
  do {
    Operand element;
    if (!operand(element))
      return false;
    out.elements.push_back(std::move(element));
  } while (take(","));
  return expect(close);
}

bool Parser::address(Operand &out) {
  out.kind = Operand::Kind::Address;
  Operand base;
  if (token.kind == Token::Kind::Word ? !name(base) : !number(base))
    return false;
  out.elements.push_back(std::move(base));
  while (token.is("+") || token.is("-")) {
    uint64_t offset = 0;
    bool negative = token.is("-");
    advance();
    if (!expectInteger(offset))
      return false;
    out.offset += negative ? -int64_t(offset) : int64_t(offset);
  }
  while (take(",")) { // [tensorMap, {c0, c1}]
    Operand more;
    if (!operand(more))
      return false;
    out.elements.push_back(std::move(more));
  }
  return expect("]");
}

bool Parser::operand(Operand &out) {
  if (take("["))
    return address(out);
  if (take("{"))
    return listOf(out, Operand::Kind::Vector, "}");
  if (take("("))
    return listOf(out, Operand::Kind::List, ")");
  if (take("!")) {
    if (!operand(out))
      return false;
    out.negated = true;
    return true;
  }
  if (token.kind != Token::Kind::Word)
    return number(out);
  if (!name(out))
    return false;
  if (take("|")) {
    Operand pair, second;
    if (token.kind != Token::Kind::Word || !name(second))
      return unexpected("a register");
    pair.kind = Operand::Kind::Pair;
    pair.elements = {std::move(out), std::move(second)};
    out = std::move(pair);
  } else if (token.is("+") && ahead.kind == Token::Kind::Integer) {
    advance(); // mov.u64 %rd1, symbol+8
    uint64_t offset = 0;
    if (!expectInteger(offset))
      return false;
    out.offset = int64_t(offset);
  }
  return true;
}

} // namespace heddle::emulator
