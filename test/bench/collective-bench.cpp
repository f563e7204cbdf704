// How fast two or more ranks exchange and sum tensors.
//
//   collective-bench MODELS threads|processes [RANKS]
//   mpirun -n RANKS collective-bench MODELS mpi
//   test/launch.py RANKS collective-bench MODELS tcp
//   mpirun.openmpi -n RANKS collective-bench MODELS openmpi
//
// The first two, "mpi" and "tcp" run heddle's collectives on each engine,
// "openmpi" MPI_Sendrecv and MPI_Allreduce of that library itself. A line has
// the bytes of each rank's tensor, how many of these a second go from each rank
// to its neighbour (permute) and are summed (all_reduce), in 10^9, and how many
// microseconds one of each takes. Of many repetitions the fastest counts, since
// a shared machine only adds time.

#include "test/runtime/PartedModel.h"

#include <ctime>
#include <dlfcn.h>
#include <limits>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// How many exchanges one measurement makes, so that it takes about a
/// millisecond.
static int repeatsOf(int64_t bytes) {
  return int(std::clamp<int64_t>((int64_t(4) << 20) / bytes, 16, 256));
}
static constexpr int rounds = 60;

template <typename Call> static double fastest(Call call) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) {
    double begin = seconds();
    call();
    best = std::min(best, seconds() - begin);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// heddle's engines
//===----------------------------------------------------------------------===//

/// Ranks that exchange `bytes` many times, between buffers of their arenas.
static Parted exchanges(CollectiveKind kind, uint32_t ranks, int64_t bytes,
                        int repeats) {
  Parted parted(ranks, DataType::f32, 16, 16);
  Model &model = parted.model;
  model.arena(2 * bytes);
  uint32_t source = model.buffer(BufferKind::arena, 0, bytes),
           target = model.buffer(BufferKind::arena, 0, bytes, bytes);
  std::vector<uint32_t> group;
  for (uint32_t i = 0; i < ranks; ++i) {
    group.push_back(i);
    if (kind == CollectiveKind::permute)
      group.push_back((i + 1) % ranks);
  }
  copyWhole(model, parted.input, parted.output, 0);
  fillWhole(model, source, 0, 4, 0);
  for (int i = 0; i < repeats; ++i) {
    CollectiveT made =
        parted.collective(kind, DataType::f32, group,
                          kind == CollectiveKind::permute ? 2 : ranks);
    made.source = parted.bound(source, Access::read);
    made.target = parted.bound(target, Access::write);
    model.command().action.Set(std::move(made));
  }
  return parted;
}

/// Bytes a second; 0 in a process that is not the first of its group.
static double measure(const std::string &folder, CollectiveKind kind,
                      heddle_ranks_options options, uint32_t count,
                      int64_t bytes) {
  int repeats = repeatsOf(bytes);
  heddle_program *program = exchanges(kind, count, bytes, repeats).load(folder);
  heddle_ranks *ranks = nullptr;
  OK(heddle_ranks_create(program, 0, &options, &ranks));
  double time = 0;
  if (heddle_group_rank(options.group)) {
    OK(heddle_ranks_serve(ranks));
  } else {
    Bytes in(64 * count), out(64 * count);
    OK(callRanks(ranks, HEDDLE_F32, in, out));
    time = fastest([&] { OK(callRanks(ranks, HEDDLE_F32, in, out)); });
  }
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  return time ? double(bytes) * repeats / time : 0;
}

//===----------------------------------------------------------------------===//
// Open MPI itself
//===----------------------------------------------------------------------===//

namespace {
class OpenMpi {
public:
  OpenMpi() : library(dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL)) {
    int level = 0;
    call<int(int *, char ***, int, int *)>("MPI_Init_thread", nullptr, nullptr,
                                           2, &level);
    call<int(void *, int *)>("MPI_Comm_rank", world(), &rank);
    call<int(void *, int *)>("MPI_Comm_size", world(), &count);
  }
  ~OpenMpi() { call<int()>("MPI_Finalize"); }

  void exchange(std::vector<float> &source, std::vector<float> &target) {
    call<int(const void *, int, void *, int, int, void *, int, void *, int, int,
             void *, void *)>("MPI_Sendrecv", source.data(), int(source.size()),
                              real(), (rank + 1) % count, 1, target.data(),
                              int(target.size()), real(),
                              (rank + count - 1) % count, 1, world(), nullptr);
  }
  void sum(std::vector<float> &source, std::vector<float> &target) {
    call<int(const void *, void *, int, void *, void *, void *)>(
        "MPI_Allreduce", source.data(), target.data(), int(source.size()),
        real(), at("ompi_mpi_op_sum"), world());
  }

  int rank = 0, count = 1;

private:
  void *at(const char *name) { return dlsym(library, name); }
  void *world() { return at("ompi_mpi_comm_world"); }
  void *real() { return at("ompi_mpi_float"); }
  template <typename Function, typename... Arguments>
  void call(const char *name, Arguments... arguments) {
    auto *function = reinterpret_cast<Function *>(at(name));
    CHECK(function && function(arguments...) == 0);
  }

  void *library;
};
} // namespace

static constexpr int64_t sizes[] = {64,        4 << 10, 16 << 10, 64 << 10,
                                    256 << 10, 1 << 20, 4 << 20,  16 << 20};

static void print(int64_t bytes, double permute, double sum) {
  double microseconds = double(bytes) * 1e6;
  std::printf("%9lld bytes: permute %6.2f (%.1f us), all_reduce %6.2f (%.1f "
              "us)\n",
              static_cast<long long>(bytes), permute * 1e-9,
              microseconds / permute, sum * 1e-9, microseconds / sum);
  std::fflush(stdout);
}

static void measureOpenMpi() {
  OpenMpi mpi;
  for (int64_t bytes : sizes) {
    std::vector<float> source(size_t(bytes) / 4), target(source.size());
    int repeats = repeatsOf(bytes);
    double permute = fastest([&] {
      for (int i = 0; i < repeats; ++i)
        mpi.exchange(source, target);
    });
    double sum = fastest([&] {
      for (int i = 0; i < repeats; ++i)
        mpi.sum(source, target);
    });
    if (!mpi.rank)
      print(bytes, double(bytes) * repeats / permute,
            double(bytes) * repeats / sum);
  }
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    return 2;
  std::string folder = argv[1], engine = argv[2];
  auto count = uint32_t(argc == 4 ? std::atoi(argv[3]) : 2);
  if (engine == "openmpi") {
    measureOpenMpi();
    return failures ? 1 : 0;
  }
  heddle_ranks_options options = {};
  options.size = sizeof(options);
  options.threads = 1;
  options.engine = engine.c_str();
  if (engine == "mpi" || engine == "tcp") {
    heddle_group_options joining = {};
    joining.size = sizeof(joining);
    joining.engine = engine.c_str();
    OK(heddle_group_join(&joining, &options.group));
    options.engine = nullptr;
    count = heddle_group_count(options.group);
  }
  for (int64_t bytes : sizes) {
    double permute =
               measure(folder, CollectiveKind::permute, options, count, bytes),
           sum = measure(folder, CollectiveKind::all_reduce, options, count,
                         bytes);
    if (!heddle_group_rank(options.group))
      print(bytes, permute, sum);
  }
  OK(heddle_group_leave(options.group));
  return failures ? 1 : 0;
}
