// Where devices stand on a mesh, and which parts of tensors are theirs.

#include "dialects/Sdy/DevicePositions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle::sdy {

AxisDigit digitOf(AxisRefAttr axis, MeshAttr mesh) {
  size_t place = mesh.indexOf(axis.getName());
  int64_t size = axis.sizeOn(mesh);
  int64_t stride = mesh.getAxes()[place].getSize() / (axis.getPreSize() * size);
  for (MeshAxisAttr minor : mesh.getAxes().drop_front(place + 1))
    stride *= minor.getSize();
  return {size, stride};
}

void appendCuts(SmallVectorImpl<int64_t> &cuts, int64_t dim,
                ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  for (AxisRefAttr axis : axes) {
    AxisDigit digit = digitOf(axis, mesh);
    cuts.append({dim, digit.size, digit.stride});
  }
}

int64_t partCount(ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  int64_t count = 1;
  for (AxisRefAttr axis : axes)
    count *= axis.sizeOn(mesh);
  return count;
}

int64_t partAt(ArrayRef<AxisRefAttr> axes, MeshAttr mesh, int64_t position) {
  int64_t part = 0;
  for (AxisRefAttr axis : axes) {
    AxisDigit digit = digitOf(axis, mesh);
    part = part * digit.size + digit.of(position);
  }
  return part;
}

int64_t deviceAt(MeshAttr mesh, int64_t position) {
  return mesh.getDeviceIds().empty() ? position : mesh.getDeviceIds()[position];
}

int64_t partSize(int64_t size, ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  return llvm::divideCeil(size, partCount(axes, mesh));
}

} // namespace heddle::sdy
