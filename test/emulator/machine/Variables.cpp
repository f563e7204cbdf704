// Places and first values of a module's variables.

#include "test/emulator/machine/Variables.h"

#include <algorithm>
#include <cstring>

namespace heddle::emulator {

Fault placeVariables(LoadedModule &loaded, Memory &memory) {
  for (const Variable &variable : loaded.module.variables) {
    if (variable.space == Space::Shared)
      continue;
    uint64_t bytes = std::max<uint64_t>(variable.bytes, 1);
    Allocation *place = memory.allocate(bytes, std::max(variable.align, 256u));
    if (!place)
      return {FaultKind::IllegalAddress,
              "no memory for variable '" + variable.name + "'"};
    std::memset(place->data, 0, bytes);
    std::copy(variable.data.begin(), variable.data.end(), place->data);
    place->readOnly = variable.space == Space::Const;
    loaded.addresses[variable.name] = place->address;
  }
  // Addresses of one another are known now.
  for (const Variable &variable : loaded.module.variables)
    for (const AddressInitializer &address : variable.addresses) {
      auto of = loaded.addresses.find(address.symbol);
      if (of == loaded.addresses.end())
        return {FaultKind::IllegalInstruction,
                "line " + std::to_string(variable.line) + ": '" +
                    address.symbol + "' has no address"};
      uint64_t value = of->second + uint64_t(address.addend);
      uint64_t at = loaded.addresses[variable.name];
      std::memcpy(memory.find(at)->pointer(at + address.offset), &value,
                  address.bytes);
    }
  return {};
}

void releaseVariables(LoadedModule &loaded, Memory &memory) {
  for (const Variable &variable : loaded.module.variables)
    if (variable.space != Space::Shared)
      memory.release(loaded.addresses[variable.name]);
}

} // namespace heddle::emulator
