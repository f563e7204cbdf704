// Custom calls of LAPACK's routines by their own meaning. The compiler writes
// them in StableHLO and composites first (passes/Graph/CustomCalls); nothing of
// that is used here, so that a comparison finds what is wrong with it.

#include "Routines.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

namespace {
/// One call, with its options.
struct LapackCall {
  Operation *op;

  Attribute option(StringRef name) const {
    for (Attribute config :
         {cast<stablehlo::CustomCallOp>(op).getBackendConfigAttr(),
          op->getAttr("mhlo.backend_config")})
      if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(config))
        if (Attribute value = dictionary.get(name))
          return value;
    return {};
  }
  /// Options are letters, stored as numbers.
  bool isLetter(StringRef name, char letter, char otherwise) const {
    auto value = dyn_cast_or_null<IntegerAttr>(option(name));
    return letter ==
           (value ? char(value.getValue().getZExtValue()) : otherwise);
  }
  bool isTrue(StringRef name, bool otherwise) const {
    auto value = dyn_cast_or_null<BoolAttr>(option(name));
    return value ? value.getValue() : otherwise;
  }

  /// Runs the function that a composite of this name means.
  void run(StringRef name, ArrayRef<NamedAttribute> parameters,
           ArrayRef<Dense> in, MutableArrayRef<Dense> out) const {
    findMatrixFunction(name)(
        {name, op->getOperandTypes(), op->getResultTypes(),
         DictionaryAttr::get(op->getContext(), parameters)},
        in, out);
  }
  NamedAttribute flag(StringRef name, bool value) const {
    return Builder(op->getContext())
        .getNamedAttr(name, BoolAttr::get(op->getContext(), value));
  }
};

/// Computes one element of the batch; results have their shapes and are zero.
/// Says what is wrong with sizes that the signature leaves open.
using LapackFunction = std::string (*)(const LapackCall &call,
                                       ArrayRef<Dense> in,
                                       MutableArrayRef<Dense> out);

/// Operands and results are words separated by spaces, a letter for each
/// dimension behind those of the batch: `k` = min(m, n), `h` = n - 1, `.` none,
/// any other the same wherever it stands. `!` marks what LAPACK leaves behind
/// as it likes: nobody may use it.
struct LapackRoutine {
  StringRef name, operands, results;
  LapackFunction function;
};
} // namespace

static bool holdsNan(const Dense &a) {
  return llvm::any_of(a.values, [](Complex value) {
    return std::isnan(value.real()) || std::isnan(value.imag());
  });
}

static std::string cholesky(const LapackCall &call, ArrayRef<Dense> in,
                            MutableArrayRef<Dense> out) {
  call.run("cholesky", call.flag("lower", call.isLetter("uplo", 'L', 'L')), in,
           out);
  out[1][0] = holdsNan(out[0]);
  return "";
}

static std::string qr(const LapackCall &call, ArrayRef<Dense> in,
                      MutableArrayRef<Dense> out) {
  call.run("qr", {}, in, out);
  return "";
}

static std::string householderProduct(const LapackCall &call,
                                      ArrayRef<Dense> in,
                                      MutableArrayRef<Dense> out) {
  if (in[1].columns > in[0].columns || in[0].columns > in[0].rows)
    return "there are more reflectors than columns, or columns than rows";
  call.run("householder_product", {}, in, out);
  return "";
}

/// q c, qᴴ c, c q or c qᴴ: the reflectors on c, one after another.
static std::string householderMultiply(const LapackCall &call,
                                       ArrayRef<Dense> in,
                                       MutableArrayRef<Dense> out) {
  const Dense &packed = in[0], &taus = in[1];
  bool left = call.isTrue("left", true),
       adjoint = call.isTrue("transpose", false);
  Dense &c = out[0];
  c = in[2];
  int64_t rows = packed.rows, others = left ? c.columns : c.rows;
  if ((left ? c.rows : c.columns) != rows || taus.columns > packed.columns ||
      packed.columns > rows)
    return "the matrix does not fit the reflectors";
  // c qᴴ is (q cᴴ)ᴴ.
  auto element = [&](int64_t i, int64_t other) -> Complex & {
    return left ? c.at(i, other) : c.at(other, i);
  };
  auto conjugate = [&] {
    for (Complex &value : c.values)
      value = left ? value : std::conj(value);
  };
  bool forward = left ? adjoint : !adjoint;
  conjugate();
  for (int64_t step = 0; step < taus.columns; ++step) {
    int64_t k = forward ? step : taus.columns - 1 - step;
    Complex tau = forward ? std::conj(taus[k]) : taus[k];
    auto v = [&](int64_t i) { return i == k ? Complex(1) : packed.at(i, k); };
    for (int64_t other = 0; other < others; ++other) {
      Complex sum = 0;
      for (int64_t i = k; i < rows; ++i)
        sum += std::conj(v(i)) * element(i, other);
      for (int64_t i = k; i < rows; ++i)
        element(i, other) -= tau * sum * v(i);
    }
  }
  conjugate();
  return "";
}

static std::string lu(const LapackCall &call, ArrayRef<Dense> in,
                      MutableArrayRef<Dense> out) {
  Dense factors[] = {out[0], out[1], Dense(1, in[0].rows)};
  call.run("lu", {}, in, factors);
  out[0] = factors[0];
  for (int64_t i = 0; i < out[1].columns; ++i)
    out[1][i] = factors[1][i] + 1.0; // LAPACK counts from 1.
  return "";
}

static std::string triangularSolve(const LapackCall &call, ArrayRef<Dense> in,
                                   MutableArrayRef<Dense> out) {
  bool left = call.isLetter("side", 'L', 'L');
  if ((left ? in[1].rows : in[1].columns) != in[0].rows)
    return "the triangle does not fit the other operand";
  StringRef transpose = call.isLetter("trans_x", 'N', 'N')   ? "NO_TRANSPOSE"
                        : call.isLetter("trans_x", 'T', 'N') ? "TRANSPOSE"
                                                             : "ADJOINT";
  Builder builder(call.op->getContext());
  NamedAttribute parameters[] = {
      call.flag("left_side", left),
      call.flag("lower", call.isLetter("uplo", 'L', 'L')),
      call.flag("unit_diagonal", call.isLetter("diag", 'U', 'N')),
      builder.getNamedAttr("transpose_a", builder.getStringAttr(transpose))};
  call.run("triangular_solve", parameters, in, out);
  return "";
}

static std::string tridiagonalSolve(const LapackCall &call, ArrayRef<Dense> in,
                                    MutableArrayRef<Dense> out) {
  call.run("tridiagonal_solve", {}, in, out.drop_front(3));
  return "";
}

static std::string eigh(const LapackCall &call, ArrayRef<Dense> in,
                        MutableArrayRef<Dense> out) {
  call.run("eigh", call.flag("lower", call.isLetter("uplo", 'L', 'L')), in,
           out);
  return "";
}

static std::string svd(const LapackCall &call, ArrayRef<Dense> in,
                       MutableArrayRef<Dense> out) {
  bool vectors = !call.isLetter("mode", 'N', 'A');
  bool full = call.isLetter("mode", 'A', 'A');
  int64_t count = std::min(in[0].rows, in[0].columns);
  if (vectors && (out[2].columns != (full ? in[0].rows : count) ||
                  out[3].rows != (full ? in[0].columns : count)))
    return "there are other numbers of vectors than `mode` asks for";
  Dense found[] = {out[1], out[2], out[3]};
  NamedAttribute parameters[] = {call.flag("compute_uv", vectors),
                                 call.flag("full_matrices", full)};
  call.run("svd", parameters, in,
           MutableArrayRef(found).take_front(vectors ? 3 : 1));
  std::copy(std::begin(found), std::end(found), out.begin() + 1);
  return "";
}

/// The eigenvalues of a real matrix are two results.
static std::string eig(const LapackCall &call, ArrayRef<Dense> in,
                       MutableArrayRef<Dense> out) {
  bool wantsLeft = call.isLetter("compute_left", 'V', 'N');
  bool wantsRight = call.isLetter("compute_right", 'V', 'N');
  unsigned left = out.size() - 3;
  SmallVector<Dense> found = {out[0]};
  found.append(unsigned(wantsLeft) + wantsRight, out[left]);
  NamedAttribute parameters[] = {call.flag("compute_left", wantsLeft),
                                 call.flag("compute_right", wantsRight)};
  call.run("eig", parameters, in, found);
  for (int64_t i = 0; i < in[0].rows; ++i) {
    out[0][i] = left == 2 ? found[0][i].real() : found[0][i];
    if (left == 2)
      out[1][i] = found[0][i].imag();
  }
  if (wantsLeft)
    out[left] = found[1];
  if (wantsRight)
    out[left + 1] = found.back();
  out[left + 2][0] = holdsNan(found[0]);
  return "";
}

static std::string schur(const LapackCall &call, ArrayRef<Dense> in,
                         MutableArrayRef<Dense> out) {
  if (!call.isLetter("sort", 'N', 'N'))
    return "eigenvalues are not sorted";
  call.run("schur", {}, in, out);
  out.back()[0] = holdsNan(out[0]);
  return "";
}

static std::string hessenberg(const LapackCall &call, ArrayRef<Dense> in,
                              MutableArrayRef<Dense> out) {
  auto low = dyn_cast_or_null<IntegerAttr>(call.option("low"));
  auto high = dyn_cast_or_null<IntegerAttr>(call.option("high"));
  if ((low && low.getValue() != 1) || (high && high.getValue() != in[0].rows))
    return "part of a matrix is not reduced";
  call.run("hessenberg", {}, in, out);
  return "";
}

static std::string tridiagonal(const LapackCall &call, ArrayRef<Dense> in,
                               MutableArrayRef<Dense> out) {
  bool lower = call.isLetter("uplo", 'L', 'L');
  call.run("tridiagonal", call.flag("lower", lower), in, out);
  // LAPACK leaves the other triangle alone.
  for (int64_t i = 0; i < in[0].rows; ++i)
    for (int64_t j = lower ? i + 1 : 0; j < (lower ? in[0].columns : i); ++j)
      out[0].at(i, j) = in[0].at(i, j);
  return "";
}

/// Those that differ between releases of JAX, or between real and complex
/// matrices, have several rows.
static const LapackRoutine kRoutines[] = {
    {"potrf", "nn", "nn .", cholesky},
    {"geqrf", "mn", "mn k", qr},
    {"geqrf", "mn", "mn k .", qr},
    {"orgqr", "mn j", "mn", householderProduct},
    {"orgqr", "mn j", "mn .", householderProduct},
    {"ungqr", "mn j", "mn", householderProduct},
    {"ungqr", "mn j", "mn .", householderProduct},
    {"ormqr", "mn j pq", "pq", householderMultiply},
    {"ormqr", "mn j pq", "pq .", householderMultiply},
    {"unmqr", "mn j pq", "pq", householderMultiply},
    {"unmqr", "mn j pq", "pq .", householderMultiply},
    {"getrf", "mn", "mn k .", lu},
    {"trsm", "nn pq", "pq", triangularSolve},
    {"gtsv", "n n n nq", "!n !n !n nq .", tridiagonalSolve},
    {"syevd", "nn", "nn n .", eigh},
    {"heevd", "nn", "nn n .", eigh},
    {"gesdd", "mn", "!mn k mu vn .", svd},
    {"gesvd", "mn", "!mn k mu vn .", svd},
    {"geev", "nn", "n nn nn .", eig},
    {"geev", "nn", "n n nn nn .", eig},
    {"gees", "nn", "nn nn !n . .", schur},
    {"gees", "nn", "nn nn !n !n . .", schur},
    {"gehrd", "nn", "nn h .", hessenberg},
    {"sytrd", "nn", "nn n h h .", tridiagonal},
    {"hetrd", "nn", "nn n h h .", tridiagonal},
};

namespace {
/// Gives letters their numbers.
class Sizes {
public:
  /// Whether the last dimensions of `shape` are those of `word`; letters not
  /// met yet take what they find.
  bool bind(StringRef word, ArrayRef<int64_t> shape, size_t batchRank) {
    if (shape.size() != batchRank + word.size())
      return false;
    for (auto [letter, size] :
         llvm::zip_equal(word, shape.drop_front(batchRank))) {
      int64_t known = get(letter);
      if (known < 0 && size >= 0)
        sizes[letter] = known = size;
      if (known != size && size >= 0)
        return false;
    }
    return true;
  }
  /// Negative where nothing tells.
  int64_t get(char letter) const {
    if (letter == 'k')
      return std::min(get('m'), get('n'));
    if (letter == 'h')
      return std::max<int64_t>(get('n') - 1, 0);
    auto found = sizes.find(letter);
    return found == sizes.end() ? -1 : found->second;
  }

private:
  llvm::SmallDenseMap<char, int64_t> sizes;
};
} // namespace

static SmallVector<StringRef> wordsOf(StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, ' ');
  return words;
}

/// The dimensions of a word without its marks.
static StringRef lettersOf(StringRef word) {
  word.consume_front("!");
  return word == "." ? "" : word;
}

/// Computes all results, element by element of the batch.
static LogicalResult evaluate(Invocation &call, const LapackRoutine &routine) {
  LapackCall lapack{call.op};
  StringRef target = cast<stablehlo::CustomCallOp>(call.op).getCallTargetName();
  auto misfit = [&]() -> LogicalResult {
    return call.error(ErrorCode::CustomCallForm)
           << "calls '" << target
           << "', whose operands and results have other shapes";
  };
  SmallVector<StringRef> words = wordsOf(routine.operands);
  Sizes sizes;
  SmallVector<Batch> in, out;
  size_t rank = call.tensor(0).rank(), unit = words[0].size();
  if (rank < unit)
    return misfit();
  ArrayRef<int64_t> batch = call.tensor(0).shape().drop_back(unit);
  for (auto [i, word] : llvm::enumerate(words)) {
    const HostTensor &tensor = call.tensor(i);
    if (!sizes.bind(word, tensor.shape(), batch.size()) ||
        tensor.shape().take_front(batch.size()) != batch)
      return misfit();
    in.push_back(loadBatch(tensor));
  }
  for (auto [result, word] :
       llvm::zip_equal(call.op->getResults(), wordsOf(routine.results))) {
    StringRef letters = lettersOf(word);
    if (!sizes.bind(letters,
                    cast<RankedTensorType>(result.getType()).getShape(),
                    batch.size()))
      return misfit();
    if (word.starts_with("!") && !result.use_empty())
      return call.error(ErrorCode::CustomCallForm)
             << "calls '" << target << "' and uses what it leaves in result "
             << result.getResultNumber();
    Batch whole{Extents(batch), {}};
    for (char letter : letters) {
      if (sizes.get(letter) < 0)
        return misfit();
      whole.shape.push_back(sizes.get(letter));
    }
    whole.values.resize(numElements(whole.shape));
    out.push_back(std::move(whole));
  }
  for (int64_t number = 0; number < numElements(batch); ++number) {
    SmallVector<Dense> inputs, outputs;
    uint64_t extent = 1;
    for (const Batch &whole : in) {
      inputs.push_back(slice(whole, batch.size(), number));
      extent = std::max<uint64_t>({extent, uint64_t(inputs.back().rows),
                                   uint64_t(inputs.back().columns)});
    }
    for (const Batch &whole : out)
      outputs.push_back(slice(whole, batch.size(), number));
    if (failed(call.evaluator.countOperations(call.op, extent * extent)))
      return failure();
    std::string wrong = routine.function(lapack, inputs, outputs);
    if (!wrong.empty())
      return call.error(ErrorCode::CustomCallForm)
             << "calls '" << target << "': " << wrong;
    for (auto [whole, output] : llvm::zip_equal(out, outputs))
      std::copy(output.values.begin(), output.values.end(),
                whole.values.begin() + number * output.values.size());
  }
  for (const Batch &whole : out)
    if (failed(giveBatch(call, whole)))
      return failure();
  return success();
}

std::optional<LogicalResult> reference::applyLapackCall(Invocation &call,
                                                        StringRef target) {
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") ||
      target.empty() || !StringRef("sdcz").contains(target.front()))
    return std::nullopt;
  target = target.drop_front();
  bool known = false;
  for (const LapackRoutine &routine : kRoutines) {
    if (target != routine.name)
      continue;
    known = true;
    // Real matrices have one more result where eigenvalues come in parts.
    if (wordsOf(routine.operands).size() == call.operands.size() &&
        wordsOf(routine.results).size() == call.op->getNumResults() &&
        llvm::all_of(
            call.operands,
            [](const InterpreterValue &value) { return bool(value.tensor); }) &&
        llvm::all_of(call.op->getResultTypes(),
                     llvm::IsaPred<RankedTensorType>))
      return evaluate(call, routine);
  }
  if (!known)
    return std::nullopt;
  return LogicalResult(call.error(ErrorCode::CustomCallForm)
                       << "calls 'lapack_" << target
                       << "' with other operands and results than it has");
}
