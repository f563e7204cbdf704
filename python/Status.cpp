// heddle.HeddleError, and how a status becomes one.

#include "Status.h"

#include <chrono>
#include <cstdio>
#include <cstring>

namespace heddle::python {

/// The Python class of errors; made by the module, alive as long as it.
static PyObject *errorClass;

void raise(int32_t code, const char *message, nb::object cause) {
  // It may quote a name that is no UTF-8, or be cut within a character.
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      message, Py_ssize_t(std::strlen(message)), "replace"));
  if (!text)
    throw nb::python_error();
  nb::object error = nb::handle(errorClass)(text);
  if (cause)
    error.attr("__cause__") = cause;
  char name[16];
  std::snprintf(name, sizeof name, "HDL-%04d", int(code));
  error.attr("code") = name;
  PyErr_SetObject(errorClass, error.ptr());
  throw nb::python_error();
}

void check(const heddle_status &status) {
  if (status.code != HEDDLE_OK)
    raise(status.code, status.message);
}

uint64_t deadlineAfter(std::optional<double> seconds) {
  if (!seconds)
    return 0;
  uint64_t now = uint64_t(std::chrono::steady_clock::now().time_since_epoch() /
                          std::chrono::nanoseconds(1));
  return now + uint64_t(*seconds * 1e9);
}

void bindErrors(nb::module_ &module) {
  errorClass = PyErr_NewExceptionWithDoc(
      "heddle.HeddleError",
      "What went wrong, as a sentence; `code` is the error's stable code, "
      "\"HDL-0807\": `heddle explain` says more.",
      PyExc_RuntimeError, nullptr);
  module.attr("HeddleError") = nb::steal(errorClass);
  Py_INCREF(errorClass);
}

} // namespace heddle::python
