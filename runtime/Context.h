// The memory of one caller.

#ifndef HEDDLE_RUNTIME_CONTEXT_H
#define HEDDLE_RUNTIME_CONTEXT_H

#include "runtime/CallSizes.h"
#include "runtime/SizedSteps.h"
#include "runtime/Steps.h"
#include "runtime/TensorPlaces.h"
#include "runtime/format/SizeChecks.h"

#include <atomic>

namespace heddle::runtime {

/// Arena, scratch and prepared steps of one entry.
class Context {
public:
  /// `seat`: which rank it is of a program that several run together.
  Context(std::shared_ptr<LoadedProgram> given, size_t entry,
          const RankSeat &seat = {})
      : program(std::move(given)), entryIndex(entry), seat(seat),
        places(*program, program->entries()[entry]) {}

  Error create(const heddle_context_options &options,
               std::shared_ptr<Pool> givenPool);
  Error call(const heddle_tensor *const *inputs, size_t inputCount,
             const heddle_tensor *const *outputs, size_t outputCount,
             const heddle_call_options &options);
  Error callDlpack(const void *const *inputs, size_t inputCount,
                   const void *const *outputs, size_t outputCount,
                   const heddle_call_options &options);
  size_t threads() const { return pool->threads(); }
  /// Whether this thread runs a function that a call of the context calls.
  bool isInsideCall() const { return InsideCall::of(&steps); }

  /// What the arena and all scratch of so many threads take of the process's
  /// memory for calls of these sizes, -1 for one that may be the largest.
  static Error memoryBytes(const LoadedProgram &program, size_t entry,
                           const int64_t *sizes, size_t sizeCount,
                           unsigned threads, uint64_t &total);

  const EntrySpec &entry() const { return program->entries()[entryIndex]; }

private:
  class Turn;

  Error prepare(const std::vector<int64_t> &symbols,
                const std::vector<int64_t> &manifestValues);
  /// For other sizes than before.
  Error prepareAnew(const format::Program &code,
                    const std::vector<int64_t> &symbols,
                    const std::vector<int64_t> &manifestValues);
  Error placeScratch(const format::Program &code, uint64_t perWorker);
  /// Reads the tensors of a call by `read` and makes it.
  template <typename Pointer, typename Read>
  Error callWith(const Pointer *inputs, size_t inputCount,
                 const Pointer *outputs, size_t outputCount,
                 const heddle_call_options &options, Read read);
  Error checkAndPrepare(TensorList inputs, heddle_tensor *outputs,
                        const heddle_call_options &options);
  Error findLengths(const std::vector<int64_t> &values);
  Error placeOutputs(heddle_tensor *outputs,
                     const std::vector<int64_t> &values);
  /// A call by whoever has the turn, with the tensors that were read.
  Error callInTurn(const heddle_call_options &options);
  Error bindTensors(TensorList inputs, TensorList outputs);

  std::shared_ptr<LoadedProgram> program;
  size_t entryIndex;
  RankSeat seat;
  std::shared_ptr<Pool> pool;
  DeviceMemory owned;
  TensorPlaces places;
  PlanMemory arenas;
  DeviceQueues queues;
  /// Of the process: arena and, behind it, scratch.
  char *memory = nullptr;
  uint64_t memoryEnd = 0; ///< How many bytes there are.
  char *scratch = nullptr;
  uint64_t scratchPerWorker = 0;
  Steps steps;
  /// The program that `steps` are of; null before there are any.
  const format::Program *prepared = nullptr;
  /// How the steps are brought to other sizes, and what has to be looked at for
  /// that; nothing where they are made anew.
  SizedSteps sizedSteps;
  std::optional<format::SizeChecks> checks;
  std::vector<int64_t> planValues;
  std::vector<char *> arenaStarts;
  CallSizes sizes; ///< Of a call.
  /// Of these the steps and `planValues` are; empty where they are of none.
  std::vector<int64_t> preparedSymbols;
  std::vector<State *> states;      ///< Of a call, in the entry's order;
  std::vector<int64_t> nextLengths; ///< and what their lengths become.
  std::vector<void *> tensorData;   ///< Of a call: inputs, outputs, states.
  std::vector<heddle_tensor> callTensors; ///< The same as they were read.
  std::vector<int64_t> callShapes;        ///< Of outputs with out_shape.
  std::atomic<bool> busy{false};
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_CONTEXT_H
