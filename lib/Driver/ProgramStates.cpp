// What the calls of a program keep, as host tensors.
//
// Of a state that grows the places that its length counts lie apart where the
// dimension is not the first one: a cache of [heads, capacity, depth] has them
// at the start of each head.

#include "ProgramTypes.h"
#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/Program.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestTables.h"

using namespace mlir;
using namespace heddle;

bool Program::readStateSignatures() {
  size_t count = heddle_program_entry_state_count(program, entryIndex);
  for (size_t use = 0; use < count; ++use) {
    KeptState &state = keptStates.emplace_back();
    int32_t writes = 0;
    heddle_state_info info{};
    info.size = sizeof info;
    if (!check(heddle_program_entry_state(program, entryIndex, use,
                                          &state.number, &writes)) ||
        !check(heddle_program_state_info(program, state.number, &info)))
      return false;
    state.memory = RankedTensorType::get(
        ArrayRef(info.shape, info.rank),
        elementType(&session.typeContext(), toKind(info.dtype)));
    state.dimension = info.dimension;
    TensorSignature signature{info.name, state.memory};
    signature.isState = true;
    stateList.push_back(std::move(signature));
  }
  return true;
}

bool Program::readLengths(const format::Manifest &manifest) {
  for (KeptState &state : keptStates)
    if (state.dimension >= 0)
      state.symbol = manifest.states()->Get(state.number)->length();
  setLengths();
  std::vector<int64_t> symbols, values;
  for (const auto &[name, size] : sizeList)
    symbols.push_back(size);
  if (format::Error error = format::evaluate(manifest.expressions(), symbols,
                                             HEDDLE_MANIFEST_INVALID, values))
    return refuse(toErrorCode(error), error.message());
  setParts(manifest, values);
  return true;
}

void Program::setLengths() {
  for (auto [state, signature] : llvm::zip_equal(keptStates, stateList)) {
    if (state.dimension < 0)
      continue;
    SmallVector<int64_t> shape(state.memory.getShape());
    shape[state.dimension] = sizeList[state.symbol].second;
    signature.type =
        RankedTensorType::get(shape, state.memory.getElementType());
    shape[state.dimension] = 0;
    signature.least = shape;
    signature.grows = true;
  }
}

void Program::setParts(const format::Manifest &manifest,
                       ArrayRef<int64_t> values) {
  const auto *uses = manifest.entries()->Get(entryIndex)->states();
  for (auto [i, state] : llvm::enumerate(keptStates)) {
    state.part = SmallVector<int64_t>(stateList[i].type.getShape());
    if (const auto *extents = uses->Get(i)->shape())
      for (auto [size, extent] : llvm::zip_equal(state.part, *extents))
        size = values[extent];
  }
}

SmallVector<TensorSignature> Program::feeds() const {
  SmallVector<TensorSignature> list(inputList);
  llvm::append_range(list, stateList);
  return list;
}

uint64_t Program::stateBytes() const {
  uint64_t bytes = 0;
  for (const KeptState &state : keptStates)
    bytes += *HostTensor::byteSize(state.memory);
  return bytes;
}

bool Program::makeStates() {
  for (const KeptState &state : keptStates) {
    heddle_state *made = nullptr;
    if (!check(heddle_state_create(program, state.number, &made)))
      return false;
    madeStates.push_back(made);
  }
  return true;
}

bool Program::forEachPart(const KeptState &state, RankedTensorType type,
                          llvm::function_ref<heddle_status(
                              size_t inState, size_t inTensor, size_t bytes)>
                              transfer) {
  size_t bytes = *HostTensor::byteSize(type);
  if (state.dimension < 0)
    return check(transfer(0, 0, bytes));
  size_t parts = llvm::product_of(type.getShape().take_front(state.dimension));
  if (bytes == 0 || parts == 0)
    return true;
  size_t part = bytes / parts,
         step = *HostTensor::byteSize(state.memory) / parts;
  for (size_t i = 0; i < parts; ++i)
    if (!check(transfer(i * step, i * part, part)))
      return false;
  return true;
}

bool Program::fillStates(SmallVectorImpl<HostTensor> &tensors) {
  for (auto [state, made, tensor] :
       llvm::zip_equal(keptStates, madeStates,
                       ArrayRef(tensors).drop_front(inputList.size()))) {
    const char *data = tensor.bytes().data();
    if (!forEachPart(
            state, tensor.type(),
            [&, to = made](size_t inState, size_t inTensor, size_t bytes) {
              return heddle_state_write(to, inState, bytes, data + inTensor);
            }))
      return false;
    if (state.dimension >= 0)
      state.start = tensor.shape()[state.dimension];
  }
  tensors.truncate(inputList.size());
  return rewindStates();
}

bool Program::rewindStates() {
  for (auto [state, made] : llvm::zip_equal(keptStates, madeStates))
    if (state.dimension >= 0 &&
        !check(heddle_state_set_length(made, state.start)))
      return false;
  return true;
}

std::optional<SmallVector<HostTensor>> Program::readStates() {
  SmallVector<HostTensor> contents;
  for (auto [state, made] : llvm::zip_equal(keptStates, madeStates)) {
    SmallVector<int64_t> shape(state.memory.getShape());
    if (state.dimension >= 0)
      shape[state.dimension] = heddle_state_length(made);
    auto type = RankedTensorType::get(shape, state.memory.getElementType());
    char *data =
        contents.emplace_back(HostTensor::allocate(type)).mutableBytes().data();
    if (!forEachPart(
            state, type,
            [&, from = made](size_t inState, size_t inTensor, size_t bytes) {
              return heddle_state_read(from, inState, bytes, data + inTensor);
            }))
      return std::nullopt;
  }
  return contents;
}
