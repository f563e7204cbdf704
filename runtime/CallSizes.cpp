// Finds the values of a call's symbols, from the caller, states, shapes and
// solutions, and refuses those that the entry does not take.

#include "runtime/CallSizes.h"

#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestTables.h"

#include <cstring>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

/// What no symbol is.
static constexpr int64_t unknown = -1;

static bool takes(const Symbol &symbol, int64_t value) {
  return value >= symbol.minimum() && value <= symbol.maximum() &&
         value % symbol.multiple() == 0;
}

/// "'batch' must be from 1 to 64", "... and a multiple of 32", "... must be 0".
static std::string rangeText(const Symbol &symbol) {
  if (symbol.minimum() == symbol.maximum())
    return "'" + text(symbol.name()) + "' must be " +
           std::to_string(symbol.minimum());
  std::string result = "'" + text(symbol.name()) + "' must be from " +
                       std::to_string(symbol.minimum()) + " to " +
                       std::to_string(symbol.maximum());
  if (symbol.multiple() != 1)
    result += " and a multiple of " + std::to_string(symbol.multiple());
  return result;
}

Error runtime::checkCount(const Symbol &symbol, int64_t count) {
  if (takes(symbol, count))
    return {};
  return {HEDDLE_TENSOR_SHAPE, "the program computes " + std::to_string(count) +
                                   " for a size: " + rangeText(symbol)};
}

void CallSizes::reserve(const LoadedProgram &program, const EntrySpec &entry) {
  const Manifest &manifest = program.manifest();
  symbolValues.reserve(length(manifest.symbols()));
  expressionValues.reserve(length(manifest.expressions()));
  finalSymbols.reserve(length(manifest.symbols()));
  finalValues.reserve(length(manifest.expressions()));
  if (!length(entry.record->solutions()))
    return;
  known.reserve(length(manifest.symbols()) + extentCount(*entry.record));
  solved.reserve(length(entry.record->solving()));
}

Error runtime::chooseSymbols(const LoadedProgram &program, const int64_t *given,
                             size_t givenCount, std::vector<int64_t> &symbols) {
  const Manifest &manifest = program.manifest();
  if (givenCount && !given)
    return {HEDDLE_ARGUMENT_INVALID, "sizes is a null pointer"};
  if (givenCount > symbols.size())
    return {HEDDLE_ARGUMENT_INVALID, std::to_string(givenCount) +
                                         " sizes are given, the program has " +
                                         std::to_string(symbols.size())};
  for (uint32_t i = 0; i < givenCount; ++i) {
    const Symbol &symbol = *manifest.symbols()->Get(i);
    if (given[i] == unknown)
      continue;
    if (!takes(symbol, given[i]))
      return {HEDDLE_TENSOR_SHAPE,
              "the size '" + text(symbol.name()) + "' is given as " +
                  std::to_string(given[i]) + ": " + rangeText(symbol)};
    symbols[i] = given[i];
  }
  return {};
}

Error CallSizes::take(const LoadedProgram &program,
                      const std::vector<runtime::State *> &states,
                      const int64_t *given, size_t givenCount) {
  const Manifest &manifest = program.manifest();
  symbolValues.assign(length(manifest.symbols()), unknown);
  if (Error error = chooseSymbols(program, given, givenCount, symbolValues))
    return error;
  for (uint32_t i = 0; i < symbolValues.size(); ++i)
    if (const Symbol &symbol = *manifest.symbols()->Get(i);
        symbolValues[i] != unknown && symbol.source() == SymbolSource::state)
      return {HEDDLE_ARGUMENT_INVALID, "the size '" + text(symbol.name()) +
                                           "' is given, and is the length of "
                                           "a state"};
  for (uint32_t i = 0; i < symbolValues.size(); ++i) {
    const Symbol &symbol = *manifest.symbols()->Get(i);
    if (symbol.source() != SymbolSource::device)
      continue;
    if (symbolValues[i] != unknown)
      return {HEDDLE_ARGUMENT_INVALID, "the size '" + text(symbol.name()) +
                                           "' is given, and is computed by "
                                           "the program"};
    symbolValues[i] = symbol.maximum();
  }
  return takeLengths(manifest, states);
}

Error CallSizes::takeLengths(const Manifest &manifest,
                             const std::vector<runtime::State *> &states) {
  for (const runtime::State *state : states) {
    const StateSpec &spec = state->spec();
    if (spec.symbol == none)
      continue;
    int64_t length = state->length(), &value = symbolValues[spec.symbol];
    const Symbol &symbol = *manifest.symbols()->Get(spec.symbol);
    if (length > symbol.maximum())
      return {HEDDLE_STATE_LENGTH, "state '" + spec.name +
                                       "' is full: its length is " +
                                       std::to_string(length) +
                                       ", and this call starts from at most " +
                                       std::to_string(symbol.maximum())};
    if (value != unknown && value != length)
      return {HEDDLE_STATE_LENGTH,
              "state '" + spec.name + "' has the length " +
                  std::to_string(length) + ", but another state that counts '" +
                  text(symbol.name()) + "' has " + std::to_string(value)};
    value = length;
  }
  return {};
}

Error CallSizes::readExtents(const Manifest &manifest, const EntrySpec &entry,
                             TensorList inputs) {
  for (size_t i = 0; i < inputs.count; ++i) {
    const TensorSpec &spec = entry.inputs[i];
    for (size_t j = 0; j < spec.shape.size(); ++j) {
      const Expression &extent = *manifest.expressions()->Get(spec.shape[j]);
      if (extent.kind() != ExpressionKind::symbol)
        continue;
      auto index = static_cast<uint32_t>(extent.value());
      const Symbol &symbol = *manifest.symbols()->Get(index);
      int64_t value = inputs.tensors[i].shape[j];
      if (!takes(symbol, value))
        return wrongShape("input", spec, inputs.tensors[i], rangeText(symbol));
      if (symbolValues[index] == unknown)
        symbolValues[index] = value;
    }
  }
  return {};
}

Error CallSizes::solve(const Manifest &manifest, const EntrySpec &entry,
                       TensorList inputs) {
  const auto *solutions = entry.record->solutions();
  if (!length(solutions))
    return {};
  known.assign(symbolValues.begin(), symbolValues.end());
  for (size_t i = 0; i < inputs.count; ++i)
    known.insert(known.end(), inputs.tensors[i].shape,
                 inputs.tensors[i].shape + inputs.tensors[i].rank);
  if (Error error =
          evaluate(entry.record->solving(), known, HEDDLE_TENSOR_SHAPE, solved))
    return error;
  for (uint32_t i = 0; i < length(solutions); ++i) {
    const Solution &solution = *solutions->Get(i);
    const Symbol &symbol = *manifest.symbols()->Get(solution.symbol());
    int64_t &value = symbolValues[solution.symbol()];
    if (value != unknown)
      continue;
    value = solved[solution.value()];
    if (!takes(symbol, value))
      return wrongShape("input", entry.inputs[solution.input()],
                        inputs.tensors[solution.input()],
                        "dimension " + std::to_string(solution.dimension()) +
                            " makes '" + text(symbol.name()) + "' " +
                            std::to_string(value) + ", but " +
                            rangeText(symbol));
  }
  return {};
}

/// "batch is 3, sequence is 5": the symbols that entry `index` of the table
/// looks at.
static std::string symbolsText(const Manifest &manifest, uint32_t index,
                               const std::vector<int64_t> &values) {
  std::vector<bool> seen(index + size_t(1), false);
  seen[index] = true;
  std::vector<bool> told(values.size(), false);
  for (uint32_t i = index + 1; i-- > 0;) {
    if (!seen[i])
      continue;
    const Expression &expression = *manifest.expressions()->Get(i);
    if (expression.kind() == ExpressionKind::symbol)
      told[static_cast<size_t>(expression.value())] = true;
    if (expression.kind() <= ExpressionKind::symbol)
      continue;
    seen[expression.lhs()] = seen[expression.rhs()] = true;
    if (expression.kind() == ExpressionKind::select)
      seen[static_cast<size_t>(expression.value())] = true;
  }
  std::string result;
  for (uint32_t i = 0; i < told.size(); ++i)
    if (told[i])
      result += (result.empty() ? "" : ", ") +
                text(manifest.symbols()->Get(i)->name()) + " is " +
                std::to_string(values[i]);
  return result;
}

Error CallSizes::checkAssumptions(const Manifest &manifest,
                                  const EntrySpec &entry) const {
  for (uint32_t i = 0; i < length(entry.record->assumptions()); ++i) {
    const Assumption &assumption = *entry.record->assumptions()->Get(i);
    if (expressionValues[assumption.zero()] == 0)
      continue;
    std::string message =
        text(assumption.text()) + " does not hold: " +
        symbolsText(manifest, assumption.zero(), symbolValues);
    if (assumption.node() != none)
      message += " (node " + text(manifest.nodes()->Get(assumption.node())) +
                 " wants it)";
    return {HEDDLE_TENSOR_SHAPE, message};
  }
  return {};
}

Error CallSizes::find(const LoadedProgram &program, const EntrySpec &entry,
                      TensorList inputs,
                      const std::vector<runtime::State *> &states,
                      const int64_t *given, size_t givenCount) {
  const Manifest &manifest = program.manifest();
  if (Error error = take(program, states, given, givenCount))
    return error;
  if (Error error = readExtents(manifest, entry, inputs))
    return error;
  if (Error error = solve(manifest, entry, inputs))
    return error;
  for (uint32_t i = 0; i < length(entry.record->given()); ++i)
    if (uint32_t symbol = entry.record->given()->Get(i);
        symbolValues[symbol] == unknown)
      return {HEDDLE_TENSOR_SHAPE,
              "the size '" + text(manifest.symbols()->Get(symbol)->name()) +
                  "' is told by no input: the call has to give it"};
  // Symbols that nothing of this entry mentions.
  const std::vector<int64_t> &least = program.leastSymbols();
  for (size_t i = 0; i < symbolValues.size(); ++i)
    if (symbolValues[i] == unknown)
      symbolValues[i] = least[i];
  if (Error error = evaluate(manifest.expressions(), symbolValues,
                             HEDDLE_TENSOR_SHAPE, expressionValues))
    return error;
  if (Error error =
          checkShapes("input", entry.inputs, inputs, expressionValues))
    return error;
  return checkAssumptions(manifest, entry);
}

Error CallSizes::readCounts(const LoadedProgram &program, TensorList outputs) {
  const Manifest &manifest = program.manifest();
  finalSymbols.assign(symbolValues.begin(), symbolValues.end());
  for (uint32_t i = 0; i < finalSymbols.size(); ++i) {
    const Symbol &symbol = *manifest.symbols()->Get(i);
    if (symbol.source() != SymbolSource::device)
      continue;
    if (outputs.tensors[symbol.index()].device)
      return {HEDDLE_ARGUMENT_INVALID, "the output that counts '" +
                                           text(symbol.name()) +
                                           "' must be in the process's memory"};
    int32_t count;
    std::memcpy(&count, outputs.tensors[symbol.index()].data, sizeof(count));
    if (Error error = checkCount(symbol, count))
      return error;
    finalSymbols[i] = count;
  }
  if (finalSymbols == symbolValues) {
    finalValues.assign(expressionValues.begin(), expressionValues.end());
    return {};
  }
  return evaluate(manifest.expressions(), finalSymbols, HEDDLE_TENSOR_SHAPE,
                  finalValues);
}

Error CallSizes::finalShape(const TensorSpec &output, const Tensor &described,
                            int64_t *shape) const {
  for (uint32_t i = 0; i < output.shape.size(); ++i) {
    shape[i] = finalValues[described.shape()->Get(i)];
    if (shape[i] < 0 || shape[i] > expressionValues[output.shape[i]])
      return {HEDDLE_TENSOR_SHAPE,
              "output '" + output.name + "' would have the extent " +
                  std::to_string(shape[i]) + " in dimension " +
                  std::to_string(i) + ", its memory has " +
                  std::to_string(expressionValues[output.shape[i]])};
  }
  return {};
}

Error runtime::outputShape(const LoadedProgram &program, const EntrySpec &entry,
                           TensorList inputs,
                           const std::vector<runtime::State *> &states,
                           const int64_t *given, size_t givenCount,
                           const TensorSpec &output, int64_t *shape) {
  if (Error error = checkCounts(entry, inputs.count, entry.outputs.size()))
    return error;
  for (size_t i = 0; i < inputs.count; ++i)
    if (Error error = checkRank(entry.inputs[i], "input", inputs.tensors[i]))
      return error;
  CallSizes sizes;
  if (Error error =
          sizes.find(program, entry, inputs, states, given, givenCount))
    return error;
  for (size_t i = 0; i < output.shape.size(); ++i)
    shape[i] = sizes.values()[output.shape[i]];
  return {};
}
