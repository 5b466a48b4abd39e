# ./dev package: dist/ made anew, of two builds with the flags of release: the wheel's (scikit-build-core) and the Debian packages' (cpack).
# shellcheck shell=bash
platform=manylinux_2_36_$(uname -m)
# Libraries that stay outside of the wheel: the MPI of the user, and LLVM, which is in the process of clang that opens the plug-in.
outside=(--exclude 'libmpi.so.*' --exclude 'libLLVM*')

# build_backend HOOK FOLDER: what pip would ask of scikit-build-core. The compilers have the names by which the cache knows them: it would take those
# that Python was compiled with.
build_backend() {
  CC=${CC-cc} CXX=${CXX-c++} build/venv/bin/python -c 'import sys
from scikit_build_core import build
getattr(build, sys.argv[1])(sys.argv[2], {"cmake.define.PINTLE_WERROR": "ON"})' "$@" >&2
}

make_wheel() {
  rm -rf build/wheelhouse
  build_backend build_wheel build/wheelhouse
  PATH=$PWD/build/venv/bin:$PATH auditwheel repair --plat "$platform" --only-plat "${outside[@]}" -w dist build/wheelhouse/*.whl >&2
}

make_debian() {
  rm -rf build/package/debian
  build_preset package pintle_debian >&2
  cpack --config build/package/CPackConfig.cmake -B build/package/debian >&2
  cp build/package/debian/*.deb dist
}

rm -rf dist
mkdir -p dist
say "package 1/3: the wheel"
make_wheel
say "package 2/3: the sdist"
build_backend build_sdist dist
say "package 3/3: the Debian packages"
make_debian
python3 -B tools/package_sizes.py dist
