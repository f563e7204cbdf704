// The table of graphics processors.
//
// Sources. Limits: CUDA C++ Programming Guide 13.0, section "Compute
// Capabilities", table "Technical Specifications per Compute Capability".
// Versions: PTX ISA 9.0, section "Release Notes", table "PTX Release History".
// Rates: the data sheet of one product of the kind, named at its row; they are
// peaks and only compare pieces of work. Products per load: FMA a clock and
// multiprocessor of f16 (Hopper Tuning Guide and white papers of A100, H100)
// over the 32 elements of the 64 bytes that the second-level cache gives it a
// clock (white papers); Blackwell as Hopper, of which no figure is published.

#include "heddle/Target/GpuMachine.h"

using namespace heddle;

/// What all of them share.
static GpuMachine baseline(std::string chip, int64_t ptxVersion) {
  GpuMachine machine;
  machine.name = "cuda:" + chip;
  machine.chip = std::move(chip);
  machine.ptxVersion = ptxVersion;
  // Servers that hold such devices have had its instructions since 2013, those
  // of AMD since 2015.
  machine.host = "x86-64-v3";
  machine.warpThreads = warpThreadsOfPtx;
  machine.mostBlockThreads = 1024;
  machine.registers = 65536;
  machine.mostThreadRegisters = 255;
  // Programming Guide, "Shared Memory" of each compute capability: more has to
  // be dynamic.
  machine.staticSharedBytes = 48 * 1024;
  // 32764 from PTX ISA 8.1 on, with a driver that knows that version.
  machine.mostParameterBytes = 4096;
  // Eight warps: a multiple of the four schedulers, and with up to 40 registers
  // a thread still enough blocks to fill a multiprocessor of 1536 threads.
  machine.blockThreads = 256;
  // Back to back in one stream; CUDA's own documentation has no number for it.
  machine.rates.launchNs = 3000;
  return machine;
}

const std::vector<GpuMachine> &heddle::gpuMachines() {
  static const std::vector<GpuMachine> table = [] {
    std::vector<GpuMachine> all;
    // A100 SXM 80 GB: 19.5 TFLOPS of f32, 9.7 of f64, 19.5 Tera operations of
    // i32, 2039 GB/s.
    GpuMachine ampere = baseline("sm_80", 70);
    ampere.multiprocessors = 108;
    ampere.mostThreads = 2048;
    ampere.sharedBytes = 164 * 1024;
    ampere.mostBlockSharedBytes = 163 * 1024;
    ampere.rates.flopsPerNsF32 = 19500;
    ampere.rates.flopsPerNsF64 = 9700;
    ampere.rates.operationsPerNsInteger = 19500;
    ampere.rates.productsPerLoad = 32;
    ampere.rates.bytesPerNs = 2039;
    all.push_back(ampere);

    // A10: 31.2 TFLOPS of f32, 600 GB/s. f64 at a 64th, integers at half the
    // rate of f32 (Programming Guide, "Arithmetic Instructions"), as of the
    // next.
    GpuMachine small = baseline("sm_86", 71);
    small.multiprocessors = 72;
    small.mostThreads = 1536;
    small.sharedBytes = 100 * 1024;
    small.mostBlockSharedBytes = 99 * 1024;
    small.rates.flopsPerNsF32 = 31200;
    small.rates.flopsPerNsF64 = 487.5;
    small.rates.operationsPerNsInteger = 15600;
    small.rates.productsPerLoad = 16;
    small.rates.bytesPerNs = 600;
    all.push_back(small);

    // L40S: 91.6 TFLOPS of f32, 864 GB/s.
    GpuMachine ada = baseline("sm_89", 78);
    ada.multiprocessors = 142;
    ada.mostThreads = 1536;
    ada.sharedBytes = 100 * 1024;
    ada.mostBlockSharedBytes = 99 * 1024;
    ada.rates.flopsPerNsF32 = 91600;
    ada.rates.flopsPerNsF64 = 1431.25;
    ada.rates.operationsPerNsInteger = 45800;
    ada.rates.productsPerLoad = 16;
    ada.rates.bytesPerNs = 864;
    all.push_back(ada);

    // H100 SXM: 67 TFLOPS of f32, 34 of f64, 3350 GB/s. Integers at half the
    // rate of f32 (Programming Guide, "Arithmetic Instructions").
    GpuMachine hopper = baseline("sm_90a", 80);
    hopper.multiprocessors = 132;
    // Driver API, cuTensorMapEncodeTiled.
    hopper.warpgroupThreads = warpgroupThreadsOfPtx;
    hopper.mostBoxExtent = 256;
    hopper.mostThreads = 2048;
    hopper.sharedBytes = 228 * 1024;
    hopper.mostBlockSharedBytes = 227 * 1024;
    hopper.rates.flopsPerNsF32 = 67000;
    hopper.rates.flopsPerNsF64 = 34000;
    hopper.rates.operationsPerNsInteger = 33500;
    hopper.rates.productsPerLoad = 64;
    hopper.rates.bytesPerNs = 3350;
    all.push_back(hopper);

    // B200 in a board of eight: 75 TFLOPS of f32, 37 of f64, 8000 GB/s. The
    // family's code also runs on B300 (sm_103), that of sm_100a on B200 alone.
    for (auto [chip, version] : {std::pair("sm_100f", 88), {"sm_100a", 86}}) {
      GpuMachine blackwell = baseline(chip, version);
      blackwell.multiprocessors = 148;
      blackwell.mostBoxExtent = 256;
      blackwell.mostThreads = 2048;
      blackwell.sharedBytes = 228 * 1024;
      blackwell.mostBlockSharedBytes = 227 * 1024;
      blackwell.rates.flopsPerNsF32 = 75000;
      blackwell.rates.flopsPerNsF64 = 37000;
      blackwell.rates.operationsPerNsInteger = 37500;
      blackwell.rates.productsPerLoad = 64;
      blackwell.rates.bytesPerNs = 8000;
      all.push_back(blackwell);
    }
    return all;
  }();
  return table;
}
