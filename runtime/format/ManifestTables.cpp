// What the tables of a manifest say together: bytes, ends of ranges, counts.

#include "runtime/format/ManifestTables.h"

#include "runtime/format/DataTypes.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/Limits.h"
#include "runtime/format/TensorMemory.h"

#include <algorithm>
#include <array>

namespace heddle::format {

int64_t denseBytes(DataType type, const int64_t *shape, size_t rank) {
  int64_t bytes = elementBytes(type);
  for (size_t i = 0; i < rank; ++i)
    if (shape[i] < 0 || __builtin_mul_overflow(bytes, shape[i], &bytes) ||
        bytes > maximumBytes)
      return -1;
  return bytes;
}

int64_t tensorBytes(const Tensor &tensor, const std::vector<int64_t> &values) {
  std::array<int64_t, maximumRank> shape;
  uint32_t rank = length(memoryShape(tensor));
  if (rank > shape.size())
    return -1;
  for (uint32_t i = 0; i < rank; ++i)
    shape[i] = values[memoryShape(tensor)->Get(i)];
  return denseBytes(tensor.dtype(), shape.data(), rank);
}

static int64_t bytesOf(const State &state, const std::vector<int64_t> &values) {
  std::vector<int64_t> shape;
  for (uint32_t i = 0; i < length(state.shape()); ++i) {
    if (state.shape()->Get(i) >= values.size())
      return -1;
    shape.push_back(values[state.shape()->Get(i)]);
  }
  if (!elementBytes(state.dtype()))
    return -1;
  return denseBytes(state.dtype(), shape.data(), shape.size());
}

std::vector<int64_t> stateBytes(const Manifest &manifest) {
  std::vector<int64_t> result(length(manifest.states()), -1), values;
  if (result.empty() ||
      evaluate(manifest.expressions(), largestSymbols(manifest),
               HEDDLE_MANIFEST_INVALID, values))
    return result;
  for (uint32_t i = 0; i < result.size(); ++i)
    result[i] = bytesOf(*manifest.states()->Get(i), values);
  return result;
}

uint64_t extentCount(const Entry &entry) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < length(entry.inputs()); ++i)
    count += length(entry.inputs()->Get(i)->shape());
  return count;
}

int64_t leastValue(const Symbol &symbol) {
  int64_t rest = symbol.minimum() % symbol.multiple();
  return symbol.minimum() + (rest ? symbol.multiple() - rest : 0);
}

std::vector<int64_t> leastSymbols(const Manifest &manifest) {
  std::vector<int64_t> symbols;
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i)
    // What is computed is known when a call is done: until then it is planned
    // for the most.
    if (const Symbol &symbol = *manifest.symbols()->Get(i);
        symbol.source() == SymbolSource::device)
      symbols.push_back(symbol.maximum());
    else
      symbols.push_back(leastValue(symbol));
  return symbols;
}

std::vector<int64_t> largestSymbols(const Manifest &manifest) {
  std::vector<int64_t> symbols;
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i) {
    const Symbol &symbol = *manifest.symbols()->Get(i);
    symbols.push_back(symbol.maximum() / symbol.multiple() * symbol.multiple());
  }
  return symbols;
}

std::vector<ValueRange> expressionRanges(const Manifest &manifest) {
  // So many symbols are at one end or the other by themselves; more share it.
  constexpr size_t alone = 8;
  std::vector<int64_t> least = leastSymbols(manifest),
                       greatest = largestSymbols(manifest), symbols, values;
  size_t bits = std::min(least.size(), alone);
  std::vector<ValueRange> ranges;
  for (size_t corner = 0; corner < size_t(1) << bits; ++corner) {
    symbols = least;
    for (size_t i = 0; i < symbols.size(); ++i)
      if (corner >> (i % alone) & 1)
        symbols[i] = greatest[i];
    // Where a number is beyond 64 bits, no call can be.
    if (evaluate(manifest.expressions(), symbols, HEDDLE_MANIFEST_INVALID,
                 values))
      continue;
    if (ranges.empty())
      ranges.assign(values.size(), {INT64_MAX, 0});
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t value = std::max<int64_t>(values[i], 0);
      ranges[i].least = std::min(ranges[i].least, value);
      ranges[i].greatest = std::max(ranges[i].greatest, value);
    }
  }
  return ranges;
}

Error invalidManifest(const std::string &what) {
  return {HEDDLE_MANIFEST_INVALID, "its manifest is invalid: " + what};
}

bool needs(const NameList *features, const char *feature) {
  for (uint32_t i = 0; i < length(features); ++i)
    if (text(features->Get(i)) == feature)
      return true;
  return false;
}

} // namespace heddle::format
