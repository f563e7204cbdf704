// make-models KERNELS GRID-KERNELS FOLDER: writes the test artifacts into the
// folder.

#include "test/runtime/TestModels.h"

#include <cstdio>

using namespace heddle::test;
using heddle::format::DeviceKind;

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  KernelImage image = KernelImage::read(argv[1]);
  std::string folder = argv[3];
  auto write = [&](const char *name, const Model &model) {
    heddle::format::Error error =
        model.write(image, folder + "/" + name + ".heddle");
    if (error)
      std::fprintf(stderr, "%s: %s\n", name, error.message().c_str());
    return !error;
  };
  Model stagedOnCuda = stagedModel(DeviceKind::cuda);
  stagedOnCuda.grid =
      std::make_shared<KernelImage>(KernelImage::readGrid(argv[2]));
  return write("addition", additionModel()) &&
                 write("churn", churnModel(2000)) &&
                 write("steps", stepsModel()) &&
                 write("control", controlModel()) &&
                 write("donated", donatedModel()) &&
                 write("custom", customModel()) &&
                 write("dynamic", dynamicModel()) &&
                 write("counted", countedModel()) &&
                 write("counted-rest", countedRestModel()) &&
                 write("counted-two", countedTwoModel()) &&
                 write("counted-between", countedBetweenModel()) &&
                 write("counted-chunk", countedChunkModel()) &&
                 write("counted-arena", countedArenaModel()) &&
                 write("counted-placed", countedPlacedModel()) &&
                 write("sized-arena", sizedArenaModel()) &&
                 write("vast-arena", vastArenaModel()) &&
                 write("sized-scratch", sizedScratchModel(256 * 1024)) &&
                 write("little-scratch", sizedScratchModel(40 * 1024)) &&
                 write("overlapping", overlappingModel()) &&
                 write("many-sizes", manySizesModel()) &&
                 write("deep", deepModel()) && write("select", selectModel()) &&
                 write("halved", halvedModel()) && write("open", openModel()) &&
                 write("beside", besideModel()) &&
                 write("solved", solvedModel()) &&
                 write("placed", placedModel()) &&
                 write("laid-out", laidOutModel()) &&
                 write("placed-loop", placedLoopModel()) &&
                 write("placed-batch", placedBatchModel()) &&
                 write("staged", stagedModel(DeviceKind::sim)) &&
                 write("staged-cuda", stagedOnCuda) &&
                 write("state", stateModel()) &&
                 write("placed-state", placedStateModel()) &&
                 write("kept", subnormalModel(/*flush=*/false)) &&
                 write("flushed", subnormalModel(/*flush=*/true)) &&
                 write("lowered", loweredModel("")) &&
                 write("estimated", loweredModel("E")) &&
                 write("large", largeModel())
             ? 0
             : 1;
}
