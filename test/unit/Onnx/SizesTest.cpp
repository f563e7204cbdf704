// Models whose sizes calls choose: each operator gives the extents that it has
// at every choice, where the model is imported for just that one.

#include "heddle/Frontend/Onnx.h"
#include "heddle/Support/EntrySizes.h"

#include "dialects/StableHlo/InferExtents.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

//===----------------------------------------------------------------------===//
// Models as text
//===----------------------------------------------------------------------===//

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7)
    bytes += char(value | 128);
  return bytes + char(value);
}
std::string field(unsigned number, StringRef content) {
  return varint(number << 3 | 2) + varint(content.size()) + content.str();
}
std::string field(unsigned number, uint64_t value) {
  return varint(number << 3) + varint(value);
}

constexpr uint64_t kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9;

uint64_t elementOf(StringRef name) {
  return name == "int64"   ? kInt64
         : name == "int32" ? kInt32
         : name == "bool"  ? kBool
                           : kFloat;
}

SmallVector<StringRef> splitList(StringRef text, char at) {
  SmallVector<StringRef> parts;
  if (!text.trim().empty())
    text.split(parts, at);
  for (StringRef &part : parts)
    part = part.trim();
  return parts;
}

/// "x:float:batch,3": an input with its dimensions.
std::string input(StringRef text) {
  SmallVector<StringRef> parts = splitList(text, ':');
  std::string shape;
  for (StringRef dimension : splitList(parts[2], ',')) {
    uint64_t number;
    shape += field(1, dimension.getAsInteger(10, number) ? field(2, dimension)
                                                         : field(1, number));
  }
  std::string tensor = field(1, elementOf(parts[1])) + field(2, shape);
  return field(11, field(1, parts[0]) + field(2, field(1, tensor)));
}

/// "s=1,-1": integers, "w:2,3": floats that are 0, "i@=0": a scalar integer.
std::string initializer(StringRef text) {
  auto [name, rest] = text.split(text.contains(':') ? ':' : '=');
  bool isScalar = name.consume_back("@");
  std::string tensor, data;
  if (text.contains(':')) {
    uint64_t count = 1;
    for (StringRef extent : splitList(rest, ',')) {
      uint64_t number = 0;
      extent.getAsInteger(10, number);
      tensor += field(1, number);
      count *= number;
    }
    tensor += field(2, kFloat);
    data.assign(4 * count, '\0');
  } else {
    SmallVector<StringRef> values = splitList(rest, ',');
    if (!isScalar)
      tensor += field(1, uint64_t(values.size()));
    tensor += field(2, kInt64);
    for (StringRef value : values) {
      int64_t number = 0;
      value.getAsInteger(10, number);
      data.append(reinterpret_cast<const char *>(&number), sizeof(number));
    }
  }
  return field(5, tensor + field(8, name.trim()) + field(9, data));
}

/// "axis=1", "perm=0,2,1", "scale=0.5f", "mode=edge".
std::string attribute(StringRef text) {
  auto [name, value] = text.split('=');
  std::string content = field(1, name);
  int64_t number;
  if (!value.contains(',') && value.contains('.') && value.consume_back("f")) {
    float real = std::stof(value.str());
    content += varint(2 << 3 | 5) +
               std::string(reinterpret_cast<char *>(&real), sizeof(real)) +
               field(20, uint64_t(1));
  } else if (value.contains("f,")) {
    for (StringRef each : splitList(value, ',')) {
      float real = std::stof(each.str());
      content += varint(7 << 3 | 5) +
                 std::string(reinterpret_cast<char *>(&real), sizeof(real));
    }
    content += field(20, uint64_t(6));
  } else if (value.contains(',') && !value.contains("->")) {
    for (StringRef each : splitList(value, ',')) {
      each.getAsInteger(10, number);
      content += field(8, uint64_t(number));
    }
    content += field(20, uint64_t(7));
  } else if (!value.getAsInteger(10, number)) {
    content += field(3, uint64_t(number)) + field(20, uint64_t(2));
  } else {
    content += field(4, value) + field(20, uint64_t(3));
  }
  return field(5, content);
}

/// "y, z = Op(a, b) axis=1".
std::string node(StringRef text) {
  auto [results, rest] = text.split(" = ");
  auto [call, attributes] = rest.split(')');
  auto [op, operands] = call.split('(');
  std::string content;
  for (StringRef operand : splitList(operands, ','))
    content += field(1, operand);
  for (StringRef result : splitList(results, ','))
    content += field(2, result);
  std::string domain;
  size_t at = op.rfind('.');
  if (at != StringRef::npos)
    domain = field(7, op.take_front(at));
  content += field(4, at == StringRef::npos ? op : op.drop_front(at + 1));
  for (StringRef each : splitList(attributes, ' '))
    content += attribute(each);
  return field(1, content + domain);
}

struct Case {
  const char *inputs;       ///< Parted by blanks.
  const char *initializers; ///< The same.
  const char *nodes;        ///< Parted by semicolons; the last gives `y`.
  /// The type of `y`; for what is refused, a part of the message.
  const char *result;
};

std::string modelOf(const Case &test) {
  std::string graph = field(2, "test");
  for (StringRef each : splitList(test.nodes, ';'))
    graph += node(each);
  for (StringRef each : splitList(test.initializers, ' '))
    graph += initializer(each);
  for (StringRef each : splitList(test.inputs, ' '))
    graph += input(each);
  graph += field(12, field(1, "y"));
  return field(1, uint64_t(8)) + field(7, graph) +
         field(8, field(1, "") + field(2, uint64_t(18))) +
         field(8, field(1, "com.microsoft") + field(2, uint64_t(1)));
}

//===----------------------------------------------------------------------===//
// What is computed of sizes
//===----------------------------------------------------------------------===//

const Case kCases[] = {
    // Elementwise, and broadcasting by ranges.
    {"a:float:batch,sequence b:float:sequence", "", "y = Add(a, b)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    {"a:float:batch,1 b:float:1,sequence", "", "y = Mul(a, b)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    {"c:bool:batch,1 a:float:batch,sequence", "", "y = Where(c, a, a)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    {"a:float:batch,4", "", "y = Cast(a) to=7",
     "tensor<8x4xi64, #size.extents<batch, 4>>"},
    {"a:float:batch,4", "", "y = HardSwish(a)",
     "tensor<8x4xf32, #size.extents<batch, 4>>"},
    // Shapes as data. A float of a size is whole.
    {"a:float:batch,sequence,6", "i@=1 l@=0 d@=1",
     "s = Shape(a); n = Gather(s, i); f = Cast(n) to=1; "
     "t = Constant() value_float=2.0f; d2 = Mul(f, t); g = Floor(d2); "
     "h = Cast(g) to=7; y = Range(l, h, d)",
     "tensor<1024xi64, #size.extents<2 * sequence>>"},
    {"a:float:batch,sequence,6", "s=0,0,2,3", "y = Reshape(a, s)",
     "tensor<8x512x2x3xf32, #size.extents<batch, sequence, 2, 3>>"},
    {"a:float:batch,sequence,6", "s=-1,6", "y = Reshape(a, s)",
     "tensor<4096x6xf32, #size.extents<batch * sequence, 6>>"},
    {"a:float:batch,sequence,6", "i@=0 z=0 m=-1 two=2 three=3",
     "s = Shape(a); b = Gather(s, i); u = Unsqueeze(b, z); "
     "t = Concat(u, m, two, three) axis=0; r = Reshape(a, t); "
     "y = Transpose(r) perm=0,2,1,3",
     "tensor<8x2x512x3xf32, #size.extents<batch, 2, sequence, 3>>"},
    {"a:float:batch,sequence,6", "", "y = Flatten(a) axis=2",
     "tensor<4096x6xf32, #size.extents<batch * sequence, 6>>"},
    {"a:float:batch,1,sequence", "x=1 z=0",
     "b = Squeeze(a, x); y = Unsqueeze(b, z)",
     "tensor<1x8x512xf32, #size.extents<1, batch, sequence>>"},
    {"a:float:batch,sequence", "", "s = Shape(a); y = ConstantOfShape(s)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    {"a:float:batch,sequence", "o=1 i@=1 l@=0 d@=1",
     "s = Shape(a); n = Gather(s, i); y = Range(l, n, d)",
     "tensor<512xi64, #size.extents<sequence>>"},
    {"a:float:1,sequence b:float:batch,sequence", "",
     "s = Shape(b); y = Expand(a, s)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    {"a:float:batch,sequence", "r=2,3", "y = Tile(a, r)",
     "tensor<16x1536xf32, #size.extents<2 * batch, 3 * sequence>>"},
    {"a:float:batch,sequence", "",
     "n = Size(a); s = Cast(n) to=1; "
     "y = Add(a, s)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    // Slices: of a table as long as the greatest size, and to the end.
    {"a:float:batch,sequence", "t:1,512 o=1 z=0 two=2",
     "s = Shape(a); n = Slice(s, o, two, z); y = Slice(t, z, n, o)",
     "tensor<1x512xf32, #size.extents<1, sequence>>"},
    {"a:float:batch,sequence", "f=1 e=9223372036854775807 o=1",
     "y = Slice(a, f, e, o)",
     "tensor<8x511xf32, #size.extents<batch, sequence - 1>>"},
    {"a:float:batch,sequence", "f=-1 e=9223372036854775807 o=1",
     "y = Slice(a, f, e, o)", "tensor<8x1xf32, #size.extents<batch, 1>>"},
    {"a:float:batch,sequence", "f=0 e=5 o=1", "y = Slice(a, f, e, o)",
     "tensor<8x5xf32, #size.extents<batch, min(sequence - 5, 0) + 5>>"},
    {"a:float:batch,sequence", "f=-1 e=-9223372036854775807 o=1 m=-2",
     "y = Slice(a, f, e, o, m)",
     "tensor<8x256xf32, #size.extents<batch, floordiv(sequence + 1, 2)>>"},
    {"a:float:batch,width", "",
     "x, z = Split(a) axis=1 num_outputs=2; y = Concat(z, x) axis=0",
     "tensor<16x128xf32, #size.extents<2 * batch, 16 * width:32>>"},
    {"a:float:batch,sequence b:float:batch,3", "", "y = Concat(a, b) axis=1",
     "tensor<8x515xf32, #size.extents<batch, sequence + 3>>"},
    {"a:float:batch,sequence", "p=0,1,0,2", "y = Pad(a, p)",
     "tensor<8x515xf32, #size.extents<batch, sequence + 3>>"},
    {"a:float:batch,width", "p=0,1,0,2", "y = Pad(a, p) mode=reflect",
     "tensor<8x259xf32, #size.extents<batch, 32 * width:32 + 3>>"},
    // Indexing.
    {"a:int64:batch,sequence", "t:30,4", "y = Gather(t, a)",
     "tensor<8x512x4xf32, #size.extents<batch, sequence, 4>>"},
    {"a:float:batch,sequence,4", "i@=0", "y = Gather(a, i) axis=1",
     "tensor<8x4xf32, #size.extents<batch, 4>>"},
    {"a:float:batch,sequence i:int64:batch,sequence", "",
     "y = GatherElements(a, i) axis=1",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    {"a:float:batch,sequence i:int64:batch,2", "", "y = GatherND(a, i)",
     "tensor<8xf32, #size.extents<batch>>"},
    {"a:float:batch,sequence i:int64:batch,1 u:float:batch,sequence", "",
     "y = ScatterND(a, i, u)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    {"a:float:batch,width", "k=5", "y, i = TopK(a, k)",
     "tensor<8x5xf32, #size.extents<batch, 5>>"},
    {"a:float:batch,sequence", "", "y = Trilu(a)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    {"a:float:batch,sequence", "x@=1", "y = CumSum(a, x)",
     "tensor<8x512xf32, #size.extents<batch, sequence>>"},
    // Products.
    {"a:float:batch,sequence,4", "w:4,3", "y = MatMul(a, w)",
     "tensor<8x512x3xf32, #size.extents<batch, sequence, 3>>"},
    {"a:float:batch,2,sequence,4 b:float:batch,2,4,sequence", "",
     "s = MatMul(a, b); y = Softmax(s) axis=-1",
     "tensor<8x2x512x512xf32, #size.extents<batch, 2, sequence, sequence>>"},
    {"a:float:batch,4", "w:3,4 b:3", "y = Gemm(a, w, b) transB=1",
     "tensor<8x3xf32, #size.extents<batch, 3>>"},
    {"a:float:batch,sequence,4 b:float:batch,sequence,4", "",
     "y = Einsum(a, b) equation=bsd,btd->bst",
     "tensor<8x512x512xf32, #size.extents<batch, sequence, sequence>>"},
    // Reductions and normalizations.
    {"a:float:batch,sequence,4", "x=1", "y = ReduceMean(a, x) keepdims=0",
     "tensor<8x4xf32, #size.extents<batch, 4>>"},
    {"a:float:batch,sequence", "", "y = ArgMax(a) axis=1 keepdims=0",
     "tensor<8xi64, #size.extents<batch>>"},
    {"a:float:batch,sequence,4", "g:4 b:4", "y = LayerNormalization(a, g, b)",
     "tensor<8x512x4xf32, #size.extents<batch, sequence, 4>>"},
    {"a:float:batch,4,width,width", "g:2 b:2",
     "y = GroupNormalization(a, g, b) num_groups=2",
     "tensor<8x4x256x256xf32, #size.extents<batch, 4, 32 * width:32, 32 * "
     "width:32>>"},
    {"a:float:batch,4,width", "g:4 b:4", "y = InstanceNormalization(a, g, b)",
     "tensor<8x4x256xf32, #size.extents<batch, 4, 32 * width:32>>"},
    {"a:float:batch,4,width", "g:4 b:4 m:4 v:4",
     "y = BatchNormalization(a, g, b, m, v)",
     "tensor<8x4x256xf32, #size.extents<batch, 4, 32 * width:32>>"},
    // Windows.
    {"a:float:batch,3,width,width", "w:5,3,3,3",
     "y = Conv(a, w) strides=2,2 pads=1,1,1,1",
     "tensor<8x5x128x128xf32, #size.extents<batch, 5, 16 * width:32, 16 * "
     "width:32>>"},
    {"a:float:batch,3,width,width", "w:5,3,3,3",
     "y = Conv(a, w) strides=2,2 auto_pad=SAME_UPPER",
     "tensor<8x5x128x128xf32, #size.extents<batch, 5, 16 * width:32, 16 * "
     "width:32>>"},
    {"a:float:batch,3,width,width", "w:3,5,2,2",
     "y = ConvTranspose(a, w) strides=2,2",
     "tensor<8x5x512x512xf32, #size.extents<batch, 5, 64 * width:32, 64 * "
     "width:32>>"},
    {"a:float:batch,3,width,width", "",
     "y = MaxPool(a) kernel_shape=3,3 strides=2,2 ceil_mode=1",
     "tensor<8x3x128x128xf32, #size.extents<batch, 3, 16 * width:32, 16 * "
     "width:32>>"},
    {"a:float:batch,3,width,width", "",
     "y = AveragePool(a) kernel_shape=3,3 pads=1,1,1,1",
     "tensor<8x3x256x256xf32, #size.extents<batch, 3, 32 * width:32, 32 * "
     "width:32>>"},
    {"a:float:batch,3,width,width", "", "y = GlobalAveragePool(a)",
     "tensor<8x3x1x1xf32, #size.extents<batch, 3, 1, 1>>"},
    // Repeated operators.
    {"a:float:sequence,batch,4", "w:1,9,4 r:1,9,3",
     "h, y = GRU(a, w, r) hidden_size=3",
     "tensor<1x8x3xf32, #size.extents<1, batch, 3>>"},
    {"a:float:sequence,batch,4", "w:1,16,4 r:1,16,4",
     "y = LSTM(a, w, r) hidden_size=4 direction=reverse",
     "tensor<512x1x8x4xf32, #size.extents<sequence, 1, batch, 4>>"},
    // Images that grow by a whole number.
    {"a:float:batch,3,width,width", "",
     "s = Constant() value_floats=1.0f,1.0f,2.0f,2.0f; "
     "y = Resize(a, , s) coordinate_transformation_mode=asymmetric "
     "nearest_mode=floor",
     "tensor<8x3x512x512xf32, #size.extents<batch, 3, 64 * width:32, 64 * "
     "width:32>>"},
    {"a:float:batch,3,width,width", "",
     "s = Constant() value_floats=1.0f,1.0f,2.0f,2.0f; "
     "y = Resize(a, , s) mode=linear",
     "tensor<8x3x512x512xf32, #size.extents<batch, 3, 64 * width:32, 64 * "
     "width:32>>"},
    {"a:float:batch,3,width,width", "",
     "s = Constant() value_floats=1.0f,1.0f,1.5f,1.5f; "
     "y = Resize(a, , s) mode=linear",
     "tensor<8x3x384x384xf32, #size.extents<batch, 3, 48 * width:32, 48 * "
     "width:32>>"},
    {"a:float:batch,8,width,width", "", "y = DepthToSpace(a) blocksize=2",
     "tensor<8x2x512x512xf32, #size.extents<batch, 2, 64 * width:32, 64 * "
     "width:32>>"},
    // Attention, and quantized numbers.
    {"q:float:batch,sequence,8", "",
     "y = com.microsoft.MultiHeadAttention(q, q, q) num_heads=2",
     "tensor<8x512x8xf32, #size.extents<batch, sequence, 8>>"},
    {"q:float:batch,sequence,8 p:float:batch,2,width,4", "",
     "a, k, y = com.microsoft.MultiHeadAttention(q, q, q, , , , p, p) "
     "num_heads=2 unidirectional=1",
     "tensor<8x2x768x4xf32, #size.extents<batch, 2, sequence + 32 * width:32, "
     "4>>"},
    {"x:float:batch,sequence,8 p:int64:batch,sequence", "t:512,2",
     "y = com.microsoft.RotaryEmbedding(x, p, t, t) num_heads=2",
     "tensor<8x512x8xf32, #size.extents<batch, sequence, 8>>"},
    {"x:float:batch,sequence,4", "",
     "q, s, z = DynamicQuantizeLinear(x); y = DequantizeLinear(q, s, z)",
     "tensor<8x512x4xf32, #size.extents<batch, sequence, 4>>"},
    // Operators that are computed for known sizes only.
    {"a:float:batch,3,width,width g:float:batch,4,4,2", "",
     "y = GridSample(a, g)", "give them by --dim NAME=SIZE"},
};

const ChosenSize kSizes[] = {
    {"batch", 1, 8, 1}, {"sequence", 1, 512, 1}, {"width", 32, 256, 32}};

/// The sizes of a case among them.
std::vector<ChosenSize> sizesOf(const Case &test) {
  std::vector<ChosenSize> sizes;
  for (const ChosenSize &size : kSizes)
    if (StringRef(test.inputs).contains(size.name))
      sizes.push_back(size);
  return sizes;
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

class OnnxSizes : public testing::TestWithParam<Case> {
protected:
  OwningOpRef<ModuleOp> import(const OnnxImportOptions &options) {
    messages.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        messages += note.str() + "\n";
    });
    std::string bytes = modelOf(GetParam());
    return importOnnx(
        &context,
        MappedFile::fromBytes(std::vector<char>(bytes.begin(), bytes.end()),
                              "model.onnx"),
        "", options);
  }
  static Type resultOf(ModuleOp module) {
    return module.lookupSymbol<func::FuncOp>("main").getResultTypes().front();
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string messages;
};

TEST_P(OnnxSizes, AreThoseOfEachChoice) {
  OnnxImportOptions options;
  options.sizes = sizesOf(GetParam());
  OwningOpRef<ModuleOp> module = import(options);
  StringRef wanted = GetParam().result;
  if (!wanted.starts_with("tensor")) {
    EXPECT_FALSE(module);
    EXPECT_TRUE(StringRef(messages).contains(wanted)) << messages;
    return;
  }
  ASSERT_TRUE(module) << messages;
  EXPECT_EQ(textOf(resultOf(*module)), wanted.str());
  EXPECT_FALSE(module->getOperation()->hasAttr(kSizeAssumptionsAttrName));
  // At the ends of the ranges and between.
  for (int64_t choice = 0; choice < 4; ++choice) {
    OnnxImportOptions fixed;
    for (const ChosenSize &size : options.sizes) {
      int64_t steps = (size.maximum - size.minimum) / size.multiple;
      fixed.dims.emplace_back(size.name, size.minimum + steps * choice / 3 *
                                                            size.multiple);
    }
    OwningOpRef<ModuleOp> whole = module->clone();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
    });
    ASSERT_TRUE(
        succeeded(fixSizes(*whole,
                           [&](StringRef name) -> std::optional<int64_t> {
                             for (const auto &[key, value] : fixed.dims)
                               if (key == name)
                                 return value;
                             return std::nullopt;
                           })))
        << messages;
    EXPECT_TRUE(succeeded(verify(*whole))) << messages;
    OwningOpRef<ModuleOp> alone = import(fixed);
    ASSERT_TRUE(alone) << messages;
    EXPECT_EQ(textOf(resultOf(*whole)), textOf(resultOf(*alone)));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OnnxSizes, testing::ValuesIn(kCases));

} // namespace
