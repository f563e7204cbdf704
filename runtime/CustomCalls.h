// Functions of the caller's program.

#ifndef HEDDLE_RUNTIME_CUSTOMCALLS_H
#define HEDDLE_RUNTIME_CUSTOMCALLS_H

#include "runtime/format/Error.h"
#include "runtime/format/Layout.h"

#include <vector>

namespace heddle::runtime {

using format::Error;

/// A kernel of the variant that is a registered function; without a function,
/// any other kernel.
struct BoundCall {
  heddle_custom_call_function function = nullptr;
  void *user = nullptr;
  std::vector<heddle_attribute> attributes; ///< Views of the artifact's bytes.
  std::vector<const heddle_attribute *> attributePointers;
  std::vector<std::vector<const char *>> strings;
  std::vector<std::vector<size_t>> stringBytes;
};

/// Finds the functions that the kernels of `variant` name among those that
/// `options` has: one entry per kernel. Nothing else of the process can be
/// reached.
Error bindCustomCalls(const format::Variant &variant,
                      const heddle_load_options &options,
                      std::vector<BoundCall> &bound);

/// The calls that this thread runs a registered function of: what the function
/// does to their context cannot wait for them.
class InsideCall {
public:
  /// `call`: an address that stands for the call's context.
  explicit InsideCall(const void *call) : call(call), outer(innermost) {
    innermost = this;
  }
  ~InsideCall() { innermost = outer; }
  InsideCall(const InsideCall &) = delete;
  InsideCall &operator=(const InsideCall &) = delete;

  static bool of(const void *call) {
    for (const InsideCall *at = innermost; at; at = at->outer)
      if (at->call == call)
        return true;
    return false;
  }

private:
  const void *call;
  const InsideCall *outer;
  static thread_local const InsideCall *innermost;
};

/// One call in a program, ready but for the addresses of its tensors.
struct CustomCallStep {
  heddle_custom_call_function function;
  heddle_custom_call_frame frame;
  std::vector<heddle_tensor> tensors; ///< Operands, then results.
  std::vector<const heddle_tensor *> pointers;
  std::vector<int64_t> extents; ///< Of all tensors.

  /// `values` are the manifest's expressions. The nodes are set by the caller.
  CustomCallStep(const format::CustomCall &call, const BoundCall &bound,
                 const std::vector<int64_t> &values);
  CustomCallStep(const CustomCallStep &) = delete;

  /// Calls the function on the memory at `slots`, for a call with this user. A
  /// failure's message goes to `message`, ended by '\0'; 0 if there is none.
  int32_t run(void *const *slots, void *callUser, char *message,
              size_t messageBytes);
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_CUSTOMCALLS_H
