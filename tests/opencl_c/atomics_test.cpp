// Every function of atomics, of OpenCL 1 and of C11, on integers in global, local and unnamed memory: what it returns
// and what it leaves; then with many items at one place.
#include <gtest/gtest.h>

#include <functional>

#include "rig.h"

namespace pintle::test {
namespace {

using Bits = std::uint64_t;

/// A type of integers, and what its bits mean.
struct Type {
  std::string name, dtype;
  unsigned bytes;
  bool is_signed;

  [[nodiscard]] Bits kept(Bits x) const { return bytes == 8 ? x : x & 0xffffffffU; }
  [[nodiscard]] bool is_less(Bits a, Bits b) const {
    const Bits top = is_signed ? Bits{1} << (bytes * 8 - 1) : 0;
    return (kept(a) ^ top) < (kept(b) ^ top);
  }
};

void PrintTo(const Type& type, std::ostream* out) { *out << type.name; }

const std::vector<Type> types{
    {"int", "i32", 4, true}, {"uint", "u32", 4, false}, {"long", "i64", 8, true}, {"ulong", "u64", 8, false}};

/// What a place holds after an operation with `v`, by the operation's name.
struct Change {
  std::string name;
  std::function<Bits(const Type&, Bits old, Bits v)> after;
};

const std::vector<Change>& changes() {
  static const std::vector<Change> all{
      {"add", [](const Type&, Bits old, Bits v) { return old + v; }},
      {"sub", [](const Type&, Bits old, Bits v) { return old - v; }},
      {"and", [](const Type&, Bits old, Bits v) { return old & v; }},
      {"or", [](const Type&, Bits old, Bits v) { return old | v; }},
      {"xor", [](const Type&, Bits old, Bits v) { return old ^ v; }},
      {"min", [](const Type& t, Bits old, Bits v) { return t.is_less(v, old) ? v : old; }},
      {"max", [](const Type& t, Bits old, Bits v) { return t.is_less(old, v) ? v : old; }}};
  return all;
}

/// One call: an expression of the place `p` and the number `v`, which gives `T`, and what it does to the place.
struct Call {
  std::string text;
  std::function<Bits(const Type&, Bits old, Bits v)> after;
  std::function<Bits(Bits old, Bits v)> returned = [](Bits old, Bits) { return old; };
};

Bits second(const Type&, Bits, Bits v) { return v; }

/// The functions of OpenCL 1: of 64 bits under the name atom_ alone.
std::vector<Call> calls_of_1(const Type& type) {
  std::vector<Call> all;
  for (const std::string family : {"atomic_", "atom_"}) {
    if (family == "atomic_" && type.bytes == 8) continue;
    for (const Change& change : changes()) all.push_back({family + change.name + "(p, v)", change.after});
    all.push_back({family + "inc(p)", [](const Type&, Bits old, Bits) { return old + 1; }});
    all.push_back({family + "dec(p)", [](const Type&, Bits old, Bits) { return old - 1; }});
    all.push_back({family + "xchg(p, v)", second});
    all.push_back({family + "cmpxchg(p, a, v)", second});
    all.push_back({family + "cmpxchg(p, a + 1, v)", [](const Type&, Bits old, Bits) { return old; }});
  }
  return all;
}

/// A function of C11 as it is, with an order, and with an order and a scope.
std::vector<std::string> spellings(const std::string& name, const std::string& arguments, const std::string& order) {
  return {name + "(" + arguments + ")", name + "_explicit(" + arguments + ", " + order + ")",
          name + "_explicit(" + arguments + ", " + order + ", memory_scope_device)"};
}

std::vector<Call> calls_of_11() {
  std::vector<Call> all;
  for (const Change& change : changes())
    for (const std::string& text : spellings("atomic_fetch_" + change.name, "q, v", "memory_order_acq_rel"))
      all.push_back({text, change.after});
  for (const std::string& text : spellings("atomic_exchange", "q, v", "memory_order_relaxed"))
    all.push_back({text, second});
  const auto same = [](const Type&, Bits old, Bits) { return old; };
  for (const std::string& text : spellings("atomic_load", "q", "memory_order_acquire")) all.push_back({text, same});
  const auto nothing = [](Bits, Bits) { return Bits{0}; };
  for (const std::string& text : spellings("atomic_store", "q, v", "memory_order_release"))
    all.push_back({"(" + text + ", 0)", second, nothing});
  all.push_back({"(atomic_init(q, v), 0)", second, nothing});
  for (const std::string strength : {"strong", "weak"})
    for (const std::string& text :
         spellings("atomic_compare_exchange_" + strength, "q, &e, v", "memory_order_seq_cst, memory_order_relaxed")) {
      // A weak one may fail for no reason.
      all.push_back({"({ T e; do e = a; while (!" + text + "); e; })", second});
      all.push_back({"({ T e = a + 1; " + text + " ? 0 : e; })", same});
    }
  return all;
}

/// A kernel of one item: every call at a place of its own in `memory`, with what it returns beside it.
std::string kernel_of(const std::string& name, const Type& type, const std::string& memory,
                      const std::vector<Call>& calls) {
  std::string text = "kernel void " + name + "(global T* out, T a, T v) {\n  local T cell;\n";
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const std::string to = "out[" + std::to_string(2 * k);
    const std::string place = memory == "local" ? "&cell" : "out + " + std::to_string(2 * k);
    const std::string space = memory == "any" ? "" : memory + " ";
    text += "  { volatile " + space + "T* p = " + place + "; volatile " + space + "atomic_T* q = (volatile " + space +
            "atomic_T*)p; *p = a; const T got = " + calls[k].text + "; const T left = *p; " + to + "] = left; " + to +
            " + 1] = got; }\n";
  }
  text += "}\n";
  for (std::size_t at = 0; (at = text.find("atomic_T", at)) != std::string::npos;)
    text.replace(at, 8, "atomic_" + type.name);
  return text;
}

std::vector<Bits> bits_in(const std::vector<std::byte>& bytes, const Type& type) {
  std::vector<Bits> all(bytes.size() / type.bytes);
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], bytes.data() + i * type.bytes, type.bytes);
  return all;
}

ScalarValue number(const Type& type, Bits bits) {
  if (type.name == "int") return ScalarValue::of(static_cast<std::int32_t>(bits));
  if (type.name == "uint") return ScalarValue::of(static_cast<std::uint32_t>(bits));
  return type.is_signed ? ScalarValue::of(static_cast<std::int64_t>(bits)) : ScalarValue::of(bits);
}

class AtomicFunctions : public testing::TestWithParam<Type> {
 protected:
  Program load(const std::string& source, const std::vector<std::string>& signatures) {
    LoadOptions options;
    options.macros["T"] = GetParam().name;
    return program_of(device_, source, signatures, options);
  }
  std::vector<Bits> left_by(const Kernel& kernel, Grid groups, std::size_t count, Bits a, Bits v) {
    Queue queue = must(device_.create_queue());
    Buffer out = must(device_.allocate(DType::u8, {count * GetParam().bytes}));
    std::vector<std::byte> bytes(count * GetParam().bytes);
    must(queue.submit(
        CommandList{}.upload(out, bytes).exec(kernel, groups, out, number(GetParam(), a), number(GetParam(), v))));
    must(must(queue.submit(CommandList{}.download(bytes, out))).wait());
    return bits_in(bytes, GetParam());
  }
  [[nodiscard]] std::string signature(const std::string& name, const std::string& group) const {
    return name + "(out: read_write u8[], a: " + GetParam().dtype + ", v: " + GetParam().dtype + ") group " + group;
  }

  Device device_ = device_of("cpu");
};

TEST_P(AtomicFunctions, ReturnAndLeaveWhatTheyShould) {
  const Type& type = GetParam();
  std::vector<Call> calls = calls_of_1(type);
  const std::vector<Call> more = calls_of_11();
  std::string source;
  std::vector<std::string> signatures;
  for (const std::string memory : {"global", "local", "any"}) {
    std::vector<Call> some = calls;
    // OpenCL 1 has no unnamed memory.
    if (memory == "any") some.clear();
    some.insert(some.end(), more.begin(), more.end());
    source += kernel_of("f_" + memory, type, memory, some);
    signatures.push_back(signature("f_" + memory, "1"));
  }
  const Program program = load(source, signatures);
  calls.insert(calls.end(), more.begin(), more.end());
  for (const std::string memory : {"global", "local", "any"}) {
    const std::size_t first = memory == "any" ? calls.size() - more.size() : 0;
    const Kernel kernel = must(program.kernel("f_" + memory));
    for (const auto& [a, v] : std::initializer_list<std::pair<Bits, Bits>>{{5, ~Bits{11}}, {~Bits{6}, 0x5a}, {1, 1}}) {
      const auto left = left_by(kernel, Grid{1, 1, 1}, 2 * (calls.size() - first), a, v);
      for (std::size_t k = first; k < calls.size(); ++k) {
        const std::string what = calls[k].text + " in " + memory + " memory of " + std::to_string(a);
        EXPECT_EQ(left[2 * (k - first)], type.kept(calls[k].after(type, a, v))) << what;
        EXPECT_EQ(left[2 * (k - first) + 1], type.kept(calls[k].returned(a, v))) << what;
      }
    }
  }
}

// Eight groups of 64 items, as threads run them: nobody's step is lost.
TEST_P(AtomicFunctions, LoseNothingAmongManyItems) {
  const Type& type = GetParam();
  std::string source = R"(
kernel void many(global T* out, T a, T v) {
  const T i = get_global_id(0), bit = (T)1 << (i % 31);
  volatile global atomic_T* q = (volatile global atomic_T*)out;
  for (int k = 0; k < 20; ++k) {
    atomic_fetch_add(q, i);
    atomic_fetch_sub_explicit(q + 1, v, memory_order_relaxed);
    atomic_fetch_or(q + 2, bit);
    atomic_fetch_xor(q + 3, k == 0 ? i : 0);
    atomic_fetch_max(q + 4, i * 3);
    atom_inc(out + 5);
    atom_dec(out + 6);
    T seen = atomic_load(q + 7);
    while (!atomic_compare_exchange_weak(q + 7, &seen, seen + 2)) ;
    for (T was = out[8];; ) { const T now = atom_cmpxchg((volatile global T*)out + 8, was, was + 1); if (now == was) break; was = now; }
    atom_add(out + 9, atomic_exchange(q + 10, i));
  }
})";
  for (std::size_t at = 0; (at = source.find("atomic_T", at)) != std::string::npos;)
    source.replace(at, 8, "atomic_" + type.name);
  const auto left = left_by(must(load(source, {signature("many", "64")}).kernel("many")), Grid{8, 1, 1}, 11, 0, 3);
  constexpr Bits items = 512, rounds = 20, sum = items * (items - 1) / 2;
  EXPECT_EQ(left[0], sum * rounds);
  EXPECT_EQ(left[1], type.kept(Bits{0} - 3 * items * rounds));
  EXPECT_EQ(left[2], 0x7fffffffU);
  EXPECT_EQ(left[3], 0U);  // 0 ^ 1 ^ ... ^ 511
  EXPECT_EQ(left[4], 3 * (items - 1));
  EXPECT_EQ(left[5], items * rounds);
  EXPECT_EQ(left[6], type.kept(Bits{0} - items * rounds));
  EXPECT_EQ(left[7], 2 * items * rounds);
  EXPECT_EQ(left[8], items * rounds);
  EXPECT_EQ(left[9] + left[10], sum * rounds);  // each number went in once, and all but the last came out
}

INSTANTIATE_TEST_SUITE_P(OpenclC, AtomicFunctions, testing::ValuesIn(types),
                         [](const auto& info) { return info.param.name; });

// A flag is set by one item of all; who clears it finds it cleared. Fences order nothing that these tests could see:
// they have to be there.
TEST(OpenClCAtomicFlags, AreSetOnce) {
  Device device = device_of("cpu");
  const std::string source = R"(
kernel void flags(global atomic_flag* flag, global atomic_int* out) {
  local atomic_flag own;
  if (get_local_id(0) == 0) atomic_flag_clear(&own);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE);
  write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  if (!atomic_flag_test_and_set(flag)) atomic_fetch_add(out, 1);
  if (!atomic_flag_test_and_set_explicit(flag + 1, memory_order_acquire)) atomic_fetch_add(out + 1, 1);
  if (!atomic_flag_test_and_set_explicit(&own, memory_order_acquire, memory_scope_work_group)) atomic_fetch_add(out + 2, 1);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  if (get_local_id(0) != 0) return;
  atomic_flag_clear_explicit(&own, memory_order_release);
  if (!atomic_flag_test_and_set(&own)) atomic_fetch_add(out + 3, 1);
  atomic_flag_clear_explicit(&own, memory_order_release, memory_scope_work_group);
  if (!atomic_flag_test_and_set(&own)) atomic_fetch_add(out + 3, 1);
  if (!atomic_flag_test_and_set(&own)) atomic_fetch_add(out + 3, 100);
})";
  const Kernel kernel = must(device.load(
      must(ProgramPack::source("opencl_c", source, {"flags(flag: read_write i32[], out: read_write i32[]) group 64"})),
      "flags"));
  Queue queue = must(device.create_queue());
  const std::vector<std::int32_t> zeros(4);
  Buffer flag = must(device.allocate_for(zeros)), out = must(device.allocate_for(zeros));
  must(queue.submit(CommandList{}.upload(flag, zeros).upload(out, zeros).exec(kernel, Grid{6, 1, 1}, flag, out)));
  EXPECT_EQ(must(read<std::int32_t>(queue, out)), (std::vector<std::int32_t>{1, 1, 6, 12}));
}

}  // namespace
}  // namespace pintle::test
