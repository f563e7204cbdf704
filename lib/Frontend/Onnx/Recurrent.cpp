// RNN, GRU and LSTM. What does not depend on the state (input times weights,
// biases) is computed for all steps at once; the steps become stablehlo.while,
// a few are unrolled.

#include "Functions.h"
#include "LoopEmitter.h"
#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Steps up to which a sequence is unrolled.
constexpr int64_t kShortSequence = 4;

/// An activation with its parameters, as the attributes name them.
struct Activation {
  std::string name;
  double alpha = 0, beta = 0;
};

/// One node: sizes, operands brought to the layout with the steps first, and
/// activations of one direction after the other.
struct Recurrence {
  Extent steps, batch;
  int64_t hidden = 0, gates = 0, directions = 1;
  bool backwardFirst = false, batchFirst = false;
  double clip = 0;
  Value input;
  SmallVector<Activation> activations;
};

/// The state of one direction, [batch, hidden] each; LSTM alone has a cell.
struct State {
  Value hidden, cell;
};

/// The last state of one direction, and what it gave at each step, [steps,
/// batch, hidden]; null if nobody asks for that.
struct Run {
  State last;
  Value outputs;
};

Value clipped(Emitter &emit, Value x, double bound) {
  if (bound <= 0)
    return x;
  return emit.maximum(emit.minimum(x, emit.splatLike(x, bound)),
                      emit.splatLike(x, -bound));
}

/// Applies an activation; a fault for an unknown name.
Value activate(Emitter &emit, const Activation &activation, Value x) {
  StringRef name = activation.name;
  auto splat = [&](double value) { return emit.splatLike(x, value); };
  Value zero = splat(0);
  auto negative = [&] {
    return emit.compare(x, zero, stablehlo::ComparisonDirection::LT);
  };
  if (name == "Sigmoid")
    return sigmoid(emit, x);
  if (name == "Tanh")
    return emit.unary<stablehlo::TanhOp>(x);
  if (name == "Relu")
    return emit.maximum(x, zero);
  if (name == "LeakyRelu")
    return emit.select(negative(), emit.multiply(x, splat(activation.alpha)),
                       x);
  if (name == "ThresholdedRelu")
    return emit.select(emit.compare(x, splat(activation.alpha),
                                    stablehlo::ComparisonDirection::GT),
                       x, zero);
  if (name == "Affine")
    return emit.add(emit.multiply(x, splat(activation.alpha)),
                    splat(activation.beta));
  if (name == "ScaledTanh")
    return emit.multiply(
        emit.unary<stablehlo::TanhOp>(emit.multiply(x, splat(activation.beta))),
        splat(activation.alpha));
  if (name == "HardSigmoid")
    return emit.maximum(
        emit.minimum(emit.add(emit.multiply(x, splat(activation.alpha)),
                              splat(activation.beta)),
                     splat(1)),
        zero);
  if (name == "Elu")
    return emit.select(negative(),
                       emit.multiply(emit.unary<stablehlo::Expm1Op>(x),
                                     splat(activation.alpha)),
                       x);
  if (name == "Softsign")
    return emit.divide(x, emit.add(emit.unary<stablehlo::AbsOp>(x), splat(1)));
  if (name == "Softplus")
    return softplus(emit, x);
  emit.fault(ErrorCode::OnnxNode, "activation '" + name + "' is unknown");
  return x;
}

/// Names and parameters; a parameter goes to the next activation that takes
/// one.
void readActivations(NodeImporter &node, Recurrence &recurrence,
                     ArrayRef<StringRef> defaults) {
  SmallVector<StringRef> names =
      node.stringsAttribute("activations").value_or(SmallVector<StringRef>());
  if (names.empty())
    for (int64_t i = 0; i < recurrence.directions; ++i)
      names.append(defaults.begin(), defaults.end());
  auto alphas =
      node.floatsAttribute("activation_alpha").value_or(SmallVector<float>());
  auto betas =
      node.floatsAttribute("activation_beta").value_or(SmallVector<float>());
  size_t nextAlpha = 0, nextBeta = 0;
  for (StringRef name : names) {
    Activation activation{name.str(), 0, 0};
    auto alpha = [&](double otherwise) {
      activation.alpha =
          nextAlpha < alphas.size() ? alphas[nextAlpha++] : otherwise;
    };
    auto beta = [&](double otherwise) {
      activation.beta = nextBeta < betas.size() ? betas[nextBeta++] : otherwise;
    };
    if (name == "LeakyRelu")
      alpha(0.01f);
    else if (name == "ThresholdedRelu" || name == "Elu")
      alpha(1);
    else if (name == "Affine" || name == "ScaledTanh")
      alpha(1), beta(name == "Affine" ? 0 : 1);
    else if (name == "HardSigmoid")
      alpha(0.2f), beta(0.5);
    recurrence.activations.push_back(activation);
  }
  if (recurrence.activations.size() !=
      defaults.size() * size_t(recurrence.directions))
    (void)node.invalid("there are " + Twine(names.size()) + " activations");
}

/// Reads what all three operators share; nothing after a fault.
std::optional<Recurrence> readRecurrence(NodeImporter &node, int64_t gates,
                                         ArrayRef<StringRef> activations) {
  Emitter &emit = node.emit;
  Recurrence result;
  result.gates = gates;
  result.clip = node.floatAttribute("clip", 0);
  StringRef direction = node.stringAttribute("direction", "forward");
  result.batchFirst = node.integerAttribute("layout", 0) != 0;
  result.directions = direction == "bidirectional" ? 2 : 1;
  result.backwardFirst = direction == "reverse";
  auto fail = [&](const Twine &why) -> std::optional<Recurrence> {
    (void)node.invalid(why);
    return std::nullopt;
  };
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return fail("direction '" + direction + "' is unknown");
  if (node.rank(0) != 3 || node.rank(1) != 3 || node.rank(2) != 3)
    return fail("X, W and R must have three dimensions");
  OwnedExtents weights = node.knownShape(1), recurrent = node.knownShape(2);
  result.hidden = recurrent[2];
  if (node.integerAttribute("hidden_size", result.hidden) != result.hidden)
    return fail("hidden_size is not that of the weights");
  result.input = result.batchFirst ? emit.transpose(node.operand(0), {1, 0, 2})
                                   : node.operand(0);
  result.steps = emit.shapeOf(result.input)[0];
  result.batch = emit.shapeOf(result.input)[1];
  if (result.steps.is(0))
    return (void)node.unsupported("sequences of no steps"), std::nullopt;
  int64_t rows = gates * result.hidden;
  if (weights[0] != result.directions || weights[1] != rows ||
      recurrent[0] != result.directions || recurrent[1] != rows ||
      !Extent::meet(node.shape(0)[2], weights[2]) || rows == 0)
    return fail("weights of the shapes " + spellShape(node.shape(1)) + " and " +
                spellShape(node.shape(2)) + " do not fit the input");
  if (node.has(3) &&
      (node.rank(3) != 2 || node.knownShape(3)[0] != result.directions ||
       node.knownShape(3)[1] != 2 * rows))
    return fail("the biases have the shape " + spellShape(node.shape(3)));
  if (node.has(4) &&
      (node.rank(4) != 1 || !Extent::meet(node.shape(4)[0], result.batch)))
    return fail("sequence_lens has the shape " + spellShape(node.shape(4)));
  readActivations(node, result, activations);
  if (emit.hasFault())
    return std::nullopt;
  return result;
}

/// One direction's part of an operand, without the dimension of directions.
Value ofDirection(NodeImporter &node, size_t operand, int64_t direction) {
  Emitter &emit = node.emit;
  Value part =
      emit.sliceDim(node.operand(operand), 0, direction, direction + 1);
  return emit.reshape(part, node.shape(operand).after(1));
}

/// The state to begin with, [batch, hidden].
Value initialState(NodeImporter &node, const Recurrence &recurrence,
                   size_t operand, int64_t direction) {
  Emitter &emit = node.emit;
  Shape shape{recurrence.batch, recurrence.hidden};
  if (!node.has(operand))
    return emit.splat(emit.type(shape, node.element(0)), 0);
  Value state = node.operand(operand);
  Shape whole{recurrence.directions, recurrence.batch, recurrence.hidden};
  if (recurrence.batchFirst && node.rank(operand) == 3)
    state = emit.transpose(state, {1, 0, 2});
  if (!emit.shapeOf(state).meets(whole)) {
    (void)node.invalid("an initial state has the shape " +
                       spellShape(node.shape(operand)));
    return emit.splat(emit.type(shape, node.element(0)), 0);
  }
  return emit.reshape(emit.sliceDim(state, 0, direction, direction + 1), shape);
}

/// Computes one step's new state from the gates' input part [batch, gates *
/// hidden].
using Step = llvm::function_ref<void(Value gates, int64_t direction, State &)>;

/// Takes the step at row `at` of the inputs; returns its output. Behind the end
/// of a shorter sequence the state stays, and the output is zero.
Value takeStep(NodeImporter &node, const Recurrence &recurrence,
               int64_t direction, Value gates, Value at, Step step,
               State &state) {
  Emitter &emit = node.emit;
  Value now =
      emit.reshape(sliceAt(emit, gates, 0, at),
                   {recurrence.batch, recurrence.gates * recurrence.hidden});
  State before = state;
  step(now, direction, state);
  if (!node.has(4))
    return state.hidden;
  Value lengths = node.operand(4);
  Value isInside = emit.broadcastInDim(
      emit.compare(emit.convert(at, Emitter::elementOf(lengths)), lengths,
                   stablehlo::ComparisonDirection::LT),
      {recurrence.batch, recurrence.hidden}, 0);
  Value output =
      emit.select(isInside, state.hidden, emit.splatLike(state.hidden, 0));
  state.hidden = emit.select(isInside, state.hidden, before.hidden);
  if (state.cell)
    state.cell = emit.select(isInside, state.cell, before.cell);
  return output;
}

/// The row of the inputs that the direction reads in step `number`.
Value rowOf(Emitter &emit, const Recurrence &recurrence, int64_t direction,
            Value number) {
  if (!recurrence.backwardFirst && direction == 0)
    return number;
  return emit.subtract(integerScalar(emit, recurrence.steps - 1), number);
}

void unrollSteps(NodeImporter &node, const Recurrence &recurrence,
                 int64_t direction, Value gates, Step step, Run &run) {
  Emitter &emit = node.emit;
  SmallVector<Value> outputs;
  for (int64_t i = 0; i < recurrence.steps.bound(); ++i) {
    Value at = rowOf(emit, recurrence, direction, integerScalar(emit, i));
    Value output =
        takeStep(node, recurrence, direction, gates, at, step, run.last);
    outputs.push_back(
        emit.reshape(output, {1, recurrence.batch, recurrence.hidden}));
  }
  if (recurrence.backwardFirst || direction == 1)
    std::reverse(outputs.begin(), outputs.end());
  if (node.wants(0))
    run.outputs = emit.concatenate(outputs, 0);
}

void loopOverSteps(NodeImporter &node, const Recurrence &recurrence,
                   int64_t direction, Value gates, Step step, Run &run) {
  Emitter &emit = node.emit;
  SmallVector<Value> initial{run.last.hidden};
  if (run.last.cell)
    initial.push_back(run.last.cell);
  Value count = integerScalar(emit, recurrence.steps);
  LoopEmitter loop(emit, initial);
  SmallVector<Value> carried = loop.carried();
  State state{carried[0], run.last.cell ? carried[1] : Value()};
  Value at = rowOf(emit, recurrence, direction, loop.number());
  Value output = takeStep(node, recurrence, direction, gates, at, step, state);
  SmallVector<Value> next{state.hidden};
  if (state.cell)
    next.push_back(state.cell);
  if (node.wants(0))
    next.push_back(loop.collect(output, 0, recurrence.steps, at));
  std::optional<SmallVector<Value>> results = loop.finish(next, count);
  if (!results)
    return emit.fault(ErrorCode::OnnxNode,
                      "the state changes its type in a step");
  run.last.hidden = results->front();
  if (run.last.cell)
    run.last.cell = (*results)[1];
  if (node.wants(0))
    run.outputs = results->back();
}

Run runDirection(NodeImporter &node, const Recurrence &recurrence,
                 int64_t direction, bool hasCell, Value gates, Step step) {
  Run run;
  run.last.hidden = initialState(node, recurrence, 5, direction);
  if (hasCell)
    run.last.cell = initialState(node, recurrence, 6, direction);
  if (node.emit.hasFault())
    return run;
  bool isShort =
      recurrence.steps.isKnown() && recurrence.steps.bound() <= kShortSequence;
  auto takeSteps = isShort ? unrollSteps : loopOverSteps;
  takeSteps(node, recurrence, direction, gates, step, run);
  return run;
}

/// Input times weights plus biases, for all steps: [steps, batch, gates *
/// hidden]. The first `gatesWithRecurrentBias` gates have both of the node's
/// biases added, the others the input's alone.
Value inputGates(NodeImporter &node, const Recurrence &recurrence,
                 int64_t direction, int64_t gatesWithRecurrentBias) {
  Emitter &emit = node.emit;
  Value weights = ofDirection(node, 1, direction);
  Value gates = emit.dotGeneral(recurrence.input, weights, {}, {}, 2, 1);
  if (!node.has(3))
    return gates;
  int64_t rows = recurrence.gates * recurrence.hidden;
  int64_t shared = gatesWithRecurrentBias * recurrence.hidden;
  Value biases = ofDirection(node, 3, direction);
  Value own = emit.sliceDim(biases, 0, 0, rows);
  Value recurrent = emit.sliceDim(biases, 0, rows, rows + shared);
  recurrent = emit.pad(
      recurrent, emit.splat(RankedTensorType::get({}, node.element(0)), 0), {0},
      {rows - shared});
  return emit.add(gates, emit.broadcastInDim(emit.add(own, recurrent),
                                             emit.shapeOf(gates), 2));
}

/// Stacks the directions' results: Y, Y_h and, for LSTM, Y_c.
LogicalResult finish(NodeImporter &node, const Recurrence &recurrence,
                     ArrayRef<Run> runs) {
  Emitter &emit = node.emit;
  if (emit.hasFault())
    return failure();
  auto stacked = [&](llvm::function_ref<Value(const Run &)> part) {
    SmallVector<Value> parts;
    for (const Run &run : runs)
      parts.push_back(
          emit.reshape(part(run), {1, recurrence.batch, recurrence.hidden}));
    Value states = emit.concatenate(parts, 0);
    return recurrence.batchFirst ? emit.transpose(states, {1, 0, 2}) : states;
  };
  if (node.wants(0)) {
    SmallVector<Value> outputs;
    for (const Run &run : runs)
      outputs.push_back(
          emit.reshape(run.outputs, {recurrence.steps, 1, recurrence.batch,
                                     recurrence.hidden}));
    Value joined = emit.concatenate(outputs, 1);
    node.set(0, recurrence.batchFirst ? emit.transpose(joined, {2, 0, 1, 3})
                                      : joined);
  }
  node.set(1, stacked([](const Run &run) { return run.last.hidden; }));
  if (runs.front().last.cell)
    node.set(2, stacked([](const Run &run) { return run.last.cell; }));
  return success();
}

/// Columns [gate * hidden, (gate + 1) * hidden) of a gates' matrix.
Value gate(Emitter &emit, const Recurrence &recurrence, Value gates,
           int64_t which) {
  return emit.sliceDim(gates, 1, which * recurrence.hidden,
                       (which + 1) * recurrence.hidden);
}

LogicalResult importRnn(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<Recurrence> recurrence = readRecurrence(node, 1, {"Tanh"});
  if (!recurrence)
    return failure();
  SmallVector<Run> runs;
  for (int64_t d = 0; d < recurrence->directions; ++d) {
    Value weights = ofDirection(node, 2, d);
    auto step = [&](Value gates, int64_t direction, State &state) {
      Value sum =
          emit.add(gates, emit.dotGeneral(state.hidden, weights, {}, {}, 1, 1));
      state.hidden = activate(emit, recurrence->activations[direction],
                              clipped(emit, sum, recurrence->clip));
    };
    runs.push_back(runDirection(node, *recurrence, d, /*hasCell=*/false,
                                inputGates(node, *recurrence, d, 1), step));
  }
  return finish(node, *recurrence, runs);
}

/// Gates z, r, h: H' = (1 - z) h + z H.
LogicalResult importGru(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool linearBeforeReset = node.integerAttribute("linear_before_reset", 0) != 0;
  std::optional<Recurrence> recurrence =
      readRecurrence(node, 3, {"Sigmoid", "Tanh"});
  if (!recurrence)
    return failure();
  int64_t hidden = recurrence->hidden;
  SmallVector<Run> runs;
  for (int64_t d = 0; d < recurrence->directions; ++d) {
    Value weights = ofDirection(node, 2, d);
    Value resetWeights = emit.sliceDim(weights, 0, 0, 2 * hidden);
    Value newWeights = emit.sliceDim(weights, 0, 2 * hidden, 3 * hidden);
    Value newBias;
    if (linearBeforeReset && node.has(3))
      newBias =
          emit.sliceDim(ofDirection(node, 3, d), 0, 5 * hidden, 6 * hidden);
    auto step = [&](Value gates, int64_t direction, State &state) {
      const Activation *f = &recurrence->activations[2 * direction];
      Value fromState =
          emit.dotGeneral(state.hidden, resetWeights, {}, {}, 1, 1);
      auto gateOf = [&](int64_t which) {
        Value sum = emit.add(gate(emit, *recurrence, gates, which),
                             gate(emit, *recurrence, fromState, which));
        return activate(emit, f[0], clipped(emit, sum, recurrence->clip));
      };
      Value update = gateOf(0), reset = gateOf(1), recurrent;
      if (linearBeforeReset) {
        recurrent = emit.dotGeneral(state.hidden, newWeights, {}, {}, 1, 1);
        if (newBias)
          recurrent = emit.add(
              recurrent,
              emit.broadcastInDim(newBias, emit.shapeOf(recurrent), 1));
        recurrent = emit.multiply(reset, recurrent);
      } else {
        recurrent = emit.dotGeneral(emit.multiply(reset, state.hidden),
                                    newWeights, {}, {}, 1, 1);
      }
      Value sum = emit.add(gate(emit, *recurrence, gates, 2), recurrent);
      Value fresh = activate(emit, f[1], clipped(emit, sum, recurrence->clip));
      Value one = emit.splatLike(update, 1);
      state.hidden = emit.add(emit.multiply(emit.subtract(one, update), fresh),
                              emit.multiply(update, state.hidden));
    };
    runs.push_back(runDirection(
        node, *recurrence, d, /*hasCell=*/false,
        inputGates(node, *recurrence, d, linearBeforeReset ? 2 : 3), step));
  }
  return finish(node, *recurrence, runs);
}

/// Gates i, o, f, c: C' = f C + i c, H' = o h(C'); peepholes let i, o and f see
/// the cell.
LogicalResult importLstm(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool couples = node.integerAttribute("input_forget", 0) != 0;
  std::optional<Recurrence> recurrence =
      readRecurrence(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  if (!recurrence)
    return failure();
  int64_t hidden = recurrence->hidden;
  if (node.has(7) &&
      (node.rank(7) != 2 || node.knownShape(7)[0] != recurrence->directions ||
       node.knownShape(7)[1] != 3 * hidden))
    return node.invalid("the peepholes have the shape " +
                        spellShape(node.shape(7)));
  SmallVector<Run> runs;
  for (int64_t d = 0; d < recurrence->directions; ++d) {
    Value weights = ofDirection(node, 2, d);
    Value peepholes = node.has(7) ? ofDirection(node, 7, d) : Value();
    auto peep = [&](Value sum, Value cell, int64_t which) {
      if (!peepholes)
        return sum;
      Value weight =
          emit.sliceDim(peepholes, 0, which * hidden, (which + 1) * hidden);
      return emit.add(
          sum, emit.multiply(
                   cell, emit.broadcastInDim(weight, emit.shapeOf(cell), 1)));
    };
    auto step = [&](Value gates, int64_t direction, State &state) {
      const Activation *f = &recurrence->activations[3 * direction];
      Value sums =
          emit.add(gates, emit.dotGeneral(state.hidden, weights, {}, {}, 1, 1));
      auto finishGate = [&](const Activation &activation, Value sum) {
        return activate(emit, activation, clipped(emit, sum, recurrence->clip));
      };
      Value in = finishGate(
          f[0], peep(gate(emit, *recurrence, sums, 0), state.cell, 0));
      Value forget =
          couples ? emit.subtract(emit.splatLike(in, 1), in)
                  : finishGate(f[0], peep(gate(emit, *recurrence, sums, 2),
                                          state.cell, 2));
      Value fresh = finishGate(f[1], gate(emit, *recurrence, sums, 3));
      state.cell =
          emit.add(emit.multiply(forget, state.cell), emit.multiply(in, fresh));
      Value out = finishGate(
          f[0], peep(gate(emit, *recurrence, sums, 1), state.cell, 1));
      state.hidden = emit.multiply(out, activate(emit, f[2], state.cell));
    };
    runs.push_back(runDirection(node, *recurrence, d, /*hasCell=*/true,
                                inputGates(node, *recurrence, d, 4), step));
  }
  return finish(node, *recurrence, runs);
}

} // namespace

void heddle::onnx::addRecurrent(OperatorTable &table) {
  table.add("RNN", {7, 14, 22}, 3, 6, importRnn, 2);
  table.add("GRU", {7, 14, 22}, 3, 6, importGru, 2);
  table.add("LSTM", {7, 14, 22}, 3, 8, importLstm, 3);
}
