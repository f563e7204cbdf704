// The description of an artifact as text, for people.

#include "heddle/Driver/ArtifactDescription.h"
#include "heddle/Driver/PhaseLog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace heddle;
using namespace llvm;

std::string heddle::shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string result;
  raw_string_ostream os(result);
  interleave(shape, os, "x");
  return result;
}

std::string heddle::rangeText(ArrayRef<int64_t> least,
                              ArrayRef<int64_t> largest) {
  if (least == largest)
    return shapeText(largest);
  std::string result;
  raw_string_ostream os(result);
  interleave(
      llvm::zip_equal(least, largest), os,
      [&](auto pair) {
        auto [low, high] = pair;
        if (low != high)
          os << low << "..";
        os << high;
      },
      "x");
  return result;
}

raw_ostream &heddle::printName(raw_ostream &os, StringRef kind, StringRef name,
                               StringRef dtype) {
  return os << "  " << left_justify(kind, 7) << left_justify(name, 24) << " "
            << left_justify(dtype, 5) << " ";
}

static void print(raw_ostream &os, const EntryDescription &entry) {
  os << "entry " << entry.name << "\n";
  auto printTensors = [&](StringRef kind, ArrayRef<TensorDescription> tensors) {
    for (const TensorDescription &tensor : tensors) {
      printName(os, kind, tensor.name, tensor.dtype)
          << rangeText(tensor.least, tensor.shape);
      if (!tensor.whole.empty())
        os << "  of " << shapeText(tensor.whole);
      if (tensor.alias)
        os << "  (may take the memory of input " << *tensor.alias << ")";
      os << "\n";
    }
  };
  printTensors("input", entry.inputs);
  printTensors("output", entry.outputs);
  for (const StateDescription &state : entry.states) {
    printName(os, "state", state.name, state.dtype)
        << shapeText(state.shape)
        << (state.isChanged ? "  (changed" : "  (read only");
    if (!state.length.empty())
      os << ", of length " << state.length;
    if (state.dimension)
      os << " in dimension " << *state.dimension;
    os << ")\n";
  }
  for (const std::string &size : entry.given)
    os << "  calls give the size " << size << "\n";
  for (const AssumptionDescription &assumption : entry.assumptions) {
    os << "  takes for granted that " << assumption.text;
    if (!assumption.node.empty())
      os << "  (" << assumption.node << ")";
    os << "\n";
  }
}

static void print(raw_ostream &os, const CustomCallDescription &call) {
  auto printTensors = [&](ArrayRef<TensorDescription> tensors) {
    os << "(";
    ListSeparator comma;
    for (const TensorDescription &tensor : tensors) {
      os << comma << tensor.dtype << " " << shapeText(tensor.shape);
      if (tensor.alias)
        os << " in place of operand " << *tensor.alias;
    }
    os << ")";
  };
  os << "  " << call.target << " ";
  printTensors(call.operands);
  os << " -> ";
  printTensors(call.results);
  os << ", " << call.steps << (call.steps == 1 ? " step" : " steps");
  if (call.hasSideEffect)
    os << ", has side effects";
  if (!call.attributes.empty())
    os << ", " << json::Value(json::Object(call.attributes));
  if (!call.backendConfig.empty())
    os << ", " << json::Value(json::fixUTF8(call.backendConfig));
  os << "\n";
}

static void print(raw_ostream &os, const WeightDescription &weight) {
  os << "  " << left_justify(weight.symbol, 16) << " "
     << left_justify(weight.dtype, 5) << " "
     << left_justify(shapeText(weight.shape), 18)
     << right_justify(formatBytes(weight.bytes), 12) << "  ";
  if (!weight.packing.empty())
    os << weight.format << " " << shapeText(weight.logicalShape) << " packed \""
       << weight.packing << "\"  ";
  if (!weight.block.empty()) {
    os << "blocks " << shapeText(weight.block) << " scaled by " << weight.scale;
    if (!weight.zeroPoint.empty())
      os << " from " << weight.zeroPoint;
    os << "  ";
  }
  os << weight.source;
  if (!weight.laidOutBy.empty())
    os << "  (laid out at load by " << join(weight.laidOutBy, ", ") << ")";
  os << "\n";
}

static void printKernels(raw_ostream &os, const TargetDescription &target) {
  os << "  launches      code   scratch    MFLOP  kernel\n";
  for (const KernelDescription &kernel : target.kernels)
    os << llvm::format("  %8u", kernel.launches)
       << right_justify(formatBytes(kernel.codeBytes), 10)
       << right_justify(formatBytes(kernel.scratchBytes), 10)
       << llvm::format("%9.1f", double(kernel.operations) * 1e-6) << "  "
       << kernel.name << "\n";
}

static void printPrograms(raw_ostream &os, const TargetDescription &target) {
  for (const ProgramDescription &program : target.programs) {
    os << "  program "
       << (program.entry.empty() ? "at load" : "of entry " + program.entry);
    for (const std::string &memory : program.memories)
      os << ", " << memory;
    os << "\n";
    for (auto [number, block] : llvm::enumerate(program.blocks)) {
      os << "   block " << number << "\n";
      for (const std::string &command : block)
        os << "    " << command << "\n";
    }
  }
}

/// What the target's plan does, in one line, and where it keeps states if there
/// are several devices.
static void print(raw_ostream &os, const TargetDescription &target,
                  bool hasOthers) {
  os << "target " << target.name << ": ";
  if (!target.needs.empty()) {
    os << "needs " << target.needs
       << ", which this version of heddle does not know\n";
    return;
  }
  os << target.kernels.size() << " kernels in " << formatBytes(target.codeBytes)
     << ", " << target.launches << " launches";
  if (target.copies)
    os << ", " << target.copies << " copies";
  if (target.fills)
    os << ", " << target.fills << " fills";
  if (target.branches + target.loops)
    os << ", " << target.branches << " branches, " << target.loops << " loops";
  if (target.collectives)
    os << ", " << target.collectives << " collectives";
  os << ", arena " << formatBytes(target.arenaBytes);
  if (target.persistentBytes)
    os << ", persistent " << formatBytes(target.persistentBytes);
  if (hasOthers && target.weightBytes)
    os << ", weights " << formatBytes(target.weightBytes) << " ("
       << formatBytes(target.ownWeightBytes) << " its own)";
  if (!target.laidOut.empty())
    os << ", " << target.laidOut.size()
       << (target.laidOut.size() == 1 ? " weight" : " weights")
       << " laid out at load";
  if (target.operations)
    os << llvm::format(", %.3f GFLOP", double(target.operations) * 1e-9);
  if (target.devices.size() > 1)
    os << ", on " << join(target.devices, ", ");
  if (target.queues.size() > target.devices.size())
    os << ", " << target.queues.size() << " queues";
  if (target.pairsFlushSubnormals)
    os << ", products of bf16 in pairs, which flush subnormal numbers to zero";
  os << "\n";
  if (target.devices.size() > 1)
    for (const auto &[state, device] : target.stateHomes)
      os << "  state " << state << " lies on " << device << "\n";
}

bool heddle::printKernelDesigns(raw_ostream &os,
                                const ArtifactDescription &artifact,
                                StringRef node) {
  bool isThere = false;
  for (const TargetDescription &target : artifact.targets)
    for (const KernelDescription &kernel : target.kernels) {
      if (kernel.name != node && !llvm::is_contained(kernel.nodes, node))
        continue;
      isThere = true;
      os << "target " << target.name << ": kernel " << kernel.name;
      if (!kernel.nodes.empty())
        os << " of " << llvm::join(kernel.nodes, ", ");
      os << "\n";
      if (kernel.threads)
        os << "  " << kernel.threads << " threads a block\n";
      for (const std::string &line : kernel.design)
        os << "  " << line << "\n";
      if (kernel.design.empty())
        os << (kernel.threads ? "  one thread an element, without roles\n"
                              : "  a processor's, without roles\n");
    }
  return isThere;
}

void heddle::printArtifact(raw_ostream &os, StringRef path,
                           const ArtifactDescription &artifact,
                           StringRef show) {
  os << path << ": " << formatBytes(artifact.bytes) << ", artifact format "
     << artifact.major << "." << artifact.minor << "\n";
  if (!artifact.model.empty())
    os << "model " << artifact.model << "\n";
  if (artifact.ranks > 1)
    os << "partitioned for " << artifact.ranks
       << " devices, which run it together\n";
  if (artifact.flushesSubnormals)
    os << "subnormal numbers are flushed to zero\n";
  for (const SizeDescription &size : artifact.sizes) {
    os << "size " << size.name << ": " << size.least << ".." << size.largest;
    if (size.multiple != 1)
      os << ", multiples of " << size.multiple;
    os << (size.isComputed ? ", computed from data\n" : "\n");
  }
  for (const EntryDescription &entry : artifact.entries)
    print(os, entry);
  if (!artifact.customCalls.empty())
    os << "custom calls, registered by the program that loads this:\n";
  for (const CustomCallDescription &call : artifact.customCalls)
    print(os, call);

  bool hasSeveral = artifact.targets.size() > 1;
  os << "weights: " << artifact.weights.size() << ", "
     << formatBytes(artifact.weightBytes);
  if (hasSeveral && artifact.weightBytes)
    os << ", of which targets share "
       << formatBytes(artifact.sharedWeightBytes);
  os << "\n";
  if (show == "weights")
    for (const WeightDescription &weight : artifact.weights)
      print(os, weight);

  for (const TargetDescription &target : artifact.targets) {
    print(os, target, hasSeveral);
    if (show == "kernels" && target.needs.empty())
      printKernels(os, target);
    if (show == "plan")
      printPrograms(os, target);
  }
  if (llvm::none_of(artifact.targets, [](const TargetDescription &target) {
        return target.hasGpuCode;
      }))
    os << "no GPU code included\n";
  os << "source map: " << artifact.nodes.size() << " nodes\n";
  if (show == "nodes")
    for (const std::string &node : artifact.nodes)
      os << "  " << node << "\n";
  for (const auto &[key, value] : artifact.provenance)
    os << key << ": " << value << "\n";
  if (show == "records")
    for (const auto &[key, value] : artifact.records)
      os << "  " << key << ": " << value << "\n";
}
