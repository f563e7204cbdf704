// Functions of PTX: parameters, attributes, and the statements of their
// bodies.

#include "test/emulator/ptx/Parser.h"

namespace heddle::emulator {

bool Parser::parameterList(std::vector<Variable> &into,
                           std::vector<int> &registers) {
  if (!take("("))
    return true;
  if (take(")"))
    return true;
  do {
    Variable variable;
    bool isRegister = token.is(".reg");
    if (!isRegister && !token.is(".param"))
      return unexpected("'.param' or '.reg'");
    advance();
    variable.space = Space::Param;
    variable.line = token.line;
    bool open = false;
    if (!variableType(variable) || !expectWord(variable.name) ||
        !dimensions(variable, open))
      return false;
    registers.push_back(-1);
    if (isRegister) {
      registers.back() = int(current->registers.size());
      scopes[0].registers[variable.name] = uint32_t(registers.back());
      current->registers.push_back({variable.name, variable.type});
    }
    into.push_back(variable);
  } while (take(","));
  return expect(")");
}

bool Parser::functionAttributes(Function &function) {
  auto threads = [&](std::array<uint32_t, 3> &into) {
    into = {1, 1, 1};
    for (uint32_t &extent : into) {
      uint64_t value = 0;
      if (!expectInteger(value))
        return false;
      extent = uint32_t(value);
      if (!take(","))
        break;
    }
    return true;
  };
  auto one = [&](uint32_t &into) {
    uint64_t value = 0;
    bool good = expectInteger(value);
    into = uint32_t(value);
    return good;
  };
  std::array<uint32_t, 3> ignored{};
  while (token.kind == Token::Kind::Directive) {
    bool good = true;
    if (take(".reqntid"))
      good = threads(function.requiredThreads);
    else if (take(".maxntid"))
      good = threads(function.maxThreads);
    else if (take(".reqnctapercluster"))
      good = threads(function.clusterSize);
    else if (take(".maxclusterrank"))
      good = threads(ignored);
    else if (take(".maxnreg"))
      good = one(function.maxRegisters);
    else if (take(".minnctapersm") || take(".maxnctapersm"))
      good = one(function.minCtas);
    else if (take(".explicitcluster") || take(".noreturn") ||
             take(".blocksareclusters"))
      good = true;
    else if (token.is(".pragma"))
      good = skipLine();
    else
      return unexpected("a function's attribute or '{'");
    if (!good)
      return false;
  }
  return true;
}

bool Parser::function(bool isEntry, bool isExtern) {
  Function fresh;
  fresh.isEntry = isEntry;
  fresh.isExtern = isExtern;
  fresh.line = token.line;
  current = &fresh;
  scopes.assign(1, {});
  scope = 0;
  statementScopes.clear();
  if (!parameterList(fresh.results, fresh.resultRegisters))
    return false;
  if (!expectWord(fresh.name))
    return false;
  if (!parameterList(fresh.params, fresh.paramRegisters) ||
      !functionAttributes(fresh))
    return false;
  if (take(";"))
    fresh.isExtern = true; // a declaration
  else if (!body())
    return false;
  current = nullptr;
  for (Function &known : module.functions)
    if (known.name == fresh.name) {
      if (!known.isExtern && !fresh.isExtern)
        return fail("function '" + fresh.name + "' is defined twice",
                    fresh.line);
      if (known.isExtern)
        known = std::move(fresh);
      return true;
    }
  module.functions.push_back(std::move(fresh));
  return true;
}

bool Parser::body() {
  if (!expect("{"))
    return false;
  for (int depth = 1; depth;) {
    if (take("{")) {
      NameScope inner;
      inner.parent = scope;
      scopes.push_back(inner);
      scope = int(scopes.size()) - 1;
      ++depth;
    } else if (take("}")) {
      scope = scopes[scope].parent;
      --depth;
    } else if (!bodyItem()) {
      return false;
    }
  }
  return resolveLabels();
}

bool Parser::registerDeclaration() {
  Variable form;
  if (!variableType(form))
    return false;
  do {
    std::string name;
    if (!expectWord(name))
      return false;
    uint32_t first = uint32_t(current->registers.size());
    if (take("<")) {
      uint64_t count = 0;
      if (!expectInteger(count) || !expect(">"))
        return false;
      if (count > 1000000)
        return fail("more than a million registers '" + name + "'");
      scopes[scope].ranges[name] = {first, uint32_t(count)};
      for (uint32_t i = 0; i < count; ++i)
        current->registers.push_back({name + std::to_string(i), form.type});
      continue;
    }
    scopes[scope].registers[name] = first;
    current->registers.push_back({name, form.type});
  } while (take(","));
  return expect(";");
}

bool Parser::branchTargets(const std::string &name) {
  std::vector<std::string> labels;
  do {
    std::string label;
    if (!expectWord(label))
      return false;
    labels.push_back(label);
  } while (take(","));
  scopes[scope].targetLists[name] = labels;
  return expect(";");
}

bool Parser::skipPrototype() {
  while (!token.is(";") && token.kind != Token::Kind::End)
    advance();
  return expect(";");
}

bool Parser::bodyItem() {
  if (token.kind == Token::Kind::End)
    return unexpected("'}'");
  if (take(".reg"))
    return registerDeclaration();
  if (token.is(".loc") || token.is(".file") || token.is(".pragma"))
    return skipLine();
  Space space = token.is(".shared")   ? Space::Shared
                : token.is(".local")  ? Space::Local
                : token.is(".param")  ? Space::Param
                : token.is(".global") ? Space::Global
                : token.is(".const")  ? Space::Const
                                      : Space::None;
  if (space != Space::None) {
    advance();
    bool ofModule = space == Space::Global || space == Space::Const;
    std::vector<Variable> &into =
        ofModule ? module.variables : current->variables;
    size_t first = into.size();
    if (!variableDeclaration(space, false, into))
      return false;
    for (size_t i = first; i < into.size() && !ofModule; ++i)
      scopes[scope].variables[into[i].name] = uint32_t(i);
    return true;
  }
  if (take(";"))
    return true;
  if (token.kind == Token::Kind::Word && ahead.is(":")) {
    std::string label(token.text);
    advance();
    advance();
    if (take(".branchtargets"))
      return branchTargets(label);
    if (take(".callprototype") || take(".calltargets"))
      return skipPrototype();
    if (!scopes[scope]
             .labels.emplace(label, uint32_t(current->code.size()))
             .second)
      return fail("label '" + label + "' stands twice here");
    return true;
  }
  return statement();
}

bool Parser::statement() {
  Statement out;
  out.line = token.line;
  if (take("@")) {
    out.guardNegated = take("!");
    uint32_t index = 0;
    if (token.kind != Token::Kind::Word || !findRegister(token.text, index))
      return unexpected("a predicate");
    if (current->registers[index].type != Type::Pred)
      return fail("'" + std::string(token.text) + "' is no predicate");
    out.guard = int(index);
    advance();
  }
  if (!expectWord(out.opcode))
    return false;
  for (size_t start = 0; start <= out.opcode.size();) {
    size_t dot = std::min(out.opcode.find('.', start), out.opcode.size());
    out.parts.push_back(out.opcode.substr(start, dot - start));
    start = dot + 1;
  }
  if (!token.is(";")) {
    do {
      Operand next;
      if (!operand(next))
        return false;
      out.operands.push_back(std::move(next));
    } while (take(","));
  }
  if (!expect(";"))
    return false;
  current->code.push_back(std::move(out));
  statementScopes.push_back(scope);
  return true;
}

bool Parser::resolveLabel(Operand &operand, int from, int line) {
  for (Operand &element : operand.elements)
    if (!resolveLabel(element, from, line))
      return false;
  if (operand.kind != Operand::Kind::Global)
    return true;
  for (int at = from; at >= 0; at = scopes[at].parent) {
    auto label = scopes[at].labels.find(operand.name);
    if (label != scopes[at].labels.end()) {
      operand.kind = Operand::Kind::Label;
      operand.index = label->second;
      return true;
    }
    auto list = scopes[at].targetLists.find(operand.name);
    if (list == scopes[at].targetLists.end())
      continue;
    std::vector<uint32_t> targets;
    for (const std::string &name : list->second) {
      Operand target;
      target.kind = Operand::Kind::Global;
      target.name = name;
      if (!resolveLabel(target, at, line))
        return false;
      if (target.kind != Operand::Kind::Label)
        return fail("no label '" + name + "'", line);
      targets.push_back(target.index);
    }
    operand.kind = Operand::Kind::Label;
    operand.index = uint32_t(current->targetLists.size());
    current->targetLists.push_back(targets);
    return true;
  }
  if (!module.variable(operand.name) && !module.function(operand.name) &&
      operand.name != current->name)
    return fail("no register, variable, function or label '" + operand.name +
                    "'",
                line);
  return true;
}

bool Parser::resolveLabels() {
  for (size_t i = 0; i < current->code.size(); ++i)
    for (Operand &operand : current->code[i].operands)
      if (!resolveLabel(operand, statementScopes[i], current->code[i].line))
        return false;
  return true;
}

} // namespace heddle::emulator
