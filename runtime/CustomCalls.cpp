// Finds the functions that a program asks for, and calls them with what the
// model says.

#include "runtime/CustomCalls.h"

#include "runtime/drivers/cpu/FloatEnvironment.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/SizedStructs.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

thread_local const InsideCall *InsideCall::innermost = nullptr;

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Reads and checks what the caller registers.
static Error readRegistered(const heddle_load_options &options,
                            std::vector<heddle_custom_call> &calls) {
  auto invalid = [](const std::string &what) -> Error {
    return {HEDDLE_ARGUMENT_INVALID, what};
  };
  if (options.custom_call_count && !options.custom_calls)
    return invalid("custom_calls is a null pointer");
  for (size_t i = 0; i < options.custom_call_count; ++i) {
    heddle_custom_call call = {};
    std::string name = "custom_calls[" + std::to_string(i) + "]";
    if (!options.custom_calls[i])
      return invalid(name + " is a null pointer");
    if (!readOptions(options.custom_calls[i], call))
      return invalid(name + ": " + badSize);
    if (!call.name || !*call.name || !call.function)
      return invalid(name + " has no name or no function");
    for (const heddle_custom_call &other : calls)
      if (!std::strcmp(other.name, call.name))
        return invalid("custom call '" + std::string(call.name) +
                       "' is registered twice");
    calls.push_back(call);
  }
  return {};
}

static void describeAttributes(const CustomCall &call, BoundCall &bound) {
  uint32_t count = length(call.attributes());
  bound.attributes.resize(count);
  bound.strings.resize(count);
  bound.stringBytes.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    const Attribute &from = *call.attributes()->Get(i);
    for (uint32_t j = 0; j < length(from.texts()); ++j) {
      bound.strings[i].push_back(from.texts()->Get(j)->c_str());
      bound.stringBytes[i].push_back(from.texts()->Get(j)->size());
    }
    heddle_attribute &to = bound.attributes[i];
    to = {};
    to.size = sizeof(to);
    to.name = from.name()->c_str();
    to.kind = static_cast<heddle_attribute_kind>(from.kind());
    to.is_array = from.is_array();
    to.count =
        length(from.integers()) + length(from.reals()) + length(from.texts());
    to.integers = from.integers() ? from.integers()->data() : nullptr;
    to.floats = from.reals() ? from.reals()->data() : nullptr;
    to.strings = bound.strings[i].data();
    to.string_bytes = bound.stringBytes[i].data();
  }
  for (const heddle_attribute &attribute : bound.attributes)
    bound.attributePointers.push_back(&attribute);
}

static_assert(static_cast<int>(AttributeKind::boolean) ==
                  HEDDLE_ATTRIBUTE_BOOL &&
              static_cast<int>(AttributeKind::integer) ==
                  HEDDLE_ATTRIBUTE_I64 &&
              static_cast<int>(AttributeKind::real) == HEDDLE_ATTRIBUTE_F64 &&
              static_cast<int>(AttributeKind::text) == HEDDLE_ATTRIBUTE_STRING);

Error runtime::bindCustomCalls(const Variant &variant,
                               const heddle_load_options &options,
                               std::vector<BoundCall> &bound) {
  std::vector<heddle_custom_call> calls;
  if (Error error = readRegistered(options, calls))
    return error;
  std::vector<std::string> missing;
  bound = std::vector<BoundCall>(length(variant.kernels()));
  for (uint32_t i = 0; i < bound.size(); ++i) {
    const CustomCall *call = variant.kernels()->Get(i)->custom_call();
    if (!call)
      continue;
    auto found = std::find_if(calls.begin(), calls.end(),
                              [&](const heddle_custom_call &given) {
                                return text(call->target()) == given.name;
                              });
    if (found == calls.end()) {
      std::string name = "'" + text(call->target()) + "'";
      if (std::find(missing.begin(), missing.end(), name) == missing.end())
        missing.push_back(std::move(name));
      continue;
    }
    bound[i].function = found->function;
    bound[i].user = found->user;
    describeAttributes(*call, bound[i]);
  }
  if (missing.empty())
    return {};
  std::string names = missing.front();
  for (size_t i = 1; i < missing.size(); ++i)
    names += (i + 1 == missing.size() ? " and " : ", ") + missing[i];
  return {HEDDLE_CUSTOM_CALL_MISSING,
          "the artifact calls " + names +
              ", which the program that loads it must register: custom_calls "
              "of the load options, or --custom-call NAME=LIBRARY.so"};
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

CustomCallStep::CustomCallStep(const CustomCall &call, const BoundCall &bound,
                               const std::vector<int64_t> &values)
    : function(bound.function), frame() {
  uint32_t operands = length(call.operands());
  for (const auto *list : {call.operands(), call.results()})
    for (uint32_t i = 0; i < length(list); ++i)
      for (uint32_t j = 0; j < length(list->Get(i)->shape()); ++j)
        extents.push_back(values[list->Get(i)->shape()->Get(j)]);
  const int64_t *shape = extents.data();
  for (const auto *list : {call.operands(), call.results()})
    for (uint32_t i = 0; i < length(list); ++i) {
      const Tensor &described = *list->Get(i);
      heddle_tensor tensor = {};
      tensor.size = sizeof(tensor);
      tensor.dtype = static_cast<heddle_dtype>(described.dtype());
      tensor.rank = static_cast<int32_t>(length(described.shape()));
      tensor.shape = shape;
      tensor.bytes = static_cast<size_t>(tensorBytes(described, values));
      shape += tensor.rank;
      tensors.push_back(tensor);
    }
  for (const heddle_tensor &tensor : tensors)
    pointers.push_back(&tensor);
  frame.size = sizeof(frame);
  frame.name = call.target()->c_str();
  frame.user = bound.user;
  frame.api_version = call.api_version();
  frame.has_side_effect = call.has_side_effect();
  frame.operands = pointers.data();
  frame.operand_count = operands;
  frame.results = pointers.data() + operands;
  frame.result_count = tensors.size() - operands;
  frame.attributes = bound.attributePointers.data();
  frame.attribute_count = bound.attributePointers.size();
  frame.backend_config =
      call.backend_config() ? call.backend_config()->c_str() : "";
  frame.backend_config_bytes =
      call.backend_config() ? call.backend_config()->size() : 0;
}

/// A function in C++ that throws has failed. The end of its thread
/// (pthread_exit, cancellation) is none of ours.
static int32_t callFunction(heddle_custom_call_function function,
                            heddle_custom_call_frame &frame) {
  try {
    return function(&frame);
  } catch (abi::__forced_unwind &) {
    throw;
  } catch (...) {
    std::snprintf(frame.message, frame.message_bytes,
                  "it threw an exception of C++");
    return -1;
  }
}

int32_t CustomCallStep::run(void *const *slots, void *callUser, char *message,
                            size_t messageBytes) {
  for (size_t i = 0; i < tensors.size(); ++i)
    tensors[i].data = slots[i];
  message[0] = '\0';
  frame.call_user = callUser;
  frame.message = message;
  frame.message_bytes = messageBytes;
  GuardedFloatEnvironment guard;
  int32_t outcome = callFunction(function, frame);
  message[messageBytes - 1] = '\0';
  return outcome;
}
