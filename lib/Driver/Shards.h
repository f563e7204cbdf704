// Reads --shard, and puts what it says on the values of a model.

#ifndef HEDDLE_LIB_DRIVER_SHARDS_H
#define HEDDLE_LIB_DRIVER_SHARDS_H

#include "dialects/Sdy/Sdy.h"
#include "heddle/Driver/Session.h"
#include "heddle/Support/NamePattern.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

namespace heddle {

/// How values lie over a mesh, by their names: `w1=[{}, {"model"}]`, or a file
/// of lines `w1: [{}, {"model"}]` with shardings in the text of sdy. `*` and
/// `?` in a name are any characters; of several rules for a name the first
/// holds.
class ShardRules {
public:
  /// Reads the texts of --shard for a mesh. None after an error, which has been
  /// reported.
  static std::optional<ShardRules>
  read(Session &session, llvm::ArrayRef<std::string> texts, sdy::MeshAttr mesh);

  /// The value with what the rules say of it: an argument or a weight of that
  /// name carries its sharding, any other value becomes a constraint. What does
  /// not fit is remembered.
  mlir::Value apply(mlir::OpBuilder &builder, llvm::StringRef name,
                    mlir::Value value);

  /// False, which is reported, if a rule did not fit, names nothing, or was for
  /// a weight that the import has computed with.
  bool checkApplied(mlir::ModuleOp module);

private:
  struct Rule {
    std::string where; ///< For messages: `--shard w1=...` or `file:3`.
    std::string name;
    NamePattern pattern; ///< Of the name.
    sdy::TensorShardingAttr sharding;
    bool isUsed = false;
  };

  ShardRules(Session &session, sdy::MeshAttr mesh)
      : session(&session), mesh(mesh) {}

  bool readFile(const std::string &path);
  bool add(llvm::StringRef name, llvm::StringRef text,
           const llvm::Twine &where);
  bool refuse(const llvm::Twine &message);
  bool refuseUnused(const Rule &rule);
  Rule *ruleFor(llvm::StringRef name);

  Session *session;
  sdy::MeshAttr mesh;
  std::deque<Rule> rules;
  std::vector<std::string> seen;    ///< Names of the model's values.
  llvm::StringSet<> weights;        ///< Those that a rule is for.
  std::vector<std::string> misfits; ///< What is wrong, in order.
};

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_SHARDS_H
