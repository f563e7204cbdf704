// Memory of a rank for its parts of the tensors of calls.

#ifndef HEDDLE_RUNTIME_PARTMEMORY_H
#define HEDDLE_RUNTIME_PARTMEMORY_H

#include "runtime/LoadedProgram.h"
#include "runtime/RankTensors.h"
#include "runtime/drivers/Drivers.h"

namespace heddle::runtime {

class PartMemory {
public:
  Error allocate(const LoadedProgram &program, const RankTensors &tensors);
  /// Tensors are numbered as in RankTensors.
  char *at(size_t tensor) const { return memory.data() + offsets[tensor]; }

private:
  DeviceMemory memory;
  std::vector<uint64_t> offsets;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PARTMEMORY_H
