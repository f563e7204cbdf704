// What places in code need the distance to other places, by instruction set.

#ifndef HEDDLE_LIB_CODEGEN_RELOCATIONS_H
#define HEDDLE_LIB_CODEGEN_RELOCATIONS_H

#include <cstdint>

namespace heddle::codegen {

/// Writes what the relocation `type` of the ELF machine `machine` asks for into
/// the bytes at `at`, of which there are `room`: the place has the address
/// `place` in the image, what it refers to (symbol and addend) `target`. Only
/// relocations that do not change when the image moves by whole pages are
/// known. False if this is none of them or the distance is too great.
bool relocate(unsigned machine, uint32_t type, char *at, uint64_t room,
              uint64_t place, uint64_t target);

} // namespace heddle::codegen

#endif // HEDDLE_LIB_CODEGEN_RELOCATIONS_H
