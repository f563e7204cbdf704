"""Each device reads its parts of the weights, and computes the same.

usage: weights_of_devices.py HEDDLE FOLDER

For each program of models_with_weights.py and several meshes: the bytes of weights that a device reads are those of the closed form, the file holds each
part once, and the devices compute what one device does.
"""

import json
import pathlib
import subprocess
import sys

MESHES = [(1, 2), (2, 2), (4, 1), (1, 4), (2, 4)]


def document(*command: str) -> dict:
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def main() -> None:
    heddle, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    good = 0
    for name, said in json.loads((folder / "bytes.json").read_text()).items():
        for data, model in MESHES:
            artifact = folder / f"{name}.heddle"
            mesh = f"data={data},model={model}"
            document(heddle, "compile", str(folder / f"{name}.mlir"), "--mesh", mesh, "-t", "x86-64-v3", "-o", str(artifact))
            sharding = document(heddle, "inspect", "--sharding", str(artifact))
            cut, whole = said["cut"], said["whole"]
            if "row" in said and cut // said["row"] % model:  # rounded up to whole rows, which have numbers
                rows = -(-(cut // said["row"]) // model)
                cut, whole = rows * model * said["row"], whole + 4 * rows
            wanted = cut // model + whole
            read = sharding["rank_weight_bytes"]
            stored = sum(tensor["whole_bytes"] for tensor in sharding["tensors"] if tensor["kind"] == "weight")
            if read != [wanted] * (data * model):
                print(f"{name} {mesh}: devices read {read}, wanted {wanted}")
            elif stored != cut + whole:
                print(f"{name} {mesh}: {stored} bytes are stored, wanted {cut + whole}")
            else:
                good += 1
            document(heddle, "compare", str(folder / f"{name}.mlir"), "--mesh", mesh, "-t", "x86-64-v3")
    print(f"{good} of {3 * len(MESHES)} hold")


if __name__ == "__main__":
    main()
