# ./dev docs: the rules of pages, other libraries' code where they are, the reference by doxygen, the site by mkdocs, then a look at every
# link of what was built. It uses no network.
# shellcheck shell=bash

# reference LANGUAGE TITLE LINES: doxygen's pages of some headers; the first one leads back to the site.
reference() {
  local first=build/$1.dox
  mkdir -p "build/reference/$1"
  printf '/** @mainpage %s\n\n' "$2" >"$first"
  printf '<a href="../../reference.html">What each header is for</a>. <a href="../../index.html">The guides</a>. */\n' >>"$first"
  printf '%s\n' "$(cat tools/docs/Doxyfile)" "PROJECT_NAME = \"$2\"" "OUTPUT_DIRECTORY = build/reference/$1" "$3" "INPUT += $first" | doxygen -
}

python3 -B tools/docs/check_pages.py
for library in CUDA OpenCL wgpu IREE ggml; do
  python3 -B tools/docs/check_pages.py --library "$library" || [[ $? == 77 ]]
done
rm -rf build/reference build/docs
reference cpp "Pintle in C++" $'INPUT = include/pintle\nEXCLUDE = include/pintle/c'
reference c "Pintle in C" $'INPUT = include/pintle/c\nOPTIMIZE_OUTPUT_FOR_C = YES'
PYTHONDONTWRITEBYTECODE=1 NO_MKDOCS_2_WARNING=1 build/venv/bin/python -m mkdocs build --quiet --strict --config-file tools/docs/mkdocs.yml
python3 -B tools/docs/check_site.py build/docs
say "docs: build/docs/index.html; with search: python3 -m http.server --directory build/docs"
