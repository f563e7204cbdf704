// A loaded artifact, with the functions of Python's that it calls.

#include "Program.h"
#include "Status.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

namespace heddle::python {

Program::Program(const nb::bytes &path, const std::string &variant,
                 bool verifyWeights, const nb::dict &customCalls) {
  std::vector<heddle_custom_call> calls;
  for (auto [name, function] : customCalls) {
    callbacks.push_back(std::make_unique<Callback>());
    callbacks.back()->program = this;
    callbacks.back()->name = nb::cast<std::string>(name);
    callbacks.back()->function = nb::borrow(function);
    calls.push_back({sizeof(heddle_custom_call), callbacks.back()->name.c_str(),
                     callPython, callbacks.back().get()});
  }
  std::vector<const heddle_custom_call *> pointers = pointersTo(calls);
  heddle_load_options options{};
  options.size = sizeof options;
  options.custom_calls = pointers.data();
  options.custom_call_count = calls.size();
  options.variant = variant.empty() ? nullptr : variant.c_str();
  options.flags = verifyWeights ? HEDDLE_VERIFY_WEIGHTS : 0;
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_program_load_file(path.c_str(), &options, &program);
  }
  check(status);
}

std::vector<std::string> Program::entries() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < heddle_program_entry_count(program); ++i)
    names.push_back(heddle_program_entry_name(program, i));
  return names;
}

std::string Program::variant() const {
  heddle_load_report report{};
  report.size = sizeof report;
  check(heddle_program_report(program, &report));
  return report.variant;
}

std::vector<std::string> Program::devices() const {
  std::vector<std::string> names;
  while (const char *name = heddle_program_device(program, names.size()))
    names.push_back(name);
  return names;
}

int Program::traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  for (std::unique_ptr<Callback> &callback :
       nb::inst_ptr<Program>(self)->callbacks)
    Py_VISIT(callback->function.ptr());
  return 0;
}

int Program::clear(PyObject *self) {
  for (std::unique_ptr<Callback> &callback :
       nb::inst_ptr<Program>(self)->callbacks)
    callback->function.reset();
  return 0;
}

static PyType_Slot programSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(Program::traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(Program::clear)},
    {0, nullptr}};

void bindProgram(nb::module_ &module) {
  nb::class_<Program>(module, "Program", nb::type_slots(programSlots))
      .def(nb::init<const nb::bytes &, const std::string &, bool,
                    const nb::dict &>(),
           nb::arg("path"), nb::arg("variant"), nb::arg("verify_weights"),
           nb::arg("custom_calls"))
      .def_prop_ro("entries", &Program::entries)
      .def_prop_ro("variant", &Program::variant)
      .def_prop_ro("devices", &Program::devices);
}

} // namespace heddle::python
