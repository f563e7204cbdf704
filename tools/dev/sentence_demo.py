"""The two ends of the demo: sentences to token numbers before the model, vectors to a picture after it.

sentence_demo.py tokens FEEDS.npz
sentence_demo.py show MODEL.onnx FEEDS.npz EMBEDDING.npy PICTURE.png
"""

import sys

import numpy as np

from sentence_model import package_folder

SENTENCES = [
    "A man is eating food.",
    "Someone is having a meal.",
    "The loom parts the threads of the warp.",
    "Weaving needs a heddle for every thread.",
    "A compiler turns a model into machine code.",
    "The program is translated ahead of time.",
]
LENGTH = 16


def tokens(path: str) -> None:
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(package_folder() / "tokenizer.json"))
    tokenizer.enable_truncation(LENGTH)
    tokenizer.enable_padding(length=LENGTH)
    encoded = tokenizer.encode_batch(SENTENCES)
    np.savez(path, input_ids=np.array([e.ids for e in encoded], np.int64),
             attention_mask=np.array([e.attention_mask for e in encoded], np.int64))


def picture(similarity: np.ndarray, path: str) -> None:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    image = axes.imshow(similarity, vmin=0, vmax=1, cmap="Blues")
    places = range(len(SENTENCES))
    axes.set_yticks(places, SENTENCES)
    axes.set_xticks(places, [str(i + 1) for i in places])
    for row in places:
        for column in places:
            value = similarity[row, column]
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color="white" if value > 0.6 else "black")
    figure.colorbar(image, label="cosine similarity")
    figure.savefig(path, dpi=110)


def show(model: str, feeds_path: str, embedding_path: str, picture_path: str) -> None:
    import onnxruntime
    feeds, ours = dict(np.load(feeds_path)), np.load(embedding_path)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    theirs = session.run(None, feeds)[0]
    similarity = ours @ ours.T
    print("\nHow alike the sentences are (1.00: the same):\n")
    for sentence, row in zip(SENTENCES, similarity):
        print("  " + " ".join(f"{value:5.2f}" for value in row) + "   " + sentence)
    picture(similarity, picture_path)
    print("\nThe same vectors from onnxruntime, first numbers of the first sentence:\n")
    for name, vectors in (("heddle", ours), ("onnxruntime", theirs)):
        print(f"  {name:12}" + " ".join(f"{value:9.6f}" for value in vectors[0, :6]))
    print(f"\nLargest difference: {np.abs(ours - theirs).max():.2e}")
    print(f"Picture: {picture_path}")
    if not np.allclose(ours, theirs, atol=1e-5):
        sys.exit("the vectors differ by more than 1e-5")


if __name__ == "__main__":
    {"tokens": tokens, "show": show}[sys.argv[1]](*sys.argv[2:])
