// A custom call into Python: tensors as arrays over the call's memory,
// attributes as keywords, exceptions as its failure.

#include "CustomCalls.h"
#include "Tensors.h"

#include <cstdio>
#include <stdexcept>
#include <utility>

namespace heddle::python {

thread_local const Inside *Inside::innermost = nullptr;

/// The memory of a tensor, for the package only: it lasts as long as the call.
/// numpy has its bits where it lacks the type.
static nb::object memoryOf(const heddle_tensor &tensor) {
  nb::dlpack::dtype dtype = toDlpack(tensor.dtype);
  if (tensor.dtype == HEDDLE_BF16)
    dtype.code = uint8_t(nb::dlpack::dtype_code::UInt);
  std::vector<size_t> shape(tensor.shape, tensor.shape + tensor.rank);
  return nb::cast(nb::ndarray<nb::numpy>(tensor.data, shape.size(),
                                         shape.data(), nb::handle(), nullptr,
                                         dtype),
                  nb::rv_policy::reference);
}

static nb::object toPython(const heddle_attribute &attribute) {
  auto value = [&](size_t i) -> nb::object {
    switch (attribute.kind) {
    case HEDDLE_ATTRIBUTE_BOOL:
      return nb::bool_(attribute.integers[i] != 0);
    case HEDDLE_ATTRIBUTE_I64:
      return nb::int_(attribute.integers[i]);
    case HEDDLE_ATTRIBUTE_F64:
      return nb::float_(attribute.floats[i]);
    default:
      return nb::steal(PyUnicode_DecodeUTF8(
          attribute.strings[i], Py_ssize_t(attribute.string_bytes[i]),
          "surrogateescape"));
    }
  };
  if (!attribute.is_array)
    return value(0);
  nb::list list;
  for (size_t i = 0; i < attribute.count; ++i)
    list.append(value(i));
  return std::move(list);
}

/// As UTF-8, of which a text may hold what it cannot say: half of a pair. Null,
/// without an error, if that does not go.
static nb::object encoded(nb::handle text) {
  nb::object bytes;
  if (text.is_valid())
    bytes =
        nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "replace"));
  if (!bytes)
    PyErr_Clear();
  return bytes;
}

/// Writes "KeyError: text". The exception may be any class of the user's, whose
/// __str__ raises, too: what it raises is nobody's concern.
static void describe(nb::handle error, char *message, size_t bytes) {
  nb::object name = encoded(nb::steal(
      PyObject_GetAttrString((PyObject *)Py_TYPE(error.ptr()), "__name__")));
  nb::object text = encoded(nb::steal(PyObject_Str(error.ptr())));
  std::snprintf(message, bytes, "%s: %s",
                name ? PyBytes_AS_STRING(name.ptr()) : "an exception",
                text ? PyBytes_AS_STRING(text.ptr())
                     : "(its __str__ gives no text)");
}

int32_t callPython(const heddle_custom_call_frame *frame) {
  auto &callback = *static_cast<Callback *>(frame->user);
  nb::gil_scoped_acquire lock;
  Inside inside(callback.program);
  try {
    // The garbage collector has taken the program apart.
    if (!callback.function)
      throw std::runtime_error("the function is gone");
    auto tensors = [](const heddle_tensor *const *list, size_t count) {
      nb::list memories;
      for (size_t i = 0; i < count; ++i)
        memories.append(nb::make_tuple(memoryOf(*list[i]),
                                       heddle_dtype_name(list[i]->dtype)));
      return memories;
    };
    nb::dict attributes;
    for (size_t i = 0; i < frame->attribute_count; ++i)
      attributes[frame->attributes[i]->name] = toPython(*frame->attributes[i]);
    if (frame->backend_config_bytes)
      attributes["backend_config"] = nb::steal(PyUnicode_DecodeUTF8(
          frame->backend_config, Py_ssize_t(frame->backend_config_bytes),
          "surrogateescape"));
    callback.function(tensors(frame->operands, frame->operand_count),
                      tensors(frame->results, frame->result_count), attributes);
    return 0;
  } catch (nb::python_error &raised) {
    // Null while a program is loaded.
    if (auto *call = static_cast<Raised *>(frame->call_user))
      call->error = nb::borrow(raised.value());
    describe(raised.value(), frame->message, frame->message_bytes);
  } catch (const std::exception &problem) {
    std::snprintf(frame->message, frame->message_bytes, "%s", problem.what());
  }
  return 1;
}

} // namespace heddle::python
