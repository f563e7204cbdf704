// Reads --shard, and puts what it says on the values of a model.

#include "Shards.h"

#include "dialects/Sdy/ShardingVerification.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Suggestion.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace heddle;

/// The symbol of the mesh in a module.
static constexpr llvm::StringLiteral kMeshName = "mesh";

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool ShardRules::refuse(const Twine &message) {
  session->diagnostics.report(ErrorCode::BadCommandLine, message);
  return false;
}

/// The sharding that a text is; null with what is wrong in `problem`.
static sdy::TensorShardingAttr
parseSharding(MLIRContext *context, StringRef text, std::string &problem) {
  // The parser's words have places in a text that nobody wrote.
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (problem.empty())
      problem = diagnostic.str();
    return success();
  });
  std::string whole = ("#sdy.sharding<@" + kMeshName + ", " + text + ">").str();
  return dyn_cast_or_null<sdy::TensorShardingAttr>(
      parseAttribute(whole, context));
}

bool ShardRules::add(StringRef name, StringRef text, const Twine &where) {
  MLIRContext *context = mesh.getContext();
  Rule &rule =
      rules.emplace_back(Rule{where.str(), name.str(), NamePattern(name), {}});
  std::string problem;
  rule.sharding = parseSharding(context, text, problem);
  if (!rule.sharding)
    return refuse(where + ": \"" + text + "\" is no sharding: " + problem +
                  "; write [{\"data\"}, {}], the axes of each dimension");
  bool isKnown = true;
  rule.sharding.forEachAxis([&](sdy::AxisRefAttr axis) {
    isKnown &= mesh.sizeOf(axis.getName()).has_value();
    if (problem.empty() && !isKnown)
      problem = axis.getName().str();
  });
  std::vector<std::string> axes;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    axes.push_back(axis.getName().str());
  if (!isKnown)
    return refuse(where + ": --mesh has no axis \"" + problem + "\"" +
                  suggest(problem, axes));
  return true;
}

/// Where the list of axes of a line of a file begins: behind the last colon
/// that has one, as names may hold colons and brackets, too.
static size_t findSharding(StringRef line) {
  size_t bracket = line.rfind('[');
  while (bracket != StringRef::npos &&
         !line.take_front(bracket).rtrim().ends_with(":"))
    bracket = line.take_front(bracket).rfind('[');
  return bracket;
}

/// Lines `NAME: SHARDING`; `#` begins a comment.
bool ShardRules::readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    session->diagnostics.report(
        ErrorCode::FileUnreadable,
        path + ": " + buffer.getError().message() +
            "; --shard takes NAME=[...] or a file of lines NAME: [...]");
    return false;
  }
  if ((*buffer)->getBuffer().contains('\0'))
    return refuse(path + ": holds a byte 0: --shard takes NAME=[...] or a file "
                         "of lines NAME: [...]");
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/true, '#');
       !line.is_at_end(); ++line) {
    StringRef text = line->trim();
    if (text.empty())
      continue;
    std::string where = path + ":" + std::to_string(line.line_number());
    size_t bracket = findSharding(text);
    StringRef name;
    if (bracket != StringRef::npos)
      name = text.take_front(bracket).rtrim().drop_back().rtrim();
    if (name.empty())
      return refuse(where + ": \"" + text +
                    "\" is no line of a file of shardings: write NAME: "
                    "[{\"data\"}, {}]");
    if (!add(name, text.drop_front(bracket), where))
      return false;
  }
  return true;
}

std::optional<ShardRules> ShardRules::read(Session &session,
                                           ArrayRef<std::string> texts,
                                           sdy::MeshAttr mesh) {
  ShardRules rules(session, mesh);
  for (StringRef text : texts) {
    size_t equals = text.find("=[");
    bool good = equals == StringRef::npos || equals == 0
                    ? rules.readFile(text.str())
                    : rules.add(text.take_front(equals),
                                text.drop_front(equals + 1), "--shard " + text);
    if (!good)
      return std::nullopt;
  }
  return rules;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ShardRules::Rule *ShardRules::ruleFor(StringRef name) {
  for (Rule &rule : rules)
    if (rule.pattern.matches(name))
      return &rule;
  return nullptr;
}

/// The module of a value, with the mesh that its shardings name.
static ModuleOp withMesh(Value value, sdy::MeshAttr mesh) {
  auto module = value.getParentRegion()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(kMeshName)) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    sdy::MeshOp::create(top, module.getLoc(), kMeshName, mesh);
  }
  return module;
}

/// What is wrong with the sharding of a value of this type; "" if it fits.
static std::string problemOf(sdy::TensorShardingAttr sharding, Type type,
                             ModuleOp module) {
  std::string problem;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "it is no tensor";
  int64_t dimensions = sharding.getDimShardings().size();
  if (dimensions != tensor.getRank())
    return "the sharding is of " + std::to_string(dimensions) +
           " dimensions, the value of " + std::to_string(tensor.getRank());
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    problem = diagnostic.str();
                                    return success();
                                  });
  (void)sdy::verifySharding(sharding, type, module,
                            [&] { return mlir::emitError(module.getLoc()); });
  return problem;
}

Value ShardRules::apply(OpBuilder &builder, StringRef name, Value value) {
  seen.push_back(name.str());
  Rule *rule = ruleFor(name);
  if (!rule)
    return value;
  rule->isUsed = true;
  ModuleOp module = withMesh(value, mesh);
  std::string problem = problemOf(rule->sharding, value.getType(), module);
  if (!problem.empty()) {
    misfits.push_back(rule->where + ": '" + name.str() + "': " + problem);
    return value;
  }
  auto loc = NameLoc::get(builder.getStringAttr(name));
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    unsigned number = argument.getArgNumber();
    auto known = function.getArgAttrOfType<StringAttr>(number, "heddle.name");
    if (known && known.getValue() == name) {
      function.setArgAttr(number, sdy::kShardingAttr, rule->sharding);
      return value;
    }
  }
  // A node may hand on a weight: what is said is of that node's value alone.
  auto weight = value.getDefiningOp<stablehlo::ConstantOp>();
  auto known = weight ? dyn_cast<NameLoc>(weight.getLoc()) : NameLoc();
  if (known && known.getName() == name) {
    weight->setAttr(sdy::kShardingAttr,
                    sdy::TensorShardingPerValueAttr::get(builder.getContext(),
                                                         rule->sharding));
    weights.insert(name);
    return value;
  }
  return sdy::ShardingConstraintOp::create(builder, loc, value, rule->sharding);
}

/// Of a rule that held for no value.
bool ShardRules::refuseUnused(const Rule &rule) {
  auto taken = llvm::find_if(seen, [&](const std::string &name) {
    return rule.pattern.matches(name);
  });
  if (taken != seen.end())
    return refuse(rule.where + ": of '" + *taken + "' " +
                  ruleFor(*taken)->where +
                  " says how it lies: the first rule for a name holds");
  return refuse(rule.where +
                ": no value that the model's nodes use or make "
                "is called '" +
                rule.name + "'" + suggest(rule.name, seen));
}

bool ShardRules::checkApplied(ModuleOp module) {
  for (const std::string &misfit : misfits)
    refuse(misfit);
  if (!misfits.empty())
    return false;
  for (const Rule &rule : rules)
    if (!rule.isUsed)
      return refuseUnused(rule);
  module.walk([&](stablehlo::ConstantOp weight) {
    if (auto name = dyn_cast<NameLoc>(weight.getLoc()))
      if (weight->hasAttr(sdy::kShardingAttr))
        weights.erase(name.getName());
  });
  if (weights.empty())
    return true;
  std::vector<std::string> lost;
  for (const auto &entry : weights)
    lost.push_back(entry.first().str());
  llvm::sort(lost);
  return refuse("--shard: '" + lost.front() +
                "' is computed with while the model is read, so that nothing "
                "of it is left to lie anywhere; name what is made of it");
}
