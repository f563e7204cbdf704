// Tells which composites the stages after the graph know.

#include "dialects/Kernel/Composites.h"

#include "dialects/Kernel/Routines.h"

using namespace llvm;

bool heddle::kernel::isKnownComposite(StringRef name) {
  return name == "chlo.erf" || name == kAttentionName ||
         (name.consume_front("heddle.") && isRoutine(name));
}
