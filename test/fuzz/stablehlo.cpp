// StableHLO as text: the parsers, verifiers and shape inference of our
// dialects and what the import does behind them, in this process. What is
// plain text, which heddle parses without a trial, must survive one.

#include "lib/Frontend/StableHlo/PlainText.h"
#include "lib/Frontend/StableHlo/TrialParse.h"
#include "test/fuzz/StableHloInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The corpus is of text.
  if (heddle::fuzz::isBytecode(data, size))
    return -1;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  // One process for all that is tried.
  static heddle::TrialKeeper trials;
  if (heddle::isPlainText(text) &&
      !heddle::trialParse(text, "plain", trials).file)
    std::abort();
  heddle::fuzz::importOnce(data, size, /*trial=*/false);
  return 0;
}
