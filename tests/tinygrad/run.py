"""Runs a command of the tests' environment: `run.py PYTHON ARGUMENTS...`; ends with 77, a skip, where the environment is not there."""

import os
import sys

if not os.access(sys.argv[1], os.X_OK):
    print("skipped: tinygrad.environment has made no environment; ./dev setup tinygrad installs what it needs")
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
