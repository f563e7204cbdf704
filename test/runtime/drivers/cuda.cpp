// What the driver of CUDA's devices says of code and commands that are wrong.
// Run with an emulated device of compute capability 9.0. Argument: the folder
// of the test models.

#include "test/runtime/drivers/Fixture.h"

using namespace heddle::runtime;
using namespace heddle::test;

/// An error that names `text`.
static bool says(const heddle_status &why, const char *text) {
  if (std::strstr(why.message, text))
    return true;
  std::fprintf(stderr, "not '%s': %s\n", text, why.message);
  return false;
}

static void testArchitectures(const heddle_driver &driver) {
  heddle_status why;
  for (const char *chip : {"sm_80", "sm_89", "sm_90", "sm_90a"})
    CHECK(!driver.runs(0, chip, &why));
  for (const char *chip :
       {"sm_80a", "sm_89f", "sm_100", "sm_100f", "sm_90b", "gfx942", ""})
    CHECK(driver.runs(0, chip, &why) == HEDDLE_TARGET_MISMATCH &&
          says(why, "'cuda:0' is sm_90 and does not run code for"));
}

static void testWrongImages(const Fixture &device, const KernelImage &grid) {
  heddle_status why;
  heddle_driver_image *image = nullptr;
  auto load = [&](const void *data, size_t bytes) {
    heddle_driver_code code = {data, bytes, -1, 0, 0};
    return device.driver.image_load(device.handle(), &code, &image, &why);
  };
  std::string text = "this is no PTX";
  CHECK(load(text.c_str(), text.size() + 1) == HEDDLE_CODE_INVALID &&
        says(why, "cuModuleLoadDataEx"));
  CHECK(load(grid.bytes.data(), grid.bytes.size() - 1) == HEDDLE_CODE_INVALID &&
        says(why, "does not end in a zero"));
  CHECK(!load(grid.bytes.data(), grid.bytes.size()));
  heddle_driver_kernel_info info = {};
  info.name = "nowhere";
  info.block[0] = 32;
  const heddle_driver_kernel *kernel = nullptr;
  CHECK(device.driver.image_kernel(image, &info, &kernel, &why) ==
            HEDDLE_CODE_INVALID &&
        says(why, "kernel 'nowhere'"));
  device.driver.image_unload(image);
}

/// Kernels that want more shared memory than there is, and tensor maps that
/// cannot be made.
static void testWrongKernels(const Fixture &device, const KernelImage &grid) {
  heddle_status why;
  heddle_driver_image *image = nullptr;
  heddle_driver_code code = {grid.bytes.data(), grid.bytes.size(), -1, 0, 0};
  CHECK(!device.driver.image_load(device.handle(), &code, &image, &why));
  heddle_driver_kernel_info info = {};
  info.name = "count";
  info.block[0] = 32;
  info.shared_bytes = 1 << 24;
  const heddle_driver_kernel *kernel = nullptr;
  CHECK(device.driver.image_kernel(image, &info, &kernel, &why) ==
            HEDDLE_CODE_INVALID &&
        says(why, "kernel 'count' wants 16777216 bytes of shared memory"));
  info.shared_bytes = 0;

  heddle_driver_queue *queue = device.queue();
  void *memory = device.allocate(4096);
  constexpr uint32_t bf16 = 33;
  heddle_driver_tensor_map map = {0, bf16, 2, 128, 0, {64, 32}, {128}, {64, 8}};
  auto launch = [&](int32_t expected, const char *text) {
    info.maps = &map;
    info.map_count = 1;
    CHECK(!device.driver.image_kernel(image, &info, &kernel, &why));
    submit(device, queue, {countUp(device, kernel, memory, 10, 1)});
    CHECK(device.driver.queue_wait(queue, 0, &why) == expected &&
          (!expected || says(why, text)));
  };
  launch(HEDDLE_OK, "");
  map.buffer = 9;
  launch(HEDDLE_ARGUMENT_INVALID, "a launch lacks buffer 9");
  map.buffer = 0;
  map.dtype = 0;
  launch(HEDDLE_CODE_INVALID, "has no tensor maps of this element type");
  map.dtype = bf16;
  map.strides[0] = 100;
  launch(HEDDLE_DEVICE_FAILED, "cuTensorMapEncodeTiled");
  device.free(memory);
  device.driver.queue_destroy(queue);
  device.driver.image_unload(image);
}

/// Kernels that are one function keep the launch data that each was found with.
static void testKernelsOfOneName(const Fixture &device,
                                 const KernelImage &grid) {
  heddle_status why;
  heddle_driver_image *image = nullptr;
  heddle_driver_code code = {grid.bytes.data(), grid.bytes.size(), -1, 0, 0};
  CHECK(!device.driver.image_load(device.handle(), &code, &image, &why));
  heddle_driver_kernel_info info = {};
  info.name = "count";
  info.block[0] = 32;
  const heddle_driver_kernel *plain = nullptr, *copying = nullptr;
  CHECK(!device.driver.image_kernel(image, &info, &plain, &why));
  // A buffer that no launch here has.
  constexpr uint32_t bf16 = 33;
  heddle_driver_tensor_map map = {9, bf16, 2, 128, 0, {64, 32}, {128}, {64, 8}};
  info.maps = &map;
  info.map_count = 1;
  CHECK(!device.driver.image_kernel(image, &info, &copying, &why));
  CHECK(plain != copying);
  heddle_driver_queue *queue = device.queue();
  void *memory = device.allocate(4096);
  submit(device, queue, {countUp(device, plain, memory, 10, 1)});
  CHECK(!device.driver.queue_wait(queue, 0, &why));
  submit(device, queue, {countUp(device, copying, memory, 10, 1)});
  CHECK(device.driver.queue_wait(queue, 0, &why) == HEDDLE_ARGUMENT_INVALID);
  device.free(memory);
  device.driver.queue_destroy(queue);
  device.driver.image_unload(image);
}

/// What is refused stays with its queue and passes on through events; the queue
/// is as new when it was told.
static void testErrorsStayInQueues(const Fixture &device) {
  heddle_status why;
  heddle_driver_queue *first = device.queue(), *second = device.queue();
  heddle_driver_event *event = device.event();
  int32_t from = 7, to = 0;
  Command within = copyTo(device, &to, &from, 4);
  within.uses[0].device = nullptr;
  submit(device, first, {within}, {}, {event});
  void *memory = device.allocate(64);
  submit(device, second, {fill(device, memory, 1, 4, 64)}, {event});
  CHECK(device.driver.queue_wait(first, 0, &why) == HEDDLE_ARGUMENT_INVALID &&
        says(why, "copies no memory of the process to itself"));
  CHECK(device.driver.queue_wait(second, 0, &why) == HEDDLE_ARGUMENT_INVALID);
  CHECK(device.driver.event_wait(event, 0, &why) == HEDDLE_ARGUMENT_INVALID);
  submit(device, first, {fill(device, memory, 5, 4, 64)}, {}, {event});
  submit(device, second, {copyFrom(device, &to, memory, 4)}, {event});
  finish(device, first);
  finish(device, second);
  CHECK(to == 5);
  device.free(memory);
  device.driver.event_destroy(event);
  device.driver.queue_destroy(first);
  device.driver.queue_destroy(second);
}

/// A fault of a kernel is the end of the device.
static void testLostDevice(Fixture &device, const KernelImage &grid) {
  heddle_status why;
  heddle_driver_queue *queue = device.queue();
  const heddle_driver_kernel *count = device.kernel(grid, "count");
  submit(device, queue,
         {countUp(device, count, reinterpret_cast<void *>(64), 10, 1)});
  CHECK(device.driver.queue_wait(queue, 0, &why) == HEDDLE_DEVICE_FAILED &&
        says(why, "the device is lost to this process"));
  std::string first = why.message;
  void *memory = nullptr;
  CHECK(device.driver.allocate(device.handle(), device.space, 64, &memory,
                               &why) == HEDDLE_DEVICE_FAILED &&
        why.message == first);
  device.driver.queue_destroy(queue);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  auto grid = KernelImage::readGrid(std::string(argv[1]) + "/../kernels.ptx");
  const heddle_driver *driver = findDriver(1);
  std::shared_ptr<Device> opened;
  if (Error error = Device::open(*driver, 0, opened)) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 1;
  }
  Fixture device(std::move(opened));
  testArchitectures(*driver);
  testWrongImages(device, grid);
  testWrongKernels(device, grid);
  testKernelsOfOneName(device, grid);
  testErrorsStayInQueues(device);
  testLostDevice(device, grid);
  return finish();
}
