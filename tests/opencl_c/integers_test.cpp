// Integer functions, bit by bit, against 128-bit arithmetic on the host.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "rig.h"

namespace pintle::test {
namespace {

__extension__ using Wide = __int128;

struct Type {
  std::string name, dtype;
  unsigned bits;
  bool is_signed;

  [[nodiscard]] Wide least() const { return is_signed ? -(Wide{1} << (bits - 1)) : 0; }
  [[nodiscard]] Wide most() const { return (Wide{1} << (is_signed ? bits - 1 : bits)) - 1; }
  [[nodiscard]] Wide saturated(Wide x) const { return std::min(std::max(x, least()), most()); }
  [[nodiscard]] Wide wrapped(Wide x) const {
    x &= (Wide{1} << bits) - 1;
    return is_signed && (x >> (bits - 1)) != 0 ? x - (Wide{1} << bits) : x;
  }
  [[nodiscard]] Wide pattern(Wide x) const { return x & ((Wide{1} << bits) - 1); }
};

void PrintTo(const Type& type, std::ostream* out) { *out << type.name; }

const std::vector<Type> types{{"char", "i8", 8, true},      {"uchar", "u8", 8, false},  {"short", "i16", 16, true},
                              {"ushort", "u16", 16, false}, {"int", "i32", 32, true},   {"uint", "u32", 32, false},
                              {"long", "i64", 64, true},    {"ulong", "u64", 64, false}};

Wide highest_bit(Wide pattern) {
  Wide place = 0;
  for (; pattern != 0; pattern >>= 1) ++place;
  return place;
}

struct Row {
  std::string expression;
  std::function<Wide(const Type&, Wide a, Wide b, Wide c)> reference;  // any value; the type wraps it
  unsigned only_bits = 0;
  unsigned most_bits = 64;

  [[nodiscard]] bool is_for(const Type& type) const {
    return (only_bits == 0 || only_bits == type.bits) && type.bits <= most_bits;
  }
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"add_sat(a, b)", [](const Type& t, Wide a, Wide b, Wide) { return t.saturated(a + b); }},
      {"sub_sat(a, b)", [](const Type& t, Wide a, Wide b, Wide) { return t.saturated(a - b); }},
      {"mad_sat(a, b, c)",
       [](const Type& t, Wide a, Wide b, Wide c) {
         Wide all = 0;
         if (t.bits < 64 || t.is_signed) return t.saturated(a * b + c);
         // Two full 64-bit factors reach 2 to the 128th, above the host's widest signed number.
         const bool over = b != 0 && a > t.most() / b;
         if (!over) all = a * b;
         return over ? t.most() : t.saturated(all + c);
       }},
      {"mad_hi(a, b, c)",
       [](const Type& t, Wide a, Wide b, Wide c) {
         __extension__ using UWide = unsigned __int128;
         return (t.is_signed ? (a * b) >> t.bits
                             : static_cast<Wide>((static_cast<UWide>(a) * static_cast<UWide>(b)) >> t.bits)) +
                c;
       }},
      {"mul_hi(a, b)",
       [](const Type& t, Wide a, Wide b, Wide) {
         __extension__ using UWide = unsigned __int128;
         return t.is_signed ? (a * b) >> t.bits
                            : static_cast<Wide>((static_cast<UWide>(a) * static_cast<UWide>(b)) >> t.bits);
       }},
      {"hadd(a, b)", [](const Type&, Wide a, Wide b, Wide) { return (a + b) >> 1; }},
      {"rhadd(a, b)", [](const Type&, Wide a, Wide b, Wide) { return (a + b + 1) >> 1; }},
      {"abs(a)", [](const Type&, Wide a, Wide, Wide) { return a < 0 ? -a : a; }},
      {"abs_diff(a, b)", [](const Type&, Wide a, Wide b, Wide) { return a < b ? b - a : a - b; }},
      {"min(a, b)", [](const Type&, Wide a, Wide b, Wide) { return std::min(a, b); }},
      {"max(a, b)", [](const Type&, Wide a, Wide b, Wide) { return std::max(a, b); }},
      {"clamp(a, min(b, c), max(b, c))",
       [](const Type&, Wide a, Wide b, Wide c) { return std::clamp(a, std::min(b, c), std::max(b, c)); }},
      {"clz(a)", [](const Type& t, Wide a, Wide, Wide) { return Wide{t.bits} - highest_bit(t.pattern(a)); }},
      {"ctz(a)",
       [](const Type& t, Wide a, Wide, Wide) {
         Wide n = 0;
         while (n < t.bits && ((a >> n) & 1) == 0) ++n;
         return n;
       }},
      {"popcount(a)",
       [](const Type& t, Wide a, Wide, Wide) {
         Wide n = 0;
         for (Wide x = t.pattern(a); x != 0; x >>= 1) n += x & 1;
         return n;
       }},
      {"rotate(a, b)",
       [](const Type& t, Wide a, Wide b, Wide) {
         const Wide by = b & (t.bits - 1), x = t.pattern(a);
         return by == 0 ? x : (x << by) | (x >> (Wide{t.bits} - by));
       }},
      {"bitselect(a, b, c)", [](const Type&, Wide a, Wide b, Wide c) { return (a & ~c) | (b & c); }},
      {"mul24(a >> 9, b >> 9)", [](const Type&, Wide a, Wide b, Wide) { return (a >> 9) * (b >> 9); }, 32},
      {"mad24(a >> 9, b >> 9, c)", [](const Type&, Wide a, Wide b, Wide c) { return (a >> 9) * (b >> 9) + c; }, 32},
      {"a + shuffle((TYPE2)(b, c), (MASK2)(1, 0)).x", [](const Type&, Wide a, Wide, Wide c) { return a + c; }},
      {"({ TYPE4 s = shuffle2((TYPE2)(a, b), (TYPE2)(c, a), (MASK4)(2, 1, 3, 4)); s.x - s.y + s.z - s.w; })",
       [](const Type&, Wide a, Wide b, Wide c) { return c - b + a - a; }},
      {"upsample(a, (MASK)b) >> 3",
       [](const Type& t, Wide a, Wide b, Wide) { return ((a << t.bits) | t.pattern(b)) >> 3; }, 0, 32},
      {"upsample((TYPE2)(c, a), (MASK2)(a, b)).y >> BITS", [](const Type&, Wide a, Wide, Wide) { return a; }, 0, 32},
      {"any((TYPE2)(a, 0) < (TYPE2)(b, 0)) ? c : a", [](const Type&, Wide a, Wide b, Wide c) { return a < b ? c : a; }},
      {"select((TYPE2)(a), (TYPE2)(b), (TYPE2)(a, c) < (TYPE2)(b, b)).y",
       [](const Type&, Wide a, Wide b, Wide c) { return c < b ? b : a; }},
  };
  return all;
}

constexpr std::size_t count = 2048;

std::vector<std::uint64_t> patterns(std::uint64_t seed) {
  const std::uint64_t edges[] = {0,
                                 1,
                                 2,
                                 0x7f,
                                 0x80,
                                 0xff,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xffffffffffffffff,
                                 0xfffffffffffffffe};
  std::vector<std::uint64_t> all(count);
  std::uint64_t state = seed * 77 + 5;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    all[i] = i < 1024 ? edges[(i >> (seed * 2)) % 16] : (state >> 3) >> (i % 5 * 12);
  }
  return all;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

template <class T>
void narrow_to(std::vector<std::uint8_t>& bytes, Wide value) {
  const auto narrow = static_cast<T>(value);
  const auto at = bytes.size();
  bytes.resize(at + sizeof narrow);
  std::memcpy(bytes.data() + at, &narrow, sizeof narrow);
}

void append(std::vector<std::uint8_t>& bytes, const Type& type, Wide value) {
  switch (type.bits) {
    case 8: return narrow_to<std::uint8_t>(bytes, type.pattern(value));
    case 16: return narrow_to<std::uint16_t>(bytes, type.pattern(value));
    case 32: return narrow_to<std::uint32_t>(bytes, type.pattern(value));
    default: return narrow_to<std::uint64_t>(bytes, type.pattern(value));
  }
}

class Integers : public testing::TestWithParam<Type> {};

TEST_P(Integers, AreExact) {
  const Type& type = GetParam();
  Device device = device_of("cpu");
  Queue queue = must(device.create_queue());
  std::string source;
  std::vector<std::string> signatures;
  const auto unsigned_name = type.is_signed ? "u" + type.name : type.name;
  for (std::size_t i = 0; i < rows().size(); ++i) {
    std::string expression = replaced(replaced(rows()[i].expression, "TYPE", type.name), "MASK", unsigned_name);
    expression = replaced(expression, "BITS", std::to_string(type.bits));
    if (!rows()[i].is_for(type)) expression = "a";
    const std::string t = type.name, name = "f" + std::to_string(i);
    source += "kernel void " + name + "(global const " + t + "* A, global const " + t + "* B, global const " + t +
              "* C, global " + t + "* r) { size_t i = get_global_id(0); " + t +
              " a = A[i], b = B[i], c = C[i]; r[i] = " + expression + "; }\n";
    signatures.push_back(name + "(A: read u8[], B: read u8[], C: read u8[], r: write u8[]) group 64");
  }
  std::vector<std::uint8_t> in[3];
  for (unsigned k = 0; k < 3; ++k)
    for (const std::uint64_t pattern : patterns(k)) append(in[k], type, static_cast<Wide>(pattern));
  const Program program = program_of(device, source, signatures);
  Buffer a = must(device.allocate_for(in[0])), b = must(device.allocate_for(in[0])),
         c = must(device.allocate_for(in[0]));
  Buffer r = must(device.allocate_for(in[0]));
  must(queue.submit(CommandList{}.upload(a, in[0]).upload(b, in[1]).upload(c, in[2])));
  for (std::size_t i = 0; i < rows().size(); ++i) {
    const Row& row = rows()[i];
    if (!row.is_for(type)) continue;
    must(queue.submit(
        CommandList{}.exec(must(program.kernel("f" + std::to_string(i))), Grid{count / 64, 1, 1}, a, b, c, r)));
    std::vector<std::uint8_t> got(in[0].size()), wanted;
    must(must(queue.submit(CommandList{}.download(got, r))).wait());
    for (std::size_t k = 0; k < count; ++k) {
      const auto value = [&](unsigned which) { return type.wrapped(static_cast<Wide>(patterns(which)[k])); };
      append(wanted, type, row.reference(type, value(0), value(1), value(2)));
    }
    for (std::size_t k = 0; k < got.size(); ++k)
      if (got[k] != wanted[k]) {
        const std::size_t item = k / (type.bits / 8);
        ADD_FAILURE() << row.expression << " of " << type.name << " item " << item << ": a " << std::hex
                      << patterns(0)[item] << ", b " << patterns(1)[item] << ", c " << patterns(2)[item];
        break;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(OpenclC, Integers, testing::ValuesIn(types), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace pintle::test
