// Loop and Scan. A short loop with a known number of steps is unrolled, so that
// its steps can be fused and folded; any other becomes stablehlo.while.
// Unrolled as well is what a while cannot hold: states that change their shape,
// or a body that asks for the known number of its step.

#include "Importer.h"
#include "LoopEmitter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Nodes up to which a loop is short.
static constexpr int64_t kShortLoopNodes = 64;
/// Steps, and nodes, that an unrolled loop may have.
static constexpr int64_t kMaxSteps = 1024;
static constexpr int64_t kMaxUnrolledNodes = 100'000;

/// A tensor that the steps read or write row by row.
struct Rows {
  /// Read tensors only.
  Value whole;
  int64_t axis = 0;
  bool isBackward = false;
};

struct Importer::Repetition {
  const Node &node;
  const Graph &body;
  Location loc;
  /// A Loop's body takes the step's number and the condition first, and gives
  /// the condition first.
  bool isLoop;
  SmallVector<Value> states;
  SmallVector<Rows> reads, writes;
  /// The number of steps, an i64 scalar; null where nothing bounds it.
  Value count;
  /// Whether to begin at all; null means yes.
  Value condition;

  std::optional<int64_t> knownSteps() const {
    if (condition && knownBool(condition) == false)
      return 0;
    std::optional<Literal> known = count ? readLiteral(count) : std::nullopt;
    if (!known)
      return std::nullopt;
    return std::max<int64_t>(known->integers.front(), 0);
  }
  /// The same of a number that follows from sizes which calls choose.
  std::optional<Extent> chosenSteps(const Emitter &emit) const {
    if (std::optional<int64_t> known = knownSteps())
      return Extent(*known);
    std::optional<Shape> sizes = count ? emit.sizesIn(count) : std::nullopt;
    if (!sizes)
      return std::nullopt;
    return Extent::maximum(sizes->front(), 0);
  }
};

/// What a body gives.
struct Importer::Step {
  /// Whether another step follows; null means yes.
  Value condition;
  SmallVector<Value> states, pieces;
  bool isPoisoned = false;
};

/// The outcome of writing a loop in one way.
struct Importer::Written {
  enum { Done, Poisoned, Invalid, Impossible } outcome = Impossible;
  /// States, then the tensors of pieces.
  SmallVector<Value> results;
  /// Why it is impossible.
  std::string why;

  static Written impossible(const Twine &why) {
    return {Impossible, {}, why.str()};
  }
};

/// Nodes of a graph and of the graphs inside, all the way down.
static int64_t countNodes(const Graph &graph) {
  int64_t count = graph.nodes.size();
  for (const Node &node : graph.nodes)
    for (const onnx::Attribute &attribute : node.attributes)
      if (attribute.graph)
        count += countNodes(*attribute.graph);
  return count;
}

/// The row that a step meets: the first one for the first step, or the last.
static Value rowOf(Emitter &emit, const Rows &rows, Value number, Value count) {
  if (!rows.isBackward)
    return number;
  return emit.subtract(emit.subtract(count, integerScalar(emit, 1)), number);
}

FailureOr<Importer::Step> Importer::importStep(const Repetition &loop,
                                               Value number, ValueRange states,
                                               const Scope &scope) {
  Emitter emit(builder, loop.loc, *decompositions);
  SmallVector<Value> arguments;
  if (loop.isLoop) {
    // A step is only taken while the condition holds.
    auto flag = RankedTensorType::get({}, builder.getI1Type());
    arguments = {number, emit.splatInteger(flag, 1)};
  }
  llvm::append_range(arguments, states);
  for (const Rows &rows : loop.reads) {
    Shape shape = emit.shapeOf(rows.whole);
    shape.erase(shape.begin() + rows.axis);
    Value row = sliceAt(emit, rows.whole, rows.axis,
                        rowOf(emit, rows, number, loop.count));
    arguments.push_back(emit.reshape(row, shape));
  }
  FailureOr<SmallVector<Definition>> results =
      importBody(loop.body, arguments, scope, loop.loc);
  if (failed(results))
    return failure();
  Step step;
  if (anyPoisoned(*results)) {
    step.isPoisoned = true;
    return step;
  }
  SmallVector<Value> values = llvm::map_to_vector(
      *results, [](const Definition &d) { return d.value; });
  ArrayRef<Value> rest = values;
  if (loop.isLoop) {
    if (isSequence(rest.front()) ||
        !Emitter::elementOf(rest.front()).isInteger(1) ||
        Emitter::typeOf(rest.front()).getNumElements() != 1)
      return heddle::emitError(loop.loc, ErrorCode::OnnxNode)
             << "the body's first output must be one condition of type bool";
    if (knownBool(rest.front()) != true)
      step.condition = rest.front();
    rest = rest.drop_front();
  }
  step.states.assign(rest.take_front(states.size()));
  step.pieces.assign(rest.drop_front(states.size()));
  for (auto [piece, rows] : llvm::zip_equal(step.pieces, loop.writes)) {
    if (isSequence(piece))
      return heddle::emitError(loop.loc, ErrorCode::OnnxNode)
             << "the steps give sequences that cannot be put together";
    int64_t rank = Emitter::typeOf(piece).getRank() + 1;
    if (rows.axis < -rank || rows.axis >= rank)
      return heddle::emitError(loop.loc, ErrorCode::OnnxNode)
             << "axis " << rows.axis << " is outside a result of rank " << rank;
  }
  return step;
}

/// The dimension along which pieces like this one are put together.
static int64_t axisOf(const Rows &rows, Value piece) {
  int64_t rank = Emitter::typeOf(piece).getRank() + 1;
  return rows.axis < 0 ? rows.axis + rank : rows.axis;
}

Importer::Written Importer::unroll(const Repetition &loop, const Scope &scope) {
  // Without a count the condition ends it.
  int64_t steps = loop.knownSteps().value_or(kMaxSteps + 1);
  int64_t nodes = countNodes(loop.body);
  if (loop.condition && !knownBool(loop.condition))
    return Written::impossible(
        "whether the loop begins is computed from the inputs");
  if (steps == 0 && !loop.writes.empty())
    return Written::impossible("the loop has no steps that show the shapes of "
                               "what they give");
  SmallVector<Value> states = loop.states;
  SmallVector<SmallVector<Value>> pieces(loop.writes.size());
  Emitter emit(builder, loop.loc, *decompositions);
  for (int64_t number = 0; number < steps; ++number) {
    if (number == kMaxSteps || number * nodes > kMaxUnrolledNodes)
      return Written::impossible("the loop has too many steps to be unrolled");
    FailureOr<Step> step =
        importStep(loop, integerScalar(emit, number), states, scope);
    if (failed(step))
      return {Written::Invalid, {}, {}};
    if (step->isPoisoned)
      return {Written::Poisoned, {}, {}};
    states = step->states;
    for (auto [all, piece] : llvm::zip_equal(pieces, step->pieces))
      all.push_back(piece);
    if (!step->condition)
      continue;
    std::optional<bool> goesOn = knownBool(step->condition);
    if (!goesOn)
      return Written::impossible(
          "whether the loop goes on is computed from the inputs");
    if (!*goesOn)
      break;
  }
  for (auto [rows, all] : llvm::zip_equal(loop.writes, pieces)) {
    if (rows.isBackward)
      std::reverse(all.begin(), all.end());
    int64_t rank = Emitter::typeOf(all.front()).getRank();
    int64_t axis = axisOf(rows, all.front());
    for (Value &piece : all) {
      if (Emitter::typeOf(piece).getRank() != rank)
        return Written::impossible("the steps give values of different shapes");
      Shape shape = emit.shapeOf(piece);
      shape.insert(shape.begin() + axis, 1);
      piece = emit.reshape(piece, shape);
    }
    states.push_back(emit.concatenate(all, axis));
  }
  if (emit.hasFault())
    return Written::impossible("what the steps give cannot be put together");
  return {Written::Done, states, {}};
}

Importer::Written Importer::writeLoop(const Repetition &loop,
                                      const Scope &scope) {
  Emitter emit(builder, loop.loc, *decompositions);
  std::optional<Extent> steps = loop.chosenSteps(emit);
  Value count = steps ? integerScalar(emit, *steps) : loop.count;
  static constexpr char kSequences[] =
      "a state is a sequence, and the number of steps is not known";
  if (llvm::any_of(loop.states, isSequence))
    return Written::impossible(kSequences);
  LoopEmitter writer(emit, loop.states);
  FailureOr<Step> step =
      importStep(loop, writer.number(), writer.carried(), scope);
  if (failed(step))
    return {Written::Invalid, {}, {}};
  if (step->isPoisoned)
    return {Written::Poisoned, {}, {}};

  SmallVector<Value> next = step->states;
  if (llvm::any_of(next, isSequence))
    return Written::impossible(kSequences);
  bool mayEnd = step->condition || (loop.condition && !(steps && steps->is(0)));
  if (!loop.writes.empty() && (!steps || mayEnd))
    return Written::impossible(
        "the number of steps is computed from the inputs, and with it the "
        "extent of what the steps give");
  if (!count && !mayEnd)
    return Written::impossible("nothing ever ends the loop");
  for (auto [rows, piece] : llvm::zip_equal(loop.writes, step->pieces))
    next.push_back(writer.collect(piece, axisOf(rows, piece), *steps,
                                  rowOf(emit, rows, writer.number(), count)));
  std::optional<unsigned> conditionAt;
  if (mayEnd) {
    auto flag = RankedTensorType::get({}, builder.getI1Type());
    conditionAt = next.size();
    writer.carry([&] {
      return loop.condition ? emit.reshape(loop.condition, {})
                            : emit.splatInteger(flag, 1);
    });
    next.push_back(step->condition ? emit.reshape(step->condition, {})
                                   : emit.splatInteger(flag, 1));
  }
  std::optional<SmallVector<Value>> results =
      writer.finish(next, count, conditionAt);
  if (!results)
    return Written::impossible(
        "the states change their type from step to step");
  if (emit.hasFault())
    return Written::impossible(emit.faultMessage());
  if (mayEnd)
    results->pop_back();
  return {Written::Done, *results, {}};
}

LogicalResult Importer::importRepetition(Repetition &loop, Scope &scope) {
  std::optional<int64_t> steps = loop.knownSteps();
  size_t known = offences.size();
  auto forget = [&] {
    offences.erase(offences.begin() + known, offences.end());
  };
  Written written;
  if (steps && *steps <= kShortLoopNodes &&
      *steps * countNodes(loop.body) <= kShortLoopNodes) {
    written = unroll(loop, scope);
    if (written.outcome == Written::Impossible) {
      forget();
      written = writeLoop(loop, scope);
    }
  } else {
    written = writeLoop(loop, scope);
    bool isRefused =
        written.outcome == Written::Poisoned && offences.size() > known;
    if ((steps || !loop.count) &&
        (written.outcome == Written::Impossible || isRefused)) {
      forget();
      written = unroll(loop, scope);
    }
  }
  switch (written.outcome) {
  case Written::Done:
    return defineOutputs(loop.node, written.results, scope, loop.loc);
  case Written::Poisoned:
    return poisonOutputs(loop.node, scope, loop.loc);
  case Written::Invalid:
    return failure();
  case Written::Impossible:
    return refuse(loop.node, scope, loop.loc, written.why);
  }
  llvm_unreachable("all outcomes are handled");
}

LogicalResult Importer::importLoop(const Node &node, ArrayRef<Value> operands,
                                   Scope &scope, Location loc) {
  const onnx::Attribute *body = findAttribute(node, "body");
  auto isOne = [](Value value, unsigned width) {
    return !value || (Emitter::elementOf(value).isInteger(width) &&
                      Emitter::typeOf(value).getNumElements() == 1);
  };
  if (!body || !body->graph || operands.size() < 2 ||
      llvm::is_contained(operands.drop_front(2), Value()) ||
      body->graph->outputs.size() + 1 < operands.size() ||
      node.outputs.size() + 1 != body->graph->outputs.size() ||
      !isOne(operands[0], 64) || !isOne(operands[1], 1))
    return heddle::emitError(loc, ErrorCode::OnnxNode)
           << "the loop's body does not fit its inputs and outputs";
  Repetition loop{node, *body->graph, loc, /*isLoop=*/true, {}, {}, {}, {}, {}};
  Emitter emit(builder, loc, *decompositions);
  if (operands[0])
    loop.count = emit.reshape(operands[0], {});
  if (operands[1] && knownBool(operands[1]) != true)
    loop.condition = operands[1];
  loop.states.assign(operands.drop_front(2));
  loop.writes.resize(node.outputs.size() - loop.states.size());
  return importRepetition(loop, scope);
}

LogicalResult Importer::importScan(const Node &node, ArrayRef<Value> operands,
                                   Scope &scope, Location loc) {
  const onnx::Attribute *body = findAttribute(node, "body");
  const onnx::Attribute *count = findAttribute(node, "num_scan_inputs");
  int64_t reads = count ? count->i : 0;
  int64_t states = int64_t(operands.size()) - reads;
  if (!body || !body->graph || reads < 1 || states < 0 ||
      llvm::is_contained(operands, Value()) ||
      body->graph->outputs.size() != node.outputs.size() ||
      int64_t(node.outputs.size()) < states)
    return heddle::emitError(loc, ErrorCode::OnnxNode)
           << "the scan's body does not fit its inputs and outputs";
  auto list = [&](StringRef name, int64_t size) {
    const onnx::Attribute *attribute = findAttribute(node, name);
    SmallVector<int64_t> values =
        attribute ? readInts(*attribute) : SmallVector<int64_t>();
    values.resize(size, 0);
    return values;
  };
  Repetition loop{node, *body->graph, loc, /*isLoop=*/false, {}, {},
                  {},   {},           {}};
  loop.states.assign(operands.take_front(states));
  Emitter emit(builder, loc, *decompositions);
  std::optional<Extent> steps;
  for (auto [whole, axis, direction] : llvm::zip_equal(
           operands.drop_front(states), list("scan_input_axes", reads),
           list("scan_input_directions", reads))) {
    RankedTensorType type = Emitter::typeOf(whole);
    if (axis < -type.getRank() || axis >= type.getRank())
      return heddle::emitError(loc, ErrorCode::OnnxNode)
             << "scan_input_axes are outside the inputs";
    loop.reads.push_back(
        {whole, axis < 0 ? axis + type.getRank() : axis, direction != 0});
    Extent extent = emit.extentOf(whole, loop.reads.back().axis);
    if (!Extent::meet(steps.value_or(extent), extent))
      return heddle::emitError(loc, ErrorCode::OnnxNode)
             << "the inputs differ in their number of steps";
    steps = extent;
  }
  int64_t writes = int64_t(node.outputs.size()) - states;
  for (auto [axis, direction] :
       llvm::zip_equal(list("scan_output_axes", writes),
                       list("scan_output_directions", writes)))
    loop.writes.push_back({Value(), axis, direction != 0});
  loop.count = integerScalar(emit, *steps);
  return importRepetition(loop, scope);
}
