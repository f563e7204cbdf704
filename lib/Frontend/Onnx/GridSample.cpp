// Images read along a grid, and the grids of affine transformations.

#include "NodeImporter.h"
#include "Sampling.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Grid coordinates from -1 to 1, of the last spatial dimension first, over the
/// elements' centres (align_corners) or over the whole image.
static LogicalResult importGridSample(NodeImporter &node) {
  Emitter &emit = node.emit;
  StringRef mode = node.stringAttribute("mode", "linear");
  StringRef padding = node.stringAttribute("padding_mode", "zeros");
  bool aligned = node.integerAttribute("align_corners", 0) != 0;
  int64_t spatial = node.rank(0) - 2;
  OwnedExtents from = node.knownShape(0), to = node.knownShape(1);
  if (mode == "bilinear")
    mode = "linear";
  if (mode == "bicubic")
    mode = "cubic";
  if (mode != "linear" && mode != "nearest" && mode != "cubic")
    return node.invalid("mode '" + mode + "' is unknown");
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    return node.invalid("padding_mode '" + padding + "' is unknown");
  if (spatial < 1 || node.rank(1) != spatial + 2 || to.back() != spatial ||
      to[0] != from[0] || !isa<FloatType>(node.element(1)))
    return node.invalid("a grid of the shape " + spellShape(node.shape(1)) +
                        " does not fit an input of the shape " +
                        spellShape(node.shape(0)));
  if (mode == "cubic" && spatial != 2)
    return node.invalid("mode cubic is for images of two dimensions");
  if (spatial > 3)
    return node.unsupported("images of more than three dimensions");
  for (int64_t extent : Extents(from).drop_front(2))
    if (extent < 1 || extent > (1 << 24))
      return node.unsupported("images that are empty or very long");
  if (!isa<FloatType>(node.element(0)) && mode != "nearest")
    return node.unsupported("interpolation between integers");
  Border border = padding == "zeros"    ? Border::Zeros
                  : padding == "border" ? Border::Edge
                  : aligned             ? Border::ReflectCentres
                                        : Border::ReflectEdges;

  Extents places = Extents(to).drop_front().drop_back();
  int64_t batch = from[0], count = ShapedType::getNumElements(places);
  Value grid = node.operand(1);
  if (node.element(1).getIntOrFloatBitWidth() < 32)
    grid = emit.convert(grid, node.builder().getF32Type());
  grid = emit.reshape(grid, {batch, count, spatial});
  SmallVector<Taps> taps;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t extent = from[2 + i], column = spatial - 1 - i;
    Value place = emit.reshape(emit.sliceDim(grid, 2, column, column + 1),
                               {batch, count});
    // (g + 1) / 2 of the span, less half an element where that ends at edges.
    double span = double(aligned ? extent - 1 : extent);
    place = emit.add(emit.multiply(place, emit.splatLike(place, span / 2)),
                     emit.splatLike(place, double(extent - 1) / 2));
    place = nearImage(emit, place, extent, border);
    taps.push_back(mode == "nearest"  ? nearestTap(emit, place)
                   : mode == "linear" ? linearTaps(emit, place)
                                      : cubicTaps(emit, place));
  }
  Value result = readTaps(emit, {node.operand(0)}, taps, border);
  if (emit.hasFault())
    return failure();
  OwnedExtents shape{batch, from[1]};
  shape.append(places.begin(), places.end());
  return node.result(emit.reshape(result, shape));
}

/// The grid that GridSample reads for an affine transformation: each place of
/// the wanted size, from -1 to 1, times the matrix.
static LogicalResult importAffineGrid(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool aligned = node.integerAttribute("align_corners", 0) != 0;
  std::optional<OwnedExtents> size = node.integers(1, "the size");
  if (!size)
    return failure();
  int64_t spatial = int64_t(size->size()) - 2;
  OwnedExtents matrices = node.knownShape(0);
  if (spatial < 1 || spatial > 3 || node.rank(0) != 3 ||
      matrices[0] != size->front() || matrices[1] != spatial ||
      matrices[2] != spatial + 1)
    return node.invalid("matrices of the shape " + spellShape(node.shape(0)) +
                        " do not fit the size " + spellShape(*size));
  Extents places = Extents(*size).drop_front(2);
  if (llvm::any_of(places, [](int64_t e) { return e < 1 || e > (1 << 24); }))
    return node.unsupported("grids that are empty or very long");
  Type element = node.element(0);
  RankedTensorType type = emit.type(places, element);
  if (emit.hasFault())
    return failure();
  // [places..., x y (z) 1]
  OwnedExtents column(places);
  column.push_back(1);
  SmallVector<Value> columns;
  for (int64_t i = spatial; i-- > 0;) {
    double extent = double(places[i]);
    double step = aligned ? (extent > 1 ? 2 / (extent - 1) : 0) : 2 / extent;
    double first = aligned ? (extent > 1 ? -1 : 0) : -1 + 1 / extent;
    Value index = emit.iota(type, i);
    Value place = emit.add(emit.multiply(index, emit.splatLike(index, step)),
                           emit.splatLike(index, first));
    columns.push_back(emit.reshape(place, column));
  }
  columns.push_back(emit.splat(emit.type(column, element), 1));
  Value base = emit.reshape(emit.concatenate(columns, spatial),
                            {ShapedType::getNumElements(places), spatial + 1});
  // [batch, spatial, places] to [batch, places..., spatial]
  Value grid = emit.dotGeneral(node.operand(0), base, {}, {}, {2}, {1});
  OwnedExtents shape{size->front()};
  shape.append(places.begin(), places.end());
  shape.push_back(spatial);
  return node.result(emit.reshape(emit.transpose(grid, {0, 2, 1}), shape));
}

void heddle::onnx::addGridSample(OperatorTable &table) {
  table.add("GridSample", {16, 20, 22}, 2, 2, importGridSample);
  table.add("AffineGrid", {20}, 2, 2, importAffineGrid);
}
