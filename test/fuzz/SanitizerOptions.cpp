// What the address sanitizer has to leave out in fuzzers that link MLIR's
// libraries, which are not instrumented: memory that our part of a context
// poisons in its allocators is used by theirs. And what it has to end by
// itself: an allocation beyond libFuzzer's limit would be written down as a
// finding also where a process that may die asked for it.

// Visible and not inline: the sanitizer's own definition is weak and would win
// over another weak one.
extern "C" __attribute__((visibility("default"))) const char *
__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:"
         "max_allocation_size_mb=2000";
}
