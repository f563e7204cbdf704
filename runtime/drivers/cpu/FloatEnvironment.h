// The rounding that kernels expect.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_FLOATENVIRONMENT_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_FLOATENVIRONMENT_H

#include <cstdint>

namespace heddle::runtime {

/// Round to nearest while it lives, subnormal numbers kept or, of operands and
/// results, flushed to zero: what the thread was set to would make results
/// depend on the caller.
class FloatEnvironment {
public:
  explicit FloatEnvironment(bool flushSubnormals)
      : saved(get()), changed((saved & controlBits) !=
                              (flushSubnormals ? flushControl : keepControl)) {
    if (changed)
      set((saved & ~controlBits) |
          (flushSubnormals ? flushControl : keepControl));
  }
  ~FloatEnvironment() {
    if (changed)
      set(saved);
  }
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
#if defined(__x86_64__)
  // MXCSR without its six exception flags: bit 15 flushes results, bit 6
  // operands.
  static constexpr uint64_t controlBits = 0xffc0;
  static constexpr uint64_t keepControl = 0x1f80, flushControl = 0x9fc0;
  static uint64_t get() { return __builtin_ia32_stmxcsr(); }
  static void set(uint64_t value) {
    __builtin_ia32_ldmxcsr(static_cast<unsigned>(value));
  }
#elif defined(__aarch64__)
  // FPCR: rounding, flush to zero (bit 24; of f16, bit 19), default NaN,
  // alternative half precision.
  static constexpr uint64_t controlBits = 0x07c80000;
  static constexpr uint64_t keepControl = 0, flushControl = 0x01000000;
  static uint64_t get() {
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set(uint64_t value) {
    __asm__ volatile("msr fpcr, %0" ::"r"(value));
  }
#endif

  uint64_t saved;
  bool changed;

  friend class GuardedFloatEnvironment;
};

/// While somebody else's code runs in the program's environment: puts back what
/// that changes, also for the x87 unit, where C keeps the rounding mode too.
class GuardedFloatEnvironment {
public:
  GuardedFloatEnvironment()
      : control(FloatEnvironment::get() & FloatEnvironment::controlBits),
        extended(getExtended()) {}
  ~GuardedFloatEnvironment() {
    uint64_t now = FloatEnvironment::get();
    if ((now & FloatEnvironment::controlBits) != control)
      FloatEnvironment::set((now & ~FloatEnvironment::controlBits) | control);
    if (getExtended() != extended)
      setExtended(extended);
  }
  GuardedFloatEnvironment(const GuardedFloatEnvironment &) = delete;

private:
#if defined(__x86_64__)
  static uint16_t getExtended() {
    uint16_t value;
    __asm__ volatile("fnstcw %0" : "=m"(value));
    return value;
  }
  static void setExtended(uint16_t value) {
    __asm__ volatile("fldcw %0" ::"m"(value));
  }
#else
  static uint16_t getExtended() { return 0; }
  static void setExtended(uint16_t) {}
#endif

  uint64_t control;
  uint16_t extended;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_FLOATENVIRONMENT_H
