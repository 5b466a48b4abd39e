"""A small source tree in a temporary folder, whose path has spaces as a user's may."""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))


class Tree:
    """Files are given as tree["src/core/a.h"] = "text"."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="a tree ")
        self.root = Path(self.folder.name)

    def __setitem__(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def __getitem__(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.folder.cleanup()
