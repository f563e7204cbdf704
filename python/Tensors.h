// Types and descriptions of tensors, as Python and DLPack have them.

#ifndef HEDDLE_PYTHON_TENSORS_H
#define HEDDLE_PYTHON_TENSORS_H

#include "heddle/runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

namespace nb = nanobind;

nb::dlpack::dtype toDlpack(heddle_dtype dtype);
/// 0 for what heddle has no type for: the runtime's check then names the
/// tensor.
heddle_dtype fromDlpack(nb::dlpack::dtype type);
/// The type of that name; 0 if there is none.
heddle_dtype dtypeNamed(const std::string &name);

/// An input, an output or a state.
struct TensorInfo {
  std::string name, dtype;
  std::vector<int64_t> shape, shapeMin;
  heddle_dtype type;
  size_t bytes;
  std::string device;
  /// In a program of several ranks: the shape of a rank's part, and how the
  /// whole, whose shape is above, lies over the mesh.
  std::vector<int64_t> part = {};
  std::optional<std::string> sharding = {};
};

TensorInfo toInfo(const heddle_tensor_info &info);

/// As the C interface takes lists of structs.
template <typename T>
std::vector<const T *> pointersTo(const std::vector<T> &structs) {
  std::vector<const T *> pointers;
  for (const T &item : structs)
    pointers.push_back(&item);
  return pointers;
}

/// Any tensor that speaks DLPack. numpy's arrays of ml_dtypes' types do not:
/// the package hands them over as integers, and says that their bits are meant.
using Array = nb::ndarray<>;
using ReadOnlyArray = nb::ndarray<nb::ro>;

void bindTensors(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_TENSORS_H
