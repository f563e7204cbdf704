"""Tests that take longest, in seconds of a processor: lit starts them first where it has no times of its own.

So the processors are busy to the end in a tree that was never tested, as that of continuous integration.
"""

SECONDS = {
    "e2e/generate/random-programs.test": 900,
    "lib/Frontend/Vhlo/portable.test": 500,
    "passes/Dynamic/sized-programs.test": 300,
    "e2e/growth.test": 220,
    "KernelCpu/KernelCpuTests": 200,
    "e2e/jax/suite.test": 150,
    "lib/Frontend/StableHlo/mutations-many.test": 130,
    "runtime/aarch64.test": 100,
    "lib/Frontend/Vhlo/mutations-many.test": 100,
    "e2e/model-accuracy-large.test": 100,
    "e2e/placement-models.test": 80,
    "e2e/bounded/jax-sizes.test": 60,
    "e2e/exporters/open-sizes.test": 50,
    "lib/Frontend/Exported/mutations.test": 40,
    "e2e/accuracy.test": 35,
    "e2e/complex-jax.test": 35,
    "e2e/model-accuracy.test": 30,
    "tools/heddle-opt/every-pass-conformance.test": 30,
    "tools/heddle-opt/every-pass.test": 30,
    "runtime/ranks-openmpi.test": 30,
    "runtime/ranks-openmpi-troubled.test": 27,
    "e2e/bounded/count-expressions.test": 27,
    "e2e/attention-numpy.test": 25,
    "e2e/placement.test": 25,
    "e2e/routines-numpy.test": 20,
    "e2e/conversions.test": 20,
    "e2e/stablehlo-conformance.test": 15,
    "tools/heddle-parse/hosts.test": 15,
}


def start_first(tests):
    for test in tests:
        # A program of gtest is several tests: the number of each, and of all, ends its name.
        name = "/".join(part for part in test.path_in_suite if part != "." and not part.isdigit())
        test.previous_elapsed = test.previous_elapsed or SECONDS.get(name, 0.0)
        yield test
