#!python
"""Starts the command `pintle` that lies in the package; does not import the package, so that it runs where that fails."""

import os
import sys
from importlib.util import find_spec

package = find_spec("pintle")
if package is None or package.origin is None:
    sys.exit("pintle: the package is not there: install it again (pip install --force-reinstall).")
os.execv(os.path.join(os.path.dirname(package.origin), "bin", "pintle"), sys.argv)
