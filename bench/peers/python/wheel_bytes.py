"""`wheel_bytes.py WHEEL...` prints how many bytes these wheels and all that they require take here, as JSON."""

import importlib.metadata
import json
import re
import sys

from packaging.requirements import Requirement


def bytes_of(name, seen):
    """Bytes of the wheel `name` and of those that it requires and that are not in `seen`."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return 0
    seen.add(key)
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return 0
    paths = [file.locate() for file in found.files or []]
    size = sum(path.stat().st_size for path in paths if path.exists() and path.suffix != ".pyc")
    for line in found.requires or []:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            size += bytes_of(requirement.name, seen)
    return size


if __name__ == "__main__":
    print(json.dumps({name: bytes_of(name, set()) for name in sys.argv[1:]}))
