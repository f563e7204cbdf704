// partitioned-programs: programs that are sharded by chance over meshes of two
// to eight devices and partitioned compute what they compute on one device.
//
// usage: partitioned-programs COUNT FIRST
//        partitioned-programs --rules COUNT FIRST
//        partitioned-programs --file FILE
//        partitioned-programs --print NUMBER
//        partitioned-programs --sharded NUMBER
//        partitioned-programs --print-rule NUMBER
//
// Program number n of FIRST .. FIRST + COUNT is decided by n alone. With
// --rules each sample of each operation that has a rule is a program, sharded
// in COUNT ways; the number of a way is that of the sample and of the way
// together. --sharded only writes a program with its shardings. With
// --file the programs of a file, divided by `// -----`, are propagated and
// partitioned as they say.

#include "dialects/Chlo/Chlo.h"
#include "dialects/Sharding/RuleTable.h"
#include "dialects/StableHlo/StableHlo.h"
#include "test/unit/Sharding/CheckPartitioned.h"
#include "test/unit/Sharding/RandomProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace heddle;
using namespace heddle::sharding;

namespace {

class Trial {
public:
  explicit Trial(bool prints) : prints(prints) {}

  /// Shards and checks one program, which `random` goes on from.
  void run(const std::string &text, Random &random, bool isExact,
           const std::string &name) {
    auto context = makeContext();
    OwningOpRef<ModuleOp> whole = parseSourceString<ModuleOp>(text, &*context);
    if (!whole) {
      llvm::outs() << name << " is no program\n" << text;
      ++wrong;
      return;
    }
    OwningOpRef<ModuleOp> partitioned(cast<ModuleOp>(whole->clone()));
    sdy::MeshAttr mesh = randomMesh(&*context, random);
    shardByChance(*partitioned, mesh, random);
    bool propagates = below(random, 2);
    if (prints)
      (llvm::outs() << *partitioned << "\n").flush();
    std::string why =
        checkPartitioned(*whole, *partitioned, propagates, isExact, counts);
    if (prints)
      llvm::outs() << *partitioned << "\n";
    ++tried;
    if (why.empty())
      return;
    ++wrong;
    llvm::outs() << name << (propagates ? " (propagated)" : "") << ": " << why
                 << "\n";
  }

  /// The same for a program that says itself how it is sharded.
  void runSharded(StringRef text, const std::string &name) {
    auto context = makeContext();
    OwningOpRef<ModuleOp> partitioned =
        parseSourceString<ModuleOp>(text, &*context);
    ++tried;
    std::string why = "is no program";
    if (partitioned) {
      OwningOpRef<ModuleOp> whole(cast<ModuleOp>((*partitioned)->clone()));
      // What one device computes knows no constraints.
      whole->walk([](sdy::ShardingConstraintOp op) {
        op.getResult().replaceAllUsesWith(op.getInput());
        op.erase();
      });
      why = checkPartitioned(*whole, *partitioned, /*propagates=*/true,
                             /*isExact=*/false, counts);
    }
    wrong += !why.empty();
    llvm::outs() << name << ": " << (why.empty() ? "equal" : why) << "\n";
  }

  int report() {
    llvm::outs() << tried << " programs of " << counts.operations
                 << " operations, " << counts.onParts << " on parts, "
                 << counts.collectives << " collectives, " << wrong
                 << " wrong\n";
    return wrong == 0 ? 0 : 1;
  }

  static std::unique_ptr<MLIRContext> makeContext() {
    DialectRegistry registry;
    registerFactorRules(registry);
    auto context = std::make_unique<MLIRContext>(
        registry, MLIRContext::Threading::DISABLED);
    context
        ->loadDialect<func::FuncDialect, quant::QuantDialect, sdy::SdyDialect,
                      stablehlo::StableHloDialect, chlo::ChloDialect>();
    return context;
  }

private:
  bool prints;
  int64_t tried = 0, wrong = 0;
  PartitionCounts counts;
};

} // namespace

static void tryProgram(Trial &trial, uint64_t number) {
  Random random(number);
  bool isExact = below(random, 2);
  std::string text = randomProgram(random, isExact);
  trial.run(text, random, isExact, "program " + std::to_string(number));
}

/// Writes a program as it is sharded, for others to compile.
static int writeSharded(uint64_t number) {
  Random random(number);
  bool isExact = below(random, 2);
  auto context = Trial::makeContext();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(randomProgram(random, isExact), &*context);
  if (!module)
    return 1;
  sdy::MeshAttr mesh = randomMesh(&*context, random);
  shardByChance(*module, mesh, random);
  llvm::outs() << *module << "\n";
  return 0;
}

static void trySample(Trial &trial, uint64_t number) {
  std::vector<std::pair<std::string, std::string>> samples;
  for (const RuleRow &row : ruleTable())
    for (const std::string &text : row.samples)
      samples.push_back({row.operation, text});
  const auto &[operation, text] = samples[number % samples.size()];
  // What speaks of devices itself is no part of a program on whole tensors.
  for (const char *name : {"all_", "collective_", "reduce_scatter"})
    if (StringRef(operation).starts_with(std::string("stablehlo.") + name))
      return;
  Random random(number);
  trial.run(text, random, /*isExact=*/true,
            operation + ", way " + std::to_string(number));
}

static uint64_t sampleCount() {
  uint64_t count = 0;
  for (const RuleRow &row : ruleTable())
    count += row.samples.size();
  return count;
}

static int tryFile(const char *path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::errs() << path << " cannot be read\n";
    return 2;
  }
  Trial trial(/*prints=*/false);
  SmallVector<StringRef> programs;
  (*buffer)->getBuffer().split(programs, "// -----");
  for (auto [index, text] : llvm::enumerate(programs)) {
    StringRef name = text.split("func.func @").second;
    trial.runSharded(text,
                     name.take_until([](char c) { return c == '('; }).str());
  }
  return trial.report();
}

static int usage() {
  llvm::errs()
      << "usage: partitioned-programs [--rules] COUNT FIRST | --file "
         "FILE | --print NUMBER | --sharded NUMBER | --print-rule NUMBER\n";
  return 2;
}

int main(int argc, char **argv) {
  auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  if (argc == 3 && std::strcmp(argv[1], "--file") == 0)
    return tryFile(argv[2]);
  if (argc == 3 && std::strcmp(argv[1], "--sharded") == 0)
    return writeSharded(number(2));
  if (argc == 3 && std::strcmp(argv[1], "--print") == 0) {
    Trial trial(/*prints=*/true);
    tryProgram(trial, number(2));
    return trial.report();
  }
  if (argc == 3 && std::strcmp(argv[1], "--print-rule") == 0) {
    Trial trial(/*prints=*/true);
    trySample(trial, number(2));
    return trial.report();
  }
  Trial trial(/*prints=*/false);
  if (argc == 4 && std::strcmp(argv[1], "--rules") == 0) {
    uint64_t count = sampleCount();
    for (uint64_t i = 0; i < number(2) * count; ++i)
      trySample(trial, number(3) * count + i);
    return trial.report();
  }
  if (argc != 3)
    return usage();
  for (uint64_t i = 0; i < number(1); ++i)
    tryProgram(trial, number(2) + i);
  return trial.report();
}
