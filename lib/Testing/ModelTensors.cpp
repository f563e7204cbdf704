// What a program keeps as a state is an input and an output of its model.

#include "ModelTensors.h"

#include "heddle/Driver/Model.h"
#include "heddle/Driver/States.h"

#include <cstring>

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

/// Copies of a tensor of the shape `all` its first elements along each
/// dimension, as many as `shape` says.
static void copyFirst(const char *from, ArrayRef<int64_t> all, char *to,
                      ArrayRef<int64_t> shape, size_t elementBytes) {
  auto bytesOf = [&](ArrayRef<int64_t> extents) {
    return llvm::product_of(extents) * elementBytes;
  };
  if (all == shape) {
    std::memcpy(to, from, bytesOf(shape));
    return;
  }
  for (int64_t i = 0; i < shape.front(); ++i)
    copyFirst(from + i * bytesOf(all.drop_front()), all.drop_front(),
              to + i * bytesOf(shape.drop_front()), shape.drop_front(),
              elementBytes);
}

/// What of a state of the program is of `type`, the model's.
static HostTensor firstOf(const HostTensor &state, RankedTensorType type) {
  auto within = [](auto pair) {
    return std::get<0>(pair) <= std::get<1>(pair);
  };
  if (state.shape() == type.getShape() || state.rank() != type.getRank() ||
      !llvm::all_of(llvm::zip_equal(type.getShape(), state.shape()), within))
    return state;
  HostTensor first = HostTensor::allocate(
      RankedTensorType::get(type.getShape(), state.type().getElementType()));
  copyFirst(state.bytes().data(), state.shape(), first.mutableBytes().data(),
            first.shape(), state.elementBytes());
  return first;
}

Tensors ModelTensors::pick(ArrayRef<TensorSignature> signatures,
                           ArrayRef<size_t> numbers, size_t firstState,
                           ArrayRef<HostTensor> from) {
  Tensors tensors;
  for (auto [signature, number] : llvm::zip_equal(signatures, numbers))
    tensors.push_back(number < firstState
                          ? from[number]
                          : firstOf(from[number], signature.type));
  return tensors;
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
  inputList = inputSignatures(entry);
  outputList = outputSignatures(entry);
  auto inputs = number(inputList, pasts, compiled.inputs().size());
  auto outputs = number(outputList, presents, compiled.outputs().size());
  if (!inputs || !outputs || pasts.size() != compiled.states().size()) {
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "the artifact keeps other inputs and outputs as states than --state "
        "says: it has " +
            Twine(compiled.states().size()));
    return false;
  }
  firstFedState = compiled.inputs().size();
  firstKeptState = compiled.outputs().size();
  fed = std::move(*inputs);
  kept = std::move(*outputs);
  return true;
}
