// Inputs of a call, from files, random numbers or constants, checked against
// what the program takes.

#include "heddle/Driver/Feeds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace mlir;
using namespace heddle;

std::optional<size_t> heddle::findTensor(ArrayRef<TensorSignature> list,
                                         StringRef nameOrNumber) {
  for (auto [index, tensor] : llvm::enumerate(list))
    if (tensor.name == nameOrNumber)
      return index;
  size_t number;
  if (!nameOrNumber.getAsInteger(10, number) && number < list.size())
    return number;
  return std::nullopt;
}

std::optional<size_t> heddle::findArgument(ArrayRef<TensorSignature> list,
                                           StringRef key) {
  std::optional<size_t> found = findTensor(list, key);
  if (!found && key.consume_front("arg"))
    found = findTensor(list, key);
  return found;
}

namespace {
/// SplitMix64: the same numbers on every machine, for any seed.
struct Random {
  uint64_t state;
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Uniform in [-1, 1).
  double real() { return double(int64_t(next()) >> 11) * 0x1p-52; }
  int64_t integer(int64_t least, int64_t greatest) {
    uint64_t width = uint64_t(greatest) - uint64_t(least) + 1;
    return width ? int64_t(uint64_t(least) + next() % width) : int64_t(next());
  }
};
} // namespace

/// Fills by one function for integers and one for floats.
static void fill(HostTensor &tensor, function_ref<int64_t()> integer,
                 function_ref<double()> real) {
  char *bytes = tensor.mutableBytes().data();
  unsigned step = tensor.elementBytes();
  ElementClass kind = elementClass(tensor.kind());
  for (int64_t i = 0; i < tensor.size(); ++i, bytes += step) {
    if (kind == ElementClass::Complex) {
      std::complex<double> value(real(), real());
      storeElements(tensor.kind(), &value, 1, bytes);
    } else if (kind == ElementClass::Float) {
      double value = real();
      storeElements(tensor.kind(), &value, 1, bytes);
    } else {
      int64_t value = integer();
      storeElements(tensor.kind(), &value, 1, bytes);
    }
  }
}

static HostTensor constantTensor(const TensorSignature &input, double value) {
  HostTensor tensor = HostTensor::allocate(input.type);
  fill(tensor, [&] { return int64_t(value); }, [&] { return value; });
  return tensor;
}

/// The range that random integers are taken from: what the model indexes with
/// them, or a small one that any type holds.
static std::pair<int64_t, int64_t> integerRange(const TensorSignature &input) {
  if (input.range)
    return *input.range;
  if (input.type.getElementType().isInteger(1))
    return {0, 1};
  return {0, 3};
}

static HostTensor randomTensor(const TensorSignature &input, uint64_t seed) {
  Random random{seed};
  auto [least, greatest] = integerRange(input);
  HostTensor tensor = HostTensor::allocate(input.type);
  fill(
      tensor, [&, l = least, g = greatest] { return random.integer(l, g); },
      [&] { return random.real(); });
  return tensor;
}

/// Exporters call them attention_mask, mask, padding_mask ...
static bool isMask(const TensorSignature &input) {
  return StringRef(input.name).contains_insensitive("mask");
}

static HostTensor makeUp(const TensorSignature &input, uint64_t seed,
                         std::string &said) {
  llvm::raw_string_ostream os(said);
  os << input.name << " = ";
  // A state that grows is made up as it is after some calls.
  if (input.isState && !input.grows) {
    os << "zeros";
    return constantTensor(input, 0);
  }
  Type element = input.type.getElementType();
  // A mask of a float type is added to scores, or multiplied: ones still
  // exercise every position.
  if (isMask(input) && !input.range) {
    os << "ones";
    return constantTensor(input, 1);
  }
  if (isa<FloatType, ComplexType>(element)) {
    os << "random in [-1, 1), seed " << seed;
  } else {
    auto [least, greatest] = integerRange(input);
    os << "random integers in [" << least << ", " << greatest << "], seed "
       << seed;
  }
  return randomTensor(input, seed);
}

/// True if `tensor` is what the input wants; an error has been reported if not.
/// Bytes are the bits of types that numpy does not know.
static bool fits(Session &session, const TensorSignature &input,
                 HostTensor &tensor) {
  if (input.takes(tensor.type()))
    return true;
  ElementKind wanted = *elementKind(input.type.getElementType());
  bool isForeign =
      bitWidth(wanted) < 8 ||
      (elementClass(wanted) == ElementClass::Float && bitWidth(wanted) == 8);
  auto asBits =
      RankedTensorType::get(tensor.shape(), input.type.getElementType());
  if (isForeign && wanted != ElementKind::I1 &&
      tensor.kind() == ElementKind::UI8 && input.takes(asBits)) {
    tensor = tensor.reshaped(asBits);
    return true;
  }
  session.diagnostics.report(ErrorCode::WrongTensor,
                             "the input is " + typeText(input.type) +
                                 ", the data " + typeText(tensor.type()),
                             input.name);
  return false;
}

/// Views of files start anywhere; a call wants elements at their multiples.
static HostTensor aligned(HostTensor tensor) {
  if (reinterpret_cast<uintptr_t>(tensor.bytes().data()) % 64 == 0)
    return tensor;
  HostTensor copy = HostTensor::allocate(tensor.type());
  llvm::copy(tensor.bytes(), copy.mutableBytes().begin());
  return copy;
}

static void reportUnknown(Session &session, ArrayRef<TensorSignature> inputs,
                          const Twine &what) {
  std::string names;
  llvm::raw_string_ostream os(names);
  llvm::interleaveComma(
      inputs, os, [&](const TensorSignature &input) { os << input.name; });
  session.diagnostics.report(ErrorCode::UnknownName,
                             what + " is no input; there are: " + names);
}

/// A number all of `text`; none for one that no double holds.
static std::optional<double> parseNumber(StringRef text) {
  text.consume_front("+");
  double number;
  auto [end, problem] = std::from_chars(text.begin(), text.end(), number);
  if (problem != std::errc() || end != text.end())
    return std::nullopt;
  return number;
}

namespace {
/// What --input gives: a file, which has a shape of its own, or numbers for the
/// shape that the input has.
enum class GivenBy { File, Number };
} // namespace

/// Applies one --input NAME=VALUE, if it is of that kind.
static bool applyInput(Session &session, ArrayRef<TensorSignature> inputs,
                       MutableArrayRef<HostTensor> tensors, StringRef spec,
                       GivenBy kind) {
  // Names may hold "=" themselves; values never do but in file names.
  auto [name, value] = spec.split('=');
  for (size_t at = spec.find('='); at != StringRef::npos;
       at = spec.find('=', at + 1))
    if (findTensor(inputs, spec.take_front(at))) {
      name = spec.take_front(at);
      value = spec.drop_front(at + 1);
    }
  if (value.empty()) {
    session.diagnostics.report(ErrorCode::BadInputSpec,
                               "\"" + spec + "\" gives no value");
    return false;
  }
  std::optional<size_t> index = findTensor(inputs, name);
  if (!index) {
    reportUnknown(session, inputs, "\"" + name + "\"");
    return false;
  }
  if (value.starts_with("@") != (kind == GivenBy::File))
    return true;
  const TensorSignature &input = inputs[*index];
  HostTensor &tensor = tensors[*index];
  if (value.consume_front("@")) {
    auto read = readTensors(session, value);
    if (!read)
      return false;
    if (read->size() != 1) {
      session.diagnostics.report(ErrorCode::BadInputSpec,
                                 value + " holds " + Twine(read->size()) +
                                     " tensors; --inputs takes such files");
      return false;
    }
    tensor = read->front().second;
    return fits(session, input, tensor);
  }
  if (value == "zeros" || value == "ones") {
    tensor = constantTensor(input, value == "ones");
    return true;
  }
  auto fail = [&, value = value](const Twine &why) {
    session.diagnostics.report(ErrorCode::BadInputSpec,
                               "\"" + value + "\" " + why, input.name);
    return false;
  };
  if (value == "random" || value.starts_with("random:")) {
    uint64_t seed = 0;
    if (value != "random" && value.split(':').second.getAsInteger(0, seed))
      return fail(
          "has a seed that is no number from 0 to 18446744073709551615");
    tensor = randomTensor(input, seed);
    return true;
  }
  std::optional<double> number = parseNumber(value);
  if (!number)
    return fail("is no value");
  tensor = constantTensor(input, *number);
  return true;
}

/// Gives the tensors of a file or folder to the inputs of their names.
static bool applyCollection(Session &session, ArrayRef<TensorSignature> inputs,
                            MutableArrayRef<HostTensor> tensors,
                            StringRef path) {
  auto read = readTensors(session, path);
  if (!read)
    return false;
  for (auto &[name, tensor] : *read) {
    std::optional<size_t> index = findTensor(inputs, name);
    if (!index) {
      reportUnknown(session, inputs, "\"" + name + "\" in " + path);
      return false;
    }
    if (!fits(session, inputs[*index], tensor))
      return false;
    tensors[*index] = std::move(tensor);
  }
  return true;
}

/// What files give.
static bool readFiles(Session &session, ArrayRef<TensorSignature> inputs,
                      MutableArrayRef<HostTensor> tensors,
                      const FeedOptions &options) {
  for (const std::string &path : options.collections)
    if (!applyCollection(session, inputs, tensors, path))
      return false;
  for (const std::string &spec : options.inputs)
    if (!applyInput(session, inputs, tensors, spec, GivenBy::File))
      return false;
  return true;
}

/// All the rest.
static bool fillRest(Session &session, ArrayRef<TensorSignature> inputs,
                     MutableArrayRef<HostTensor> tensors,
                     const FeedOptions &options,
                     std::vector<std::string> &madeUp) {
  for (const std::string &spec : options.inputs)
    if (!applyInput(session, inputs, tensors, spec, GivenBy::Number))
      return false;
  for (auto [index, tensor] : llvm::enumerate(tensors))
    tensor = tensor ? aligned(std::move(tensor))
                    : makeUp(inputs[index], index, madeUp.emplace_back());
  return true;
}

std::optional<SmallVector<HostTensor>>
heddle::gatherFeeds(Session &session, ArrayRef<TensorSignature> inputs,
                    const FeedOptions &options,
                    std::vector<std::string> &madeUp) {
  SmallVector<HostTensor> tensors(inputs.size());
  if (!readFiles(session, inputs, tensors, options) ||
      !fillRest(session, inputs, tensors, options, madeUp))
    return std::nullopt;
  return tensors;
}

std::optional<SmallVector<HostTensor>>
heddle::gatherFeeds(Session &session, Program &program,
                    const FeedOptions &options,
                    std::vector<std::string> &madeUp) {
  SmallVector<TensorSignature> inputs = program.feeds();
  SmallVector<HostTensor> tensors(inputs.size());
  if (!readFiles(session, inputs, tensors, options) ||
      !program.setSizesOf(tensors) ||
      !fillRest(session, program.feeds(), tensors, options, madeUp))
    return std::nullopt;
  return tensors;
}
