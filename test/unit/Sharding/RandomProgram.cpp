// Programs of StableHLO by chance, as text.

#include "test/unit/Sharding/RandomProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace heddle::sharding {
namespace {

using Shape = std::vector<int64_t>;

class Program {
public:
  Program(Random &random, bool isExact)
      : random(random), element(isExact ? "i32" : "f32"), isExact(isExact) {}

  std::string make() {
    std::string arguments;
    int64_t count = 1 + below(random, 3);
    for (int64_t i = 0; i < count; ++i) {
      Shape shape = randomShape();
      std::string name = "%a" + std::to_string(i);
      arguments += (i ? ", " : "") + name + ": " + type(shape);
      values.push_back({name, shape});
    }
    int64_t steps = 2 + below(random, 7);
    for (int64_t i = 0; i < steps; ++i)
      step();
    // The last value, and one of the others.
    const Value &last = values.back(), &other = any();
    return "func.func @f(" + arguments + ") -> (" + type(last.shape) + ", " +
           type(other.shape) + ") {\n" + body + "  return " + last.name + ", " +
           other.name + " : " + type(last.shape) + ", " + type(other.shape) +
           "\n}\n";
  }

private:
  struct Value {
    std::string name;
    Shape shape;
  };

  //===--- Text -----------------------------------------------------------===//

  std::string type(const Shape &shape, const std::string &of = "") {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + (of.empty() ? element : of) + ">";
  }
  static std::string list(const Shape &numbers) {
    return "[" +
           llvm::join(llvm::map_range(
                          numbers, [](int64_t n) { return std::to_string(n); }),
                      ", ") +
           "]";
  }
  std::string array(const Shape &numbers) {
    std::string text = list(numbers);
    return "array<i64" + std::string(numbers.empty() ? "" : ": ") +
           text.substr(1, text.size() - 2) + ">";
  }
  void emit(const Shape &shape, const std::string &text) {
    std::string name = "%" + std::to_string(next++);
    body += "  " + name + " = " + text + "\n";
    values.push_back({name, shape});
  }
  std::string helper(const std::string &text) {
    std::string name = "%h" + std::to_string(next++);
    body += "  " + name + " = " + text + "\n";
    return name;
  }
  std::string scalar(const std::string &value) {
    return helper("stablehlo.constant dense<" + value + "> : " + type({}));
  }
  std::string zero() { return scalar(isExact ? "0" : "0.0"); }

  //===--- Chance ---------------------------------------------------------===//

  int64_t size() {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12};
    return sizes[below(random, std::size(sizes))];
  }
  Shape randomShape() {
    Shape shape;
    for (int64_t rank = 1 + below(random, 3); rank > 0; --rank)
      shape.push_back(size());
    return shape;
  }
  // By value: what is emitted later moves the list.
  Value any() { return values[below(random, values.size())]; }
  Value anyOfRank(size_t least) {
    for (int tries = 0; tries < 20; ++tries)
      if (Value value = any(); value.shape.size() >= least)
        return value;
    Shape shape(least, 4);
    emit(shape, "stablehlo.iota dim = 0 : " + type(shape));
    return values.back();
  }
  /// Another value of a shape; one is made where there is none.
  Value like(const Shape &shape) {
    for (int tries = 0; tries < 6; ++tries)
      if (Value value = any(); value.shape == shape)
        return value;
    if (shape.empty() || below(random, 3) == 0) {
      emit(shape, "stablehlo.constant dense<" +
                      std::string(isExact ? "3" : "0.25") +
                      "> : " + type(shape));
    } else {
      emit(shape, "stablehlo.iota dim = " +
                      std::to_string(below(random, shape.size())) + " : " +
                      type(shape));
    }
    return values.back();
  }

  //===--- Steps ----------------------------------------------------------===//

  void step();
  void unary();
  void binary();
  void choose();
  void transpose();
  void reshape();
  void broadcast();
  void reduce();
  void dot();
  void softmax();
  void concatenate();
  void slice();
  void pad();
  void reverse();
  void gather();
  void scatter();
  /// A window at computed places: its shape, and the text of where it starts.
  struct Window {
    Shape shape;
    std::string starts, types;
  };
  Window windowOf(const Value &x);
  void dynamicSlice();
  void dynamicUpdate();
  void sort();
  void loop();
  void branch();
  /// Keeps numbers small after what makes them grow.
  void bound();

  Random &random;
  std::string element, body;
  bool isExact;
  int next = 0;
  std::vector<Value> values;
};

void Program::step() {
  using Step = void (Program::*)();
  static const Step steps[] = {
      &Program::unary,   &Program::binary,       &Program::binary,
      &Program::choose,  &Program::transpose,    &Program::reshape,
      &Program::reshape, &Program::broadcast,    &Program::reduce,
      &Program::reduce,  &Program::dot,          &Program::dot,
      &Program::softmax, &Program::concatenate,  &Program::slice,
      &Program::pad,     &Program::reverse,      &Program::gather,
      &Program::scatter, &Program::dynamicSlice, &Program::dynamicUpdate,
      &Program::sort,    &Program::loop,         &Program::branch};
  (this->*steps[below(random, std::size(steps))])();
}

void Program::bound() {
  if (isExact)
    return;
  Value x = values.back();
  emit(x.shape, "stablehlo.tanh " + x.name + " : " + type(x.shape));
}

void Program::unary() {
  Value x = any();
  static const char *const exact[] = {"negate", "abs", "sign"};
  static const char *const real[] = {"negate", "tanh", "logistic", "abs"};
  std::string name = isExact ? exact[below(random, 3)] : real[below(random, 4)];
  emit(x.shape, "stablehlo." + name + " " + x.name + " : " + type(x.shape));
}

void Program::binary() {
  Value x = any(), y = like(x.shape);
  static const char *const names[] = {"add", "subtract", "multiply", "maximum",
                                      "minimum"};
  emit(x.shape, std::string("stablehlo.") + names[below(random, 5)] + " " +
                    x.name + ", " + y.name + " : " + type(x.shape));
  bound();
}

/// Comparisons of rounded numbers would tell the smallest differences.
void Program::choose() {
  Value x = any(), y = like(x.shape);
  std::string places =
      helper("stablehlo.iota dim = 0 : " +
             type(x.shape.empty() ? Shape{1} : x.shape, "i32"));
  if (x.shape.empty())
    return unary();
  std::string middle =
      helper("stablehlo.constant dense<2> : " + type(x.shape, "i32"));
  std::string mask =
      helper("stablehlo.compare LT, " + places + ", " + middle + " : (" +
             type(x.shape, "i32") + ", " + type(x.shape, "i32") + ") -> " +
             type(x.shape, "i1"));
  emit(x.shape, "stablehlo.select " + mask + ", " + x.name + ", " + y.name +
                    " : " + type(x.shape, "i1") + ", " + type(x.shape));
}

void Program::transpose() {
  Value x = any();
  Shape order(x.shape.size()), shape;
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (int64_t dim : order)
    shape.push_back(x.shape[dim]);
  emit(shape, "stablehlo.transpose " + x.name + ", dims = " + list(order) +
                  " : (" + type(x.shape) + ") -> " + type(shape));
}

void Program::reshape() {
  Value x = any();
  // The prime factors of all sizes, in order, with other borders.
  Shape primes, shape;
  for (int64_t size : x.shape)
    for (int64_t prime = 2; size > 1;)
      if (size % prime == 0) {
        primes.push_back(prime);
        size /= prime;
      } else {
        ++prime;
      }
  if (below(random, 3) == 0)
    std::shuffle(primes.begin(), primes.end(), random);
  shape.push_back(1);
  for (int64_t prime : primes) {
    if (shape.back() > 1 && shape.size() < 4 && below(random, 2))
      shape.push_back(1);
    shape.back() *= prime;
  }
  if (below(random, 4) == 0 && shape.size() < 4)
    shape.insert(shape.begin() + below(random, shape.size() + 1), 1);
  emit(shape, "stablehlo.reshape " + x.name + " : (" + type(x.shape) + ") -> " +
                  type(shape));
}

void Program::broadcast() {
  Value x = any();
  if (x.shape.size() > 3)
    return unary();
  Shape shape = x.shape, dims;
  for (size_t i = 0; i < shape.size(); ++i)
    dims.push_back(i);
  int64_t place = below(random, shape.size() + 1);
  shape.insert(shape.begin() + place, size());
  for (int64_t &dim : dims)
    dim += dim >= place;
  for (size_t i = 0; i < dims.size(); ++i)
    if (x.shape[i] == 1 && below(random, 2))
      shape[dims[i]] = size();
  emit(shape, "stablehlo.broadcast_in_dim " + x.name + ", dims = " +
                  list(dims) + " : (" + type(x.shape) + ") -> " + type(shape));
}

void Program::reduce() {
  Value x = anyOfRank(1);
  Shape dims, shape;
  for (size_t dim = 0; dim < x.shape.size(); ++dim)
    if (below(random, 2))
      dims.push_back(dim);
    else
      shape.push_back(x.shape[dim]);
  static const char *const names[] = {"add", "maximum", "minimum"};
  std::string name = names[below(random, 3)];
  std::string init = scalar(isExact ? std::to_string(below(random, 3))
                            : below(random, 2) ? "0.0"
                                               : "0.5");
  emit(shape, "stablehlo.reduce(" + x.name + " init: " + init +
                  ") applies stablehlo." + name +
                  " across dimensions = " + list(dims) + " : (" +
                  type(x.shape) + ", " + type({}) + ") -> " + type(shape));
  bound();
}

void Program::dot() {
  Value x = anyOfRank(1);
  int64_t summed = below(random, x.shape.size());
  bool hasBatch = x.shape.size() > 1 && below(random, 2);
  int64_t batch = summed == 0 ? 1 : 0;
  Shape other;
  if (hasBatch)
    other.push_back(x.shape[batch]);
  other.push_back(x.shape[summed]);
  if (below(random, 4))
    other.push_back(size());
  Value y = like(other);
  Shape shape;
  if (hasBatch)
    shape.push_back(x.shape[batch]);
  for (int64_t dim = 0; dim < int64_t(x.shape.size()); ++dim)
    if (dim != summed && !(hasBatch && dim == batch))
      shape.push_back(x.shape[dim]);
  for (size_t dim = hasBatch ? 2 : 1; dim < other.size(); ++dim)
    shape.push_back(other[dim]);
  std::string batching =
      hasBatch ? ", batching_dims = [" + std::to_string(batch) + "] x [0]" : "";
  emit(shape, "stablehlo.dot_general " + x.name + ", " + y.name + batching +
                  ", contracting_dims = [" + std::to_string(summed) + "] x [" +
                  (hasBatch ? "1" : "0") + "] : (" + type(x.shape) + ", " +
                  type(other) + ") -> " + type(shape));
  bound();
}

void Program::softmax() {
  if (isExact)
    return reduce();
  Value x = anyOfRank(1);
  int64_t dim = below(random, x.shape.size());
  Shape less = x.shape, kept;
  less.erase(less.begin() + dim);
  for (int64_t i = 0; i < int64_t(x.shape.size()); ++i)
    if (i != dim)
      kept.push_back(i);
  auto along = [&](const std::string &of, const std::string &init,
                   const std::string &name) {
    std::string reduced =
        helper("stablehlo.reduce(" + of + " init: " + scalar(init) +
               ") applies stablehlo." + name + " across dimensions = [" +
               std::to_string(dim) + "] : (" + type(x.shape) + ", " + type({}) +
               ") -> " + type(less));
    return helper("stablehlo.broadcast_in_dim " + reduced + ", dims = " +
                  list(kept) + " : (" + type(less) + ") -> " + type(x.shape));
  };
  std::string most = along(x.name, "0xFF800000", "maximum");
  std::string shifted = helper("stablehlo.subtract " + x.name + ", " + most +
                               " : " + type(x.shape));
  std::string power =
      helper("stablehlo.exponential " + shifted + " : " + type(x.shape));
  std::string sum = along(power, "0.0", "add");
  emit(x.shape,
       "stablehlo.divide " + power + ", " + sum + " : " + type(x.shape));
}

void Program::concatenate() {
  Value x = anyOfRank(1);
  int64_t dim = below(random, x.shape.size());
  Shape other = x.shape, shape = x.shape;
  other[dim] = size();
  Value y = like(other);
  shape[dim] += other[dim];
  emit(shape, "stablehlo.concatenate " + x.name + ", " + y.name +
                  ", dim = " + std::to_string(dim) + " : (" + type(x.shape) +
                  ", " + type(other) + ") -> " + type(shape));
}

void Program::slice() {
  Value x = anyOfRank(1);
  Shape begin, end, stride, shape;
  for (int64_t size : x.shape) {
    bool isWhole = below(random, 2);
    begin.push_back(isWhole ? 0 : below(random, size));
    end.push_back(
        isWhole ? size : begin.back() + 1 + below(random, size - begin.back()));
    stride.push_back(isWhole ? 1 : 1 + below(random, 2));
    shape.push_back((end.back() - begin.back() + stride.back() - 1) /
                    stride.back());
  }
  std::string ranges;
  for (size_t i = 0; i < begin.size(); ++i)
    ranges += (i ? ", " : "") + std::to_string(begin[i]) + ":" +
              std::to_string(end[i]) + ":" + std::to_string(stride[i]);
  emit(shape, "stablehlo.slice " + x.name + " [" + ranges + "] : (" +
                  type(x.shape) + ") -> " + type(shape));
}

void Program::pad() {
  Value x = anyOfRank(1);
  Shape low, high, interior, shape;
  for (int64_t size : x.shape) {
    bool isWhole = below(random, 2);
    low.push_back(isWhole ? 0 : below(random, 3));
    high.push_back(isWhole ? 0 : below(random, 3) - (size > 1));
    interior.push_back(isWhole ? 0 : below(random, 2));
    shape.push_back(size + low.back() + high.back() +
                    (size - 1) * interior.back());
  }
  std::string value = scalar(isExact ? "7" : "0.75");
  emit(shape, "stablehlo.pad " + x.name + ", " + value +
                  ", low = " + list(low) + ", high = " + list(high) +
                  ", interior = " + list(interior) + " : (" + type(x.shape) +
                  ", " + type({}) + ") -> " + type(shape));
}

void Program::reverse() {
  Value x = anyOfRank(1);
  emit(x.shape, "stablehlo.reverse " + x.name + ", dims = [" +
                    std::to_string(below(random, x.shape.size())) +
                    "] : " + type(x.shape));
}

/// Rows of a table, as an embedding takes them; some places lie outside.
void Program::gather() {
  Value x = anyOfRank(2);
  Shape places = {size()}, shape = {places[0]}, sizes = x.shape, offsets;
  sizes[0] = 1;
  for (size_t i = 1; i < x.shape.size(); ++i) {
    shape.push_back(x.shape[i]);
    offsets.push_back(i);
  }
  std::string iota = helper("stablehlo.iota dim = 0 : " + type(places, "i32"));
  emit(shape, "\"stablehlo.gather\"(" + x.name + ", " + iota +
                  ") {dimension_numbers = #stablehlo.gather<offset_dims = " +
                  list(offsets) +
                  ", collapsed_slice_dims = [0], start_index_map = [0], "
                  "index_vector_dim = 1>, slice_sizes = " +
                  array(sizes) + "} : (" + type(x.shape) + ", " +
                  type(places, "i32") + ") -> " + type(shape));
}

/// Rows that are added to those of a table.
void Program::scatter() {
  Value x = anyOfRank(2);
  Shape places = {size()}, update = x.shape, windows;
  update[0] = places[0];
  for (size_t i = 1; i < x.shape.size(); ++i)
    windows.push_back(i);
  Value y = like(update);
  std::string iota = helper("stablehlo.iota dim = 0 : " + type(places, "i32"));
  emit(x.shape,
       "\"stablehlo.scatter\"(" + x.name + ", " + iota + ", " + y.name +
           ") ({\n    ^bb0(%l: " + type({}) + ", %r: " + type({}) +
           "):\n      %s = stablehlo.add %l, %r : " + type({}) +
           "\n      stablehlo.return %s : " + type({}) +
           "\n  }) {scatter_dimension_numbers = "
           "#stablehlo.scatter<update_window_dims = " +
           list(windows) +
           ", inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
           "index_vector_dim = 1>} : (" +
           type(x.shape) + ", " + type(places, "i32") + ", " + type(update) +
           ") -> " + type(x.shape));
}

Program::Window Program::windowOf(const Value &x) {
  Window window;
  std::string start = helper("stablehlo.constant dense<1> : tensor<i32>");
  for (int64_t size : x.shape) {
    window.shape.push_back(below(random, 2) ? size : 1 + below(random, size));
    window.starts += ", " + start;
    window.types += ", tensor<i32>";
  }
  return window;
}

void Program::dynamicSlice() {
  Value x = anyOfRank(1);
  auto [shape, starts, types] = windowOf(x);
  emit(shape, "stablehlo.dynamic_slice " + x.name + starts +
                  ", sizes = " + list(shape) + " : (" + type(x.shape) + types +
                  ") -> " + type(shape));
}

void Program::dynamicUpdate() {
  Value x = anyOfRank(1);
  auto [shape, starts, types] = windowOf(x);
  Value y = like(shape);
  emit(x.shape, "stablehlo.dynamic_update_slice " + x.name + ", " + y.name +
                    starts + " : (" + type(x.shape) + ", " + type(shape) +
                    types + ") -> " + type(x.shape));
}

void Program::sort() {
  if (!isExact)
    return reverse();
  Value x = anyOfRank(1);
  emit(x.shape, "\"stablehlo.sort\"(" + x.name +
                    ") ({\n    ^bb0(%l: " + type({}) + ", %r: " + type({}) +
                    "):\n      %s = stablehlo.compare LT, %l, %r : (" +
                    type({}) + ", " + type({}) +
                    ") -> tensor<i1>\n      stablehlo.return %s : tensor<i1>"
                    "\n  }) {dimension = " +
                    std::to_string(below(random, x.shape.size())) +
                    " : i64} : (" + type(x.shape) + ") -> " + type(x.shape));
}

/// A loop of three rounds that reads a value from outside.
void Program::loop() {
  Value x = any(), y = like(x.shape);
  std::string zeroth = helper("stablehlo.constant dense<0> : tensor<i32>");
  std::string id = std::to_string(next++), of = type(x.shape);
  body += "  %w" + id + ":2 = stablehlo.while(%i" + id + " = " + zeroth +
          ", %v" + id + " = " + x.name + ") : tensor<i32>, " + of +
          "\n    cond {\n      %n" + id +
          " = stablehlo.constant dense<3> : tensor<i32>\n      %c" + id +
          " = stablehlo.compare LT, %i" + id + ", %n" + id +
          " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n      "
          "stablehlo.return %c" +
          id + " : tensor<i1>\n    } do {\n      %o" + id +
          " = stablehlo.constant dense<1> : tensor<i32>\n      %j" + id +
          " = stablehlo.add %i" + id + ", %o" + id +
          " : tensor<i32>\n      %u" + id + " = stablehlo.add %v" + id + ", " +
          y.name + " : " + of + "\n      stablehlo.return %j" + id + ", %u" +
          id + " : tensor<i32>, " + of + "\n    }\n";
  values.push_back({"%w" + id + "#1", x.shape});
  bound();
}

void Program::branch() {
  Value x = any(), y = like(x.shape);
  std::string which = helper("stablehlo.constant dense<" +
                             std::string(below(random, 2) ? "true" : "false") +
                             "> : tensor<i1>");
  std::string id = std::to_string(next++), of = type(x.shape);
  emit(x.shape, "\"stablehlo.if\"(" + which + ") ({\n      %t" + id +
                    " = stablehlo.subtract " + x.name + ", " + y.name + " : " +
                    of + "\n      stablehlo.return %t" + id + " : " + of +
                    "\n  }, {\n      stablehlo.return " + y.name + " : " + of +
                    "\n  }) : (tensor<i1>) -> " + of);
}

} // namespace

std::string randomProgram(Random &random, bool isExact) {
  return Program(random, isExact).make();
}

} // namespace heddle::sharding
