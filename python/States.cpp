// States for Python: their contents cross as buffers.

#include "States.h"
#include "Status.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {

static heddle_state_info stateInfo(const Program &program, size_t number) {
  heddle_state_info info{};
  info.size = sizeof info;
  check(heddle_program_state_info(program.handle(), number, &info));
  return info;
}

std::vector<TensorInfo> stateInfos(const Program &program) {
  std::vector<TensorInfo> infos;
  for (size_t i = 0; i < heddle_program_state_count(program.handle()); ++i) {
    heddle_state_info info = stateInfo(program, i);
    std::vector<int64_t> shape(info.shape, info.shape + info.rank);
    infos.push_back({info.name, heddle_dtype_name(info.dtype), shape, shape,
                     info.dtype, info.bytes, info.device});
  }
  return infos;
}

State::State(nb::object owner, size_t number) : owner(owner), number(number) {
  check(
      heddle_state_create(nb::cast<Program &>(owner).handle(), number, &state));
}

void State::reset() {
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_state_reset(state);
  }
  check(status);
}

void State::copyFrom(State &source) {
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_state_copy(state, source.state);
  }
  check(status);
}

namespace {
/// The bytes of an object that has the buffer protocol.
class Buffer {
public:
  Buffer(const nb::object &object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view, flags) != 0)
      throw nb::python_error();
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { PyBuffer_Release(&view); }

  Py_buffer view;
};
} // namespace

void State::read(size_t offset, const nb::object &target) {
  Buffer buffer(target, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS);
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_state_read(state, offset, size_t(buffer.view.len),
                               buffer.view.buf);
  }
  check(status);
}

void State::write(size_t offset, const nb::object &source) {
  Buffer buffer(source, PyBUF_C_CONTIGUOUS);
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_state_write(state, offset, size_t(buffer.view.len),
                                buffer.view.buf);
  }
  check(status);
}

int32_t State::dimension() const {
  return stateInfo(nb::cast<Program &>(owner), number).dimension;
}

void State::setLength(int64_t length) {
  check(heddle_state_set_length(state, length));
}

int State::traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    Py_VISIT(nb::inst_ptr<State>(self)->owner.ptr());
  return 0;
}

static PyType_Slot stateSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(State::traverse)}, {0, nullptr}};

void bindStates(nb::module_ &module) {
  nb::class_<State>(module, "State", nb::type_slots(stateSlots))
      .def(nb::init<nb::object, size_t>(), nb::arg("program"),
           nb::arg("number"))
      .def_prop_ro("info", &State::info)
      .def("reset", &State::reset)
      .def("copy_from", &State::copyFrom, nb::arg("source"))
      .def("read", &State::read, nb::arg("offset"), nb::arg("target"))
      .def("write", &State::write, nb::arg("offset"), nb::arg("source"))
      .def_prop_rw("length", &State::length, &State::setLength)
      .def_prop_ro("dimension", &State::dimension);
  module.def("states", &stateInfos, nb::arg("program"));
}

} // namespace heddle::python
