//===- FloatEnvironment.h - The rounding that kernels expect ---*- C++ -*-===//

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_FLOATENVIRONMENT_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_FLOATENVIRONMENT_H

#include <cstdint>

namespace heddle::runtime {

/// Round to nearest, denormals kept, while it lives: what the caller's thread
/// was set to would make results depend on the caller.
class DefaultFloatEnvironment {
public:
  DefaultFloatEnvironment() : saved(get()) {
    if ((saved & controlBits) != defaultControl)
      set((saved & ~controlBits) | defaultControl);
  }
  ~DefaultFloatEnvironment() {
    if ((saved & controlBits) != defaultControl)
      set(saved);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
  DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;

private:
#if defined(__x86_64__)
  // MXCSR without its six exception flags.
  static constexpr uint64_t controlBits = 0xffc0, defaultControl = 0x1f80;
  static uint64_t get() { return __builtin_ia32_stmxcsr(); }
  static void set(uint64_t value) {
    __builtin_ia32_ldmxcsr(static_cast<unsigned>(value));
  }
#elif defined(__aarch64__)
  // FPCR: rounding, flush to zero, default NaN, alternative half precision.
  static constexpr uint64_t controlBits = 0x07c80000, defaultControl = 0;
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

  friend class GuardedFloatEnvironment;
};

/// While somebody else's code runs in the default environment: puts back what
/// that changes, also for the x87 unit, where C keeps the rounding mode too.
class GuardedFloatEnvironment {
public:
  GuardedFloatEnvironment() : extended(getExtended()) {}
  ~GuardedFloatEnvironment() {
    using Default = DefaultFloatEnvironment;
    uint64_t now = Default::get();
    if ((now & Default::controlBits) != Default::defaultControl)
      Default::set((now & ~Default::controlBits) | Default::defaultControl);
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

  uint16_t extended;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_FLOATENVIRONMENT_H
