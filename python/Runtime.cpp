// heddle._runtime: include/heddle/runtime.h for Python. Tensors cross as
// DLPack, without copies.

#include "Context.h"
#include "Devices.h"
#include "Program.h"
#include "Results.h"
#include "Sizes.h"
#include "States.h"
#include "Status.h"
#include "Tensors.h"

NB_MODULE(_runtime, module) {
  using namespace heddle::python;
  bindErrors(module);
  bindTensors(module);
  bindResults(module);
  bindDevices(module);
  bindProgram(module);
  bindSizes(module);
  bindStates(module);
  bindContext(module);
}
