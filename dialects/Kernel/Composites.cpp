// Tells which composites the neutral form has an operation for.

#include "dialects/Kernel/Composites.h"

#include "dialects/Kernel/Routines.h"

using namespace llvm;

bool heddle::kernel::isNeutralComposite(StringRef name) {
  return name == "chlo.erf" ||
         (name.consume_front("heddle.") && isRoutine(name));
}
