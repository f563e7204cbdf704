// From scf, vector, memref and arith to the LLVM dialect, and to the kernel
// ABI.
//
// Vector ops are first brought to what has one LLVM equivalent. Nothing is
// canonicalized in between: folding chains of vector.insert would turn
// registers into hundreds of scalars.

#include "Numbers.h"
#include "Stages.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/ScalarArguments.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "runtime/format/kernel_abi.h"
#include <cstddef>

using namespace mlir;

namespace heddle::codegen {

/// Loads the field of the argument struct at byte `offset`.
static Value loadField(OpBuilder &builder, Location loc, Value args,
                       size_t offset, Type type) {
  Value address = LLVM::GEPOp::create(
      builder, loc, args.getType(), builder.getI8Type(), args,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(builder, loc, type, address, /*alignment=*/8,
                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/true);
}

/// Moves the body of `kernel` into an `llvm.func` that reads its buffers,
/// numbers and range from the argument struct.
static LogicalResult applyAbi(func::FuncOp kernel,
                              const LLVMTypeConverter &converter) {
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type int64 = IntegerType::get(context, 64);

  Block &body = kernel.getBody().front();
  constexpr unsigned numTrailing = 4; // scratch, worker, begin, end
  if (!kernel.getResultTypes().empty() || body.getNumArguments() < numTrailing)
    return kernel.emitError("is not a lowered kernel function");
  unsigned scratch = body.getNumArguments() - numTrailing;

  OpBuilder builder(kernel);
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer});
  auto function =
      LLVM::LLVMFuncOp::create(builder, loc, kernel.getName(), type);
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  Value args = entry->getArgument(0);
  Value buffers = loadField(builder, loc, args,
                            offsetof(heddle_kernel_args, buffers), pointer);
  auto makeIndex = [&](size_t offset) -> Value {
    Value field = loadField(builder, loc, args, offset, int64);
    return UnrealizedConversionCastOp::create(builder, loc,
                                              builder.getIndexType(), field)
        .getResult(0);
  };
  unsigned scalars =
      scratch -
      kernel::countScalars(kernel.getArgumentTypes().take_front(scratch));
  Value integers;
  if (scalars < scratch)
    integers = loadField(builder, loc, args,
                         offsetof(heddle_kernel_args, integers), pointer);
  SmallVector<Value> replacements;
  for (BlockArgument argument : body.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (number > scratch)
      break;
    if (number >= scalars && number < scratch) {
      Value integer = loadField(builder, loc, integers,
                                (number - scalars) * sizeof(int64_t), int64);
      replacements.push_back(
          fromInteger(builder, loc, integer, argument.getType()));
      continue;
    }
    auto bufferType = dyn_cast<MemRefType>(argument.getType());
    if (!bufferType || bufferType.getRank() != 1)
      return kernel.emitError("is not a lowered kernel function");
    Value start =
        number == scratch
            ? loadField(builder, loc, args,
                        offsetof(heddle_kernel_args, scratch), pointer)
            : loadField(builder, loc, buffers, number * sizeof(void *),
                        pointer);
    replacements.push_back(
        makeBuffer(builder, loc, start, bufferType, converter));
  }
  replacements.push_back(makeIndex(offsetof(heddle_kernel_args, worker)));
  replacements.push_back(makeIndex(offsetof(heddle_kernel_args, tile_begin)));
  replacements.push_back(makeIndex(offsetof(heddle_kernel_args, tile_end)));

  Operation *terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  LLVM::ReturnOp::create(builder, terminator->getLoc(), ValueRange());
  terminator->erase();
  for (auto [argument, value] : llvm::zip(body.getArguments(), replacements))
    argument.replaceAllUsesWith(value);
  entry->getOperations().splice(entry->end(), body.getOperations());
  kernel.erase();
  return success();
}

/// Patterns that leave vectors of one dimension and ops with an LLVM intrinsic.
static void populateVectorPatterns(RewritePatternSet &patterns) {
  using namespace vector;
  populateVectorContractLoweringPatterns(patterns,
                                         VectorContractLowering::OuterProduct);
  populateVectorOuterProductLoweringPatterns(patterns);
  populateVectorMultiReductionLoweringPatterns(
      patterns, VectorMultiReductionLowering::InnerParallel);
  populateVectorBroadcastLoweringPatterns(patterns);
  populateVectorMaskOpLoweringPatterns(patterns);
  populateVectorShapeCastLoweringPatterns(patterns);
  populateVectorInterleaveLoweringPatterns(patterns);
  populateVectorTransposeLoweringPatterns(
      patterns, VectorTransposeLowering::Shuffle16x16);
  populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  populateVectorMaskMaterializationPatterns(patterns,
                                            /*force32BitVectorIndices=*/true);
  populateVectorInsertExtractStridedSliceTransforms(patterns);
  populateVectorStepLoweringPatterns(patterns);
  populateVectorRankReducingFMAPattern(patterns);
  populateVectorGatherLoweringPatterns(patterns);
  populateVectorBitCastLoweringPatterns(patterns, /*targetRank=*/1);
}

/// Declares the freestanding functions that `module` calls, and calls them:
/// buffers by the pointer to their first element.
static void callFreestanding(ModuleOp module,
                             const LLVMTypeConverter &converter) {
  MLIRContext *context = module.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  SmallVector<kernel::CallOp> calls;
  module.walk([&](kernel::CallOp call) { calls.push_back(call); });
  for (kernel::CallOp call : calls) {
    OpBuilder builder(call);
    Location loc = call.getLoc();
    auto cast = [&](Value value, Type type) {
      return UnrealizedConversionCastOp::create(builder, loc, type, value)
          .getResult(0);
    };
    SmallVector<Value> arguments;
    SmallVector<Type> types;
    for (Value value : call.getArguments()) {
      Value passed =
          isa<MemRefType>(value.getType())
              ? MemRefDescriptor(
                    cast(value, converter.convertType(value.getType())))
                    .alignedPtr(builder, loc)
              : cast(value, builder.getI64Type());
      arguments.push_back(passed);
      types.push_back(isa<MemRefType>(value.getType()) ? pointer
                                                       : builder.getI64Type());
    }
    StringRef name = call.getCallee();
    if (!module.lookupSymbol(name)) {
      OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
      auto declared = LLVM::LLVMFuncOp::create(
          top, loc, name,
          LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
      declared.setVisibility_(LLVM::Visibility::Hidden);
    }
    LLVM::CallOp::create(builder, loc, TypeRange(), name, arguments);
    call.erase();
  }
}

LogicalResult lowerToLlvmDialect(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);

  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (failed(applyAbi(kernel, converter)))
      return failure();
  callFreestanding(module, converter);

  RewritePatternSet vectorPatterns(context);
  populateVectorPatterns(vectorPatterns);
  GreedyRewriteConfig config;
  config.enableFolding(false)
      .enableConstantCSE(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(module, std::move(vectorPatterns), config)))
    return module.emitError("lowering of vectors does not end");

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
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();
  // The casts of the arguments meet those of the conversion.
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}

} // namespace heddle::codegen
