// Graphics processors as data, and the attribute through which passes see one.
//
// Nobody asks for a chip by name: what differs between chips is a number or a
// list in this table, with its source in GpuMachine.cpp.

#ifndef HEDDLE_TARGET_GPUMACHINE_H
#define HEDDLE_TARGET_GPUMACHINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Threads that run in step, and those that multiply tiles in shared memory
/// together, where there is such a product: PTX's instructions deal what they
/// multiply to so many, on every chip (PTX ISA 9.0, sections "Warp Level Matrix
/// Instructions" and "Asynchronous Warpgroup Level Matrix Instructions").
inline constexpr int64_t warpThreadsOfPtx = 32, warpgroupThreadsOfPtx = 128;

/// Rates of a whole device, in billions a second (which is one a nanosecond).
/// They estimate; nothing that is computed depends on them.
struct GpuRates {
  /// A multiplication and an addition are two operations. Those of 16-bit
  /// floats are estimated as if each thread widened them: tensor cores take
  /// less time, of which estimates know nothing.
  double flopsPerNsF32 = 0;
  double flopsPerNsF64 = 0;
  double operationsPerNsInteger = 0;
  double bytesPerNs = 0;
  /// How many products of f16 tensor cores do in the time in which an element
  /// of an operand comes to shared memory.
  double productsPerLoad = 0;
  /// What a launch takes however little it does.
  double launchNs = 0;
};

/// One kind of multiprocessors, with the limits of what they run.
struct GpuMachine {
  /// As users write it behind -t: "cuda:sm_80".
  std::string name;
  /// What LLVM calls the processor and artifacts the architecture: "sm_80".
  std::string chip;
  /// The oldest version of the PTX language that has it, ten times the number
  /// that manuals print: 70 is PTX ISA 7.0.
  int64_t ptxVersion = 0;
  /// The processor beside it, by its target's name: it runs those kernels of a
  /// program that stay there.
  std::string host;

  int64_t multiprocessors = 0;
  /// Threads that run in step.
  int64_t warpThreads = 0;
  /// Threads that multiply tiles in shared memory together (wgmma); 0 where no
  /// such product is.
  int64_t warpgroupThreads = 0;
  /// Elements of one dimension that one copy of a box of a tensor brings; 0
  /// where no such copies are.
  int64_t mostBoxExtent = 0;
  int64_t mostBlockThreads = 0;
  int64_t mostThreads = 0; ///< Of a multiprocessor.
  int64_t registers = 0;   ///< Of a multiprocessor, 32 bits each.
  int64_t mostThreadRegisters = 0;
  int64_t sharedBytes = 0;          ///< Of a multiprocessor.
  int64_t mostBlockSharedBytes = 0; ///< That one block can have of them.
  /// That a block can have without a launch that asks for more.
  int64_t staticSharedBytes = 0;
  /// Bytes of a kernel's parameters.
  int64_t mostParameterBytes = 0;
  /// Threads of a block of kernels that have no other reason to choose.
  int64_t blockThreads = 0;
  GpuRates rates;
};

/// Every graphics processor heddle knows, the most modest first.
const std::vector<GpuMachine> &gpuMachines();

} // namespace heddle

#endif // HEDDLE_TARGET_GPUMACHINE_H
