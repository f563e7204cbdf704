// An image without the linker.

#ifndef HEDDLE_LIB_CODEGEN_WRITEIMAGE_H
#define HEDDLE_LIB_CODEGEN_WRITEIMAGE_H

#include "Stages.h"
#include <vector>

namespace heddle::codegen {

/// Makes an image like that of `linkImage`, without local symbols, of one
/// object file for `machine` that calls nothing. False, and nothing in `image`,
/// if the object needs the linker for anything.
bool writeImage(const Object &object, const Machine &machine,
                std::vector<char> &image);

} // namespace heddle::codegen

#endif // HEDDLE_LIB_CODEGEN_WRITEIMAGE_H
