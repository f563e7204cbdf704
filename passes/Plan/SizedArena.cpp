// Where the buffers of an arena lie by the sizes that calls choose. Counted in
// units of the alignment, so that rounding up is one quotient and what it adds
// is less than a unit.

#include "passes/Plan/SizedArena.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace heddle;
using size::Expression;

namespace {
/// An expression, and its values at a few choices of sizes: what does not hold
/// at one of these needs no attempt to prove it.
struct Amount {
  Expression exact;
  llvm::SmallVector<int64_t, 8> samples;
};

class Placer {
public:
  Placer(llvm::ArrayRef<SizedBuffer> buffers, int64_t alignment,
         const size::Ranges &ranges)
      : buffers(buffers), alignment(alignment), ranges(ranges) {}

  std::optional<SizedLayout> run();

private:
  using Choice = llvm::StringMap<int64_t>;

  void chooseSamples();
  std::optional<Amount> amountOf(Expression exact) const;
  std::optional<Amount> sum(const Amount &a, const Amount &b) const {
    return amountOf(a.exact + b.exact);
  }
  bool isAtMost(const Amount &a, const Amount &b) const;
  std::optional<Amount> greatest(llvm::ArrayRef<Amount> all) const;
  bool place(size_t buffer);

  llvm::ArrayRef<SizedBuffer> buffers;
  int64_t alignment;
  const size::Ranges &ranges;
  mlir::MLIRContext *context = nullptr;
  /// The largest sizes first.
  std::vector<Choice> choices;
  std::vector<Amount> sizes, begins, ends;
  std::vector<size_t> placed;
};
} // namespace

/// All sizes at their largest, their least and between, and each at its largest
/// where the others are at their least.
void Placer::chooseSamples() {
  constexpr size_t kMaxSingle = 4;
  llvm::SmallSetVector<llvm::StringRef, 4> symbols;
  for (const SizedBuffer &buffer : buffers)
    symbols.insert_range(buffer.bytes.symbols());
  auto choose = [&](auto valueOf) {
    Choice &choice = choices.emplace_back();
    for (llvm::StringRef name : symbols) {
      size::SymbolFacts facts = ranges.facts(name);
      int64_t value = valueOf(name, facts);
      value -= value % facts.multiple;
      if (value < facts.minimum)
        value += facts.multiple;
      choice[name] = value;
    }
  };
  using Facts = const size::SymbolFacts &;
  choose([](llvm::StringRef, Facts facts) { return facts.maximum; });
  choose([](llvm::StringRef, Facts facts) { return facts.minimum; });
  choose([](llvm::StringRef, Facts facts) {
    return int64_t(
        std::sqrt(double(facts.minimum + 1) * double(facts.maximum)));
  });
  for (size_t i = 0; i < std::min<size_t>(symbols.size(), kMaxSingle); ++i)
    choose([&](llvm::StringRef name, Facts facts) {
      return name == symbols[i] ? facts.maximum : facts.minimum;
    });
}

std::optional<Amount> Placer::amountOf(Expression exact) const {
  if (!exact)
    return std::nullopt;
  Amount amount{exact, {}};
  for (const Choice &choice : choices) {
    std::optional<int64_t> value =
        exact.evaluated([&](llvm::StringRef name) -> std::optional<int64_t> {
          auto known = choice.find(name);
          return known == choice.end() ? std::nullopt
                                       : std::optional(known->second);
        });
    if (!value)
      return std::nullopt;
    amount.samples.push_back(*value);
  }
  return amount;
}

bool Placer::isAtMost(const Amount &a, const Amount &b) const {
  if (a.exact == b.exact)
    return true;
  for (auto [x, y] : llvm::zip_equal(a.samples, b.samples))
    if (x > y)
      return false;
  return ranges.isNeverNegative(b.exact - a.exact);
}

/// The greatest of all, without those that another is always at least.
std::optional<Amount> Placer::greatest(llvm::ArrayRef<Amount> all) const {
  llvm::SmallVector<Amount> left;
  for (const Amount &amount : all) {
    if (llvm::any_of(
            left, [&](const Amount &other) { return isAtMost(amount, other); }))
      continue;
    llvm::erase_if(
        left, [&](const Amount &other) { return isAtMost(other, amount); });
    left.push_back(amount);
  }
  auto most = Expression::constant(context, 0);
  for (auto [i, amount] : llvm::enumerate(left)) {
    if (!most)
      return std::nullopt;
    most = i ? Expression::maximum(most, amount.exact) : amount.exact;
  }
  return amountOf(most);
}

bool Placer::place(size_t buffer) {
  const Amount &size = sizes[buffer];
  llvm::SmallVector<size_t> others;
  llvm::MapVector<mlir::Attribute, Amount> candidates;
  auto zero = amountOf(Expression::constant(context, 0));
  candidates[zero->exact.attribute()] = *zero;
  llvm::SmallVector<Amount> taken;
  for (size_t other : placed) {
    if (buffers[other].last < buffers[buffer].first ||
        buffers[buffer].last < buffers[other].first)
      continue;
    others.push_back(other);
    if (candidates.insert({ends[other].exact.attribute(), ends[other]}).second)
      taken.push_back(ends[other]);
  }
  llvm::SmallVector<std::tuple<int64_t, double, size_t>> order;
  for (auto [i, candidate] : llvm::enumerate(candidates)) {
    const Amount &amount = candidate.second;
    order.emplace_back(
        amount.samples.front(),
        std::accumulate(amount.samples.begin(), amount.samples.end(), 0.0), i);
  }
  llvm::sort(order);
  auto take = [&](const Amount &begin, const Amount &end) {
    begins[buffer] = begin;
    ends[buffer] = end;
    placed.push_back(buffer);
    return true;
  };
  for (auto [largest, all, number] : order) {
    Amount begin = (candidates.begin() + number)->second;
    std::optional<Amount> end = sum(begin, size);
    if (end && llvm::all_of(others, [&](size_t other) {
          return isAtMost(ends[other], begin) || isAtMost(*end, begins[other]);
        }))
      return take(begin, *end);
  }
  std::optional<Amount> begin = greatest(taken);
  std::optional<Amount> end = begin ? sum(*begin, size) : std::nullopt;
  return end && take(*begin, *end);
}

std::optional<SizedLayout> Placer::run() {
  if (buffers.empty())
    return std::nullopt;
  context = buffers.front().bytes.context();
  chooseSamples();
  for (const SizedBuffer &buffer : buffers) {
    // Halves and quarters of what is counted are products, which can be
    // compared.
    Expression bytes = ranges.counted(buffer.bytes);
    std::optional<Amount> size =
        bytes ? amountOf(bytes.ceilDiv(alignment)) : std::nullopt;
    if (!size || !ranges.isNeverNegative(bytes))
      return std::nullopt;
    sizes.push_back(*size);
  }
  begins.resize(buffers.size());
  ends.resize(buffers.size());
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-sizes[a].samples.front(), a) <
           std::make_pair(-sizes[b].samples.front(), b);
  });
  for (size_t buffer : order)
    if (!place(buffer))
      return std::nullopt;

  std::optional<Amount> size = greatest(ends);
  if (!size)
    return std::nullopt;
  SizedLayout layout;
  auto bytes = [&](const Amount &amount) { return amount.exact * alignment; };
  layout.bytes = bytes(*size);
  layout.largestBytes = size->samples.front() * alignment;
  if (!ranges.isNeverNegative(layout.largestBytes - layout.bytes))
    return std::nullopt;
  for (const Amount &begin : begins) {
    layout.offsets.push_back(bytes(begin));
    layout.largest.push_back(begin.samples.front() * alignment);
  }
  return layout;
}

std::optional<SizedLayout>
heddle::layOutSizedArena(llvm::ArrayRef<SizedBuffer> buffers, int64_t alignment,
                         const size::Ranges &ranges) {
  return Placer(buffers, alignment, ranges).run();
}
