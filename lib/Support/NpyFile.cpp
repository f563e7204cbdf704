// NumPy's .npy: a magic string, a Python dictionary as text, the raw array.

#include "TensorBytes.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace heddle;
using llvm::Error;
using llvm::Expected;

namespace {
/// Reads the dictionary: three known keys in any order, with values of three
/// known forms. Nothing nests deeper than the shape's tuple.
class HeaderParser {
public:
  HeaderParser(StringRef text, StringRef name) : rest(text), name(name) {}

  Error parse();

  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<SmallVector<int64_t>> shape;

private:
  Error error(const Twine &what) { return tensorFileError(name, what); }
  bool take(char c) {
    rest = rest.ltrim(" \t\n\r");
    return rest.consume_front(StringRef(&c, 1));
  }
  std::optional<StringRef> takeString();
  Error parseShape();

  StringRef rest, name;
};
} // namespace

std::optional<StringRef> HeaderParser::takeString() {
  rest = rest.ltrim(" \t\n\r");
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
    return std::nullopt;
  size_t end = rest.find(rest[0], 1);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef text = rest.slice(1, end);
  rest = rest.drop_front(end + 1);
  return text;
}

Error HeaderParser::parseShape() {
  if (!take('('))
    return error("its header has no tuple as shape");
  shape.emplace();
  while (!take(')')) {
    uint64_t extent;
    rest = rest.ltrim(" \t\n\r");
    if (rest.consumeInteger(10, extent) ||
        extent > uint64_t(std::numeric_limits<int64_t>::max()))
      return error("its header has a dimension that is no size");
    rest.consume_front("L"); // Python 2 wrote long integers so.
    if (shape->size() == kMaxRank)
      return error("it has more than 64 dimensions");
    shape->push_back(extent);
    if (!take(',') && !rest.ltrim(" \t\n\r").starts_with(")"))
      return error("its header has a malformed shape");
  }
  return Error::success();
}

Error HeaderParser::parse() {
  if (!take('{'))
    return error("its header is no dictionary");
  while (!take('}')) {
    std::optional<StringRef> key = takeString();
    if (!key || !take(':'))
      return error("its header is malformed");
    if (*key == "descr") {
      std::optional<StringRef> value = takeString();
      if (!value)
        return error("it holds records, not numbers");
      descr = value->str();
    } else if (*key == "fortran_order") {
      rest = rest.ltrim(" \t\n\r");
      if (rest.consume_front("True"))
        fortranOrder = true;
      else if (rest.consume_front("False"))
        fortranOrder = false;
      else
        return error("its header has a malformed fortran_order");
    } else if (*key == "shape") {
      if (Error problem = parseShape())
        return problem;
    } else {
      return error("its header has the unknown key '" + *key + "'");
    }
    if (!take(',') && !rest.ltrim(" \t\n\r").starts_with("}"))
      return error("its header is malformed");
  }
  if (!descr || !fortranOrder || !shape)
    return error("its header lacks descr, fortran_order or shape");
  return Error::success();
}

static std::optional<ElementKind> kindOfDescr(StringRef descr) {
  return llvm::StringSwitch<std::optional<ElementKind>>(descr)
      .Cases({"b1", "?"}, ElementKind::I1)
      .Case("i1", ElementKind::I8)
      .Case("i2", ElementKind::I16)
      .Case("i4", ElementKind::I32)
      .Case("i8", ElementKind::I64)
      .Case("u1", ElementKind::UI8)
      .Case("u2", ElementKind::UI16)
      .Case("u4", ElementKind::UI32)
      .Case("u8", ElementKind::UI64)
      .Case("f2", ElementKind::F16)
      .Case("f4", ElementKind::F32)
      .Case("f8", ElementKind::F64)
      .Case("c8", ElementKind::C64)
      .Case("c16", ElementKind::C128)
      // ml_dtypes' bfloat16 is a record of two bytes to numpy.
      .Cases({"V2", "bfloat16", "E"}, ElementKind::BF16)
      // Its types of a byte or less all look alike: bits, and who wants them
      // knows the type.
      .Case("V1", ElementKind::UI8)
      .Case("float8_e4m3fn", ElementKind::F8E4M3FN)
      .Case("float8_e4m3fnuz", ElementKind::F8E4M3FNUZ)
      .Case("float8_e4m3b11fnuz", ElementKind::F8E4M3B11FNUZ)
      .Case("float8_e4m3", ElementKind::F8E4M3)
      .Case("float8_e3m4", ElementKind::F8E3M4)
      .Cases({"f1", "float8_e5m2"}, ElementKind::F8E5M2)
      .Case("float8_e5m2fnuz", ElementKind::F8E5M2FNUZ)
      .Case("float8_e8m0fnu", ElementKind::F8E8M0FNU)
      .Case("float6_e2m3fn", ElementKind::F6E2M3FN)
      .Case("float6_e3m2fn", ElementKind::F6E3M2FN)
      .Case("float4_e2m1fn", ElementKind::F4E2M1FN)
      .Case("int4", ElementKind::I4)
      .Case("uint4", ElementKind::UI4)
      .Case("int2", ElementKind::I2)
      .Case("uint2", ElementKind::UI2)
      .Default(std::nullopt);
}

Expected<NpyHeader> heddle::parseNpyHeader(MLIRContext *context,
                                           ArrayRef<char> bytes,
                                           StringRef name) {
  StringRef text(bytes.data(), bytes.size());
  if (!text.starts_with("\x93NUMPY") || text.size() < 10)
    return tensorFileError(name, "it is not an .npy file");
  unsigned version = uint8_t(text[6]);
  if (version < 1 || version > 3)
    return tensorFileError(name, "its .npy format version " + Twine(version) +
                                     " is not 1, 2 or 3");
  size_t start = version == 1 ? 10 : 12;
  if (text.size() < start)
    return tensorFileError(name, "it is cut short");
  size_t length = version == 1 ? readLittle<uint16_t>(bytes, 8)
                               : readLittle<uint32_t>(bytes, 8);
  if (length > text.size() - start)
    return tensorFileError(name, "it is cut short");

  HeaderParser parser(text.substr(start, length), name);
  if (Error problem = parser.parse())
    return std::move(problem);

  NpyHeader header;
  header.dataOffset = start + length;
  header.fortranOrder = *parser.fortranOrder;
  StringRef descr = *parser.descr;
  header.bigEndian = descr.consume_front(">");
  if (!header.bigEndian && !descr.consume_front("<") &&
      !descr.consume_front("|"))
    descr.consume_front("=");
  std::optional<ElementKind> kind = kindOfDescr(descr);
  if (!kind)
    return tensorFileError(name, "its element type '" + *parser.descr +
                                     "' is not one that heddle reads");
  header.type =
      RankedTensorType::get(*parser.shape, elementType(context, *kind));
  std::optional<uint64_t> size = HostTensor::byteSize(header.type);
  if (!size)
    return tensorFileError(name, "its shape is too large");
  header.tensorBytes = *size;
  return header;
}

/// Reverses the bytes of every number (of both parts of a complex one).
static void swapBytes(HostTensor &tensor) {
  MutableArrayRef<char> bytes = tensor.mutableBytes();
  size_t width = storedBytes(partKind(tensor.kind()));
  for (size_t i = 0; i + width <= bytes.size(); i += width)
    std::reverse(bytes.begin() + i, bytes.begin() + i + width);
}

/// Row-major from column-major order.
static HostTensor fromFortranOrder(const HostTensor &columns) {
  HostTensor rows = HostTensor::allocate(columns.type());
  MutableArrayRef<char> out = rows.mutableBytes();
  ArrayRef<int64_t> shape = columns.shape();
  unsigned width = columns.elementBytes();
  SmallVector<int64_t> index(shape.size(), 0), strides(shape.size(), 1);
  for (size_t i = 1; i < shape.size(); ++i)
    strides[i] = strides[i - 1] * shape[i - 1];
  int64_t from = 0;
  for (int64_t to = 0; to < columns.size(); ++to) {
    std::memcpy(out.data() + to * width, columns.element(from), width);
    for (size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d])
        break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return rows;
}

Expected<HostTensor> heddle::decodeNpy(MLIRContext *context,
                                       ArrayRef<char> bytes,
                                       std::shared_ptr<const void> owner,
                                       StringRef name,
                                       const TensorFileLimits &limits) {
  Expected<NpyHeader> header = parseNpyHeader(context, bytes, name);
  if (!header)
    return header.takeError();
  ArrayRef<char> data = bytes.drop_front(header->dataOffset);
  if (data.size() < header->tensorBytes)
    return tensorFileError(
        name, "it is cut short: " + Twine(header->tensorBytes) +
                  " bytes of data announced, " + Twine(data.size()) + " there");
  HostTensor tensor = HostTensor::view(
      header->type, data.take_front(header->tensorBytes), std::move(owner));
  // A tensor without elements may have extents whose products mean nothing.
  bool transposed =
      header->fortranOrder && tensor.rank() > 1 && tensor.size() != 0;
  bool swapped = header->bigEndian && tensor.elementBytes() > 1;
  if ((transposed || swapped) && header->tensorBytes > limits.decodedBytes)
    return tensorFileError(name, "it is larger than the limit of " +
                                     Twine(limits.decodedBytes) + " bytes");
  if (transposed)
    tensor = fromFortranOrder(tensor);
  if (swapped)
    swapBytes(tensor);
  return tensor;
}

Expected<HostTensor> heddle::readNpy(MLIRContext *context,
                                     std::shared_ptr<MappedFile> file,
                                     const TensorFileLimits &limits) {
  return decodeNpy(context, file->bytes(), file, file->path(), limits);
}

//===--- Writing ----------------------------------------------------------===//

static const char *descrOfKind(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return "|b1";
  case ElementKind::I8:
    return "|i1";
  case ElementKind::I16:
    return "<i2";
  case ElementKind::I32:
    return "<i4";
  case ElementKind::I64:
  case ElementKind::Index:
    return "<i8";
  case ElementKind::UI8:
    return "|u1";
  case ElementKind::UI16:
    return "<u2";
  case ElementKind::UI32:
    return "<u4";
  case ElementKind::UI64:
    return "<u8";
  case ElementKind::F16:
    return "<f2";
  case ElementKind::F32:
    return "<f4";
  case ElementKind::F64:
    return "<f8";
  case ElementKind::C64:
    return "<c8";
  case ElementKind::C128:
    return "<c16";
  default:
    return nullptr;
  }
}

/// The tensor in the nearest type that numpy has.
static HostTensor widened(const HostTensor &tensor) {
  ElementKind kind = tensor.kind();
  ElementKind wide = ElementKind::F32;
  if (elementClass(kind) != ElementClass::Float)
    wide = elementClass(kind) == ElementClass::Unsigned ? ElementKind::UI8
                                                        : ElementKind::I8;
  HostTensor result = HostTensor::allocate(
      tensor.type().clone(elementType(tensor.type().getContext(), wide)));
  char *out = result.mutableBytes().data();
  unsigned step = storedBytes(wide);
  for (int64_t i = 0; i < tensor.size(); ++i, out += step) {
    if (wide == ElementKind::F32) {
      double value = tensor.floatAt(i);
      storeElements(wide, &value, 1, out);
    } else {
      int64_t value = tensor.intAt(i);
      storeElements(wide, &value, 1, out);
    }
  }
  return result;
}

std::vector<char> heddle::encodeNpy(const HostTensor &tensor,
                                    std::string *note) {
  const char *descr = descrOfKind(tensor.kind());
  if (note)
    note->clear();
  if (!descr) {
    HostTensor wide = widened(tensor);
    if (note)
      *note =
          ("the values are " + elementName(tensor.kind()) + ", written as " +
           elementName(wide.kind()) + " because numpy has no such type\n")
              .str();
    return encodeNpy(wide);
  }
  std::string header = std::string("{'descr': '") + descr +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape())
    header += std::to_string(extent) + (tensor.rank() == 1 ? "," : ", ");
  header += "), }";
  // The data starts at a multiple of 64, as numpy writes it. A rank of at most
  // a few dozen keeps the header below version 1's 64 KiB.
  size_t unpadded = 10 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';

  std::vector<char> bytes;
  bytes.reserve(10 + header.size() + tensor.bytes().size());
  for (char c : {'\x93', 'N', 'U', 'M', 'P', 'Y', '\x01', '\x00'})
    bytes.push_back(c);
  appendLittle<uint16_t>(bytes, header.size());
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), tensor.bytes().begin(), tensor.bytes().end());
  return bytes;
}
