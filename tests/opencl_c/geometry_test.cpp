// The functions of geometry, for float and double and each width, within what OpenCL's full profile allows of the value
// in 80 bits; also where a square is too large or too small for the type.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "rig.h"

namespace pintle::test {
namespace {

using Real = long double;
using Vector = std::vector<Real>;

Real dot_of(const Vector& a, const Vector& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
Real length_of(const Vector& a) { return std::sqrt(dot_of(a, a)); }
Vector difference(const Vector& a, const Vector& b) {
  Vector all(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) all[i] = a[i] - b[i];
  return all;
}
Vector unit_of(const Vector& a) {
  const Real length = length_of(a);
  Vector all(a);
  for (Real& one : all) one = length == 0 ? 0 : one / length;
  return all;
}
Vector cross_of(const Vector& a, const Vector& b) {
  Vector all{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  all.resize(a.size());
  return all;
}
Real most_in(const Vector& a, const Vector& b) {
  Real most = 0;
  for (const Vector* const some : {&a, &b})
    for (const Real one : *some) most = std::max(most, std::fabs(one));
  return most;
}

/// A function, its value, and how far from it a result may be.
struct Row {
  std::string text;
  std::function<Vector(const Vector& a, const Vector& b)> value;
  /// In units in the last place, for n elements; else of the square of the largest element, in epsilons.
  std::function<Real(Real n, bool is_double)> ulp, epsilons;
  bool takes_extremes = false;  ///< Squares may be out of the type's range.
};

std::vector<Row> rows(bool is_double, std::size_t width) {
  const auto one = [](Real value) { return Vector{value}; };
  const auto distance = [=](const Vector& a, const Vector& b) { return one(length_of(difference(a, b))); };
  const auto length = [=](const Vector& a, const Vector&) { return one(length_of(a)); };
  const auto unit = [](const Vector& a, const Vector&) { return unit_of(a); };
  std::vector<Row> all{
      {"dot(a, b)",
       [=](const Vector& a, const Vector& b) { return one(dot_of(a, b)); },
       {},
       [](Real n, bool) { return 2 * n - 1; }},
      {"length(a)", length, [](Real n, bool d) { return d ? 5.5L + n : 2.75L + 0.5L * n; }, {}, true},
      {"distance(a, b)", distance, [](Real n, bool d) { return d ? 5.5L + 2 * n : 2.5L + 2 * n; }, {}, true},
      {"normalize(a)", unit, [](Real n, bool d) { return d ? 4.5L + n : 2 + n; }, {}, true}};
  if (width >= 3) all.push_back({"cross(a, b)", cross_of, {}, [](Real, bool) { return 3.0L; }});
  if (is_double) return all;
  all.push_back({"fast_length(a)", length, [](Real n, bool) { return 8191.5L + n; }, {}});
  all.push_back({"fast_distance(a, b)", distance, [](Real n, bool) { return 8191.5L + 2 * n; }, {}});
  all.push_back({"fast_normalize(a)", unit, [](Real n, bool) { return 8192 + n; }, {}});
  return all;
}

struct Form {
  bool is_double;
  std::size_t width;
};

void PrintTo(const Form& form, std::ostream* out) { *out << (form.is_double ? "double" : "float") << form.width; }

constexpr std::size_t items = 512;

/// One kernel for each row: an item's vectors lie side by side, and so do its results.
std::string source_of(const Form& form, const std::vector<Row>& all) {
  const std::string n = form.width == 1 ? "" : std::to_string(form.width), type = form.is_double ? "double" : "float";
  const auto load = [&](const char* from) {
    return n.empty() ? std::string(from) + "[i]" : "vload" + n + "(i, " + from + ")";
  };
  std::string text = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool is_vector = all[k].value(Vector(form.width, 1), Vector(form.width, 2)).size() > 1;
    text += "kernel void f" + std::to_string(k) + "(global const " + type + "* A, global const " + type +
            "* B, global " + type + "* r) {\n  const size_t i = get_global_id(0); const " + type + n +
            " a = " + load("A") + ", b = " + load("B") + ";\n  ";
    text += is_vector ? "vstore" + n + "(" + all[k].text + ", i, r);\n}\n" : "r[i] = " + all[k].text + ";\n}\n";
  }
  return text;
}

/// The second half is so large or small that squares leave the type's range; the items between are zeros.
template <class T>
std::vector<T> input_of(std::size_t width, std::uint32_t seed) {
  std::vector<T> all(items * width);
  std::uint32_t state = seed;
  for (std::size_t i = 0; i < items; ++i)
    for (std::size_t k = 0; k < width; ++k) {
      state = state * 1664525U + 1013904223U;
      const T value = static_cast<T>(state >> 8) / (1 << 20) - 8;
      const int scale = i < items / 2 ? 0 : std::numeric_limits<T>::max_exponent * 3 / 4 * (i % 2 == 0 ? 1 : -1);
      all[i * width + k] = i % 64 == 63 ? 0 : std::ldexp(value, scale);
    }
  return all;
}

template <class T>
Vector at(const std::vector<T>& all, std::size_t item, std::size_t width) {
  return {all.begin() + static_cast<std::ptrdiff_t>(item * width),
          all.begin() + static_cast<std::ptrdiff_t>((item + 1) * width)};
}

template <class T>
Real allowed(const Row& row, const Form& form, const Vector& a, const Vector& b, Real wanted) {
  const auto n = static_cast<Real>(form.width);
  if (row.epsilons) {
    const Real most = most_in(a, b);
    return most * most * row.epsilons(n, form.is_double) * std::numeric_limits<T>::epsilon();
  }
  const T near = std::max(static_cast<T>(std::fabs(wanted)), std::numeric_limits<T>::min());
  return row.ulp(n, form.is_double) * std::ldexp(Real{1}, std::ilogb(near) + 1 - std::numeric_limits<T>::digits);
}

template <class T>
void check(Device& device, const Form& form) {
  const std::vector<Row> all = rows(form.is_double, form.width);
  const std::string dtype = form.is_double ? "f64" : "f32";
  std::vector<std::string> signatures;
  for (std::size_t k = 0; k < all.size(); ++k)
    signatures.push_back("f" + std::to_string(k) + "(A: read " + dtype + "[], B: read " + dtype + "[], r: write " +
                         dtype + "[]) group 64");
  const Program program = program_of(device, source_of(form, all), signatures);
  const auto x = input_of<T>(form.width, 1), y = input_of<T>(form.width, 2);
  Queue queue = must(device.create_queue());
  Buffer a = must(device.allocate_for(x)), b = must(device.allocate_for(y)), r = must(device.allocate_for(x));
  must(queue.submit(CommandList{}.upload(a, x).upload(b, y)));
  for (std::size_t k = 0; k < all.size(); ++k) {
    must(queue.submit(
        CommandList{}.exec(must(program.kernel("f" + std::to_string(k))), Grid{items / 64, 1, 1}, a, b, r)));
    const auto got = must(read<T>(queue, r));
    for (std::size_t i = 0; i < (all[k].takes_extremes ? items : items / 2); ++i) {
      const Vector u = at(x, i, form.width), v = at(y, i, form.width), wanted = all[k].value(u, v);
      for (std::size_t e = 0; e < wanted.size(); ++e)
        ASSERT_LE(std::fabs(static_cast<Real>(got[i * wanted.size() + e]) - wanted[e]),
                  allowed<T>(all[k], form, u, v, wanted[e]))
            << all[k].text << ", item " << i << ", element " << e << " is " << got[i * wanted.size() + e];
    }
  }
}

class Geometry : public testing::TestWithParam<Form> {};

TEST_P(Geometry, IsAsExactAsOpenclAsks) {
  Device device = device_of("cpu");
  if (GetParam().is_double) check<double>(device, GetParam());
  else check<float>(device, GetParam());
}

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const bool is_double : {false, true})
    for (const std::size_t width : {1U, 2U, 3U, 4U}) all.push_back({is_double, width});
  return all;
}

INSTANTIATE_TEST_SUITE_P(OpenclC, Geometry, testing::ValuesIn(forms()), [](const auto& info) {
  return (info.param.is_double ? "double" : "float") + std::to_string(info.param.width);
});

}  // namespace
}  // namespace pintle::test
