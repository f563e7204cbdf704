// What a program keeps as a state is an input and an output of its model.

#include "ModelTensors.h"

#include "heddle/Driver/Model.h"
#include "heddle/Driver/States.h"

using namespace mlir;
using namespace heddle;

/// The numbers of the model's tensors: of those that are states `firstState`
/// and on, of the others in order. Nothing if there are not as many.
static std::optional<SmallVector<size_t>>
number(ArrayRef<TensorSignature> tensors, ArrayRef<std::string> states,
       size_t firstState) {
  SmallVector<size_t> numbers;
  size_t next = 0;
  for (const TensorSignature &tensor : tensors) {
    const auto *state = llvm::find(states, tensor.name);
    numbers.push_back(
        state == states.end() ? next++ : firstState + (state - states.begin()));
  }
  if (next != firstState)
    return std::nullopt;
  return numbers;
}

bool ModelTensors::match(Session &session, const ModelOptions &options,
                         ModuleOp module, const Program &compiled) {
  auto given = readStates(session, options);
  if (!given)
    return false;
  SmallVector<std::string> pasts, presents;
  for (const TensorSignature &state : compiled.states())
    for (const StateOption &option : *given)
      if (auto present = option.presentOf(state.name)) {
        pasts.push_back(state.name);
        presents.push_back(std::move(*present));
      }
  func::FuncOp entry = entryFunction(module);
  outputList = outputSignatures(entry);
  auto inputs = number(inputSignatures(entry), pasts, compiled.inputs().size());
  auto outputs = number(outputList, presents, compiled.outputs().size());
  if (!inputs || !outputs || pasts.size() != compiled.states().size()) {
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "the artifact keeps other inputs and outputs as states than --state "
        "says: it has " +
            Twine(compiled.states().size()));
    return false;
  }
  fed = std::move(*inputs);
  kept = std::move(*outputs);
  return true;
}
