// What a program keeps between its calls.

#ifndef HEDDLE_PYTHON_STATES_H
#define HEDDLE_PYTHON_STATES_H

#include "Program.h"

namespace heddle::python {

/// The states of a program, in its order.
std::vector<TensorInfo> stateInfos(const Program &program);

class State {
public:
  State(nb::object owner, size_t number);
  State(const State &) = delete;
  ~State() { heddle_state_destroy(state); }

  heddle_state *handle() const { return state; }
  TensorInfo info() const {
    return stateInfos(nb::cast<Program &>(owner))[number];
  }

  void reset();
  void copyFrom(State &source);
  /// Into and from the memory of a buffer, as many bytes as it has.
  void read(size_t offset, const nb::object &target);
  void write(size_t offset, const nb::object &source);
  /// That the length counts; -1: none.
  int32_t dimension() const;
  int64_t length() const { return heddle_state_length(state); }
  void setLength(int64_t length);

  /// For the garbage collector: a function of the program's may hold the state.
  static int traverse(PyObject *self, visitproc visit, void *arg);

private:
  nb::object owner;
  size_t number;
  heddle_state *state = nullptr;
};

void bindStates(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_STATES_H
