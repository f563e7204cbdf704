// Functions of Python's that artifacts call.

#ifndef HEDDLE_PYTHON_CUSTOMCALLS_H
#define HEDDLE_PYTHON_CUSTOMCALLS_H

#include "heddle/runtime.h"

#include <nanobind/nanobind.h>

#include <string>

namespace heddle::python {

namespace nb = nanobind;

class Program;

/// A function of Python's that an artifact calls. Used with the interpreter's
/// lock.
struct Callback {
  Program *program;
  std::string name;
  nb::object function;
};

/// What a function raised that ended a call: `user` of the call's options.
struct Raised {
  nb::object error;
};

/// The programs whose calls this thread is inside of, because it runs a
/// function that they call: a call of the same one would wait for itself.
class Inside {
public:
  explicit Inside(const Program *program) : program(program), outer(innermost) {
    innermost = this;
  }
  ~Inside() { innermost = outer; }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

  /// Whether it is inside of any.
  static bool any() { return innermost; }
  static bool of(const Program *program) {
    for (const Inside *at = innermost; at; at = at->outer)
      if (at->program == program)
        return true;
    return false;
  }

private:
  const Program *program;
  const Inside *outer;
  static thread_local const Inside *innermost;
};
/// What the runtime calls; the frame's `user` is a Callback.
int32_t callPython(const heddle_custom_call_frame *frame);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_CUSTOMCALLS_H
