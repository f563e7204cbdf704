// Signatures of the routines, and checks of a call's types against them.

#include "dialects/Kernel/Routines.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle::kernel;

namespace {
/// What a routine takes and gives: tensors separated by commas, each a letter
/// per dimension behind the batch. `k` is min(m, n) and `p` is n - 1; other
/// letters are any extent, the same wherever they stand. `!` marks a tensor
/// that is real also where matrices are complex, `*` one that is complex also
/// where they are real, `#` one of i32.
struct Signature {
  StringRef name, inputs, outputs;
  /// Flags, then words; with `?` those that may be missing.
  StringRef flags = "", words = "";
};
} // namespace

static constexpr Signature signatures[] = {
    {"cholesky", "nn", "nn", "lower?"},
    {"triangular_solve", "nn,nm", "nm", "left_side,lower,unit_diagonal",
     "transpose_a"},
    {"fft", "", "", "", "fft_type"},
    {"qr", "mn", "mn,k"},
    {"householder_product", "mn,j", "mn"},
    {"lu", "mn", "mn,#k,#m"},
    {"eigh", "nn", "nn,!n", "lower?"},
    {"eig", "nn", "*n", "compute_left?,compute_right?"},
    {"schur", "nn", "nn,nn"},
    {"hessenberg", "nn", "nn,p"},
    {"tridiagonal", "nn", "nn,!n,!p,p", "lower?"},
    {"tridiagonal_solve", "n,n,n,nm", "nm"},
    {"svd", "mn", "!k", "full_matrices?,compute_uv?"},
};

static const Signature *findSignature(StringRef name) {
  const auto *found = llvm::find_if(
      signatures, [&](const Signature &one) { return one.name == name; });
  return found == std::end(signatures) ? nullptr : found;
}

bool heddle::kernel::isRoutine(StringRef name) { return findSignature(name); }

static SmallVector<StringRef> parts(StringRef list) {
  SmallVector<StringRef> result;
  list.split(result, ',', -1, /*KeepEmpty=*/false);
  return result;
}

static Type elementOf(Type type) {
  return cast<RankedTensorType>(type).getElementType();
}

bool RoutineCall::flag(StringRef parameter, bool otherwise) const {
  auto value = parameters.getAs<BoolAttr>(parameter);
  return value ? value.getValue() : otherwise;
}

StringRef RoutineCall::word(StringRef parameter) const {
  auto value = parameters.getAs<StringAttr>(parameter);
  return value ? value.getValue() : StringRef();
}

/// How many operands the routine has where none is split.
static unsigned wholeInputs(const RoutineCall &call) {
  return call.name == "fft" ? 1
                            : parts(findSignature(call.name)->inputs).size();
}

bool RoutineCall::isComplex() const {
  return !inputs.empty() && (isa<ComplexType>(elementOf(inputs.front())) ||
                             inputs.size() > wholeInputs(*this));
}

bool RoutineCall::isSplit() const {
  if (name == "fft")
    return inputs.size() == 2 || outputs.size() == 2;
  if (name == "eig")
    return !outputs.empty() && !isa<ComplexType>(elementOf(outputs.front()));
  return inputs.size() > wholeInputs(*this);
}

unsigned RoutineCall::batchRank() const {
  return cast<RankedTensorType>(inputs.front()).getRank() -
         parts(findSignature(name)->inputs).front().size();
}

int64_t RoutineCall::fourierDimension() const {
  auto dimension = parameters.getAs<IntegerAttr>("dimension");
  return dimension ? dimension.getInt()
                   : cast<RankedTensorType>(inputs.front()).getRank() - 1;
}

/// Tensors that only some calls have are not in the list: none of them is real.
static bool isRealPart(StringRef list, unsigned number) {
  SmallVector<StringRef> all = parts(list);
  return number < all.size() && all[number].find_first_of("!#") == 0;
}

bool RoutineCall::isRealInput(unsigned number) const {
  if (name == "eig")
    return inputs.size() == 1;
  return name == "fft" ? word("fft_type") == "RFFT"
                       : isRealPart(findSignature(name)->inputs, number);
}

bool RoutineCall::isRealOutput(unsigned number) const {
  return name == "fft" ? word("fft_type") == "IRFFT"
                       : isRealPart(findSignature(name)->outputs, number);
}

/// The parameters are those of the signature, of the right kind.
static std::string checkParameters(const Signature &signature,
                                   const RoutineCall &call) {
  SmallVector<StringRef> known;
  for (StringRef list : {signature.flags, signature.words})
    for (StringRef name : parts(list)) {
      bool optional = name.consume_back("?");
      bool isFlag = list.data() == signature.flags.data();
      known.push_back(name);
      Attribute value = call.parameters.get(name);
      if (!value && optional)
        continue;
      if (!value)
        return ("parameter '" + name + "' is missing").str();
      if (isFlag ? !isa<BoolAttr>(value) : !isa<StringAttr>(value))
        return ("parameter '" + name + "' is not a " +
                (isFlag ? "boolean" : "string"))
            .str();
    }
  if (signature.name == "fft")
    known.append({"fft_length", "dimension"});
  for (NamedAttribute attribute : call.parameters)
    if (!llvm::is_contained(known, attribute.getName().getValue()))
      return ("parameter '" + attribute.getName().getValue() +
              "' is unknown; there are: " + llvm::join(known, ", "))
          .str();
  return "";
}

namespace {
/// Holds the tensors of a call against the letters of a signature.
class ShapeCheck {
public:
  ShapeCheck(const RoutineCall &call) : call(call) {}

  std::string check(StringRef list, TypeRange types, StringRef what) {
    SmallVector<StringRef> wanted;
    for (StringRef part : parts(list)) {
      wanted.push_back(part);
      bool single = part.starts_with("!") || part.starts_with("#") ||
                    (!part.starts_with("*") && !call.isComplex());
      if (call.isSplit() && !single)
        wanted.push_back(part);
    }
    if (wanted.size() != types.size())
      return ("has " + Twine(types.size()) + " " + what + "s, wanted " +
              Twine(wanted.size()))
          .str();
    for (auto [number, part, type] : llvm::enumerate(wanted, types)) {
      std::string wrong = checkTensor(part, cast<RankedTensorType>(type));
      if (!wrong.empty())
        return (what + " " + Twine(number) + " " + wrong).str();
    }
    return "";
  }

  /// Whether the extents of these letters do not fall.
  bool isOrdered(StringRef letters) const {
    return llvm::is_sorted(letters, [&](char a, char b) {
      return extents.lookup(a) < extents.lookup(b);
    });
  }

private:
  std::string checkTensor(StringRef part, RankedTensorType type) {
    bool isInteger = part.consume_front("#");
    bool isReal = part.consume_front("!");
    bool isComplex = part.consume_front("*");
    Type element = elementOf(call.inputs.front());
    if (isInteger)
      element = IntegerType::get(type.getContext(), 32);
    else if (auto complex = dyn_cast<ComplexType>(element); complex && isReal)
      element = complex.getElementType();
    else if (isComplex && !call.isSplit() && isa<FloatType>(element))
      element = ComplexType::get(element);
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << "of type " << type << " ";
    if (type.getElementType() != element) {
      stream << "has not the elements " << element;
      return text;
    }
    int64_t batchRank = type.getRank() - part.size();
    ArrayRef<int64_t> batch =
        type.getShape().take_front(std::max<int64_t>(0, batchRank));
    if (batchRank < 0) {
      stream << "has less than " << part.size() << " dimensions";
      return text;
    }
    if (!hasBatch) {
      hasBatch = true;
      firstBatch = llvm::to_vector(batch);
    }
    if (ArrayRef(firstBatch) != batch) {
      stream << "has other batch dimensions than operand 0";
      return text;
    }
    for (auto [position, letter] : llvm::enumerate(part)) {
      int64_t extent = type.getDimSize(batchRank + position);
      int64_t wanted = extentOf(letter, extent);
      if (wanted != extent) {
        stream << "has extent " << extent << " in dimension "
               << batchRank + position << ", wanted " << wanted;
        return text;
      }
    }
    return "";
  }

  int64_t extentOf(char letter, int64_t found) {
    if (letter == 'k')
      return std::min(extents.lookup('m'), extents.lookup('n'));
    if (letter == 'p')
      return std::max<int64_t>(0, extents.lookup('n') - 1);
    return extents.try_emplace(letter, found).first->second;
  }

  const RoutineCall &call;
  llvm::SmallDenseMap<char, int64_t> extents;
  bool hasBatch = false;
  SmallVector<int64_t> firstBatch;
};
} // namespace

static std::string checkFourier(const RoutineCall &call) {
  StringRef type = call.word("fft_type");
  auto lengths = call.parameters.getAs<DenseI64ArrayAttr>("fft_length");
  bool known = llvm::is_contained({"FFT", "IFFT", "RFFT", "IRFFT"}, type);
  if (!known)
    return ("parameter 'fft_type' is '" + type +
            "', wanted FFT, IFFT, RFFT or IRFFT")
        .str();
  if (!lengths || lengths.empty() || lengths.size() > 3)
    return "parameter 'fft_length' is not an array of one to three lengths";
  bool realIn = type == "RFFT", realOut = type == "IRFFT";
  unsigned each = call.isSplit() ? 2 : 1;
  if (call.inputs.size() != (realIn ? 1 : each) ||
      call.outputs.size() != (realOut ? 1 : each))
    return "has not the operands and results of its type";
  Type real = elementOf(realIn ? call.inputs.front() : call.outputs.front());
  if (auto complex = dyn_cast<ComplexType>(real))
    real = complex.getElementType();
  Type whole = call.isSplit() ? real : ComplexType::get(real);
  ArrayRef<int64_t> in = cast<RankedTensorType>(call.inputs[0]).getShape();
  ArrayRef<int64_t> out = cast<RankedTensorType>(call.outputs[0]).getShape();
  if (in.size() != out.size() || int64_t(in.size()) < lengths.size())
    return "transforms more dimensions than there are";
  size_t outer = in.size() - lengths.size();
  if (Attribute dimension = call.parameters.get("dimension")) {
    if (!isa<IntegerAttr>(dimension) || realIn || realOut ||
        lengths.size() != 1 || call.fourierDimension() < 0 ||
        call.fourierDimension() >= int64_t(in.size()))
      return "parameter 'dimension' is not one of a single complex transform";
    outer = call.fourierDimension();
  }
  bool empty = llvm::is_contained(in, 0);
  for (size_t i = 0; i < in.size(); ++i) {
    bool inside = i >= outer && i < outer + lengths.size();
    bool last = i + 1 == in.size();
    int64_t length = inside ? lengths[i - outer] : in[i];
    int64_t half = length / 2 + 1;
    if (empty && inside)
      continue;
    if (in[i] != (inside && last && realOut ? half : length) ||
        out[i] != (inside && last && realIn ? half : length))
      return "has tensors that do not fit its lengths";
  }
  for (Type one : call.inputs)
    if (elementOf(one) != (realIn ? real : whole) ||
        cast<RankedTensorType>(one).getShape() != in)
      return "has operands of different types";
  for (Type one : call.outputs)
    if (elementOf(one) != (realOut ? real : whole) ||
        cast<RankedTensorType>(one).getShape() != out)
      return "has results of different types";
  return "";
}

std::string RoutineCall::check() const {
  const Signature *signature = findSignature(name);
  if (!signature) {
    std::string text =
        ("there is no routine '" + name + "'; there are: ").str();
    llvm::raw_string_ostream stream(text);
    llvm::interleaveComma(signatures, stream,
                          [&](const Signature &one) { stream << one.name; });
    return text;
  }
  for (Type type : llvm::concat<const Type>(llvm::to_vector(inputs),
                                            llvm::to_vector(outputs)))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return "has an operand or result that is no tensor of known shape";
  if (inputs.empty())
    return "has no operands";
  std::string wrong = checkParameters(*signature, *this);
  if (!wrong.empty())
    return wrong;
  if (name == "fft")
    return checkFourier(*this);
  StringRef inputText = signature->inputs, outputText = signature->outputs;
  if (name == "triangular_solve") {
    if (!llvm::is_contained({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
                            word("transpose_a")))
      return "parameter 'transpose_a' is not NO_TRANSPOSE, TRANSPOSE or "
             "ADJOINT";
    if (!flag("left_side", true)) {
      inputText = "nn,mn";
      outputText = "mn";
    }
  }
  if (name == "svd" && flag("compute_uv", true))
    outputText = flag("full_matrices", false) ? "!k,mm,nn" : "!k,mk,kn";
  std::string vectors = "*n";
  if (name == "eig") {
    for (bool wanted :
         {flag("compute_left", false), flag("compute_right", true)})
      vectors += wanted ? ",*nn" : "";
    outputText = vectors;
  }
  ShapeCheck shapes(*this);
  wrong = shapes.check(inputText, inputs, "operand");
  if (wrong.empty() && name == "householder_product" &&
      !shapes.isOrdered("jnm"))
    return "wants no more reflectors than columns, and no more columns than "
           "rows";
  return wrong.empty() ? shapes.check(outputText, outputs, "result") : wrong;
}
