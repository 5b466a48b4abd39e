"""Whether libpintle.so exports the functions that the headers of C declare, and nothing else: `exports.py LIBRARY FOLDER`."""

import re
import subprocess
import sys
from pathlib import Path

library, folder = sys.argv[1:]
listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
exported = {line.split()[-1] for line in listed.splitlines()}
declared = set()
for header in Path(folder).glob("*.h"):
    declared |= set(re.findall(r"PINTLE_C_API pintle_status (\w+)\(", header.read_text(encoding="utf-8")))
problems = [f"{name} is exported, and no header declares it" for name in sorted(exported - declared)]
problems += [f"{name} is declared, and not exported" for name in sorted(declared - exported)]
print(*problems, f"{len(declared)} functions", sep="\n")
sys.exit(1 if problems or not declared else 0)
