// Kernels of a grid from scf, memref, arith and gpu to the LLVM and NVVM
// dialects, and to the ABI of such kernels.

#include "GpuStages.h"
#include "Numbers.h"
#include "dialects/Kernel/GridKernels.h"
#include "dialects/Kernel/ScalarArguments.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::codegen {

/// What PTX calls the memory that all threads of the device see.
static constexpr unsigned globalSpace = 1;

/// Bytes of a tensor map, and what its address is a multiple of (CUDA Driver
/// API, CUtensorMap).
static constexpr int64_t mapBytes = 128, mapAlignment = 64;

/// Tells LLVM where buffers start, as their copies by 16 bytes rely on: then it
/// joins what a thread loads or stores side by side.
static void assumeAligned(OpBuilder &builder, Location loc, Value start) {
  constexpr int64_t alignment = 16;
  Value always = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(),
                                          builder.getBoolAttr(true));
  Value multiple = LLVM::ConstantOp::create(
      builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(alignment));
  LLVM::AssumeOp::create(builder, loc, always, LLVM::AssumeAlignTag(), start,
                         multiple);
}

/// Moves the body of `kernel` into an `llvm.func` that reads its buffers and
/// numbers from its first parameter, a block of bytes. Its arguments that are
/// pointers, the last ones, point to tensor maps, which are a parameter each.
static LogicalResult applyGridAbi(func::FuncOp kernel,
                                  const LLVMTypeConverter &converter) {
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  Block &body = kernel.getBody().front();
  auto threads = kernel->getAttrOfType<IntegerAttr>(kernel::kThreadsAttrName);
  if (!kernel.getResultTypes().empty() || !threads)
    return kernel.emitError("is not a kernel lowered for a grid");

  OpBuilder builder(kernel);
  Type pointer = LLVM::LLVMPointerType::get(context);
  unsigned maps = llvm::count_if(body.getArgumentTypes(), [](Type type) {
    return isa<LLVM::LLVMPointerType>(type);
  });
  unsigned others = body.getNumArguments() - maps;
  Type bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 8 * others);
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, kernel.getName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                  SmallVector<Type>(1 + maps, pointer)));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function->setAttr(
      NVVM::NVVMDialect::getMaxntidAttrName(),
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads.getInt())}));
  if (auto blocks =
          kernel->getAttrOfType<IntegerAttr>(kernel::kResidentBlocksAttrName))
    function->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        builder.getI32IntegerAttr(static_cast<int32_t>(blocks.getInt())));
  function.setArgAttr(0, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
  function.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(8));
  for (unsigned i = 1; i <= maps; ++i) {
    function.setArgAttr(
        i, LLVM::LLVMDialect::getByValAttrName(),
        TypeAttr::get(LLVM::LLVMArrayType::get(builder.getI8Type(), mapBytes)));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(mapAlignment));
    // Its address is what the device's copies take: it is not to be moved.
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  auto load = [&](unsigned number, Type type) -> Value {
    Value address = LLVM::GEPOp::create(
        builder, loc, pointer, builder.getI8Type(), entry->getArgument(0),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(8 * number)});
    return LLVM::LoadOp::create(builder, loc, type, address, /*alignment=*/8);
  };
  Type address = LLVM::LLVMPointerType::get(context, globalSpace);
  for (BlockArgument argument : body.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (number >= others) {
      argument.replaceAllUsesWith(entry->getArgument(1 + number - others));
      continue;
    }
    auto buffer = dyn_cast<MemRefType>(argument.getType());
    if (!buffer) {
      argument.replaceAllUsesWith(
          fromInteger(builder, loc, load(number, builder.getI64Type()),
                      argument.getType()));
      continue;
    }
    Value start = load(number, address);
    assumeAligned(builder, loc, start);
    argument.replaceAllUsesWith(
        makeBuffer(builder, loc, start, buffer, converter));
  }
  Operation *terminator = body.getTerminator();
  OpBuilder end(terminator);
  LLVM::ReturnOp::create(end, terminator->getLoc(), ValueRange());
  terminator->erase();
  entry->getOperations().splice(entry->end(), body.getOperations());
  kernel.erase();
  return success();
}

/// The places of threads and blocks, whose registers have 32 bits without a
/// sign. (MLIR's own patterns come with calls of a vendor's math library.)
static void readRegisters(ModuleOp module) {
  auto replace = [](Operation *op, auto read) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value number = LLVM::ZExtOp::create(
        builder, loc, builder.getI64Type(),
        decltype(read)::create(builder, loc, builder.getI32Type()));
    op->replaceAllUsesWith(UnrealizedConversionCastOp::create(
        builder, loc, builder.getIndexType(), number));
    op->erase();
  };
  module.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](gpu::ThreadIdOp) { replace(op, NVVM::ThreadIdXOp()); })
        .Case([&](gpu::BlockIdOp) { replace(op, NVVM::BlockIdXOp()); })
        .Case([&](gpu::BlockDimOp) { replace(op, NVVM::BlockDimXOp()); })
        .Case([&](gpu::GridDimOp) { replace(op, NVVM::GridDimXOp()); });
  });
}

LogicalResult lowerToNvvmDialect(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter converter(context, LowerToLLVMOptions(context));
  converter.addTypeAttributeConversion(
      [](BaseMemRefType type, gpu::AddressSpaceAttr) {
        return IntegerAttr::get(IntegerType::get(type.getContext(), 64),
                                globalSpace);
      });
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (failed(applyGridAbi(kernel, converter)))
      return failure();

  readRegisters(module);

  RewritePatternSet scfPatterns(context);
  populateSCFToControlFlowConversionPatterns(scfPatterns);
  ConversionTarget scfTarget(*context);
  scfTarget.addIllegalDialect<scf::SCFDialect>();
  scfTarget.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(applyPartialConversion(module, scfTarget, std::move(scfPatterns))))
    return failure();

  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<NVVM::NVVMDialect>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();
  // What LLVM has no intrinsics for becomes inline PTX.
  RewritePatternSet inlinePatterns(context);
  populateNVVMToLLVMConversionPatterns(inlinePatterns);
  ConversionTarget inlineTarget(*context);
  inlineTarget.addLegalDialect<LLVM::LLVMDialect>();
  if (failed(applyPartialConversion(module, inlineTarget,
                                    std::move(inlinePatterns))))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}

} // namespace heddle::codegen
