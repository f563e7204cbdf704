// heddle._runtime: include/heddle/runtime.h for Python. Tensors cross as
// DLPack, without copies.

#include "Context.h"
#include "Devices.h"
#include "Groups.h"
#include "Program.h"
#include "Results.h"
#include "Sizes.h"
#include "States.h"
#include "Status.h"
#include "Tensors.h"

NB_MODULE(_runtime, module) {
  using namespace heddle::python;
  // What lives when the interpreter ends, as in a forked child or after an
  // interrupt, whose traceback holds it, is no user's concern.
  nanobind::set_leak_warnings(false);
  module.def("report_leaks", [] { nanobind::set_leak_warnings(true); });
  bindErrors(module);
  bindTensors(module);
  bindResults(module);
  bindDevices(module);
  bindProgram(module);
  bindSizes(module);
  bindStates(module);
  bindGroups(module);
  bindContext(module);
}
