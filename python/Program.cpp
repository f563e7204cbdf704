// A loaded artifact, with the functions of Python's that it calls.

#include "Program.h"
#include "Status.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

namespace heddle::python {

Program::Program(const nb::bytes &path, const std::string &variant,
                 const std::string &precisionTier, bool verifyWeights,
                 const nb::dict &customCalls) {
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
  options.precision_tier =
      precisionTier.empty() ? nullptr : precisionTier.c_str();
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

heddle_load_report Program::report() const {
  heddle_load_report report{};
  report.size = sizeof report;
  check(heddle_program_report(program, &report));
  return report;
}

std::vector<std::string> Program::devices() const {
  std::vector<std::string> names;
  while (const char *name = heddle_program_device(program, names.size()))
    names.push_back(name);
  return names;
}

std::vector<std::pair<std::string, uint32_t>> Program::mesh() const {
  std::vector<std::pair<std::string, uint32_t>> axes;
  for (size_t i = 0; i < heddle_program_mesh_axis_count(program); ++i) {
    const char *name = nullptr;
    uint32_t count = 0;
    check(heddle_program_mesh_axis(program, i, &name, &count));
    axes.emplace_back(name, count);
  }
  return axes;
}

std::pair<std::vector<int64_t>, std::vector<int64_t>>
Program::part(size_t entry, bool isInput, size_t index, uint32_t rank) const {
  heddle_tensor_info info{};
  info.size = sizeof info;
  check((isInput ? heddle_program_input_info
                 : heddle_program_output_info)(program, entry, index, &info));
  std::vector<int64_t> begin(size_t(info.rank)), inside(size_t(info.rank));
  check((isInput ? heddle_program_input_part : heddle_program_output_part)(
      program, entry, index, rank, begin.data(), inside.data()));
  return {begin, inside};
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
      .def(nb::init<const nb::bytes &, const std::string &, const std::string &,
                    bool, const nb::dict &>(),
           nb::arg("path"), nb::arg("variant"), nb::arg("precision_tier"),
           nb::arg("verify_weights"), nb::arg("custom_calls"))
      .def_prop_ro("entries", &Program::entries)
      .def_prop_ro("variant", &Program::variant)
      .def_prop_ro("precision", &Program::precision)
      .def_prop_ro("precision_tiers", &Program::precisionTiers)
      .def_prop_ro("devices", &Program::devices)
      .def_prop_ro("ranks", &Program::ranks)
      .def_prop_ro("mesh", &Program::mesh)
      .def("part", &Program::part, nb::arg("entry"), nb::arg("is_input"),
           nb::arg("index"), nb::arg("rank"));
}

} // namespace heddle::python
