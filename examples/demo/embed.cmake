# Writes the file IN as C++ source OUT.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "// Written by CMake from edges.pack. Do not edit.
#include \"examples/demo/pack.h\"

namespace demo {

std::span<const std::byte> packed_kernels() noexcept {
  static constexpr unsigned char bytes[] = {${bytes}};
  return std::as_bytes(std::span(bytes));
}

}  // namespace demo
")
