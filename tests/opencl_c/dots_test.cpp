// cl_khr_integer_dot_product, against sums of 64 bits on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "rig.h"

namespace pintle::test {
namespace {

using Words = std::vector<std::uint32_t>;

struct Bytes {
  std::string_view of;  ///< "ss_int": which side is signed, and the result.
  bool is_left_signed, is_right_signed;

  [[nodiscard]] bool is_signed() const { return is_left_signed || is_right_signed; }
};

constexpr std::array<Bytes, 4> forms{
    {{"uu_uint", false, false}, {"ss_int", true, true}, {"us_int", false, true}, {"su_int", true, false}}};
constexpr std::size_t results_each = 4;

std::int64_t byte_of(std::uint32_t word, unsigned at, bool is_signed) {
  const auto byte = static_cast<std::uint8_t>(word >> (8 * at));
  return is_signed ? static_cast<std::int8_t>(byte) : byte;
}

std::int64_t dot(const Bytes& form, std::uint32_t a, std::uint32_t b) {
  std::int64_t sum = 0;
  for (unsigned at = 0; at < 4; ++at) sum += byte_of(a, at, form.is_left_signed) * byte_of(b, at, form.is_right_signed);
  return sum;
}

std::int64_t saturated(const Bytes& form, std::int64_t sum) {
  if (!form.is_signed()) return std::min<std::int64_t>(sum, std::numeric_limits<std::uint32_t>::max());
  return std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max());
}

std::string source() {
  std::string text =
      "kernel void f(global const uint* A, global const uint* B, global const uint* C, global uint* r) {\n"
      "  const size_t i = get_global_id(0);\n  const uint a = A[i], b = B[i], c = C[i];\n"
      "  r += i * " +
      std::to_string(results_each * forms.size()) + ";\n";
  for (const Bytes& form : forms) {
    const std::string of(form.of), left = form.is_left_signed ? "as_char4(a)" : "as_uchar4(a)",
                                   right = form.is_right_signed ? "as_char4(b)" : "as_uchar4(b)",
                                   sum = form.is_signed() ? "(int)c" : "c";
    text += "  *r++ = dot_4x8packed_" + of + "(a, b);\n  *r++ = dot_acc_sat_4x8packed_" + of + "(a, b, " + sum + ");\n";
    text +=
        "  *r++ = dot(" + left + ", " + right + ");\n  *r++ = dot_acc_sat(" + left + ", " + right + ", " + sum + ");\n";
  }
  return "#if !defined(cl_khr_integer_dot_product) || !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)\n"
         "#error the extension is not told\n#endif\n" +
         text + "}\n";
}

Words wanted_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Words all;
  for (const Bytes& form : forms) {
    const std::int64_t sum = dot(form, a, b);
    const std::int64_t with =
        saturated(form, sum + (form.is_signed() ? static_cast<std::int32_t>(c) : std::int64_t{c}));
    for (const std::int64_t value : {sum, with, sum, with}) all.push_back(static_cast<std::uint32_t>(value));
  }
  return all;
}

TEST(OpenClCDots, AreExactAndSaturate) {
  const Words bytes{0, 0x01020304, 0x7f7f7f7f, 0x80808080, 0xffffffff, 0x80ff7f01, 0xdeadbeef};
  const Words sums{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fff0000, 0x8000ffff, 0xffff0000};
  Words a, b, c, wanted;
  for (const std::uint32_t left : bytes)
    for (const std::uint32_t right : bytes)
      for (const std::uint32_t sum : sums) {
        a.push_back(left), b.push_back(right), c.push_back(sum);
        const Words each = wanted_of(left, right, sum);
        wanted.insert(wanted.end(), each.begin(), each.end());
      }
  Device device = device_of("cpu");
  Queue queue = must(device.create_queue());
  for (const std::string_view language : {"", "CL1.2", "CL3.0"}) {
    SCOPED_TRACE(language);
    const std::array<std::string_view, 1> signatures{
        "f(A: read u32[], B: read u32[], C: read u32[], r: write u32[]) group 1"};
    LoadOptions options;
    options.language = language;
    const Kernel kernel =
        must(must(device.load(must(ProgramPack::source("opencl_c", source(), signatures)), options)).kernel("f"));
    Buffer left = must(device.allocate_for(a)), right = must(device.allocate_for(b)),
           sum = must(device.allocate_for(c));
    Buffer out = must(device.allocate_for(wanted));
    must(queue.submit(CommandList{}.upload(left, a).upload(right, b).upload(sum, c).exec(
        kernel, Grid{static_cast<std::uint32_t>(a.size()), 1, 1}, left, right, sum, out)));
    const Words got = must(read<std::uint32_t>(queue, out));
    const auto [is, should] = std::ranges::mismatch(got, wanted);
    if (is == got.end()) continue;
    const auto at = static_cast<std::size_t>(is - got.begin()), item = at / 16;
    ADD_FAILURE() << std::hex << *is << " where " << *should << " is right: result " << at % 16 << " of a " << a[item]
                  << ", b " << b[item] << ", c " << c[item];
  }
}

}  // namespace
}  // namespace pintle::test
