// The sizes of one call: what its symbols are, and whether the entry takes
// them.

#ifndef HEDDLE_RUNTIME_CALLSIZES_H
#define HEDDLE_RUNTIME_CALLSIZES_H

#include "runtime/Tensors.h"

namespace heddle::runtime {

/// Finds the symbols' values, evaluates the manifest's expressions with them,
/// and checks what the entry takes for granted. After `reserve` a call that
/// goes well allocates nothing.
class CallSizes {
public:
  void reserve(const LoadedProgram &program, const EntrySpec &entry);

  /// By what the caller says (`given`, one of each symbol, -1 for what it does
  /// not say), the lengths of the entry's states, which `states` has, and the
  /// shapes of the inputs, which are then right, too.
  Error find(const LoadedProgram &program, const EntrySpec &entry,
             TensorList inputs, const std::vector<State *> &states,
             const int64_t *given, size_t givenCount);

  /// Reads from the outputs of a call that is done which sizes it computed.
  Error readCounts(const LoadedProgram &program, TensorList outputs);
  /// The shape of `output`, which is the artifact's `described`, after that: at
  /// most that of its memory.
  Error finalShape(const TensorSpec &output, const format::Tensor &described,
                   int64_t *shape) const;

  const std::vector<int64_t> &symbols() const { return symbolValues; }
  /// Of the manifest's expressions.
  const std::vector<int64_t> &values() const { return expressionValues; }

private:
  Error take(const LoadedProgram &program, const std::vector<State *> &states,
             const int64_t *given, size_t givenCount);
  Error takeLengths(const format::Manifest &manifest,
                    const std::vector<State *> &states);
  Error readExtents(const format::Manifest &manifest, const EntrySpec &entry,
                    TensorList inputs);
  Error solve(const format::Manifest &manifest, const EntrySpec &entry,
              TensorList inputs);
  Error checkAssumptions(const format::Manifest &manifest,
                         const EntrySpec &entry) const;

  std::vector<int64_t> symbolValues, expressionValues;
  /// Symbols and extents of the inputs, and what the entry solves of them.
  std::vector<int64_t> known, solved;
  /// As the first two, with what the call computed.
  std::vector<int64_t> finalSymbols, finalValues;
};

/// That a program may compute `count` for a size.
Error checkCount(const format::Symbol &symbol, int64_t count);

/// The shape of `output` in a call of these inputs, states and sizes.
Error outputShape(const LoadedProgram &program, const EntrySpec &entry,
                  TensorList inputs, const std::vector<State *> &states,
                  const int64_t *given, size_t givenCount,
                  const TensorSpec &output, int64_t *shape);

/// Puts the sizes that a caller gives, -1 for none, in place of those in
/// `symbols`, which has one for each symbol.
Error chooseSymbols(const LoadedProgram &program, const int64_t *given,
                    size_t givenCount, std::vector<int64_t> &symbols);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_CALLSIZES_H
