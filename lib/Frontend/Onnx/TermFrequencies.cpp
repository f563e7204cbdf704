// TfIdfVectorizer: how often known sequences of tokens, n-grams, occur.

#include "NodeImporter.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {
/// N-grams of one length, with the numbers of their weights.
struct NGrams {
  int64_t length;
  OwnedExtents tokens; ///< One n-gram behind the other.
  int64_t first;       ///< The number of the first one among all.

  int64_t count() const { return tokens.size() / length; }
};
} // namespace

/// How often each of `grams` is in each row of [row, token], with as many
/// tokens between as up to `mostSkipped`: [row, n-gram] of 64 bits.
static Value countGrams(Emitter &emit, Value rows, const NGrams &grams,
                        int64_t mostSkipped) {
  Type i64 = emit.builder.getI64Type();
  Extent count = emit.extentOf(rows, 0);
  int64_t tokens = emit.extentOf(rows, 1).bound();
  Value sum = emit.splat(emit.type({count, grams.count()}, i64), 0);
  // Between one token there is nothing to skip.
  int64_t last = grams.length == 1 ? 0 : mostSkipped;
  for (int64_t skipped = 0; skipped <= last; ++skipped) {
    int64_t places = tokens - (grams.length - 1) * (skipped + 1);
    if (places < 1)
      break;
    Shape shape{count, places, grams.count()};
    Value all;
    for (int64_t i = 0; i < grams.length; ++i) {
      OwnedExtents wanted;
      for (int64_t gram = 0; gram < grams.count(); ++gram)
        wanted.push_back(grams.tokens[gram * grams.length + i]);
      int64_t start = i * (skipped + 1);
      Value found = emit.sliceDim(rows, 1, start, start + places);
      Value isSame = emit.compare(
          emit.broadcastInDim(found, shape, {0, 1}),
          emit.broadcastInDim(emit.integers(wanted, i64), shape, {2}),
          stablehlo::ComparisonDirection::EQ);
      all = all ? emit.binary<stablehlo::AndOp>(all, isSame) : isSame;
    }
    sum = emit.add(sum, emit.reduce(emit.convert(all, i64), {1}, Combine::Add));
  }
  return sum;
}

/// More are none of a vocabulary's: the list of all would take the memory.
static constexpr int64_t mostPlaces = int64_t(1) << 24;

static LogicalResult importTfIdfVectorizer(NodeImporter &node) {
  Emitter &emit = node.emit;
  StringRef mode = node.stringAttribute("mode", "");
  int64_t least = node.integerAttribute("min_gram_length", 0),
          most = node.integerAttribute("max_gram_length", 0),
          skipped = node.integerAttribute("max_skip_count", 0);
  auto starts = node.integersAttribute("ngram_counts"),
       places = node.integersAttribute("ngram_indexes"),
       pool = node.integersAttribute("pool_int64s");
  auto weights = node.floatsAttribute("weights");
  if (emit.hasFault())
    return failure();
  if (!pool)
    return node.unsupported("n-grams of strings are not supported");
  if (!starts || !places || places->empty() || least < 1 || most < least ||
      skipped < 0 || most > int64_t(starts->size()) ||
      (mode != "TF" && mode != "IDF" && mode != "TFIDF") ||
      !node.element(0).isInteger() || node.rank(0) < 1 || node.rank(0) > 2 ||
      (weights && weights->size() != places->size()))
    return node.invalid("its attributes and its input do not fit");
  int64_t tokens = emit.knownExtentOf(node.operand(0), node.rank(0) - 1);
  if (emit.hasFault())
    return failure();
  Extent count = node.rank(0) == 2 ? node.shape(0)[0] : Extent(1);
  Value rows =
      emit.reshape(emit.convert(node.operand(0), node.builder().getI64Type()),
                   {count, tokens});

  // All n-grams in the order of the pool; those of other lengths count nothing.
  SmallVector<Value> counts;
  int64_t number = 0;
  for (size_t i = 0; i < starts->size(); ++i) {
    int64_t begin = (*starts)[i], length = i + 1;
    int64_t end = i + 1 < starts->size() ? (*starts)[i + 1] : pool->size();
    if (begin < 0 || end < begin || end > int64_t(pool->size()) ||
        (end - begin) % length != 0)
      return node.invalid("ngram_counts does not part the pool");
    NGrams grams{length, {}, number};
    grams.tokens.assign(pool->begin() + begin, pool->begin() + end);
    number += grams.count();
    if (grams.count() == 0)
      continue;
    bool isWanted = length >= least && length <= most;
    counts.push_back(isWanted
                         ? countGrams(emit, rows, grams, skipped)
                         : emit.splat(emit.type({count, grams.count()},
                                                node.builder().getI64Type()),
                                      0));
  }
  if (number != int64_t(places->size()))
    return node.invalid(Twine(places->size()) + " places for " + Twine(number) +
                        " n-grams");
  // Where the result has no n-gram, it takes a zero from behind them.
  int64_t last = *llvm::max_element(*places);
  if (last >= mostPlaces)
    return node.unsupported("the place " + Twine(last) +
                            "; there are at most " + Twine(mostPlaces));
  int64_t size = std::max<int64_t>(last + 1, 0);
  OwnedExtents from(size, number);
  llvm::DenseSet<int64_t> taken;
  for (auto [i, place] : llvm::enumerate(*places)) {
    if (place < 0 || !taken.insert(place).second)
      return node.invalid("the place " + Twine(place) +
                          " is negative or taken twice");
    from[place] = i;
  }
  // The specification has a weight for each n-gram, other implementations one
  // for each place.
  bool areInOrder = llvm::is_sorted(*places) && size == number;
  if (mode != "TF" && weights && !areInOrder)
    return node.unsupported("weights of n-grams whose places are in another "
                            "order, which are read in two ways; give "
                            "ngram_indexes in order, or scale a count (TF)");
  Type f32 = node.builder().getF32Type();
  Value found = emit.convert(emit.concatenate(counts, 1), f32);
  if (mode == "IDF")
    found = emit.minimum(found, emit.splatLike(found, 1));
  if (mode != "TF" && weights) {
    Literal factors = Literal::zeros(RankedTensorType::get({number}, f32));
    factors.floats.assign(weights->begin(), weights->end());
    found = emit.multiply(found, emit.constant(factors));
  }
  found = emit.pad(found, emit.scalar(f32, 0), {0, 0}, {0, 1});
  Value result =
      emit.take(found, emit.integers(from, node.builder().getI64Type()), 1);
  Shape shape{count, size};
  return node.result(
      emit.reshape(result, node.rank(0) == 2 ? shape : shape.after(1)));
}

void heddle::onnx::addTermFrequencies(OperatorTable &table) {
  table.add("TfIdfVectorizer", {9}, 1, 1, importTfIdfVectorizer);
}
