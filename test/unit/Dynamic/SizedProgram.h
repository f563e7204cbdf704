// Random StableHLO programs of true extents: types that carry
// `#size.extents`, attributes and constants that follow from sizes.

#ifndef HEDDLE_TEST_UNIT_DYNAMIC_SIZEDPROGRAM_H
#define HEDDLE_TEST_UNIT_DYNAMIC_SIZEDPROGRAM_H

#include "dialects/StableHlo/SizeAssumptions.h"
#include "heddle/Support/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>
#include <functional>
#include <map>
#include <random>

namespace heddle::sized {

using size::Expression;
using stablehlo::TrueShape;

/// How large the symbols of a program become.
enum class Scale {
  Small, ///< Up to four values each: all choices are tried.
  Medium,
  Huge, ///< Only types are computed with.
};

struct Symbol {
  std::string name;
  size::SymbolFacts facts;
};

/// A value for each symbol of a program, in their order.
using Sizes = std::vector<int64_t>;

/// A wrong rule: what it changes of the extents that the right one gives.
struct RuleMutant {
  const char *name;
  const char *operation; ///< "stablehlo.slice".
  /// False where this operation gives it nothing to change.
  std::function<bool(mlir::Operation *, llvm::SmallVectorImpl<TrueShape> &)>
      change;
  /// Instead: sizes that are wanted equal are taken to be.
  bool forgetsEqualities = false;
};

/// One program while it is made, with all that is known of it. What a step adds
/// is thrown away again where it is not valid, so that steps need not look.
class SizedProgram {
public:
  /// `mutant` may be null.
  SizedProgram(mlir::MLIRContext *context, uint64_t seed, Scale scale,
               const RuleMutant *mutant);
  ~SizedProgram();

  /// Declares the arguments and results; nothing is added after it.
  void finish();

  mlir::ModuleOp module() const { return *owned; }
  mlir::func::FuncOp main() const { return function; }
  llvm::ArrayRef<Symbol> symbols() const { return declared; }
  const SizeAssumptions &assumed() const { return *assumptions; }
  Scale scale() const { return howLarge; }
  /// The least and the greatest, and others: all of small ranges.
  std::vector<Sizes> choices(unsigned count);
  std::string text(const Sizes &sizes) const;
  /// Whether what the program takes for granted is so.
  bool holds(const Sizes &sizes) const;
  std::optional<int64_t> evaluated(Expression expression,
                                   const Sizes &sizes) const;
  /// Why steps were not valid, where rules or bounds say so.
  const std::map<std::string, unsigned> &refusals() const { return refused; }
  unsigned operations() const { return count; }
  unsigned mutations() const { return mutated; }
  bool isMutated() const { return mutant; }
  /// What walking over the whole gives in another way than its operations did;
  /// empty if nothing.
  const std::string &walkProblem() const { return wrongWalk; }
  /// Whether something in it is computed by several devices, or in another way
  /// that only types are checked of.
  bool typesOnly = false;

  //===--- For steps ------------------------------------------------------===//

  int64_t number(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }
  bool chance(unsigned percent) { return number(0, 99) < percent; }
  template <typename T> T oneOf(std::initializer_list<T> list) {
    return *(list.begin() + number(0, int64_t(list.size()) - 1));
  }
  llvm::SmallVector<int64_t> permutation(int64_t count);

  Expression constant(int64_t value) const {
    return Expression::constant(context, value);
  }
  /// A random extent; `least` is at most its least value.
  Expression extent(int64_t least = 0);
  TrueShape extents(int64_t rank);
  /// A size of the same greatest value that may be equal; null if none.
  Expression rival(Expression extent);
  int64_t low(Expression extent) const { return ranges.interval(extent).low; }
  int64_t high(Expression extent) const { return ranges.interval(extent).high; }
  bool isNeverNegative(Expression e) const { return ranges.isNeverNegative(e); }
  size::Ranges &knownRanges() { return ranges; }

  mlir::RankedTensorType type(llvm::ArrayRef<Expression> extents,
                              mlir::Type element);
  static TrueShape shape(mlir::Value value) {
    return size::extentsOf(mlir::cast<mlir::RankedTensorType>(value.getType()));
  }
  static mlir::Type element(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  }
  static int64_t rank(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getRank();
  }
  bool fits(llvm::ArrayRef<Expression> extents) const;

  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Type i1() { return builder.getI1Type(); }
  /// f32 mostly.
  mlir::Type numberType() { return chance(65) ? f32() : i32(); }

  mlir::Value argument(llvm::ArrayRef<Expression> extents, mlir::Type element);
  /// One that there is, or an argument of at least one dimension.
  mlir::Value any(llvm::function_ref<bool(mlir::Value)> wanted,
                  mlir::Type element);
  mlir::Value any(mlir::Type element) {
    return any([](mlir::Value) { return true; }, element);
  }
  mlir::Value like(llvm::ArrayRef<Expression> extents, mlir::Type element);
  /// Extents that differ from `value`'s at times in one that may be equal.
  TrueShape nearly(mlir::Value value);
  /// Values that are integers of at most this magnitude: sums of them do not
  /// depend on their order.
  double largest(mlir::Value value) const;
  void setLargest(mlir::Value value, double magnitude) {
    magnitudes[value] = magnitude;
  }
  bool isExact(mlir::Value value, double times) const {
    return element(value).isInteger() || largest(value) * times <= 1 << 20;
  }
  static constexpr double kInexact = HUGE_VAL;

  using Regions =
      llvm::function_ref<void(mlir::OpBuilder &, mlir::OperationState &)>;
  /// An operation whose results have extents by its rule and, of the bound, the
  /// shape that the operation itself infers. Null where either refuses it.
  mlir::Operation *emit(llvm::StringRef name, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes,
                        mlir::Type element, Regions regions = {});
  /// One that is told its results' types.
  mlir::Operation *tell(llvm::StringRef name, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes,
                        mlir::TypeRange results, Regions regions = {});
  /// What an operation with regions wants of the values that these give.
  bool agree(Expression a, Expression b, mlir::Operation *op) {
    return bool(assumptions->meet(a, b, op));
  }
  /// Takes the last operation out again.
  void drop(mlir::Operation *op);
  /// A scalar, or a tensor of one number.
  mlir::Value splat(llvm::ArrayRef<Expression> extents, mlir::Type element,
                    int64_t value);
  mlir::Value scalar(mlir::Type element, int64_t value) {
    return splat({}, element, value);
  }
  /// A region of two scalars (and as many again for each further element type)
  /// that gives the named operation of each pair.
  void addCombiner(mlir::OperationState &state, llvm::StringRef operation,
                   llvm::ArrayRef<mlir::Type> elements);
  /// A region that says whether the first scalar compares so to the second.
  void addComparator(mlir::OperationState &state, llvm::StringRef direction,
                     llvm::ArrayRef<mlir::Type> elements);

  mlir::NamedAttribute list(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  }
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::NamedAttribute padding(llvm::ArrayRef<int64_t> lowAndHigh);
  /// `size.NAME` for each name, if one of all numbers follows from sizes.
  void addSized(llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes,
                std::initializer_list<
                    std::pair<llvm::StringRef, llvm::ArrayRef<Expression>>>
                    sized);
  llvm::SmallVector<int64_t> highs(llvm::ArrayRef<Expression> values) const;

  mlir::OpBuilder builder;

private:
  class ForgetfulRules;

  void declareSymbols();
  void walk();
  mlir::LogicalResult applyRule(mlir::Operation *op,
                                llvm::SmallVectorImpl<TrueShape> &results);
  void mutate(mlir::Operation *op, llvm::SmallVectorImpl<TrueShape> &results);
  mlir::LogicalResult
  inferBounds(mlir::Operation *op,
              llvm::SmallVectorImpl<mlir::RankedTensorType> &types);
  mlir::LogicalResult giveTypes(mlir::Operation *op, mlir::Type element);
  mlir::Operation *create(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes,
                          mlir::TypeRange results, Regions regions);
  mlir::Operation *keep(mlir::Operation *op);

  mlir::MLIRContext *context;
  std::mt19937_64 random;
  Scale howLarge;
  const RuleMutant *mutant;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  mlir::func::FuncOp function;
  std::vector<Symbol> declared;
  size::Ranges ranges;
  std::unique_ptr<SizeAssumptions> assumptions;
  std::vector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, double> magnitudes;
  std::map<std::string, unsigned> refused;
  std::string wrongWalk;
  unsigned count = 0, mutated = 0;
};

/// Adds operations to a program, if they fit it; false if not.
struct Step {
  const char *operation; ///< The one it is about.
  bool (*add)(SizedProgram &program);
  /// Whether programs about others may have it, too: masks are known for it.
  bool isCommon = true;
};

llvm::ArrayRef<Step> elementwiseSteps();
llvm::ArrayRef<Step> shapeSteps();
llvm::ArrayRef<Step> contractionSteps();
llvm::ArrayRef<Step> reductionSteps();
llvm::ArrayRef<Step> indexingSteps();
llvm::ArrayRef<Step> controlSteps();
llvm::ArrayRef<Step> distributionSteps();
std::vector<Step> allSteps();

/// The program of a number: about step `number` modulo their count, then some
/// others.
std::unique_ptr<SizedProgram> makeProgram(mlir::MLIRContext *context,
                                          uint64_t number,
                                          const RuleMutant *mutant = nullptr,
                                          const Step *about = nullptr);

/// What the extents of `program` are, against its static program's types at
/// each of `choices`: empty, or what differs. Adds to `excluded` how many of
/// them are valid but not as the program takes them.
std::string checkExtents(SizedProgram &program, llvm::ArrayRef<Sizes> choices,
                         uint64_t &excluded);

/// What makes a program one over its bounds.
enum class Stage {
  Masks, ///< The pass alone.
  Graph, ///< The graph stage, of which it is the last.
};
mlir::LogicalResult mask(mlir::ModuleOp module, Stage stage);

/// What the program with masks computes at each of `choices`, against what its
/// static program does. `refusal` is what masking says that cannot be done.
std::string checkValues(SizedProgram &program, llvm::ArrayRef<Sizes> choices,
                        Stage stage, std::string &refusal);

/// Who says the sizes of a compiled program.
enum class Teller {
  Shapes, ///< Those of the inputs.
  Counts, ///< The program: its inputs are tensors of the bounds, and numbers.
};
/// The same of the program when it is compiled and called; `placedBy` says how
/// its parts are spread over the cpu and two simulated devices (Placement.h),
/// or is empty for the cpu alone.
std::string checkCompiled(SizedProgram &program, llvm::ArrayRef<Sizes> choices,
                          Teller teller, llvm::StringRef placedBy,
                          std::string &refusal);

/// Data for an argument.
HostTensor trueInput(SizedProgram &program, mlir::RankedTensorType type);

/// `values` in a tensor of `type`: at the corner of one of the same rank as
/// they have, else first of all, and garbage everywhere else.
HostTensor padded(SizedProgram &program, const HostTensor &values,
                  mlir::RankedTensorType type, bool isRow);

/// The first element in which tensors of one shape differ; empty if none does.
/// What is not exact may be computed in another order.
std::string compareElements(const HostTensor &wanted, const HostTensor &found,
                            bool isExact);

llvm::ArrayRef<RuleMutant> ruleMutants();

} // namespace heddle::sized

#endif // HEDDLE_TEST_UNIT_DYNAMIC_SIZEDPROGRAM_H
