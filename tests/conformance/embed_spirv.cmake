# Writes the module IN as C++ source OUT.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "// Written by CMake from kernels/kernels.cl. Do not edit.
#include \"conformance/opencl_spirv.h\"

namespace pintle::conformance {

std::string_view opencl_spirv() noexcept {
  static constexpr unsigned char bytes[] = {${bytes}0};
  return {reinterpret_cast<const char*>(bytes), sizeof bytes - 1};
}

}  // namespace pintle::conformance
")
