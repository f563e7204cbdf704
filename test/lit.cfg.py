"""lit's view of heddle's tests: tools on the path, data folders, and what this machine can run."""

import os
import lit.formats

config.name = "heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.heddle_binary_root, "test")

tools = os.path.join(config.heddle_binary_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, os.path.dirname(config.python), os.environ["PATH"]])
config.substitutions += [
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
for name in ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "HEDDLE_VENV"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
