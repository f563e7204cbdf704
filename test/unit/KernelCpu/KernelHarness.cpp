// Compiles a kernel function and runs it beside the interpreter.

#include "KernelHarness.h"

#include "heddle/Pipeline/Registration.h"
#include "heddle/runtime.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/Passes.h"
#include "test/unit/CompileModule.h"
#include "gtest/gtest.h"
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace heddle::test {

MLIRContext &context() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    auto *made = new MLIRContext(registry);
    made->loadAllAvailableDialects();
    prepareCodegen(made);
    return made;
  }();
  return *context;
}

bool canRun(llvm::StringRef machine) {
  // The system keeps matrix registers for processes that ask for them.
  if (machine == "x86-64-v4-amx")
    return canRun("x86-64-v4-bf16") && heddle_cpu_has("amx-int8") &&
           heddle_cpu_has("amx-bf16");
  if (machine == "x86-64-v4-bf16")
    return canRun("x86-64-v4-vnni") && __builtin_cpu_supports("avx512bf16");
  if (machine == "x86-64-v4-vnni")
    return canRun("x86-64-v4") && __builtin_cpu_supports("avx512vnni");
  if (machine == "x86-64-v3-vnni")
    return canRun("x86-64-v3") && __builtin_cpu_supports("avxvnni");
  if (machine == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4");
  return __builtin_cpu_supports("x86-64-v3");
}

OwningOpRef<ModuleOp> parse(const std::string &text) {
  return parseSourceString<ModuleOp>(text, ParserConfig(&context()));
}

std::unique_ptr<Kernel> Kernel::compile(const std::string &text,
                                        llvm::StringRef machineName) {
  OwningOpRef<ModuleOp> module = parse(text);
  if (!module) {
    ADD_FAILURE() << "does not parse:\n" << text;
    return nullptr;
  }
  const Machine &machine = *findMachine(machineName);
  PassManager passes(module->getContext());
  LowerKernelsOptions lowering;
  lowering.target = machineName.str();
  passes.addPass(createLowerKernels(lowering));
  if (failed(passes.run(*module))) {
    ADD_FAILURE() << "is not lowered:\n" << text;
    return nullptr;
  }
  auto lowered = *module->getOps<func::FuncOp>().begin();
  auto kernel = std::make_unique<Kernel>();
  kernel->tiles =
      lowered->getAttrOfType<IntegerAttr>(kernel::kTilesAttrName).getInt();
  kernel->chunk =
      lowered->getAttrOfType<IntegerAttr>(kernel::kChunkAttrName).getInt();
  if (auto count = lowered->getAttrOfType<size::ExpressionAttr>(
          kernel::kTileCountAttrName))
    kernel->tileCount = count;
  if (auto sizes = lowered->getAttrOfType<size::ExtentsAttr>(
          kernel::kSizeArgumentsAttrName))
    for (size::ExpressionAttr expression : sizes.getExtents())
      kernel->sizeArguments.push_back(expression);
  kernel->scratchBytes =
      lowered->getAttrOfType<IntegerAttr>(kernel::kScratchAttrName).getInt();
  if (auto bytes = lowered->getAttrOfType<size::ExpressionAttr>(
          kernel::kScratchBytesAttrName))
    kernel->scratchExpression = bytes;
  kernel->scratch.resize(kernel->scratchBytes + 2 * HEDDLE_KERNEL_ALIGNMENT);
  CodegenOptions options;
  options.keepSymbols = true;
  options.dump = [&](llvm::StringRef, llvm::StringRef text) {
    kernel->assembly = text.str();
  };
  FailureOr<std::vector<char>> image = compileModule(*module, machine, options);
  if (failed(image)) {
    ADD_FAILURE() << "is not compiled:\n" << text;
    return nullptr;
  }
  kernel->descriptor = memfd_create("kernel", MFD_CLOEXEC);
  EXPECT_EQ(write(kernel->descriptor, image->data(), image->size()),
            ssize_t(image->size()));
  std::string path = "/proc/self/fd/" + std::to_string(kernel->descriptor);
  kernel->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!kernel->library) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  kernel->entry = reinterpret_cast<heddle_kernel>(
      dlsym(kernel->library, lowered.getName().str().c_str()));
  EXPECT_NE(kernel->entry, nullptr);
  return kernel;
}

Kernel::~Kernel() {
  if (library)
    dlclose(library);
  if (descriptor >= 0)
    close(descriptor);
}

void Kernel::run(llvm::ArrayRef<void *> buffers, int64_t step, bool backwards,
                 llvm::ArrayRef<int64_t> integers) {
  runTiles(tiles, scratchBytes, buffers, step, backwards, integers);
}

void Kernel::run(llvm::ArrayRef<void *> buffers,
                 const std::map<std::string, int64_t> &sizes, int64_t step,
                 bool backwards) {
  std::vector<int64_t> integers;
  for (size::Expression expression : sizeArguments)
    integers.push_back(valueAt(expression, sizes));
  int64_t count = tileCount ? valueAt(tileCount, sizes) : tiles;
  EXPECT_LE(count, tiles);
  int64_t bytes =
      scratchExpression ? valueAt(scratchExpression, sizes) : scratchBytes;
  EXPECT_LE(bytes, scratchBytes);
  runTiles(count, bytes, buffers, step, backwards, integers);
}

void Kernel::runTiles(int64_t tiles, int64_t bytes,
                      llvm::ArrayRef<void *> buffers, int64_t step,
                      bool backwards, llvm::ArrayRef<int64_t> integers) {
  constexpr char untouched = 0x5a;
  if (step == 0)
    step = tiles;
  auto aligned = reinterpret_cast<uintptr_t>(scratch.data());
  aligned = llvm::alignTo(aligned, HEDDLE_KERNEL_ALIGNMENT);
  std::fill(scratch.begin(), scratch.end(), untouched);
  for (int64_t i = 0; i < tiles; i += step) {
    heddle_kernel_args args = {};
    args.buffers = buffers.data();
    args.integers = integers.data();
    args.scratch = reinterpret_cast<void *>(aligned);
    args.tile_begin = i;
    if (backwards)
      args.tile_begin = (tiles - 1) / step * step - i;
    args.tile_end = std::min(args.tile_begin + step, tiles);
    args.version = HEDDLE_KERNEL_ABI_VERSION;
    entry(&args);
  }
  const char *end = reinterpret_cast<char *>(aligned) + bytes;
  EXPECT_TRUE(std::all_of(
      end, const_cast<const char *>(scratch.data()) + scratch.size(),
      [](char byte) { return byte == untouched; }))
      << "the kernel wrote behind its scratch of " << bytes << " bytes";
}

int64_t valueAt(size::Expression expression,
                const std::map<std::string, int64_t> &sizes) {
  std::optional<int64_t> value =
      expression.evaluated([&](llvm::StringRef name) -> std::optional<int64_t> {
        auto found = sizes.find(name.str());
        if (found == sizes.end())
          return std::nullopt;
        return found->second;
      });
  EXPECT_TRUE(value) << expression.text();
  return value.value_or(0);
}

std::string fixedText(const std::string &text,
                      const std::map<std::string, int64_t> &sizes) {
  OwningOpRef<ModuleOp> module = parse(text);
  auto fixed = [&](Type type) -> Type {
    if (!size::hasExtents(type))
      return type;
    auto tensor = cast<RankedTensorType>(type);
    llvm::SmallVector<int64_t> shape;
    for (size::Expression extent : size::extentsOf(tensor))
      shape.push_back(valueAt(extent, sizes));
    return RankedTensorType::get(shape, tensor.getElementType());
  };
  module->walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(fixed(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          argument.setType(fixed(argument.getType()));
    llvm::SmallVector<int64_t> extents;
    auto look = [&](AffineMap map, Value tensor) {
      auto shape = cast<RankedTensorType>(fixed(tensor.getType())).getShape();
      for (auto [expr, extent] : llvm::zip_equal(map.getResults(), shape))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          extents[dim.getPosition()] = extent;
    };
    if (auto contraction = dyn_cast<kernel::ContractOp>(op)) {
      extents.assign(contraction.getExtents().begin(),
                     contraction.getExtents().end());
      look(contraction.getLhsMap(), contraction.getLhs());
      if (!contraction.getRhsPacking())
        look(contraction.getRhsMap(), contraction.getRhs());
      look(contraction.getOutMap(), contraction.getResult());
      contraction.setExtents(extents);
    }
    if (auto attention = dyn_cast<kernel::AttentionOp>(op)) {
      extents.assign(attention.getExtents().begin(),
                     attention.getExtents().end());
      look(attention.getQueryMap(), attention.getQuery());
      look(attention.getKeyMap(), attention.getKey());
      look(attention.getOutMap(), attention.getResult());
      attention.setExtents(extents);
    }
    if (auto function = dyn_cast<func::FuncOp>(op))
      function.setFunctionType(FunctionType::get(
          op->getContext(),
          llvm::map_to_vector(function.getArgumentTypes(), fixed),
          llvm::map_to_vector(function.getResultTypes(), fixed)));
  });
  std::string result;
  llvm::raw_string_ostream stream(result);
  module->print(stream);
  return result;
}

std::vector<float> randomValues(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> result(count);
  for (float &value : result)
    value = values(generator);
  return result;
}

float bfloatValue(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

std::vector<uint16_t> randomBfloats(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint16_t> all(count);
  for (uint16_t &value : all)
    value = uint16_t((random() & 0x8000) | (0x3b00 + random() % 0x500));
  return all;
}

std::vector<double> evaluate(kernel::ContractOp op, llvm::ArrayRef<double> lhs,
                             llvm::ArrayRef<double> rhs) {
  auto accessOf = [](AffineMap map, Value tensor) {
    return *kernel::linearAccess(map, cast<RankedTensorType>(tensor.getType()));
  };
  auto lhsAccess = accessOf(op.getLhsMap(), op.getLhs());
  auto rhsAccess = accessOf(op.getRhsMap(), op.getRhs());
  auto outAccess = accessOf(op.getOutMap(), op.getResult());
  std::vector<double> out(op.getType().getNumElements());
  llvm::ArrayRef<int64_t> extents = op.getExtents();
  if (llvm::is_contained(extents, 0))
    return out;
  std::vector<int64_t> at(extents.size());
  while (true) {
    auto position = [&](const kernel::LinearAccess &access) {
      int64_t sum = access.offset;
      for (size_t dim = 0; dim < at.size(); ++dim)
        sum += at[dim] * access.strides[dim];
      return sum;
    };
    out[position(outAccess)] +=
        lhs[position(lhsAccess)] * rhs[position(rhsAccess)];
    size_t dim = at.size();
    while (dim > 0 && ++at[dim - 1] == extents[dim - 1])
      at[--dim] = 0;
    if (dim == 0)
      return out;
  }
}

std::vector<double> evaluate(kernel::ConvolutionOp op,
                             llvm::ArrayRef<double> input,
                             llvm::ArrayRef<double> weights) {
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  auto outType = cast<RankedTensorType>(op.getType());
  llvm::ArrayRef<int64_t> outShape = outType.getShape();
  int64_t spatial = op.getNumSpatialDims(), groups = op.getGroups();
  int64_t inChannels = inputType.getShape().back() / groups;
  int64_t outChannels = outShape.back();
  auto kernelExtents = op.getKernelExtents();
  int64_t taps = 1;
  for (int64_t extent : kernelExtents)
    taps *= extent;
  std::vector<double> out(outType.getNumElements());
  for (int64_t flat = 0; flat < int64_t(out.size()); ++flat) {
    int64_t channel = flat % outChannels, rest = flat / outChannels;
    llvm::SmallVector<int64_t> at(spatial);
    for (int64_t dim = spatial - 1; dim >= 0; --dim) {
      at[dim] = rest % outShape[dim + 1];
      rest /= outShape[dim + 1];
    }
    int64_t group = channel / (outChannels / groups);
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t position = rest, remaining = tap;
      bool inside = true;
      llvm::SmallVector<int64_t> tapAt(spatial);
      for (int64_t dim = spatial - 1; dim >= 0; --dim) {
        tapAt[dim] = remaining % kernelExtents[dim];
        remaining /= kernelExtents[dim];
      }
      for (int64_t dim = 0; dim < spatial; ++dim) {
        int64_t in = at[dim] * op.getStrides()[dim] - op.getPadding()[2 * dim] +
                     tapAt[dim] * op.getRhsDilation()[dim];
        int64_t dilation = op.getLhsDilation()[dim];
        inside &= in >= 0 && in % dilation == 0 &&
                  in / dilation < inputType.getDimSize(dim + 1);
        position = position * inputType.getDimSize(dim + 1) + in / dilation;
      }
      if (!inside)
        continue;
      for (int64_t c = 0; c < inChannels; ++c)
        out[flat] +=
            input[position * inChannels * groups + group * inChannels + c] *
            weights[(tap * inChannels + c) * outChannels + channel];
    }
  }
  return out;
}

} // namespace heddle::test
