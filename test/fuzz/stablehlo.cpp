// StableHLO as text: the parsers, verifiers and shape inference of our
// dialects and what the import does behind them, in this process.

#include "test/fuzz/StableHloInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The corpus is of text.
  if (heddle::fuzz::isBytecode(data, size))
    return -1;
  heddle::fuzz::importOnce(data, size, /*trial=*/false);
  return 0;
}
