// Lays the parts of a rank into memory of the process.

#include "runtime/PartMemory.h"

#include "runtime/format/Layout.h"

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

Error PartMemory::allocate(const LoadedProgram &program,
                           const RankTensors &tensors) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < tensors.count(); ++i) {
    offsets.push_back(bytes);
    bytes +=
        alignUp(static_cast<uint64_t>(tensors.spec(i).largestBytes), pageBytes);
  }
  return memory.allocate(program.host().device(), HEDDLE_SPACE_HOST, bytes,
                         "the parts of a rank");
}
