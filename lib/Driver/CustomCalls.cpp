// --custom-call NAME=LIBRARY[:SYMBOL]: functions of shared libraries, for the
// commands that run a program. The runtime itself opens nothing.

#include "heddle/Driver/CustomCalls.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "heddle/Artifact/CallAttributes.h"
#include "heddle/Artifact/DataTypes.h"
#include "heddle/Driver/Program.h"
#include "heddle/Support/MappedFile.h"
#include "runtime/format/Layout.h"

#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace mlir;
using namespace heddle;

bool CustomCallLibraries::open(Session &session,
                               ArrayRef<std::string> options) {
  auto fail = [&](StringRef option, const Twine &why) {
    session.diagnostics.report(ErrorCode::BadCommandLine,
                               "--custom-call " + option + ": " + why);
    return false;
  };
  for (StringRef option : options) {
    auto [name, place] = option.split('=');
    if (name.empty())
      return fail(option, "write NAME=LIBRARY.so[:SYMBOL]");
    if (place.empty())
      continue; // Declared for the compiler alone.
    StringRef file = place, symbol = name;
    if (!llvm::sys::fs::exists(file) && place.contains(':'))
      std::tie(file, symbol) = place.rsplit(':');
    // With a slash, it is looked for nowhere else.
    SmallString<256> path(file);
    if (std::error_code problem = llvm::sys::fs::make_absolute(path))
      return fail(option, problem.message());
    // Opening a pipe would wait for its other end.
    if (isNoFile(path))
      return fail(option, path + " is no file");
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return fail(option, dlerror());
    void *function = dlsym(library, symbol.str().c_str());
    if (!function)
      return fail(option, "the library has no function " + symbol);
    for (const heddle_custom_call &call : calls)
      if (name == call.name)
        return fail(option, "the function is given twice");
    names.push_back(std::make_unique<std::string>(name));
    calls.push_back({sizeof(heddle_custom_call), names.back()->c_str(),
                     reinterpret_cast<heddle_custom_call_function>(function),
                     nullptr});
  }
  return true;
}

namespace {
/// A frame made of what the IR says, for the interpreter.
class InterpretedCall {
public:
  /// `description` is as in kernel.custom_call; null before the call is
  /// lowered.
  LogicalResult prepare(Operation *op, DictionaryAttr description,
                        ArrayRef<InterpreterValue> operands,
                        SmallVectorImpl<InterpreterValue> &results) {
    Location loc = op->getLoc();
    if (auto call = dyn_cast<stablehlo::CustomCallOp>(op);
        call && !description) {
      target = call.getCallTargetName().str();
      frame.api_version = int32_t(call.getApiVersion());
      frame.has_side_effect = call.getHasSideEffect();
      for (Attribute given :
           {call.getBackendConfigAttr(), op->getAttr("mhlo.backend_config")}) {
        if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(given))
          facts = dictionary;
        else if (auto text = dyn_cast_or_null<StringAttr>(given))
          config = text.str();
      }
    } else {
      target = description.getAs<StringAttr>("target").str();
      frame.api_version =
          int32_t(description.getAs<IntegerAttr>("api_version").getInt());
      frame.has_side_effect =
          description.getAs<BoolAttr>("side_effect").getValue();
      facts = description.getAs<DictionaryAttr>("attributes");
      config = description.getAs<StringAttr>("backend_config").str();
    }
    // Types with signs and complex numbers, whatever stage this is.
    auto types = [&](StringRef key, TypeRange own) {
      SmallVector<Type> list(own);
      if (description)
        list = llvm::map_to_vector(
            description.getAs<ArrayAttr>(key).getAsValueRange<TypeAttr>(),
            [](Type type) { return type; });
      return list;
    };
    for (auto [type, value] :
         llvm::zip_equal(types("operands", op->getOperandTypes()), operands))
      if (failed(add(loc, type, value.tensor.bytes())))
        return failure();
    for (auto [i, type] :
         llvm::enumerate(types("results", op->getResultTypes()))) {
      HostTensor tensor = HostTensor::allocate(
          cast<RankedTensorType>(op->getResult(i).getType()));
      if (failed(add(loc, type, tensor.mutableBytes())))
        return failure();
      results.push_back(std::move(tensor));
    }
    frame.operand_count = operands.size();
    frame.result_count = tensors.size() - operands.size();
    return addFacts(loc);
  }

  /// The value of an aliased operand is where its result begins.
  void alias(unsigned operand, unsigned result) {
    heddle_tensor &to = tensors[frame.operand_count + result];
    std::memcpy(to.data, tensors[operand].data, to.bytes);
    tensors[operand].data = to.data;
  }

  LogicalResult run(Location loc, const heddle_custom_call &call) {
    char message[400] = "";
    for (auto [tensor, shape] : llvm::zip_equal(tensors, shapes))
      tensor.shape = shape.data();
    frame.size = sizeof frame;
    frame.name = call.name;
    frame.user = call.user;
    for (const heddle_tensor &tensor : tensors)
      tensorPointers.push_back(&tensor);
    frame.operands = tensorPointers.data();
    frame.results = tensorPointers.data() + frame.operand_count;
    frame.backend_config = config.c_str();
    frame.backend_config_bytes = config.size();
    frame.message = message;
    frame.message_bytes = sizeof message;
    int32_t outcome = call.function(&frame);
    message[sizeof message - 1] = '\0';
    if (!outcome)
      return success();
    InFlightDiagnostic error = emitError(loc, *parseErrorName("821"))
                               << "custom call '" << target << "'";
    if (*message)
      error << ": " << message;
    else
      error << " returned " << outcome;
    return error;
  }

private:
  LogicalResult add(Location loc, Type type, ArrayRef<char> bytes) {
    auto ranked = cast<RankedTensorType>(type);
    heddle_tensor tensor = {};
    tensor.size = sizeof tensor;
    tensor.data = const_cast<char *>(bytes.data());
    tensor.dtype = heddle_dtype(dataType(ranked.getElementType()));
    tensor.rank = int32_t(ranked.getRank());
    tensor.bytes = bytes.size();
    uint64_t wanted = heddle_dtype_bytes(tensor.dtype);
    if (ranked.hasStaticShape())
      wanted *= ranked.getNumElements();
    if (!ranked.hasStaticShape() || !wanted != !bytes.size() ||
        wanted != bytes.size())
      return emitError(loc, ErrorCode::NotInterpretable)
             << "custom call '" << target << "' has a tensor of type " << type
             << ", which the interpreter holds in another form";
    tensors.push_back(tensor);
    shapes.push_back(SmallVector<int64_t>(ranked.getShape()));
    return success();
  }

  LogicalResult addFacts(Location loc) {
    if (!facts)
      return success();
    auto list = writeAttributes(loc, target, facts);
    if (failed(list))
      return failure();
    written = std::move(*list);
    strings.resize(written.size());
    stringBytes.resize(written.size());
    attributes.resize(written.size());
    for (auto [i, from] : llvm::enumerate(written)) {
      for (const std::string &text : from->texts) {
        strings[i].push_back(text.c_str());
        stringBytes[i].push_back(text.size());
      }
      heddle_attribute &to = attributes[i];
      to = {};
      to.size = sizeof to;
      to.name = from->name.c_str();
      to.kind = heddle_attribute_kind(from->kind);
      to.is_array = from->is_array;
      to.count =
          from->integers.size() + from->reals.size() + from->texts.size();
      to.integers = from->integers.data();
      to.floats = from->reals.data();
      to.strings = strings[i].data();
      to.string_bytes = stringBytes[i].data();
      pointers.push_back(&to);
    }
    frame.attributes = pointers.data();
    frame.attribute_count = pointers.size();
    return success();
  }

  std::string target, config;
  DictionaryAttr facts;
  heddle_custom_call_frame frame = {};
  std::vector<heddle_tensor> tensors;
  std::vector<const heddle_tensor *> tensorPointers;
  std::vector<SmallVector<int64_t>> shapes;
  std::vector<std::unique_ptr<format::AttributeT>> written;
  std::vector<heddle_attribute> attributes;
  std::vector<const heddle_attribute *> pointers;
  std::vector<std::vector<const char *>> strings;
  std::vector<std::vector<size_t>> stringBytes;
};
} // namespace

bool CustomCallLibraries::interpret(
    Operation *op, ArrayRef<InterpreterValue> operands,
    SmallVectorImpl<InterpreterValue> &results) const {
  DictionaryAttr description =
      op->getAttrOfType<DictionaryAttr>(stablehlo::kDescriptionAttrName);
  std::string target;
  func::FuncOp function;
  if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
    function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, launch.getKernelAttr());
    if (!function || !kernel::isCustomCall(function))
      return false;
    description =
        function->getAttrOfType<DictionaryAttr>(kernel::kCustomCallAttrName);
    target = description.getAs<StringAttr>("target").str();
  } else if (stablehlo::isRegisteredCall(op)) {
    target = cast<stablehlo::CustomCallOp>(op).getCallTargetName().str();
  } else {
    return false;
  }
  const auto *call =
      llvm::find_if(functions(), [&](const heddle_custom_call &given) {
        return target == given.name;
      });
  if (call == functions().end())
    return false;
  InterpretedCall interpreted;
  bool good =
      succeeded(interpreted.prepare(op, description, operands, results));
  if (good) {
    if (function) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (auto result = function.getArgAttrOfType<IntegerAttr>(
                i, kernel::kTiedAttrName))
          interpreted.alias(i, result.getInt());
    } else {
      for (auto alias : cast<stablehlo::CustomCallOp>(op)
                            .getOutputOperandAliases()
                            .getAsRange<stablehlo::OutputOperandAliasAttr>()) {
        ArrayRef<int64_t> place = alias.getOutputTupleIndices();
        interpreted.alias(alias.getOperandIndex(),
                          place.empty() ? 0 : place.front());
      }
    }
    good = succeeded(interpreted.run(op->getLoc(), *call));
  }
  // One more than there are results: the interpreter stops here.
  if (!good)
    results.resize(op->getNumResults() + 1);
  return true;
}
