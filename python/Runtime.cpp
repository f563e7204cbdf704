// heddle._runtime: include/heddle/runtime.h for Python. Tensors cross as
// DLPack, without copies.

#include "heddle/runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// The Python class of errors; made by the module, alive as long as it.
PyObject *errorClass;

[[noreturn]] void raise(int32_t code, const char *message,
                        nb::object cause = {}) {
  nb::object error = nb::handle(errorClass)(message);
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
bool isNarrowInteger(heddle_dtype dtype) {
  return dtype == HEDDLE_I2 || dtype == HEDDLE_I4 || dtype == HEDDLE_UI2 ||
         dtype == HEDDLE_UI4;
}

/// 0 for what heddle has no type for: the runtime's check then names the
/// tensor.
heddle_dtype fromDlpack(nb::dlpack::dtype type) {
  for (int dtype = HEDDLE_I1; dtype <= HEDDLE_C128; ++dtype)
    if (heddle_dtype_bytes(heddle_dtype(dtype)) &&
        !isNarrowInteger(heddle_dtype(dtype)) &&
        toDlpack(heddle_dtype(dtype)) == type)
      return heddle_dtype(dtype);
  return heddle_dtype(0);
}

struct TensorInfo {
  std::string name, dtype;
  std::vector<int64_t> shape, shapeMin;
  heddle_dtype type;
  size_t bytes;
};

TensorInfo toInfo(const heddle_tensor_info &info) {
  return {info.name,
          heddle_dtype_name(info.dtype),
          std::vector<int64_t>(info.shape, info.shape + info.rank),
          std::vector<int64_t>(info.shape_min, info.shape_min + info.rank),
          info.dtype,
          info.bytes};
}

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
using Array = nb::ndarray<nb::device::cpu>;
using ReadOnlyArray = nb::ndarray<nb::ro, nb::device::cpu>;

//===----------------------------------------------------------------------===//
// Custom calls
//===----------------------------------------------------------------------===//

class Program;

/// A function of Python's that an artifact calls, and what it raised. Used with
/// the interpreter's lock.
struct Callback {
  Program *program;
  std::string name;
  nb::object function;
  nb::object error;
};

/// The memory of a tensor, for the package only: it lasts as long as the call.
/// numpy has its bits where it lacks the type.
nb::object memoryOf(const heddle_tensor &tensor) {
  nb::dlpack::dtype dtype = toDlpack(tensor.dtype);
  if (tensor.dtype == HEDDLE_BF16)
    dtype.code = uint8_t(nb::dlpack::dtype_code::UInt);
  std::vector<size_t> shape(tensor.shape, tensor.shape + tensor.rank);
  return nb::cast(nb::ndarray<nb::numpy>(tensor.data, shape.size(),
                                         shape.data(), nb::handle(), nullptr,
                                         dtype),
                  nb::rv_policy::reference);
}

nb::object toPython(const heddle_attribute &attribute) {
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

/// The programs whose calls this thread is inside of, because it runs a
/// function that they call: a call of the same one would wait for itself.
class Inside {
public:
  explicit Inside(const Program *program) : program(program), outer(innermost) {
    innermost = this;
  }
  ~Inside() { innermost = outer; }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

  static bool of(const Program *program) {
    for (const Inside *at = innermost; at; at = at->outer)
      if (at->program == program)
        return true;
    return false;
  }

private:
  const Program *program;
  const Inside *outer;
  static thread_local const Inside *innermost;
};
thread_local const Inside *Inside::innermost = nullptr;

int32_t callPython(const heddle_custom_call_frame *frame) {
  auto &callback = *static_cast<Callback *>(frame->user);
  nb::gil_scoped_acquire lock;
  Inside inside(callback.program);
  try {
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
    callback.error = nb::borrow(raised.value());
    nb::object type = nb::borrow(raised.type());
    std::snprintf(frame->message, frame->message_bytes, "%s: %s",
                  nb::cast<std::string>(type.attr("__name__")).c_str(),
                  nb::str(raised.value()).c_str());
  } catch (const std::exception &problem) {
    std::snprintf(frame->message, frame->message_bytes, "%s", problem.what());
  }
  return 1;
}

class Program {
public:
  Program(const nb::bytes &path, const std::string &variant, bool verifyWeights,
          const nb::dict &customCalls) {
    std::vector<heddle_custom_call> calls;
    for (auto [name, function] : customCalls) {
      callbacks.push_back(std::make_unique<Callback>());
      callbacks.back()->program = this;
      callbacks.back()->name = nb::cast<std::string>(name);
      callbacks.back()->function = nb::borrow(function);
      calls.push_back({sizeof(heddle_custom_call),
                       callbacks.back()->name.c_str(), callPython,
                       callbacks.back().get()});
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
  Program(const Program &) = delete;
  ~Program() { heddle_program_destroy(program); }

  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < heddle_program_entry_count(program); ++i)
      names.push_back(heddle_program_entry_name(program, i));
    return names;
  }

  std::string variant() const {
    heddle_load_report report{};
    report.size = sizeof report;
    check(heddle_program_report(program, &report));
    return report.variant;
  }

  heddle_program *handle() const { return program; }

  /// What a function raised that ended a call.
  nb::object takeError() {
    nb::object error;
    for (std::unique_ptr<Callback> &callback : callbacks)
      if (callback->error)
        error = std::move(callback->error);
    return error;
  }

  /// For the garbage collector: a function may hold the model that calls it.
  static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self))
      return 0;
    for (std::unique_ptr<Callback> &callback :
         nb::inst_ptr<Program>(self)->callbacks) {
      Py_VISIT(callback->function.ptr());
      Py_VISIT(callback->error.ptr());
    }
    return 0;
  }
  static int clear(PyObject *self) {
    for (std::unique_ptr<Callback> &callback :
         nb::inst_ptr<Program>(self)->callbacks) {
      callback->function.reset();
      callback->error.reset();
    }
    return 0;
  }

private:
  std::vector<std::unique_ptr<Callback>> callbacks;
  heddle_program *program = nullptr;
};

PyType_Slot programSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(Program::traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(Program::clear)},
    {0, nullptr}};

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Memory that results were in and that nobody holds any more. New memory costs
/// a page fault for each 4 KiB, which in a small model's decoding step is a
/// third of the time.
class Blocks {
public:
  struct Block {
    void *data;
    size_t bytes;
  };

  /// Keeps at most so much.
  explicit Blocks(size_t limit) : limit(limit) {}
  ~Blocks() {
    for (const Block &block : unused)
      std::free(block.data);
  }
  Blocks(const Blocks &) = delete;

  /// The smallest that is large enough, but not twice as large; new if there is
  /// none.
  Block take(size_t bytes) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      size_t best = unused.size();
      for (size_t i = 0; i < unused.size(); ++i)
        if (unused[i].bytes >= bytes && unused[i].bytes / 2 <= bytes &&
            (best == unused.size() || unused[i].bytes < unused[best].bytes))
          best = i;
      if (best != unused.size()) {
        Block found = unused[best];
        unused.erase(unused.begin() + std::ptrdiff_t(best));
        unusedBytes -= found.bytes;
        return found;
      }
    }
    // Pages of their own for what takes some.
    size_t unit = bytes < 4096 ? 64 : 4096;
    size_t rounded = (std::max<size_t>(bytes, 1) + unit - 1) / unit * unit;
    void *data = rounded < bytes ? nullptr : std::aligned_alloc(unit, rounded);
    if (!data)
      throw std::bad_alloc();
    return {data, rounded};
  }

  /// The oldest go when there are too many.
  void give(Block block) noexcept {
    std::lock_guard<std::mutex> lock(mutex);
    try {
      unused.push_back(block);
    } catch (const std::bad_alloc &) {
      std::free(block.data);
      return;
    }
    for (unusedBytes += block.bytes; unusedBytes > limit;) {
      unusedBytes -= unused.front().bytes;
      std::free(unused.front().data);
      unused.erase(unused.begin());
    }
  }

private:
  const size_t limit;
  std::mutex mutex;
  std::vector<Block> unused; ///< The oldest first.
  size_t unusedBytes = 0;
};

/// A block while something holds it: an array of numpy is made over it.
class Memory {
public:
  Memory(std::shared_ptr<Blocks> blocks, size_t bytes)
      : bytes(bytes), blocks(std::move(blocks)),
        block(this->blocks->take(bytes)) {}
  Memory(Memory &&other) noexcept
      : bytes(other.bytes), blocks(std::move(other.blocks)),
        block(std::exchange(other.block, {})) {}
  ~Memory() {
    if (block.data)
      blocks->give(block);
  }

  static int getBuffer(PyObject *self, Py_buffer *view, int flags) {
    auto &memory = *nb::inst_ptr<Memory>(self);
    return PyBuffer_FillInfo(view, self, memory.block.data,
                             Py_ssize_t(memory.bytes), /*readonly=*/0, flags);
  }

private:
  size_t bytes;
  std::shared_ptr<Blocks> blocks;
  Blocks::Block block;
};

PyType_Slot memorySlots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(Memory::getBuffer)},
    {0, nullptr}};

/// One entry with its memory. Calls from several threads take turns.
class Context {
public:
  Context(nb::object owner, size_t entry, uint32_t threads)
      : owner(owner), entry(entry) {
    heddle_program *program = nb::cast<Program &>(owner).handle();
    heddle_tensor_info info{};
    info.size = sizeof info;
    for (size_t i = 0; i < heddle_program_input_count(program, entry); ++i) {
      check(heddle_program_input_info(program, entry, i, &info));
      inputs.push_back(toInfo(info));
    }
    for (size_t i = 0; i < heddle_program_output_count(program, entry); ++i) {
      check(heddle_program_output_info(program, entry, i, &info));
      outputs.push_back(toInfo(info));
    }
    // In a loop the results of one call are held while the next one runs.
    size_t results = 0;
    for (const TensorInfo &output : outputs)
      results += (output.bytes + 4095) / 4096 * 4096;
    blocks = std::make_shared<Blocks>(2 * results);
    heddle_context_options options{};
    options.size = sizeof options;
    options.threads = threads;
    check(heddle_context_create(program, entry, &options, &context));
  }
  Context(const Context &) = delete;
  ~Context() { heddle_context_destroy(context); }

  size_t threads() const { return heddle_context_threads(context); }

  void call(const nb::list &ins, const nb::list &outs,
            const std::vector<bool> &inBits, const std::vector<bool> &outBits,
            std::optional<double> timeout) {
    auto inArrays = arrays<ReadOnlyArray>("input", ins, inputs);
    auto outArrays = arrays<Array>("output", outs, outputs);
    std::vector<heddle_tensor> in = tensors(inArrays, inputs, inBits),
                               out = tensors(outArrays, outputs, outBits);
    auto inPointers = pointersTo(in), outPointers = pointersTo(out);
    heddle_call_options options{};
    options.size = sizeof options;
    if (Inside::of(&nb::cast<Program &>(owner)))
      raise(HEDDLE_CONTEXT_BUSY,
            "a custom call calls the model that it is called by, which is in "
            "that call: load the artifact once more for it");
    heddle_status status;
    {
      nb::gil_scoped_release release;
      std::lock_guard<std::mutex> turn(mutex);
      if (timeout)
        options.deadline_ns =
            uint64_t(std::chrono::steady_clock::now().time_since_epoch() /
                     std::chrono::nanoseconds(1)) +
            uint64_t(*timeout * 1e9);
      status =
          heddle_context_call(context, inPointers.data(), inPointers.size(),
                              outPointers.data(), outPointers.size(), &options);
    }
    if (status.code == HEDDLE_CUSTOM_CALL_FAILED)
      raise(status.code, status.message,
            nb::cast<Program &>(owner).takeError());
    check(status);
  }

  /// The shapes of the outputs when the inputs have these.
  std::vector<std::vector<int64_t>>
  outputShapes(const std::vector<std::vector<int64_t>> &shapes) const {
    std::vector<heddle_tensor> in;
    for (const std::vector<int64_t> &shape : shapes) {
      heddle_tensor tensor{};
      tensor.size = sizeof tensor;
      tensor.rank = int32_t(shape.size());
      tensor.shape = shape.data();
      in.push_back(tensor);
    }
    std::vector<const heddle_tensor *> pointers = pointersTo(in);
    heddle_program *program = nb::cast<Program &>(owner).handle();
    std::vector<std::vector<int64_t>> result;
    for (size_t i = 0; i < outputs.size(); ++i) {
      result.emplace_back(outputs[i].shape.size());
      check(heddle_program_output_shape(program, entry, pointers.data(),
                                        pointers.size(), i,
                                        result.back().data()));
    }
    return result;
  }

  std::vector<TensorInfo> inputs, outputs;

  static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self))
      Py_VISIT(nb::inst_ptr<Context>(self)->owner.ptr());
    return 0;
  }

  /// Memory for an output.
  Memory memory(size_t bytes) { return Memory(blocks, bytes); }

private:
  /// What nanobind takes as arrays; what it does not, it does not name.
  template <typename T>
  static std::vector<T> arrays(const char *kind, const nb::list &given,
                               const std::vector<TensorInfo> &wanted) {
    std::vector<T> result;
    for (size_t i = 0; i < given.size(); ++i) {
      T array;
      if (!nb::try_cast(given[i], array)) {
        std::string what = std::string(kind) + " '" + wanted[i].name +
                           "' is given a " +
                           nb::type_name(given[i].type()).c_str() +
                           " that is not memory the CPU can " +
                           (*kind == 'o' ? "write" : "read");
        throw nb::type_error(what.c_str());
      }
      result.push_back(std::move(array));
    }
    return result;
  }

  template <typename T>
  static std::vector<heddle_tensor>
  tensors(const std::vector<T> &arrays, const std::vector<TensorInfo> &wanted,
          const std::vector<bool> &bits) {
    std::vector<heddle_tensor> result;
    for (size_t i = 0; i < arrays.size(); ++i) {
      const T &array = arrays[i];
      heddle_tensor tensor{};
      tensor.size = sizeof tensor;
      tensor.data = const_cast<void *>(static_cast<const void *>(array.data()));
      tensor.dtype = i < wanted.size() && bits[i] ? wanted[i].type
                                                  : fromDlpack(array.dtype());
      tensor.rank = int32_t(array.ndim());
      tensor.shape = array.shape_ptr();
      tensor.strides = array.stride_ptr();
      result.push_back(tensor);
    }
    return result;
  }

  nb::object owner;
  size_t entry;
  heddle_context *context = nullptr;
  std::shared_ptr<Blocks> blocks;
  std::mutex mutex;
};

PyType_Slot contextSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(Context::traverse)},
    {0, nullptr}};

} // namespace

NB_MODULE(_runtime, module) {
  errorClass = PyErr_NewExceptionWithDoc(
      "heddle.HeddleError",
      "What went wrong, as a sentence; `code` is the error's stable code, "
      "\"HDL-0807\": `heddle explain` says more.",
      PyExc_RuntimeError, nullptr);
  module.attr("HeddleError") = nb::steal(errorClass);
  Py_INCREF(errorClass);

  nb::class_<TensorInfo>(module, "TensorInfo")
      .def_ro("name", &TensorInfo::name)
      .def_ro("dtype", &TensorInfo::dtype)
      .def_ro("shape", &TensorInfo::shape)
      .def_ro("shape_min", &TensorInfo::shapeMin)
      .def_ro("bytes", &TensorInfo::bytes)
      .def("__repr__", [](const TensorInfo &info) {
        std::string text = info.name + ": " + info.dtype + "[";
        for (size_t i = 0; i < info.shape.size(); ++i)
          text += (i ? ", " : "") +
                  (info.shapeMin[i] == info.shape[i]
                       ? ""
                       : std::to_string(info.shapeMin[i]) + "..") +
                  std::to_string(info.shape[i]);
        return text + "]";
      });
  nb::class_<Memory>(module, "Memory", nb::type_slots(memorySlots));
  nb::class_<Program>(module, "Program", nb::type_slots(programSlots))
      .def(nb::init<const nb::bytes &, const std::string &, bool,
                    const nb::dict &>(),
           "path"_a, "variant"_a, "verify_weights"_a, "custom_calls"_a)
      .def_prop_ro("entries", &Program::entries)
      .def_prop_ro("variant", &Program::variant);
  nb::class_<Context>(module, "Context", nb::type_slots(contextSlots))
      .def(nb::init<nb::object, size_t, uint32_t>(), "program"_a, "entry"_a,
           "threads"_a = 0)
      .def_prop_ro("threads", &Context::threads)
      // Copies, which do not hold the context in a way that the garbage
      // collector does not see.
      .def_prop_ro("inputs",
                   [](const Context &context) {
                     return std::vector<TensorInfo>(context.inputs);
                   })
      .def_prop_ro("outputs",
                   [](const Context &context) {
                     return std::vector<TensorInfo>(context.outputs);
                   })
      .def("memory", &Context::memory, "bytes"_a)
      .def("output_shapes", &Context::outputShapes)
      .def("call", &Context::call, "inputs"_a, "outputs"_a, "input_bits"_a,
           "output_bits"_a, "timeout"_a = nb::none());
}
