// Each floating-point function at each width, for float and double, on edge values and random bits: exact ones bit by
// bit, the others within what OpenCL's full profile allows of the value in 80 bits. PoCL runs the same kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "builtins.h"

namespace pintle::test {
namespace {

using Real = long double;
constexpr Real pi = 3.14159265358979323846264338327950288L;

enum class Inputs : std::uint8_t {
  all,
  numbers,   ///< No NaN: the specification leaves these undefined.
  ordinary,  ///< No edges: finite numbers between 2^-20 and 2^20.
};
enum class Truth : std::uint8_t { no, yes };  ///< A truth is 1 as a scalar and -1 as an element.

struct Row {
  std::string text;
  double ulp[2];  ///< Allowed for float and double; 0: the same bits, but for NaNs and the sign of zero.
  Real (*reference)(Real, Real, Real);
  float (*of_float)(float, float, float);
  double (*of_double)(double, double, double);
  Inputs inputs = Inputs::all;
  Truth truth = Truth::no;
};

// The reference is written once, for three types.
#define VALUES(T) [[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T c
#define ROW(text, in_float, in_double, body, ...)                                            \
  Row {                                                                                      \
    text, {in_float, in_double}, [](VALUES(Real)) -> Real { return of<Real>(body); },        \
        [](VALUES(float)) -> float { return of<float>(body); },                              \
        [](VALUES(double)) -> double { return of<double>(body); } __VA_OPT__(, ) __VA_ARGS__ \
  }
#define EXACT(text, body, ...) ROW(text, 0, 0, body __VA_OPT__(, ) __VA_ARGS__)
#define TRUTH(text, body) ROW("convert_FLOATS(" text ")", 0, 0, body, Inputs::all, Truth::yes)
#define NAMED(name, in_float, in_double) ROW(#name "(a)", in_float, in_double, std::name(a))

template <class T, class V>
T of(V value) {
  return static_cast<T>(value);
}

template <class T>
int whole(T b) {
  if (std::isnan(b)) return 0;
  return b >= 0x1p31L    ? std::numeric_limits<int>::max()
         : b <= -0x1p31L ? std::numeric_limits<int>::min()
                         : static_cast<int>(b);
}
template <class T>
int small(T b) {
  return std::clamp(whole(b), -5000, 5000);
}
template <class T>
T larger(T a, T b) {
  return std::fabs(a) > std::fabs(b) ? a : std::fabs(b) > std::fabs(a) ? b : std::fmax(a, b);
}
template <class T>
T smaller(T a, T b) {
  return std::fabs(a) < std::fabs(b) ? a : std::fabs(b) < std::fabs(a) ? b : std::fmin(a, b);
}
template <class T>
T fract(T a) {
  if (std::isinf(a)) return std::copysign(T(0), a);
  return std::isnan(a) ? a : std::fmin(a - std::floor(a), std::nextafter(T(1), T(0)));
}
template <class T>
T modf(T a) {
  return std::copysign(std::isinf(a) ? T(0) : a - std::trunc(a), a);
}
template <class T>
T frexp(T a) {
  int e = 0;
  return std::isfinite(a) ? std::frexp(a, &e) : a;
}
template <class T>
int exponent(T a) {
  int e = 0;
  if (std::isfinite(a)) std::frexp(a, &e);
  return e;
}
template <class T>
T powr(T x, T y) {
  const bool undefined = x < 0 || (x == 0 && y == 0) || (std::isinf(x) && y == 0) || (x == 1 && std::isinf(y)) ||
                         std::isnan(x) || std::isnan(y);
  return undefined ? T(NAN) : std::pow(std::fabs(x), y);
}
template <class T>
T rootn(T x, int n) {
  if (n == 0 || (x < 0 && n % 2 == 0)) return T(NAN);
  const T root = std::pow(std::fabs(x), T(1) / static_cast<T>(n));
  return n % 2 == 0 ? root : std::copysign(root, x);
}
Real sine_of_turn(Real a) {
  const Real r = std::remainder(a, 2.0L);
  if (std::remainder(a, 1.0L) == 0) return std::copysign(0.0L, a);
  return std::fabs(r) > 0.5L ? std::copysign(std::sin(pi * (1 - std::fabs(r))), r) : std::sin(pi * r);
}
Real cosine_of_turn(Real a) { return sine_of_turn(0.5L - std::fabs(std::remainder(a, 2.0L))); }
template <class T>
T quotient_bits(T a, T b) {
  if (!std::isfinite(a) || std::isnan(b) || b == 0) return 0;
  int q = 0;
  std::remquo(a, b, &q);
  return static_cast<T>((q < 0 ? -(-q & 7) : q & 7));
}

template <class T>
T sign_of_gamma(T a) {
  return a > 0 || std::remainder(std::floor(a), T(2)) == 0 ? 1 : -1;
}

std::vector<Row> rounding() {
  return {NAMED(fabs, 0, 0),
          NAMED(ceil, 0, 0),
          NAMED(floor, 0, 0),
          NAMED(trunc, 0, 0),
          NAMED(round, 0, 0),
          NAMED(sqrt, 3, 0),
          EXACT("rint(a)", std::nearbyint(a)),
          EXACT("copysign(a, b)", std::copysign(a, b), Inputs::numbers),
          EXACT("fmin(a, b)", std::fmin(a, b)),
          EXACT("fmax(a, b)", std::fmax(a, b)),
          EXACT("fdim(a, b)", std::fdim(a, b)),
          EXACT("fma(a, b, c)", std::fma(a, b, c)),
          EXACT("fmod(a, b)", std::fmod(a, b)),
          EXACT("remainder(a, b)", std::remainder(a, b)),
          EXACT("nextafter(a, b)", std::nextafter(a, b)),
          EXACT("maxmag(a, b)", larger(a, b)),
          EXACT("minmag(a, b)", smaller(a, b)),
          EXACT("logb(a)", std::logb(a)),
          EXACT("ldexp(a, clamp(convert_INTS_sat(b), -5000, 5000))", std::ldexp(a, small(b))),
          EXACT("ldexp(a, convert_INTS_sat(b))", std::ldexp(a, small(b))),
          EXACT("({ FLOATS w; fract(a, &w); })", fract(a)),
          EXACT("({ FLOATS w; fract(a, &w); w; })", std::floor(a)),
          EXACT("({ FLOATS w; modf(a, &w); })", modf(a)),
          EXACT("({ FLOATS w; modf(a, &w); w; })", std::trunc(a)),
          EXACT("({ INTS w; frexp(a, &w); })", frexp(a)),
          EXACT("({ INTS w; frexp(a, &w); convert_FLOATS(w); })", exponent(a), Inputs::ordinary),
          EXACT("({ INTS w; remquo(a, b, &w); })", std::remainder(a, b)),
          EXACT("({ INTS w; remquo(a, b, &w); convert_FLOATS(w < 0 ? -(-w & 7) : w & 7); })", quotient_bits(a, b),
                Inputs::ordinary),
          EXACT("convert_FLOATS(ilogb(a))", std::ilogb(a), Inputs::ordinary),
          EXACT("min(a, b)", (b < a ? b : a), Inputs::numbers),
          EXACT("max(a, b)", (a < b ? b : a), Inputs::numbers),
          EXACT("min(a, (NUMBER)2)", (2 < a ? 2 : a), Inputs::numbers),
          EXACT("fmax(a, (NUMBER)2)", std::fmax(a, decltype(a)(2))),
          EXACT("clamp(a, (NUMBER)-2, (NUMBER)3)",
                (a < -2  ? -2
                 : a > 3 ? 3
                         : a),
                Inputs::numbers),
          EXACT("clamp(a, fmin(b, c), fmax(b, c))", std::fmin(std::fmax(a, std::fmin(b, c)), std::fmax(b, c)),
                Inputs::numbers),
          EXACT("step(b, a)", (a < b ? 0 : 1), Inputs::numbers),
          EXACT("step((NUMBER)1, a)", (a < 1 ? 0 : 1), Inputs::numbers),
          EXACT("sign(a)", (a > 0           ? 1
                            : a < 0         ? -1
                            : std::isnan(a) ? 0
                                            : a)),
          EXACT("select(a, b, convert_UNSIGNED(isless(a, c)))", (a < c ? b : a)),
          EXACT("bitselect(a, b, (FLOATS)0)", a),
          EXACT("bitselect(b, a, as_FLOATS((UNSIGNED)-1))", a)};
}

std::vector<Row> truths() {
  return {TRUTH("isequal(a, b)", a == b),
          TRUTH("isnotequal(a, b)", a != b),
          TRUTH("isgreater(a, b)", a > b),
          TRUTH("isgreaterequal(a, b)", a >= b),
          TRUTH("isless(a, b)", a < b),
          TRUTH("islessequal(a, b)", a <= b),
          TRUTH("islessgreater(a, b)", (a < b || a > b)),
          TRUTH("isordered(a, b)", !(std::isnan(a) || std::isnan(b))),
          TRUTH("isunordered(a, b)", (std::isnan(a) || std::isnan(b))),
          TRUTH("isnan(a)", std::isnan(a)),
          TRUTH("isinf(a)", std::isinf(a)),
          TRUTH("isfinite(a)", std::isfinite(a)),
          TRUTH("isnormal(a)", std::isnormal(a)),
          TRUTH("signbit(a)", std::signbit(a)),
          TRUTH("isnan(nan(as_UNSIGNED(c)))", true)};
}

std::vector<Row> powers() {
  return {ROW("rsqrt(a)", 2, 2, (1 / std::sqrt(a))),
          NAMED(cbrt, 2, 2),
          NAMED(exp, 3, 3),
          NAMED(exp2, 3, 3),
          NAMED(expm1, 3, 3),
          ROW("exp10(a)", 3, 3, std::pow(decltype(a)(10), a)),
          NAMED(log, 3, 3),
          NAMED(log2, 3, 3),
          NAMED(log10, 3, 3),
          NAMED(log1p, 2, 2),
          NAMED(erf, 16, 16),
          NAMED(erfc, 16, 16),
          NAMED(tgamma, 16, 16),
          NAMED(lgamma, 16, 16),
          ROW("({ INTS w; lgamma_r(a, &w); })", 16, 16, std::lgamma(a)),
          ROW("({ INTS w; lgamma_r(a, &w); convert_FLOATS(w); })", 0, 0, sign_of_gamma(a), Inputs::ordinary),
          ROW("pow(a, b)", 16, 16, std::pow(a, b)),
          ROW("powr(a, b)", 16, 16, powr(a, b)),
          ROW("pown(a, convert_INTS_sat(b))", 16, 16, std::pow(a, decltype(a)(static_cast<Real>(whole(b))))),
          ROW("rootn(a, convert_INTS_sat(b))", 16, 16, rootn(a, whole(b))),
          ROW("hypot(a, b)", 4, 4, std::hypot(a, b)),
          ROW("mad(fabs(a), fabs(b), fabs(c))", 4, 4, (std::fabs(a * b) + std::fabs(c)), Inputs::ordinary),
          ROW("degrees(a)", 2, 2, (a * (180 / pi)), Inputs::numbers),
          ROW("radians(a)", 2, 2, (a * (pi / 180)), Inputs::numbers),
          ROW("mix(a, a * (NUMBER)2, (NUMBER)0.5)", 4, 4, (a * decltype(a)(1.5)), Inputs::ordinary),
          ROW("smoothstep((NUMBER)0, (NUMBER)1, fabs(a) / ((NUMBER)1 + fabs(a)))", 16, 16,
              ([](auto x) { return x * x * (3 - 2 * x); }(std::fabs(a) / (1 + std::fabs(a)))), Inputs::ordinary)};
}

std::vector<Row> angles() {
  return {NAMED(sin, 4, 4),
          NAMED(cos, 4, 4),
          NAMED(tan, 5, 5),
          NAMED(asin, 4, 4),
          NAMED(acos, 4, 4),
          NAMED(atan, 5, 5),
          NAMED(sinh, 4, 4),
          NAMED(cosh, 4, 4),
          NAMED(tanh, 5, 5),
          NAMED(asinh, 4, 4),
          NAMED(acosh, 4, 4),
          NAMED(atanh, 5, 5),
          ROW("atan2(a, b)", 6, 6, std::atan2(a, b)),
          ROW("atan2pi(a, b)", 6, 6, (std::atan2(a, b) / pi)),
          ROW("asinpi(a)", 5, 5, (std::asin(a) / pi)),
          ROW("acospi(a)", 5, 5, (std::acos(a) / pi)),
          ROW("atanpi(a)", 5, 5, (std::atan(a) / pi)),
          ROW("sinpi(a)", 4, 4, sine_of_turn(a)),
          ROW("cospi(a)", 4, 4, cosine_of_turn(a)),
          ROW("tanpi(a)", 6, 6, (sine_of_turn(a) / cosine_of_turn(a)), Inputs::ordinary),
          ROW("({ FLOATS w; sincos(a, &w); })", 4, 4, std::sin(a)),
          ROW("({ FLOATS w; sincos(a, &w); w; })", 4, 4, std::cos(a))};
}

/// Functions for a float that may be inexact: half_ within 8192 ulp; native_ as near, since the cpu gains nothing by
/// less.
#define QUICK(name, arguments, body)                                        \
  ROW("half_" #name "(" arguments ")", 8192, 8192, body, Inputs::ordinary), \
      ROW("native_" #name "(" arguments ")", 8192, 8192, body, Inputs::ordinary)
std::vector<Row> quick() {
  return {QUICK(cos, "a", std::cos(a)),
          QUICK(sin, "a", std::sin(a)),
          QUICK(tan, "a", std::tan(a)),
          QUICK(exp, "a", std::exp(a)),
          QUICK(exp2, "a", std::exp2(a)),
          QUICK(exp10, "a", std::pow(decltype(a)(10), a)),
          QUICK(log, "fabs(a)", std::log(std::fabs(a))),
          QUICK(log2, "fabs(a)", std::log2(std::fabs(a))),
          QUICK(log10, "fabs(a)", std::log10(std::fabs(a))),
          QUICK(powr, "fabs(a), b", powr(std::fabs(a), b)),
          QUICK(divide, "a, b", a / b),
          QUICK(recip, "a", 1 / a),
          QUICK(sqrt, "fabs(a)", std::sqrt(std::fabs(a))),
          QUICK(rsqrt, "fabs(a)", 1 / std::sqrt(std::fabs(a)))};
}
#undef QUICK

/// All pairs of edges first, then random bits, then ordinary numbers.
template <class T>
std::vector<std::vector<std::byte>> inputs(std::vector<T> (&values)[3]) {
  using Limits = std::numeric_limits<T>;
  const T edges[32] = {0,
                       T(-0.0),
                       1,
                       -1,
                       2,
                       T(0.5),
                       T(-0.5),
                       T(1.5),
                       T(2.5),
                       T(-2.5),
                       3,
                       -3,
                       T(pi),
                       T(pi / 2),
                       T(-pi / 4),
                       10,
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::min(),
                       -Limits::min(),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       std::nextafter(Limits::min(), T(0)),
                       std::nextafter(T(1), T(2)),
                       std::nextafter(T(1), T(0)),
                       T(16777217.0),
                       T(4503599627370497.0),
                       T(1e22),
                       T(-1e5)};
  std::mt19937_64 random(7);
  std::vector<std::vector<std::byte>> bytes;
  for (unsigned k = 0; k < 3; ++k) {
    values[k].resize(value_count);
    for (std::size_t i = 0; i < value_count; ++i) {
      const std::uint64_t bits = random();
      const double unit = static_cast<double>(bits >> 12) / 0x1p52;
      T random_bits;
      std::memcpy(&random_bits, &bits, sizeof random_bits);
      if (std::isnan(random_bits)) random_bits = Limits::quiet_NaN();  // OpenCL knows no signalling ones
      values[k][i] =
          i < 1024   ? edges[(k == 0   ? i
                              : k == 1 ? i / 32
                                       : i * 7 / 3) %
                           32]
          : i < 2048 ? random_bits
                     : static_cast<T>(std::ldexp(1 + unit, static_cast<int>(bits % 24) - 12) * (bits & 32 ? -1 : 1));
    }
    bytes.emplace_back(value_count * sizeof(T));
    std::memcpy(bytes.back().data(), values[k].data(), bytes.back().size());
  }
  return bytes;
}

/// How far `got` is from the value, in units in the last place of the nearest T. Infinity is one above the largest
/// number.
template <class T>
double ulps(T got, Real wanted) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(wanted)) return std::isnan(got) ? 0 : 1e9;
  if (std::isnan(got)) return 1e9;
  const Real most = Limits::max(), step = std::ldexp(most, -Limits::digits);
  const Real g = std::isinf(got) ? std::copysign(most + step, static_cast<Real>(got)) : static_cast<Real>(got);
  const Real w = std::fabs(wanted) > most + step ? std::copysign(most + step, wanted) : wanted;
  const int e = w == 0 ? Limits::min_exponent : std::max(std::ilogb(w) + 1, Limits::min_exponent);
  return static_cast<double>(std::fabs(g - w) / std::ldexp(1.0L, e - Limits::digits));
}

/// Where PoCL 3.1 is wrong, and why.
struct Wrong {
  std::string text, type, reason;
};
const std::vector<Wrong>& wrong_in_pocl() {
  static const std::vector<Wrong> all{
      {"ldexp(", "float", "a subnormal result is rounded twice"},
      {"sin(a)", "float", "a small number beside a huge one in a vector gets a wrong sine"},
      {"cos(a)", "float", "as sin"},
      {"tan(a)", "float", "as sin"},
      {"({ FLOATS w; sincos", "float", "as sin"},
      {"lgamma(", "float", "OpenCL asks for no exactness"},
      {"lgamma(", "double", "as lgamma of float"},
      {"({ INTS w; lgamma_r(a, &w); })", "float", "as lgamma"},
      {"({ INTS w; lgamma_r(a, &w); })", "double", "as lgamma"},
  };
  return all;
}
bool is_wrong_in_pocl(const std::string& text, const std::string& type) {
  return std::ranges::any_of(wrong_in_pocl(),
                             [&](const Wrong& w) { return text.starts_with(w.text) && w.type == type; });
}

struct Case {
  std::string name;
  std::vector<Row> (*rows)();
  bool is_double;
  unsigned width;
  std::string device;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Floats : public testing::TestWithParam<Case> {
 protected:
  template <class T>
  static void compare(const Row& row, const std::vector<T> (&in)[3], const std::vector<std::byte>& bytes,
                      unsigned width) {
    double worst = 0;
    std::size_t where = 0;
    Real wanted_there = 0;
    std::vector<T> got(value_count);
    std::memcpy(got.data(), bytes.data(), bytes.size());
    const double limit = row.ulp[sizeof(T) == 8 ? 1 : 0];
    for (std::size_t i = row.inputs == Inputs::ordinary ? 2048 : 0; i < value_count; ++i) {
      const T a = in[0][i], b = in[1][i], c = in[2][i];
      if (row.inputs != Inputs::all && (std::isnan(a) || std::isnan(b) || std::isnan(c))) continue;
      Real wanted =
          limit != 0 ? row.reference(static_cast<Real>(a), static_cast<Real>(b), static_cast<Real>(c))
          : std::is_same_v<T, float>
              ? static_cast<Real>(row.of_float(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)))
              : static_cast<Real>(
                    row.of_double(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
      if (row.truth == Truth::yes && width != 1) wanted = -wanted;
      const double wrong = ulps(got[i], wanted);
      if (wrong > worst) worst = wrong, where = i, wanted_there = wanted;
    }
    EXPECT_LE(worst, limit) << row.text << " of " << in[0][where] << ", " << in[1][where] << ", " << in[2][where]
                            << " is " << got[where] << ", wanted " << wanted_there;
  }

  template <class T>
  static void run(Device& device, const Case& c) {
    const Form form{c.is_double ? "double" : "float", c.is_double ? "long" : "int", c.width,
                    c.width == 1 && c.device == "cpu" ? 1U : 8U};
    std::vector<T> in[3];
    const auto bytes = inputs(in);
    const std::vector<Row> rows = c.rows();
    std::vector<Expression> all;
    const std::string bits = with_width(c.is_double ? "ulong" : "uint", c.width);
    for (const Row& row : rows) all.push_back({replaced_in(row.text, "UNSIGNED", bits), form.type, sizeof(T)});
    const auto results = results_on(device, all, form, bytes);
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (c.device == "cpu" || !is_wrong_in_pocl(rows[k].text, form.type)) compare(rows[k], in, results[k], c.width);
  }
};

TEST_P(Floats, AreAsExactAsOpenclAsks) {
  auto device = device_if_there(GetParam().device);
  if (!device) GTEST_SKIP() << GetParam().device << " is not there";
  if (GetParam().is_double) {
    run<double>(*device, GetParam());
  } else {
    run<float>(*device, GetParam());
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::pair<const char*, std::vector<Row> (*)()> families[] = {
      {"rounding", rounding}, {"truths", truths}, {"powers", powers}, {"angles", angles}, {"quick", quick}};
  for (const auto& [name, rows] : families)
    for (const bool is_double : {false, true}) {
      if (is_double && rows == quick) continue;
      const std::string type = is_double ? "_double" : "_float";
      for (const unsigned width : {1U, 2U, 3U, 4U, 8U, 16U})
        all.push_back({name + type + std::to_string(width) + "_cpu", rows, is_double, width, "cpu"});
      all.push_back({name + type + "4_pocl", rows, is_double, 4, "opencl:pocl"});
    }
  return all;
}
INSTANTIATE_TEST_SUITE_P(OpenclC, Floats, testing::ValuesIn(cases()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace pintle::test
