// Checks what a call is given.

#ifndef HEDDLE_RUNTIME_TENSORS_H
#define HEDDLE_RUNTIME_TENSORS_H

#include "runtime/State.h"

namespace heddle::runtime {

/// The inputs and outputs of a call.
struct TensorList {
  const heddle_tensor *tensors;
  size_t count;
};

/// Whether so many tensors are given as the entry has.
Error checkCounts(const EntrySpec &entry, size_t inputs, size_t outputs);

/// Checks type, rank, layout, alignment and size of an input or an output (says
/// `kind`), and the shape when it is static. Allocates nothing unless something
/// is wrong.
Error checkTensor(const char *kind, const TensorSpec &spec,
                  const heddle_tensor &tensor, bool dynamic);

/// The same of a list.
Error checkTensors(const char *kind, const std::vector<TensorSpec> &specs,
                   TensorList list, bool dynamic);

/// The type that a caller wrote, which need not be one of the enumeration's:
/// `none` for what no type's number is.
format::DataType readDataType(const heddle_dtype &given);

/// Checks the number of dimensions alone, and that their extents can be read.
Error checkRank(const TensorSpec &spec, const char *kind,
                const heddle_tensor &tensor);

/// Checks the shapes when the manifest's expressions have these values.
Error checkShapes(const char *kind, const std::vector<TensorSpec> &specs,
                  TensorList list, const std::vector<int64_t> &values);

/// No output may share memory with another tensor, except with the input that
/// it replaces. Their shapes have been checked.
Error checkOverlap(const EntrySpec &entry, TensorList inputs,
                   TensorList outputs);

/// That a tensor has not the shape that is wanted.
Error wrongShape(const char *kind, const TensorSpec &spec,
                 const heddle_tensor &tensor, const std::string &wanted);

/// Reads a tensor of any version of the interface.
Error readTensor(const heddle_tensor *given, const char *kind,
                 const TensorSpec &spec, heddle_tensor &tensor);

/// An error of one tensor: "input 'x' " and what is wrong with it.
Error tensorError(heddle_code code, const char *kind, const TensorSpec &spec,
                  const std::string &what);

/// That a tensor lies at `place`, and not on its device.
Error wrongDevice(const char *kind, const TensorSpec &spec,
                  const std::string &place);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TENSORS_H
