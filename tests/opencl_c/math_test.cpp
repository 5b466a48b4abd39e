// The floating-point functions, as scalars and as vectors, against double precision within what OpenCL's full profile
// allows.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "rig.h"

namespace pintle::test {
namespace {

using Values = std::vector<float>;
using Function = double (*)(double a, double b, double c);

struct Row {
  std::string expression;  ///< The terms are a, b and c.
  double ulp;              ///< 0: the same value.
  Function reference;
};

constexpr double pi = 3.14159265358979323846;

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"fabs(a)", 0, [](double a, double, double) { return std::fabs(a); }},
      {"ceil(a)", 0, [](double a, double, double) { return std::ceil(a); }},
      {"floor(a)", 0, [](double a, double, double) { return std::floor(a); }},
      {"trunc(a)", 0, [](double a, double, double) { return std::trunc(a); }},
      {"rint(a)", 0, [](double a, double, double) { return std::nearbyint(a); }},
      {"round(a)", 0, [](double a, double, double) { return std::round(a); }},
      {"sqrt(fabs(a))", 0, [](double a, double, double) { return std::sqrt(std::fabs(a)); }},
      {"rsqrt(fabs(a))", 2, [](double a, double, double) { return 1 / std::sqrt(std::fabs(a)); }},
      {"cbrt(a)", 2, [](double a, double, double) { return std::cbrt(a); }},
      {"exp(a)", 3, [](double a, double, double) { return std::exp(a); }},
      {"exp2(a)", 3, [](double a, double, double) { return std::exp2(a); }},
      {"exp10(a)", 3, [](double a, double, double) { return std::pow(10.0, a); }},
      {"expm1(a)", 3, [](double a, double, double) { return std::expm1(a); }},
      {"log(fabs(a))", 3, [](double a, double, double) { return std::log(std::fabs(a)); }},
      {"log2(fabs(a))", 3, [](double a, double, double) { return std::log2(std::fabs(a)); }},
      {"log10(fabs(a))", 3, [](double a, double, double) { return std::log10(std::fabs(a)); }},
      {"log1p(fabs(a))", 2, [](double a, double, double) { return std::log1p(std::fabs(a)); }},
      {"logb(a)", 0, [](double a, double, double) { return std::logb(a); }},
      {"sin(a)", 4, [](double a, double, double) { return std::sin(a); }},
      {"cos(a)", 4, [](double a, double, double) { return std::cos(a); }},
      {"tan(a)", 5, [](double a, double, double) { return std::tan(a); }},
      {"asin(a / 1e5f)", 4,
       [](double a, double, double) { return std::asin(static_cast<double>(static_cast<float>(a) / 1e5F)); }},
      {"acos(a / 1e5f)", 4,
       [](double a, double, double) { return std::acos(static_cast<double>(static_cast<float>(a) / 1e5F)); }},
      {"atan(a)", 5, [](double a, double, double) { return std::atan(a); }},
      {"atan2(a, b)", 6, [](double a, double b, double) { return std::atan2(a, b); }},
      {"sinh(a)", 4, [](double a, double, double) { return std::sinh(a); }},
      {"cosh(a)", 4, [](double a, double, double) { return std::cosh(a); }},
      {"tanh(a)", 5, [](double a, double, double) { return std::tanh(a); }},
      {"asinh(a)", 4, [](double a, double, double) { return std::asinh(a); }},
      {"acosh(1.0f + fabs(a))", 4,
       [](double a, double, double) {
         return std::acosh(static_cast<double>(1.0F + std::fabs(static_cast<float>(a))));
       }},
      {"sinpi(a)", 4,
       [](double a, double, double) {
         return std::remainder(a, 1) == 0 ? std::copysign(0.0, a) : std::sin(pi * std::remainder(a, 2));
       }},
      {"cospi(a)", 4,
       [](double a, double, double) {
         return std::remainder(std::fabs(a), 1) == 0.5 || std::remainder(std::fabs(a), 1) == -0.5
                    ? 0
                    : std::cos(pi * std::remainder(a, 2));
       }},
      {"atanpi(a)", 5, [](double a, double, double) { return std::atan(a) / pi; }},
      {"erf(a)", 16, [](double a, double, double) { return std::erf(a); }},
      {"erfc(a)", 16, [](double a, double, double) { return std::erfc(a); }},
      {"tgamma(fabs(b))", 16, [](double, double b, double) { return std::tgamma(std::fabs(b)); }},
      {"pow(fabs(a), b)", 16, [](double a, double b, double) { return std::pow(std::fabs(a), b); }},
      {"powr(fabs(a), c)", 16, [](double a, double, double c) { return std::pow(std::fabs(a), c); }},
      {"fmod(a, b)", 0, [](double a, double b, double) { return std::fmod(a, b); }},
      {"remainder(a, b)", 0, [](double a, double b, double) { return std::remainder(a, b); }},
      {"hypot(a, b)", 4, [](double a, double b, double) { return std::hypot(a, b); }},
      {"fmin(a, b)", 0, [](double a, double b, double) { return std::fmin(a, b); }},
      {"fmax(a, b)", 0, [](double a, double b, double) { return std::fmax(a, b); }},
      {"fdim(a, b)", 0,
       [](double a, double b, double) {
         return static_cast<double>(std::fdim(static_cast<float>(a), static_cast<float>(b)));
       }},
      {"copysign(a, b)", 0, [](double a, double b, double) { return std::copysign(a, b); }},
      {"fma(a, b, c)", 0,
       [](double a, double b, double c) {
         return static_cast<double>(std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
       }},
      {"mad(a, b, c)", 0,
       [](double a, double b, double c) {
         return static_cast<double>(static_cast<float>(static_cast<float>(a) * static_cast<float>(b)) +
                                    static_cast<float>(c));
       }},
      {"clamp(a, -2.0f, 3.0f)", 0, [](double a, double, double) { return std::clamp(a, -2.0, 3.0); }},
      {"step(b, a)", 0, [](double a, double b, double) { return a < b ? 0.0 : 1.0; }},
      {"sign(a)", 0, [](double a, double, double) { return a > 0   ? 1.0
                                                           : a < 0 ? -1.0
                                                                   : a; }},
      {"min(a, b)", 0, [](double a, double b, double) { return b < a ? b : a; }},
      {"max(a, b)", 0, [](double a, double b, double) { return a < b ? b : a; }},
      {"maxmag(a, b)", 0,
       [](double a, double b, double) {
         return std::fabs(a) > std::fabs(b) ? a : std::fabs(b) > std::fabs(a) ? b : std::fmax(a, b);
       }},
      {"degrees(a)", 2, [](double a, double, double) { return a * 180 / pi; }},
      {"radians(a)", 2, [](double a, double, double) { return a * pi / 180; }},
  };
  return all;
}

/// The inputs have both signs. They go from tiny to large, and most are small.
std::array<Values, 3> inputs(std::size_t count) {
  std::array<Values, 3> all{Values(count), Values(count), Values(count)};
  std::uint32_t state = 12345;
  const auto next = [&] { return state = state * 1664525U + 1013904223U; };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double unit = static_cast<double>(next() >> 8) / (1 << 24);
      const double range = k == 0 ? std::array{80.0, 3.0, 1e4, 1e-3}[i % 4] : 12.0;
      all[k][i] = static_cast<float>((2 * unit - 1) * range);
      if (i % 16 == 0) all[k][i] = std::round(all[k][i]) + (i % 32 == 0 ? 0.5F : 0.0F);
      if (all[k][i] == 0) all[k][i] = 1;
    }
  }
  return all;
}

double ulps(float got, double wanted) {
  if (std::isnan(wanted)) return std::isnan(got) ? 0 : 1e9;
  const auto rounded = static_cast<float>(wanted);
  if (std::isinf(rounded) || std::isinf(got)) {
    if (got == rounded) return 0;
    return std::fabs(wanted) > 3.4e38 && (std::isinf(got) || std::fabs(got) > 3.3e38F) ? 1 : 1e9;
  }
  const float size = std::max(std::fabs(rounded), std::numeric_limits<float>::min());
  const double one = static_cast<double>(std::nextafter(size, INFINITY)) - static_cast<double>(size);
  return std::fabs(static_cast<double>(got) - wanted) / one;
}

constexpr std::size_t count = 4096;

/// All rows as one program: a kernel for each, of scalars or of vectors.
std::string program_of(std::string_view type, std::string_view load, std::string_view store) {
  std::string text;
  for (std::size_t i = 0; i < rows().size(); ++i)
    text += "kernel void f" + std::to_string(i) +
            "(global const float* A, global const float* B, global const float* C, global float* r) {\n  size_t i = "
            "get_global_id(0);\n  " +
            std::string(type) + " a = " + std::string(load) + "A), b = " + std::string(load) +
            "B), c = " + std::string(load) + "C);\n  " + std::string(store) + rows()[i].expression + ", i, r);\n}\n";
  return text;
}

class Math : public testing::Test {
 protected:
  void check(const std::string& device_id, std::uint32_t width, const std::string& source, double slack) {
    auto device = device_if_there(device_id);
    if (!device) GTEST_SKIP() << device_id << " is not there";
    Queue queue = must(device->create_queue());
    const auto in = inputs(count);
    Buffer a = must(device->allocate_for(in[0])), b = must(device->allocate_for(in[1])),
           c = must(device->allocate_for(in[2]));
    Buffer r = must(device->allocate_for(in[0]));
    must(queue.submit(CommandList{}.upload(a, in[0]).upload(b, in[1]).upload(c, in[2])));
    std::vector<std::string> signatures;
    for (std::size_t i = 0; i < rows().size(); ++i)
      signatures.push_back("f" + std::to_string(i) +
                           "(A: read f32[], B: read f32[], C: read f32[], r: write f32[]) group 64");
    const Program program = test::program_of(*device, source, signatures);
    for (std::size_t i = 0; i < rows().size(); ++i) {
      const Kernel kernel = must(program.kernel("f" + std::to_string(i)));
      must(queue.submit(
          CommandList{}.exec(kernel, Grid{static_cast<std::uint32_t>(count / width / 64), 1, 1}, a, b, c, r)));
      const Values result = must(read<float>(queue, r));
      double worst = 0;
      std::size_t where = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const double wrong = ulps(result[k], rows()[i].reference(in[0][k], in[1][k], in[2][k]));
        if (wrong > worst) worst = wrong, where = k;
      }
      // Where the value itself is asked for, the reference in double is rounded once.
      EXPECT_LE(worst, rows()[i].ulp == 0 ? 0.5 : rows()[i].ulp + slack)
          << rows()[i].expression << " of " << in[0][where] << ", " << in[1][where] << ", " << in[2][where] << " is "
          << result[where] << ", wanted " << rows()[i].reference(in[0][where], in[1][where], in[2][where]);
    }
  }
};

TEST_F(Math, ScalarsAreAsExactAsOpenclAsks) {
  std::string source = "#define at(p) p[i]\n#define put(x, i, r) r[i] = x\n" + program_of("float", "at(", "put(");
  check("cpu", 1, source, 0);
}
TEST_F(Math, VectorsAreAsExactAsOpenclAsks) {
  check("cpu", 4, "#define at(p) vload4(i, p)\n" + program_of("float4", "at(", "vstore4("), 0);
}
TEST_F(Math, LongVectorsAreAsExactAsOpenclAsks) {
  check("cpu", 16, "#define at(p) vload16(i, p)\n" + program_of("float16", "at(", "vstore16("), 0);
}

}  // namespace
}  // namespace pintle::test
