// sized-programs: random programs whose sizes calls choose. Their extents are
// those of the static program at each choice of sizes, and over the bound, with
// garbage in the padding, they compute what it computes: after the masks alone,
// bit for bit, after the whole graph stage, and compiled, as the runtime calls
// them: with sizes that shapes tell, and with such that the program computes;
// some on several devices.
//
// usage: sized-programs COUNT FIRST
//        sized-programs --mutants FIRST
//        sized-programs --operations FIRST
//        sized-programs --print NUMBER
//
// Program number n of FIRST .. FIRST + COUNT is decided by n alone. With
// --mutants each rule is broken in ways that the extents must show: one that no
// program of its operation shows is named, and fails the run. With --operations
// each operation of the dialect must be in some program, or stand below with
// those of which no program can be. Programs are tried by as many processes as
// there are processors, so that a crash is one failure.

#include "dialects/Chlo/Chlo.h"
#include "dialects/Prec/Prec.h"
#include "dialects/Size/Size.h"
#include "dialects/StableHlo/StableHlo.h"
#include "test/unit/Dynamic/SizedProgram.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace heddle::sized;

/// Programs about the operation in which a mutant must show.
static constexpr uint64_t kMostTries = 400;

namespace {
struct Counts {
  uint64_t done, operations, sized, valued, points, excluded, refused, wrong,
      compiled, counted, placed;
  /// One more than the program that is tried.
  uint64_t current;
};
} // namespace

/// A context of the dialects that programs are of; attributes stay in it for
/// good.
static std::unique_ptr<MLIRContext> makeContext() {
  auto context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<func::FuncDialect, quant::QuantDialect,
                       heddle::chlo::ChloDialect, heddle::prec::PrecDialect,
                       heddle::size::SizeDialect,
                       heddle::stablehlo::StableHloDialect>();
  return context;
}

/// Random sizes of large ranges, besides the least and the greatest.
static constexpr unsigned kSizesOfLarge = 6;

/// Of so many programs one is tried on several devices.
static constexpr uint64_t kPlacedEach = 4;

/// Tries one program; what is refused, or wrong, is written to `report`.
static void tryProgram(MLIRContext &context, uint64_t number, Counts &counts,
                       std::FILE *report) {
  std::unique_ptr<SizedProgram> program = makeProgram(&context, number);
  std::vector<Sizes> choices = program->choices(kSizesOfLarge);
  counts.operations += program->operations();
  counts.sized += !program->symbols().empty();
  counts.points += choices.size();
  for (const auto &[message, times] : program->refusals())
    for (unsigned i = 0; i < times; ++i)
      std::fprintf(report, "%s\n", message.c_str());
  std::string problem = checkExtents(*program, choices, counts.excluded),
              refusal;
  // Assumptions may contradict each other, which leaves no call.
  bool isCallable = llvm::any_of(
      choices, [&](const Sizes &sizes) { return program->holds(sizes); });
  if (problem.empty() && isCallable && program->scale() != Scale::Huge &&
      !program->typesOnly) {
    problem = checkValues(*program, choices, Stage::Masks, refusal);
    if (problem.empty() && refusal.empty())
      problem = checkValues(*program, choices, Stage::Graph, refusal);
    counts.valued += refusal.empty();
    counts.refused += !refusal.empty();
    if (problem.empty() && refusal.empty()) {
      problem = checkCompiled(*program, choices, Teller::Shapes, "", refusal);
      counts.compiled += refusal.empty();
    }
    if (problem.empty() && refusal.empty()) {
      std::string why;
      problem = checkCompiled(*program, choices, Teller::Counts, "", why);
      counts.counted += why.empty();
      if (!why.empty())
        std::fprintf(report, "count: %s\n",
                     StringRef(why).split("; give").first.str().c_str());
    }
    // Each fourth one on several devices, too.
    if (problem.empty() && refusal.empty() && number % kPlacedEach == 0) {
      std::string why, by = "random:" + std::to_string(number);
      Teller teller =
          number % (2 * kPlacedEach) ? Teller::Counts : Teller::Shapes;
      problem = checkCompiled(*program, choices, teller, by, why);
      counts.placed += why.empty();
    }
    // Not what the user may do about it, which names this program's sizes.
    if (!refusal.empty())
      std::fprintf(report, "mask: %s\n",
                   StringRef(refusal).split("; give").first.str().c_str());
  }
  ++counts.done;
  if (problem.empty())
    return;
  ++counts.wrong;
  std::string text;
  llvm::raw_string_ostream(text) << program->module();
  std::fprintf(stdout, "program %llu: %s\n%s\n", (unsigned long long)number,
               problem.c_str(), text.c_str());
  std::fflush(stdout);
}

/// Lines of `report`, the most frequent first.
static void printRefusals(std::FILE *report) {
  std::map<std::string, uint64_t> times;
  std::rewind(report);
  char *line = nullptr;
  size_t room = 0;
  for (ssize_t length; (length = getline(&line, &room, report)) > 0;)
    ++times[std::string(line, length - (line[length - 1] == '\n'))];
  std::free(line);
  std::multimap<uint64_t, std::string, std::greater<>> ordered;
  for (const auto &[message, count] : times)
    ordered.emplace(count, message);
  for (const auto &[count, message] : ordered)
    std::printf("%6llu times %s\n", (unsigned long long)count, message.c_str());
}

static int tryPrograms(uint64_t count, uint64_t first) {
  unsigned workers = std::max<long>(sysconf(_SC_NPROCESSORS_ONLN), 1);
  auto *counts = static_cast<Counts *>(mmap(nullptr, workers * sizeof(Counts),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::FILE *report = std::tmpfile();
  if (counts == MAP_FAILED || !report)
    return 2;
  std::vector<pid_t> children;
  for (unsigned worker = 0; worker < workers; ++worker) {
    pid_t child = fork();
    if (child > 0)
      children.push_back(child);
    if (child != 0)
      continue;
    Counts &mine = counts[worker];
    std::string lines;
    char *text = nullptr;
    size_t length = 0;
    std::FILE *own = open_memstream(&text, &length);
    std::unique_ptr<MLIRContext> context;
    for (uint64_t n = first + worker, i = 0; n < first + count;
         n += workers, ++i) {
      if (i % 64 == 0)
        context = makeContext();
      mine.current = n + 1;
      tryProgram(*context, n, mine, own);
    }
    mine.current = 0;
    std::fclose(own);
    // One write for all, so that lines of workers do not mix.
    int file = fileno(report);
    bool isWritten = lockf(file, F_LOCK, 0) == 0 &&
                     lseek(file, 0, SEEK_END) >= 0 &&
                     write(file, text, length) == ssize_t(length);
    std::fflush(stdout);
    _exit(isWritten ? 0 : 2);
  }
  unsigned died = 0;
  for (auto [worker, child] : llvm::enumerate(children)) {
    int status = 0;
    if (waitpid(child, &status, 0) < 0 || status != 0) {
      ++died;
      std::printf("program %llu: ended its process (%s)\n",
                  (unsigned long long)counts[worker].current - 1,
                  WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
    }
  }
  Counts all{};
  for (unsigned worker = 0; worker < workers; ++worker) {
    const Counts &each = counts[worker];
    all.done += each.done;
    all.operations += each.operations;
    all.sized += each.sized;
    all.valued += each.valued;
    all.points += each.points;
    all.excluded += each.excluded;
    all.compiled += each.compiled;
    all.counted += each.counted;
    all.placed += each.placed;
    all.refused += each.refused;
    all.wrong += each.wrong;
  }
  // What a process that ended did not try is wrong.
  all.wrong += count - all.done;
  printRefusals(report);
  std::printf("%llu programs, %llu with sizes, of %llu operations at %llu "
              "choices of sizes (%llu of them valid, but taken not to be): "
              "%llu with their values, %llu compiled, %llu counted, "
              "%llu placed, %llu "
              "refused, %llu wrong\n",
              (unsigned long long)count, (unsigned long long)all.sized,
              (unsigned long long)all.operations,
              (unsigned long long)all.points, (unsigned long long)all.excluded,
              (unsigned long long)all.valued, (unsigned long long)all.compiled,
              (unsigned long long)all.counted, (unsigned long long)all.placed,
              (unsigned long long)all.refused, (unsigned long long)all.wrong);
  return all.wrong == 0 && died == 0 ? 0 : 1;
}

/// How many programs it took to show the mutant; 0 if none did.
static uint64_t triesOf(const RuleMutant &mutant, MLIRContext &context,
                        uint64_t first, uint64_t &applied) {
  std::vector<Step> about;
  for (const Step &step : allSteps())
    if (StringRef(step.operation) == mutant.operation)
      about.push_back(step);
  for (uint64_t i = 0; !about.empty() && i < kMostTries; ++i) {
    std::unique_ptr<SizedProgram> program =
        makeProgram(&context, first + i, &mutant, &about[i % about.size()]);
    if (program->mutations() == 0)
      continue;
    ++applied;
    uint64_t excluded = 0;
    if (!checkExtents(*program, program->choices(kSizesOfLarge), excluded)
             .empty())
      return i + 1;
  }
  return 0;
}

static int tryMutants(uint64_t first) {
  unsigned caught = 0;
  for (const RuleMutant &mutant : ruleMutants()) {
    uint64_t applied = 0;
    if (uint64_t tries = triesOf(mutant, *makeContext(), first, applied)) {
      ++caught;
      std::printf("caught after %llu programs: %s\n", (unsigned long long)tries,
                  mutant.name);
    } else {
      std::printf("not caught in %llu programs: %s\n",
                  (unsigned long long)applied, mutant.name);
    }
  }
  std::printf("%u of %zu mutants caught\n", caught, ruleMutants().size());
  return caught == ruleMutants().size() ? 0 : 1;
}

/// Operations that no program of sizes has.
static const char *const kOthers[] = {
    // Become others as a program is read.
    "dynamic_broadcast_in_dim", "dynamic_conv", "dynamic_gather",
    "dynamic_iota", "dynamic_pad", "dynamic_reshape", "real_dynamic_slice",
    "get_dimension_size", "set_dimension_size", "dot", "einsum", "unary_einsum",
    "torch_index_select", "tuple", "get_tuple_element",
    // Have no tensors, or such as come from outside.
    "after_all", "create_token", "infeed", "outfeed", "send", "recv",
    "async_start", "async_done", "replica_id", "partition_id",
    // Gives any numbers.
    "rng"};

static int findOperations(uint64_t first) {
  constexpr unsigned kPrograms = 4000;
  std::unique_ptr<MLIRContext> context = makeContext();
  llvm::StringSet<> seen;
  /// Dimensions of operands, by the operation's name, that calls choose.
  llvm::StringSet<> sized;
  for (unsigned i = 0; i < kPrograms; ++i) {
    std::unique_ptr<SizedProgram> program =
        makeProgram(context.get(), first + i);
    program->module().walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      seen.insert(name);
      for (OpOperand &operand : op->getOpOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.get().getType());
        for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
          if (!heddle::size::extentOf(type, dim).isConstant())
            sized.insert(name.str() + " " +
                         std::to_string(operand.getOperandNumber()) + " " +
                         std::to_string(dim));
      }
    });
  }
  unsigned operations = 0, missing = 0;
  for (RegisteredOperationName each : context->getRegisteredOperations()) {
    StringRef name = each.getStringRef();
    if (each.getDialectNamespace() != "stablehlo")
      continue;
    bool isOther = llvm::is_contained(kOthers, name.drop_front(10));
    operations += !isOther;
    if (seen.contains(name) != isOther)
      continue;
    ++missing;
    std::printf("%s %s\n",
                isOther ? "tried although it is none of these:"
                        : "never tried:",
                name.str().c_str());
  }
  std::printf("%u operations, %zu dimensions of their operands that calls "
              "choose, %u missing\n",
              operations, size_t(sized.size()), missing);
  return missing == 0 ? 0 : 1;
}

static int print(uint64_t number) {
  std::unique_ptr<MLIRContext> context = makeContext();
  std::unique_ptr<SizedProgram> program = makeProgram(context.get(), number);
  llvm::outs() << program->module() << "\n";
  if (succeeded(mask(program->module(), Stage::Masks)))
    llvm::outs() << "// With masks:\n" << program->module() << "\n";
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: sized-programs COUNT FIRST\n");
    return 2;
  }
  uint64_t second = std::strtoull(argv[2], nullptr, 10);
  if (std::strcmp(argv[1], "--mutants") == 0)
    return tryMutants(second);
  if (std::strcmp(argv[1], "--operations") == 0)
    return findOperations(second);
  if (std::strcmp(argv[1], "--print") == 0)
    return print(second);
  return tryPrograms(std::strtoull(argv[1], nullptr, 10), second);
}
