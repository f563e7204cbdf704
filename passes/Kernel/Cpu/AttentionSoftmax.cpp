// The softmax of attention: scores of a row become weights that are divided by
// their sum at the end.

#include "passes/Kernel/Cpu/AttentionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace heddle {

/// Joins lanes by halves, always in the same tree.
Value AttentionEmitter::combineLanes(
    Value vector, function_ref<Value(Value, Value)> combine) {
  OpBuilder &builder = frame.builder;
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(lane + half);
    }
    vector =
        combine(vector::ShuffleOp::create(builder, loc, vector, vector, low),
                vector::ShuffleOp::create(builder, loc, vector, vector, high));
  }
  return vector::ExtractOp::create(builder, loc, vector, 0);
}

void AttentionEmitter::emitSoftmax() {
  OpBuilder &builder = frame.builder;
  int64_t width = vectors * lanes;
  auto maximum = [&](Value left, Value right) -> Value {
    return arith::MaximumFOp::create(builder, loc, left, right);
  };
  auto sum = [&](Value left, Value right) -> Value {
    return arith::AddFOp::create(builder, loc, left, right);
  };
  forEachRow([&](const Rows &rows, Value r) {
    Value base = index.at(rows.scores, r, scoreStride);
    // One running value per vector of a panel. The last panel may be wider
    // than the keys.
    int64_t whole = n.bound() / width * width;
    auto overPanels = [&](Value init, auto step) {
      auto panel = [&](Number count) {
        return [&, count](Value column, ValueRange carried) {
          SmallVector<Value> next;
          for (int64_t v = 0; v < vectors; ++v) {
            Number left = count.value
                              ? Number(index.add(count.value, -v * lanes))
                              : Number(count.number - v * lanes);
            next.push_back(
                step(index.add(column, v * lanes), left, carried[v]));
          }
          return next;
        };
      };
      SmallVector<Value> running(vectors, init);
      Value end = n.isSized() ? index.mul(index.div(valueOf(n), width), width)
                              : Value();
      Value wholeEnd =
          index.min(rows.paddedKeys, end ? end : index.constant(whole));
      running =
          index.loop(rows.firstKey, wholeEnd, width, running, panel(width));
      Number rest =
          end ? Number(index.sub(valueOf(n), end)) : Number(n.bound() - whole);
      return index.loop(end ? end : index.constant(whole), rows.paddedKeys,
                        width, running, panel(rest));
    };
    auto join = [&](SmallVector<Value> running,
                    function_ref<Value(Value, Value)> combine) {
      Value all = running[0];
      for (Value more : ArrayRef(running).drop_front())
        all = combine(all, more);
      return combineLanes(all, combine);
    };
    auto load = [&](Value column) -> Value {
      return vector::LoadOp::create(builder, loc, vectorType, scores,
                                    index.add(base, column));
    };
    auto store = [&](Value vector, Value column) {
      vector::StoreOp::create(builder, loc, vector, scores,
                              index.add(base, column));
    };

    Value row = index.add(rows.first, r);
    Value largest =
        join(overPanels(constant(-std::numeric_limits<double>::infinity()),
                        [&](Value column, const Number &count, Value running) {
                          Value score =
                              finishScore(load(column), row, column, count);
                          store(score, column);
                          return maximum(running, score);
                        }),
             maximum);
    Value sinks = sinkVector();
    if (sinks)
      largest =
          maximum(largest, vector::ExtractOp::create(builder, loc, sinks, 0));
    Value spread =
        vector::BroadcastOp::create(builder, loc, vectorType, largest);
    Value total =
        join(overPanels(constant(0),
                        [&](Value column, const Number &, Value running) {
                          Value distance = arith::SubFOp::create(
                              builder, loc, load(column), spread);
                          Value weight =
                              math::ExpOp::create(builder, loc, distance);
                          store(weight, column);
                          return sum(running, weight);
                        }),
             sum);
    if (sinks) {
      Value weight = math::ExpOp::create(
          builder, loc, arith::SubFOp::create(builder, loc, sinks, spread));
      total = sum(total, vector::ExtractOp::create(builder, loc, weight, 0));
    }
    if (logarithms)
      storeLogarithm(row, largest, total);
    Value one = arith::ConstantOp::create(builder, loc,
                                          builder.getFloatAttr(element, 1));
    if (op.getZeroNanRows()) {
      // A sum is NaN exactly if one of its weights is, and then all are: each
      // is the distance to the same largest score. A row that sees no key at
      // all has the sum 0.
      Value zero = arith::ConstantOp::create(builder, loc,
                                             builder.getFloatAttr(element, 0));
      Value isNan = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::ULE, total, zero);
      index.branch(isNan, [&] {
        index.loop(rows.firstKey, rows.paddedKeys, lanes,
                   [&](Value column) { store(constant(0), column); });
      });
      total = arith::SelectOp::create(builder, loc, isNan, one, total);
    }
    Value inverse = arith::DivFOp::create(builder, loc, one, total);
    memref::StoreOp::create(builder, loc, inverse, inverses,
                            index.add(rows.inverses, r));
  });
}

/// The sink's logit in all lanes; null without one.
Value AttentionEmitter::sinkVector() {
  if (!op.getSink())
    return {};
  OpBuilder &builder = frame.builder;
  LaneBuilder reader(builder, loc, lanes);
  Type type = cast<RankedTensorType>(op.getSink().getType()).getElementType();
  Value loaded =
      reader.materialize(reader.load(sink.buffer, type, LaneValue(sink.base)));
  return convertElements(builder, loc, loaded, element);
}

/// The logarithm of a row's sum. A row without one counts for nothing beside
/// others if its weights are zero; else it is not a number, as its results are.
void AttentionEmitter::storeLogarithm(Value row, Value largest, Value total) {
  OpBuilder &builder = frame.builder;
  auto vectorOf = [&](Value value) -> Value {
    return vector::BroadcastOp::create(builder, loc, vectorType, value);
  };
  Value sum =
      arith::AddFOp::create(builder, loc, vectorOf(largest),
                            math::LogOp::create(builder, loc, vectorOf(total)));
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ULE,
                                      vectorOf(total), constant(0));
  double nothing = op.getZeroNanRows()
                       ? -std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
  sum = arith::SelectOp::create(builder, loc, isNan, constant(nothing), sum);
  Value single = vector::ExtractOp::create(builder, loc, sum, 0);
  if (!element.isF32())
    single =
        arith::TruncFOp::create(builder, loc, builder.getF32Type(), single);
  Value place = index.constant(0);
  for (auto [position, extent] : llvm::zip(batch, batchExtents))
    place = index.add(index.mul(place, frame.numberOf(extent)), position);
  place = index.add(index.mul(place, frame.numberOf(m)), row);
  memref::StoreOp::create(builder, loc, single, logarithms, place);
}

} // namespace heddle
