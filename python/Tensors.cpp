// Types and descriptions of tensors, as Python and DLPack have them.

#include "Tensors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {

nb::dlpack::dtype toDlpack(heddle_dtype dtype) {
  uint8_t bits = uint8_t(heddle_dtype_bytes(dtype) * 8);
  using Code = nb::dlpack::dtype_code;
  Code code = Code::Int;
  if (dtype == HEDDLE_I1)
    code = Code::Bool;
  else if (dtype >= HEDDLE_UI2 && dtype <= HEDDLE_UI64)
    code = Code::UInt;
  else if (dtype == HEDDLE_BF16)
    code = Code::Bfloat;
  else if (dtype == HEDDLE_F16 || dtype == HEDDLE_F32 || dtype == HEDDLE_F64)
    code = Code::Float;
  else if (dtype == HEDDLE_C64 || dtype == HEDDLE_C128)
    code = Code::Complex;
  else if (dtype >= HEDDLE_F4E2M1FN && dtype <= HEDDLE_F8E8M0FNU)
    code = Code::UInt; // The bits: neither numpy nor DLPack's first version
                       // have these.
  return {uint8_t(code), bits, 1};
}

/// Integers of less than a byte, which DLPack has no word for: their arrays say
/// that they are of 8 bits, and so are those of a whole byte.
static bool isNarrowInteger(heddle_dtype dtype) {
  return dtype == HEDDLE_I2 || dtype == HEDDLE_I4 || dtype == HEDDLE_UI2 ||
         dtype == HEDDLE_UI4;
}

heddle_dtype fromDlpack(nb::dlpack::dtype type) {
  for (int dtype = HEDDLE_I1; dtype <= HEDDLE_C128; ++dtype)
    if (heddle_dtype_bytes(heddle_dtype(dtype)) &&
        !isNarrowInteger(heddle_dtype(dtype)) &&
        toDlpack(heddle_dtype(dtype)) == type)
      return heddle_dtype(dtype);
  return heddle_dtype(0);
}

heddle_dtype dtypeNamed(const std::string &name) {
  for (int dtype = HEDDLE_I1; dtype <= HEDDLE_C128; ++dtype)
    if (name == heddle_dtype_name(heddle_dtype(dtype)) && name != "?")
      return heddle_dtype(dtype);
  return heddle_dtype(0);
}

TensorInfo toInfo(const heddle_tensor_info &info) {
  TensorInfo result = {
      info.name,
      heddle_dtype_name(info.dtype),
      std::vector<int64_t>(info.shape, info.shape + info.rank),
      std::vector<int64_t>(info.shape_min, info.shape_min + info.rank),
      info.dtype,
      info.bytes,
      info.device};
  result.part = result.shape;
  if (!info.sharding)
    return result;
  result.sharding = info.sharding;
  result.shape = {info.whole, info.whole + info.rank};
  result.shapeMin = result.shape;
  result.bytes = heddle_dtype_bytes(info.dtype);
  for (int64_t extent : result.shape)
    result.bytes *= size_t(extent);
  return result;
}

static std::string describe(const TensorInfo &info) {
  std::string text = info.name + ": " + info.dtype + "[";
  for (size_t i = 0; i < info.shape.size(); ++i)
    text += (i ? ", " : "") +
            (info.shapeMin[i] == info.shape[i]
                 ? ""
                 : std::to_string(info.shapeMin[i]) + "..") +
            std::to_string(info.shape[i]);
  return text + "]" + (info.sharding ? " " + *info.sharding : "");
}

void bindTensors(nb::module_ &module) {
  nb::class_<TensorInfo>(module, "TensorInfo")
      .def_ro("name", &TensorInfo::name)
      .def_ro("dtype", &TensorInfo::dtype)
      .def_ro("shape", &TensorInfo::shape)
      .def_ro("shape_min", &TensorInfo::shapeMin)
      .def_ro("bytes", &TensorInfo::bytes)
      .def_ro("device", &TensorInfo::device)
      .def_ro("part", &TensorInfo::part)
      .def_ro("sharding", &TensorInfo::sharding)
      .def("__repr__", describe);
}

} // namespace heddle::python
