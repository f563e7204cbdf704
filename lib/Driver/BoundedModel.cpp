// A model of ranged sizes is imported at its largest sizes and at others, and
// what follows from them becomes one program.

#include "lib/Driver/BoundedModel.h"

#include "heddle/Frontend/DynamicForms.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "lib/Driver/BoundedOptions.h"
#include "passes/Dynamic/BoundDimensions.h"

#include <map>

using namespace mlir;
using namespace heddle;

bool heddle::hasBoundedSizes(const ModelOptions &options) {
  auto isRange = [](const std::string &text) {
    return StringRef(text).contains("..");
  };
  return llvm::any_of(options.dims, isRange) ||
         llvm::any_of(options.shapes, isRange);
}

OwningOpRef<ModuleOp> heddle::importBoundedModel(
    Session &session, const ModelOptions &options,
    llvm::function_ref<OwningOpRef<ModuleOp>(const ModelOptions &)> importOne) {
  BoundedOptions bounded(options);
  if (!bounded.parse(session))
    return nullptr;
  // The first complaint about some sizes; empty if there is none.
  auto tryOne = [&](ArrayRef<int64_t> sizes, std::string &complaint) {
    ScopedDiagnosticHandler listen(&session.context(), [&](Diagnostic &error) {
      if (complaint.empty() &&
          error.getSeverity() == DiagnosticSeverity::Error) {
        complaint = error.str();
        (void)takeErrorCode(complaint);
      }
      return success();
    });
    return importOne(bounded.at(sizes));
  };
  auto imports = [&](ArrayRef<int64_t> sizes) {
    std::string complaint;
    return bool(tryOne(sizes, complaint));
  };
  if (!bounded.tie(session, imports) || !bounded.checkCount(session))
    return nullptr;
  // Near 0, a size of 1 means broadcasting in ONNX.
  bool above = fileKindOf(options) == FileKind::Onnx;
  std::map<std::vector<int64_t>, OwningOpRef<ModuleOp>> taken;
  SmallVector<SmallVector<int64_t>> more;
  auto add = [&](ArrayRef<SmallVector<int64_t>> points) {
    for (const SmallVector<int64_t> &point : points) {
      std::string complaint;
      std::vector<int64_t> key(point.begin(), point.end());
      if (taken.count(key))
        continue;
      OwningOpRef<ModuleOp> module = tryOne(point, complaint);
      if (module)
        more.push_back(point);
      taken[key] = std::move(module);
    }
  };
  /// One program for all sizes, by those at the points.
  auto combine = [&](OwningOpRef<ModuleOp> largest,
                     const SampleSizes &sizes) -> OwningOpRef<ModuleOp> {
    fixDynamicForms(*largest);
    std::vector<OwningOpRef<ModuleOp>> others;
    for (const SmallVector<int64_t> &point : sizes.points().drop_front()) {
      std::string complaint;
      others.push_back(
          std::move(taken[std::vector<int64_t>(point.begin(), point.end())]));
      if (!others.back())
        others.back() = tryOne(point, complaint);
      if (!others.back()) {
        emitError(largest->getLoc(), ErrorCode::StableHloDynamicShape)
            << "the sizes " << bounded.describe(point)
            << " lie within their ranges, but the model does not take them: "
            << complaint
            << "; fix them, or give others by --shape NAME=LEAST..LARGEST";
        return nullptr;
      }
      fixDynamicForms(*others.back());
    }
    SmallVector<ModuleOp> modules =
        llvm::map_to_vector(others, [](auto &module) { return module.get(); });
    if (failed(boundDimensions(*largest, modules, sizes)))
      return nullptr;
    return largest;
  };
  // What is wrong with the model itself is told in its own words.
  auto importLargest = [&] { return importOne(bounded.at(bounded.maxima())); };
  OwningOpRef<ModuleOp> largest = importLargest();
  if (!largest)
    return nullptr;
  add(bounded.leastPoints(above));
  SampleSizes sizes(&session.context(), bounded.symbols(), above, more);
  std::vector<Diagnostic> said;
  {
    ScopedDiagnosticHandler listen(&session.context(), [&](Diagnostic &error) {
      said.push_back(std::move(error));
      return success();
    });
    largest = combine(std::move(largest), sizes);
  }
  if (largest || !sizes.wantsMore()) {
    for (Diagnostic &diagnostic : said)
      session.context().getDiagEngine().emit(std::move(diagnostic));
    return largest;
  }
  // Quotients show at many points only.
  add(sizes.densePoints(above));
  SampleSizes dense(&session.context(), bounded.symbols(), above, more);
  return combine(importLargest(), dense);
}

ModelOptions heddle::withDeclaredRanges(const ModelOptions &options,
                                        const StableHloProgram &program) {
  SmallVector<StringRef> given =
      llvm::map_to_vector(options.shapes, [](const std::string &text) {
        return StringRef(text).rsplit('=').first;
      });
  ModelOptions result = options;
  llvm::append_range(result.shapes, declaredRanges(program, given));
  return result;
}

ModelOptions heddle::withRangesOf(const ModelOptions &options,
                                  ModuleOp module) {
  ModelOptions result = options;
  auto symbols = module->getAttrOfType<ArrayAttr>(kSymbolsAttrName);
  func::FuncOp main = entryFunction(module);
  for (unsigned i = 0; symbols && i < main.getNumArguments(); ++i) {
    auto shape = main.getArgAttrOfType<AffineMapAttr>(i, kShapeAttrName);
    auto name = main.getArgAttrOfType<StringAttr>(i, "heddle.name");
    if (!shape || !name ||
        llvm::any_of(options.shapes, [&](const std::string &text) {
          return StringRef(text).rsplit('=').first == name.getValue();
        }))
      continue;
    std::string text;
    for (AffineExpr extent : shape.getValue().getResults()) {
      text += text.empty() ? "=" : "x";
      if (auto constant = dyn_cast<AffineConstantExpr>(extent)) {
        text += std::to_string(constant.getValue());
      } else if (auto number = dyn_cast<AffineSymbolExpr>(extent)) {
        auto symbol = cast<DictionaryAttr>(symbols[number.getPosition()]);
        for (StringRef end : {"minimum", "maximum"})
          text += (end == "maximum" ? ".." : "") +
                  std::to_string(symbol.getAs<IntegerAttr>(end).getInt());
      }
    }
    result.shapes.push_back(name.str() + text);
  }
  return result;
}

ModelOptions heddle::withSizes(const ModelOptions &options,
                               const Program &program,
                               ArrayRef<HostTensor> inputs) {
  ModelOptions result = options;
  result.dims.clear();
  for (const std::string &text : options.dims) {
    StringRef name = StringRef(text).rsplit('=').first;
    if (isRanged(options, text))
      continue;
    if (!StringRef(text).contains("..")) {
      result.dims.push_back(text);
      continue;
    }
    for (const auto &[known, size] : program.sizes())
      if (known == name)
        result.dims.push_back((name + "=" + Twine(size)).str());
  }
  result.shapes.clear();
  for (const std::string &text : options.shapes) {
    StringRef name = StringRef(text).rsplit('=').first;
    std::string shape = text;
    for (auto [signature, tensor] : llvm::zip_equal(program.inputs(), inputs))
      if (signature.name == name && StringRef(text).contains("..")) {
        shape = name.str() + "=";
        llvm::raw_string_ostream stream(shape);
        llvm::interleave(tensor.shape(), stream, "x");
      }
    result.shapes.push_back(std::move(shape));
  }
  return result;
}
