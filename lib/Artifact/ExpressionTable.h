// Tables of an artifact that have each entry once: of expressions, of nodes.

#ifndef HEDDLE_LIB_ARTIFACT_EXPRESSIONTABLE_H
#define HEDDLE_LIB_ARTIFACT_EXPRESSIONTABLE_H

#include "dialects/Size/Expression.h"
#include "runtime/format/Layout.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <unordered_map>

namespace heddle {

/// Entries of an expression table, each once.
class ExpressionTable {
public:
  /// Symbols have the numbers of their places in the module's list.
  ExpressionTable(std::vector<format::Expression> &table,
                  mlir::ModuleOp module);
  /// Symbols have the numbers of `numbers`.
  ExpressionTable(std::vector<format::Expression> &table,
                  llvm::StringMap<uint32_t> numbers)
      : table(table), symbolNumbers(std::move(numbers)) {}
  uint32_t operator()(int64_t value);
  /// A function of the symbols.
  uint32_t operator()(size::Expression expression);
  uint32_t symbol(llvm::StringRef name);
  /// The number that a symbol has.
  uint32_t numberOf(llvm::StringRef name) const {
    return symbolNumbers.at(name);
  }
  /// The entry that stands beside the first of the conditions that holds; the
  /// last of `values`, one more, where none does.
  uint32_t choose(llvm::ArrayRef<uint32_t> conditions,
                  llvm::ArrayRef<uint32_t> values);

private:
  uint32_t factor(mlir::Attribute factor);
  uint32_t add(format::ExpressionKind kind, uint32_t lhs, uint32_t rhs,
               int64_t value = 0);

  std::vector<format::Expression> &table;
  // Any number may be a key: DenseMap keeps two of them for itself.
  std::unordered_map<int64_t, uint32_t> known;
  llvm::DenseMap<mlir::Attribute, uint32_t> knownExpressions;
  /// Of each symbol its number, and its entry once it has one.
  llvm::StringMap<uint32_t> symbolNumbers, symbolEntries;
};

/// Nodes of the model by name, in the order of their first use.
class NodeTable {
public:
  uint32_t operator()(llvm::StringRef name);
  std::vector<std::string> names;

private:
  llvm::StringMap<uint32_t> known;
};

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_EXPRESSIONTABLE_H
