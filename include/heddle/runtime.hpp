// The runtime in C++17.
//
// Owners and views over runtime.h, header only; no exceptions.
//
//   using namespace heddle;
//   api::Result<api::Program> program = api::Program::load("model.heddle");
//   if (!program)
//     return fail(program.status().message());
//   api::Result<api::Context> context = program->context();
//   std::vector<float> x(512), y(10);
//   api::Status status = context->call({api::tensor(x, {1, 512})},
//                                      {api::tensor(y, {1, 10})});

#ifndef HEDDLE_RUNTIME_HPP
#define HEDDLE_RUNTIME_HPP

#include "heddle/runtime.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::api {

/// The outcome of a call. True when it went well. Since 0.1.
class [[nodiscard]] Status {
public:
  Status(const heddle_status &status) : value(status) {}
  explicit operator bool() const { return value.code == HEDDLE_OK; }
  heddle_code code() const { return static_cast<heddle_code>(value.code); }
  const char *message() const { return value.message; }

private:
  heddle_status value;
};

/// A value, or why there is none. Since 0.1.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : outcome(heddle_status{}), content(std::move(value)) {}
  Result(const Status &failure) : outcome(failure) {}
  explicit operator bool() const { return content.has_value(); }
  const Status &status() const { return outcome; }
  T &operator*() { return *content; }
  T *operator->() { return &*content; }

private:
  Status outcome;
  std::optional<T> content;
};

/// A size-prefixed struct of runtime.h with all defaults. Since 0.1.
template <typename T> T defaults() {
  T options = {};
  options.size = sizeof(T);
  return options;
}

namespace detail {
/// Owns a handle of the C interface.
template <typename T, void (*destroy)(T *)> class Handle {
public:
  Handle() = default;
  explicit Handle(T *handle) : handle(handle) {}
  Handle(Handle &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)) {}
  Handle &operator=(Handle &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Handle() { destroy(handle); }
  T *get() const { return handle; }

private:
  T *handle = nullptr;
};

template <typename T> struct DtypeOf;
template <> struct DtypeOf<bool> {
  static constexpr heddle_dtype value = HEDDLE_I1;
};
template <> struct DtypeOf<int8_t> {
  static constexpr heddle_dtype value = HEDDLE_I8;
};
template <> struct DtypeOf<int16_t> {
  static constexpr heddle_dtype value = HEDDLE_I16;
};
template <> struct DtypeOf<int32_t> {
  static constexpr heddle_dtype value = HEDDLE_I32;
};
template <> struct DtypeOf<int64_t> {
  static constexpr heddle_dtype value = HEDDLE_I64;
};
template <> struct DtypeOf<uint8_t> {
  static constexpr heddle_dtype value = HEDDLE_UI8;
};
template <> struct DtypeOf<uint16_t> {
  static constexpr heddle_dtype value = HEDDLE_UI16;
};
template <> struct DtypeOf<uint32_t> {
  static constexpr heddle_dtype value = HEDDLE_UI32;
};
template <> struct DtypeOf<uint64_t> {
  static constexpr heddle_dtype value = HEDDLE_UI64;
};
template <> struct DtypeOf<float> {
  static constexpr heddle_dtype value = HEDDLE_F32;
};
template <> struct DtypeOf<double> {
  static constexpr heddle_dtype value = HEDDLE_F64;
};
} // namespace detail

/// Memory of an input or output, with a copy of its shape. Since 0.1.
struct Tensor {
  void *data;
  heddle_dtype dtype;
  std::vector<int64_t> shape;
  size_t bytes = 0; ///< At data; 0: as many as the shape takes.
};

/// A row-major view of a vector's elements. Since 0.1.
template <typename T>
Tensor tensor(std::vector<T> &values, std::vector<int64_t> shape) {
  return {values.data(), detail::DtypeOf<T>::value, std::move(shape),
          values.size() * sizeof(T)};
}
/// For inputs, which are not written. Since 0.1.
template <typename T>
Tensor tensor(const std::vector<T> &values, std::vector<int64_t> shape) {
  return {const_cast<T *>(values.data()), detail::DtypeOf<T>::value,
          std::move(shape), values.size() * sizeof(T)};
}

/// An input or output of an entry. Since 0.1.
struct TensorInfo {
  std::string name;
  heddle_dtype dtype;
  std::vector<int64_t> shape;    ///< The largest extents.
  std::vector<int64_t> shapeMin; ///< The smallest.
  size_t bytes;
  size_t alignment;
};

/// Functions that an artifact may call, by the names of its custom calls:
///
///   heddle::api::CustomCalls functions;
///   functions.add("blend", [](const heddle_custom_call_frame &frame) {
///     ...
///     return std::string(); // or what went wrong
///   });
///   auto program = heddle::api::Program::load("model.heddle", functions);
///
/// What they hold lives as long as a program or context that was given them.
/// They are called by several threads at once if several contexts are. Since
/// 0.1.
class CustomCalls {
public:
  using Function = std::function<std::string(const heddle_custom_call_frame &)>;

  CustomCalls() : content(std::make_shared<List>()) {}
  CustomCalls &add(std::string name, Function function) {
    content->push_back(
        std::make_unique<Named>(Named{std::move(name), std::move(function)}));
    return *this;
  }

private:
  friend class Program;
  struct Named {
    std::string name;
    Function function;
  };
  using List = std::vector<std::unique_ptr<Named>>;

  static int32_t call(const heddle_custom_call_frame *frame) {
    std::string problem =
        static_cast<const Named *>(frame->user)->function(*frame);
    if (problem.empty())
      return 0;
    std::snprintf(frame->message, frame->message_bytes, "%s", problem.c_str());
    return 1;
  }
  /// What the C interface takes; lives as long as a call of it.
  struct View {
    std::vector<heddle_custom_call> calls;
    std::vector<const heddle_custom_call *> pointers;
  };
  View view() const {
    View view;
    for (const std::unique_ptr<Named> &named : *content)
      view.calls.push_back(
          {sizeof(heddle_custom_call), named->name.c_str(), call, named.get()});
    for (const heddle_custom_call &call : view.calls)
      view.pointers.push_back(&call);
    return view;
  }

  std::shared_ptr<List> content;
};

/// Threads that contexts can share. Since 0.1.
class Pool {
public:
  static Result<Pool>
  create(const heddle_pool_options &options = defaults<heddle_pool_options>()) {
    heddle_pool *pool = nullptr;
    Status status = heddle_pool_create(&options, &pool);
    if (!status)
      return status;
    return Pool(pool);
  }
  size_t threads() const { return heddle_pool_threads(handle.get()); }
  heddle_pool *get() const { return handle.get(); }

private:
  explicit Pool(heddle_pool *pool) : handle(pool) {}
  detail::Handle<heddle_pool, heddle_pool_destroy> handle;
};

/// The memory of one caller of one entry. Since 0.1.
class Context {
public:
  /// Runs the entry: inputs and outputs in its order.
  Status
  call(const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs,
       const heddle_call_options &options = defaults<heddle_call_options>()) {
    Views in(inputs), out(outputs);
    return heddle_context_call(handle.get(), in.pointers.data(),
                               in.pointers.size(), out.pointers.data(),
                               out.pointers.size(), &options);
  }
  size_t threads() const { return heddle_context_threads(handle.get()); }
  heddle_context *get() const { return handle.get(); }

private:
  friend class Program;
  Context(heddle_context *context, std::shared_ptr<void> functions)
      : functions(std::move(functions)), handle(context) {}
  /// What the C interface takes.
  struct Views {
    explicit Views(const std::vector<Tensor> &list) {
      tensors.reserve(list.size());
      for (const Tensor &tensor : list) {
        auto view = defaults<heddle_tensor>();
        view.data = tensor.data;
        view.dtype = tensor.dtype;
        view.rank = static_cast<int32_t>(tensor.shape.size());
        view.shape = tensor.shape.data();
        view.bytes = tensor.bytes;
        tensors.push_back(view);
        pointers.push_back(&tensors.back());
      }
    }
    std::vector<heddle_tensor> tensors;
    std::vector<const heddle_tensor *> pointers;
  };
  std::shared_ptr<void> functions;
  detail::Handle<heddle_context, heddle_context_destroy> handle;
};

/// A loaded artifact. Since 0.1.
class Program {
public:
  static Result<Program>
  load(const std::string &path,
       const heddle_load_options &options = defaults<heddle_load_options>()) {
    heddle_program *program = nullptr;
    Status status = heddle_program_load_file(path.c_str(), &options, &program);
    if (!status)
      return status;
    return Program(program);
  }
  /// With functions that the artifact calls.
  static Result<Program>
  load(const std::string &path, const CustomCalls &customCalls,
       heddle_load_options options = defaults<heddle_load_options>()) {
    CustomCalls::View calls = customCalls.view();
    options.custom_calls = calls.pointers.data();
    options.custom_call_count = calls.pointers.size();
    Result<Program> program = load(path, options);
    if (program)
      program->functions = customCalls.content;
    return program;
  }
  static Result<Program>
  load(const void *data, size_t bytes, const CustomCalls &customCalls,
       heddle_load_options options = defaults<heddle_load_options>()) {
    CustomCalls::View calls = customCalls.view();
    options.custom_calls = calls.pointers.data();
    options.custom_call_count = calls.pointers.size();
    Result<Program> program = load(data, bytes, options);
    if (program)
      program->functions = customCalls.content;
    return program;
  }
  /// The bytes must outlive the program and its contexts.
  static Result<Program>
  load(const void *data, size_t bytes,
       const heddle_load_options &options = defaults<heddle_load_options>()) {
    heddle_program *program = nullptr;
    Status status = heddle_program_load_memory(data, bytes, &options, &program);
    if (!status)
      return status;
    return Program(program);
  }

  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < heddle_program_entry_count(handle.get()); ++i)
      names.emplace_back(heddle_program_entry_name(handle.get(), i));
    return names;
  }
  std::vector<TensorInfo> inputs(size_t entry = 0) const {
    return describe(heddle_program_input_count(handle.get(), entry), entry,
                    heddle_program_input_info);
  }
  std::vector<TensorInfo> outputs(size_t entry = 0) const {
    return describe(heddle_program_output_count(handle.get(), entry), entry,
                    heddle_program_output_info);
  }
  heddle_load_report report() const {
    auto report = defaults<heddle_load_report>();
    (void)heddle_program_report(handle.get(), &report);
    return report;
  }
  Result<Context> context(size_t entry = 0,
                          const heddle_context_options &options =
                              defaults<heddle_context_options>()) {
    heddle_context *context = nullptr;
    Status status =
        heddle_context_create(handle.get(), entry, &options, &context);
    if (!status)
      return status;
    return Context(context, functions);
  }
  heddle_program *get() const { return handle.get(); }

private:
  explicit Program(heddle_program *program) : handle(program) {}
  template <typename Query>
  std::vector<TensorInfo> describe(size_t count, size_t entry,
                                   Query query) const {
    std::vector<TensorInfo> result;
    for (size_t i = 0; i < count; ++i) {
      auto info = defaults<heddle_tensor_info>();
      if (query(handle.get(), entry, i, &info).code != HEDDLE_OK)
        break;
      result.push_back(
          {info.name, info.dtype,
           std::vector<int64_t>(info.shape, info.shape + info.rank),
           std::vector<int64_t>(info.shape_min, info.shape_min + info.rank),
           info.bytes, info.alignment});
    }
    return result;
  }
  std::shared_ptr<void> functions; ///< Of custom calls.
  detail::Handle<heddle_program, heddle_program_destroy> handle;
};

} // namespace heddle::api

#endif // HEDDLE_RUNTIME_HPP
