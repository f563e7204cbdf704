// What the address sanitizer has to leave out in fuzzers that link MLIR's
// libraries, which are not instrumented: memory that our part of a context
// poisons in its allocators is used by theirs.

// Visible and not inline: the sanitizer's own definition is weak and would win
// over another weak one.
extern "C" __attribute__((visibility("default"))) const char *
__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0";
}
