// Vectors in memory of each kind, at addresses of an element; halves that are stored with each rounding; as_type. All
// bit by bit, and PoCL runs the same kernels.
#include <gtest/gtest.h>

#include "builtins.h"
#include "conversions.h"

namespace pintle::test {
namespace {

constexpr std::array vector_widths{2U, 3U, 4U, 8U, 16U};
constexpr std::size_t items = 128;

/// The bytes that a kernel `NAME(in: read u8[], out: write u8[])` of groups of 64 leaves.
std::vector<std::byte> bytes_from(Device& device, const Program& program, const std::string& name,
                                  const std::vector<std::byte>& in, std::size_t out_bytes) {
  const Kernel kernel = must(program.kernel(name));
  Queue queue = must(device.create_queue());
  Buffer from = must(device.allocate(DType::u8, {in.size()})), to = must(device.allocate(DType::u8, {out_bytes}));
  std::vector<std::byte> out(out_bytes);
  must(queue.submit(CommandList{}.upload(from, in).upload(to, out).exec(kernel, Grid{items / 64, 1, 1}, from, to)));
  must(must(queue.submit(CommandList{}.download(out, to))).wait());
  return out;
}

Program load(Device& device, const std::string& source, const std::vector<std::string>& names) {
  std::vector<std::string> signatures;
  for (const std::string& name : names) signatures.push_back(name + "(in: read u8[], out: write u8[]) group 64");
  return program_of(device, source, signatures);
}

std::string enabled(const Number& type) {
  if (type.name == "half") return "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  return type.name == "double" ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "";
}

/// PoCL takes a minute for all types, and has no halves.
std::vector<Number> numbers_on(const std::string& device) {
  std::vector<Number> some = numbers();
  const auto is_left_out = [](const Number& type) {
    return type.name != "uchar" && type.name != "float" && type.name != "long";
  };
  if (device != "cpu") std::erase_if(some, is_left_out);
  return some;
}

class OpenClCMemory : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = device_if_there(GetParam());
    if (!device_) GTEST_SKIP() << GetParam() << " is not there";
  }
  [[nodiscard]] bool is_cpu() const { return GetParam() == "cpu"; }

  std::optional<Device> device_;
};

/// A vector goes through the memories, always one element behind an aligned place.
std::string way(const Number& type, unsigned width, bool has_generic) {
  std::string text = R"(
kernel void move_TN(global const uchar* bytes, global uchar* left) {
  global const T* in = (global const T*)bytes;
  global T* out = (global T*)left;
  local T shared[65 * N + 1];
  T own[2 * N + 1];
  const uint i = get_global_id(0), l = get_local_id(0);
  vstoreN(vloadN(i, in + 1), 1, own + 1);
  vstoreN(vloadN(1, own + 1), l, shared + 1);
  barrier(CLK_LOCAL_MEM_FENCE);
)";
  text += has_generic
              ? "  T* any = own + 1; if (l % 2) any = shared + 1; vstoreN(vloadN(l % 2 ? l : 1, any), l % 2 ? l : 0, "
                "any); const T* place = any;\n"
                "  vstoreN(vloadN(l % 2 ? l : 0, place), i, out + 1);\n}\n"
              : "  vstoreN(vloadN(l, shared + 1), i, out + 1);\n}\n";
  text = replaced_in(replaced_in(text, "move_TN", "move_" + with_width(type.name, width)), "T*", type.name + "*");
  text = replaced_in(replaced_in(text, "T shared", type.name + " shared"), "T own", type.name + " own");
  text = replaced_in(replaced_in(text, "vstoreN", "vstore" + std::to_string(width)), "vloadN",
                     "vload" + std::to_string(width));
  return enabled(type) + replaced_in(text, "N + 1]", std::to_string(width) + " + 1]");
}

TEST_P(OpenClCMemory, VectorsLieAtAnyElement) {
  std::string source;
  std::vector<std::string> names;
  for (const Number& type : numbers_on(GetParam()))
    for (const unsigned width : vector_widths)
      source += way(type, width, is_cpu()), names.push_back("move_" + with_width(type.name, width));
  const Program program = load(*device_, source, names);
  for (const Number& type : numbers_on(GetParam()))
    for (const unsigned width : vector_widths) {
      const std::vector<std::byte> in = inputs_of(type, items * width + 1);
      auto out = bytes_from(*device_, program, "move_" + with_width(type.name, width), in, in.size());
      std::ranges::copy(in.begin(), in.begin() + type.bytes, out.begin());
      EXPECT_TRUE(in == out) << with_width(type.name, width);
    }
}

TEST_P(OpenClCMemory, ConstantsAreVectorsToo) {
  std::string source =
      "constant int table[19] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};\n"
      "kernel void f(global const uchar* in, global uchar* out) {\n"
      "  if (get_global_id(0) != 0) return;\n  global int* to = (global int*)out;\n";
  for (const std::string n : {"2", "3", "4", "8", "16"})
    source += "  vstore" + n + "(vload" + n + "(0, table + 3), 0, to); to += " + n + ";\n";
  const Program program = load(*device_, source + "}\n", {"f"});
  const auto out = bytes_from(*device_, program, "f", std::vector<std::byte>(4), 33 * 4);
  std::vector<std::int32_t> got(33), wanted;
  std::memcpy(got.data(), out.data(), out.size());
  for (const std::int32_t n : {2, 3, 4, 8, 16})
    for (std::int32_t i = 0; i < n; ++i) wanted.push_back(3 + i);
  EXPECT_EQ(got, wanted);
}

// A vector of three takes the place of four.
TEST_P(OpenClCMemory, StepsOfVectorsAreKnown) {
  const Program program = load(
      *device_,
      "kernel void f(global const uchar* in, global uchar* out) { const float3 x = 0; if (get_global_id(0) == 0) {\n"
      "  const int all[] = {vec_step(x), vec_step(int), vec_step(char2), vec_step(ushort4), vec_step(uint8), "
      "vec_step(long16)};\n  for (int i = 0; i < 6; ++i) out[i] = all[i]; } }",
      {"f"});
  std::vector<std::byte> wanted;
  for (const int one : {4, 1, 2, 4, 8, 16}) wanted.push_back(static_cast<std::byte>(one));
  EXPECT_EQ(bytes_from(*device_, program, "f", std::vector<std::byte>(4), 6), wanted);
}

/// What stores halves: each rounding, packed and aligned, in memory of an item and of the device.
struct Store {
  std::string text;
  Mode mode;
};

std::vector<Store> stores(unsigned width, Mode mode) {
  std::vector<Store> all;
  const std::string n = width == 1 ? "" : std::to_string(width);
  for (const std::string kind : {"", "a"}) {
    if (kind == "a" && width == 1) continue;  // no scalar is aligned
    const std::string call = "vstore" + kind + "_half" + n + name_of(mode);
    const unsigned stride = kind == "a" && width == 3 ? 4 : width;
    const std::string from = "(ushort*)h + " + std::to_string(stride);
    const std::string back = width == 1 ? "*(" + from + ")" : "vload" + n + "(0, " + from + ")";
    all.push_back(
        {"({ ushort h[32] __attribute__((aligned(32))); " + call + "(a, 1, (half*)h); " + back + "; })", mode});
    if (stride != width) continue;
    // The second half of the place where the result goes.
    const std::string place = "(r + " + std::to_string(all.size() * value_count * 8 + value_count * 4) + ")";
    const std::string again =
        width == 1 ? "((global ushort*)" + place + ")[i]" : "vload" + n + "(i, (global ushort*)" + place + ")";
    all.push_back({"({ " + call + "(a, i, (global half*)" + place + "); " + again + "; })", mode});
  }
  return all;
}

/// One kernel for each rounding: all in one would keep clang busy for a minute.
void expect_rounded(Device& device, const Number& from, unsigned width, Mode mode) {
  const Number& half = *std::ranges::find(numbers(), "half", &Number::name);
  const std::vector<std::vector<std::byte>> in(3, inputs_of(from, value_count));
  const std::vector<Store> all = stores(width, mode);
  std::vector<Expression> expressions;
  for (const Store& one : all) expressions.push_back({one.text, "ushort", 2});
  const auto results = results_on(device, expressions, {from.name, "", width, all.size()}, in);
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t i = 0; i < value_count; ++i) {
      const Real x = value_of(from, bits_at(from, in[0], i)), wanted = to_float(half, x, all[k].mode);
      const std::uint64_t bits = bits_at(half, results[k], i);
      if (std::isnan(wanted) ? std::isnan(value_of(half, bits)) : bits == bits_of(half, wanted)) continue;
      ADD_FAILURE() << all[k].text << " of the " << from.name << " " << x << " is " << value_of(half, bits);
      break;
    }
}

TEST_P(OpenClCMemory, HalvesAreRoundedAsAsked) {
  for (const std::string name : {"float", "double"})
    for (const unsigned width : is_cpu() ? std::vector{1U, 2U, 3U, 4U, 8U, 16U} : std::vector{1U, 4U})
      for (const Mode mode : modes)
        expect_rounded(*device_, *std::ranges::find(numbers(), name, &Number::name), width, mode);
}

std::vector<std::string> loads(unsigned width) {
  if (width == 1)
    return {"vload_half(i, (global const half*)A)", "({ ushort h[2]; h[1] = a; vload_half(1, (half*)h); })"};
  const std::string n = std::to_string(width),
                    own = "({ ushort h[32] __attribute__((aligned(32))); vstore" + n + "(a, 0, h + ";
  return {"vload_half" + n + "(i, (global const half*)A)", own + n + "); vload_half" + n + "(1, (half*)h); })",
          own + (width == 3 ? "4" : n) + "); vloada_half" + n + "(1, (half*)h); })"};
}

TEST_P(OpenClCMemory, HalvesAreLoadedExactly) {
  const Number& half = *std::ranges::find(numbers(), "half", &Number::name);
  const Number& single = *std::ranges::find(numbers(), "float", &Number::name);
  const std::vector<std::vector<std::byte>> in(3, inputs_of(half, value_count));
  for (const unsigned width : {1U, 2U, 3U, 4U, 8U, 16U}) {
    std::vector<Expression> expressions;
    for (const std::string& text : loads(width)) expressions.push_back({text, "float", 4});
    const auto results = results_on(*device_, expressions, {"ushort", "", width, expressions.size()}, in);
    for (std::size_t k = 0; k < results.size(); ++k)
      for (std::size_t i = 0; i < value_count; ++i) {
        const Real wanted = value_of(half, bits_at(half, in[0], i));
        const std::uint64_t bits = bits_at(single, results[k], i);
        if (std::isnan(wanted) ? std::isnan(value_of(single, bits)) : bits == bits_of(single, wanted)) continue;
        ADD_FAILURE() << expressions[k].text << " of " << wanted << " is " << value_of(single, bits);
        break;
      }
  }
}

/// Types of one size, each made of the one before.
TEST_P(OpenClCMemory, BitsStayUnderAnotherType) {
  std::string source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" +
                       std::string(is_cpu() ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "");
  std::vector<std::string> names;
  std::vector<std::pair<std::size_t, std::size_t>> sizes;  // of a value, and how many types have it
  for (const unsigned bytes : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U}) {
    std::string body, last;
    std::size_t count = 0;
    for (const Number& type : numbers_on(GetParam()))
      for (const unsigned width : {1U, 2U, 4U, 8U, 16U}) {
        if (type.bytes * width != bytes) continue;
        const std::string wide = with_width(type.name, width), to = "x" + std::to_string(count);
        body += "  " + wide + " " + to + " = " +
                (last.empty() ? "((global const " + wide + "*)in)[i]" : "as_" + wide + "(" + last + ")") +
                ";\n  ((global " + wide + "*)(out + " + std::to_string(count * bytes * items) + "))[i] = " + to + ";\n";
        last = to, ++count;
      }
    names.push_back("size" + std::to_string(bytes)), sizes.emplace_back(bytes, count);
    source += "kernel void " + names.back() +
              "(global const uchar* in, global uchar* out) {\n  uint i = get_global_id(0);\n" + body + "}\n";
  }
  const Program program = load(*device_, source, names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto [bytes, count] = sizes[k];
    const std::vector<std::byte> in = inputs_of(numbers()[0], bytes * items);
    const auto out = bytes_from(*device_, program, names[k], in, in.size() * count);
    for (std::size_t at = 0; at < count; ++at)
      EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin() + static_cast<std::ptrdiff_t>(at * in.size())))
          << names[k] << " " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(OpenclC, OpenClCMemory, testing::Values("cpu", "opencl:pocl"),
                         [](const auto& info) { return std::string(info.param == "cpu" ? "cpu" : "pocl"); });

}  // namespace
}  // namespace pintle::test
