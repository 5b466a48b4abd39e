// Packs, programs and kernels.
#include <algorithm>
#include <array>
#include <filesystem>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

bool takes(const Context& test, std::string_view format) {
  const auto& formats = test.info().formats;
  return std::ranges::find(formats, format) != formats.end();
}

void require_format(const Context& test, std::string_view format) {
  if (!takes(test, format)) test.not_applicable("the device does not take the format " + std::string(format));
}

constexpr std::string_view twice_code = R"(
void twice(const pintle_group* group, void* const* arguments) {
  uint32_t* x = arguments[0];
  x[group->id[0]] *= 2;
}
)";
constexpr std::array<Source, 4> twice_sources{
    {{"c", twice_code},
     {"opencl_c", "kernel void twice(global uint* x) { x[get_group_id(0)] *= 2; }"},
     {"glsl", R"(
#version 450
layout(set = 0, binding = 0) buffer X { uint x[]; };
#ifdef PINTLE_ENTRY_twice
void main() { x[gl_WorkGroupID.x] *= 2; }
#endif
)"},
     {"stablehlo", R"(
!x = tensor<?xui32>
func.func @twice(%x: !x) -> !x {
  %twice = stablehlo.add %x, %x : !x
  return %twice : !x
}
)"}}};
constexpr std::array<Source, 4> broken_sources{{{"c", "void broken(int x) { undeclared_thing(x }"},
                                                {"opencl_c", "kernel void broken(int x) { undeclared_thing(x }"},
                                                {"glsl", "#version 450\nvoid main() { undeclared_thing(x }"},
                                                {"stablehlo", R"(
func.func @broken() {
  %x = stablehlo.undeclared_thing : tensor<f32>
  return
}
)"}}};
constexpr std::array<Source, 3> scale_sources{{{"c", R"(
void scale(const pintle_group* group, void* const* arguments) {
  uint32_t* x = arguments[0];
  x[group->id[0]] *= (uint32_t)WIDTH;
}
)"},
                                               {"opencl_c", R"(
kernel void scale(global uint* x) { x[get_group_id(0)] *= (uint)WIDTH; }
)"},
                                               {"glsl", R"(
#version 450
layout(constant_id = 7) const uint WIDTH = 1;
layout(set = 0, binding = 0) buffer X { uint x[]; };
void main() { x[gl_WorkGroupID.x] *= WIDTH; }
)"}}};
constexpr std::string_view twice_signature = "twice(x: read_write u32[])";
constexpr std::string_view scale_signature = "scale(x: read_write u32[])";

/// The one of the sources that the device compiles.
SourceText source_for(const Context& test, std::span<const Source> sources) {
  auto source = find_source(test.info(), sources);
  if (!source) test.not_applicable("the device compiles no source");
  return *std::move(source);
}

/// WGSL and StableHLO have no addresses, and StableHLO has no groups.
bool may_be_left_out(const Context& test, std::string_view entry) {
  entry.remove_prefix(std::string_view("conform_").size());
  return entry == "store_at" || (!test.has_groups() && is_about_groups(entry));
}

// S2: one Program type, which queues launch.
DEVICE_TEST(Program, HasTheEntriesOfItsPack) {
  const Program program = need(test.device().load(need(suite_pack())));
  CHECK_EQ(program.entries().size(), kernel_signatures().size());
  for (const Entry& entry : program.entries()) {
    if (may_be_left_out(test, entry.name) && !program.kernel(entry.name)) {
      check_error(program.kernel(entry.name), Errc::build_failed, {entry.name});
      continue;
    }
    const Kernel kernel = need(program.kernel(entry.name));
    CHECK(kernel.entry() == entry);
    CHECK_EQ(kernel.text(), "[Kernel \"" + entry.name + "\"]");
  }
  CHECK(!program.format().empty());
}

DEVICE_TEST(Program, UnknownEntryListsTheKnownOnes) {
  const Program program = need(test.device().load(need(suite_pack())));
  check_error(program.kernel("blur"), Errc::not_found, {"blur", "conform_saxpy", "conform_reduce"});
  check_error(program.kernel(""), Errc::not_found, {"conform_saxpy"});
  check_error(test.device().load(need(suite_pack()), "blur"), Errc::not_found, {"blur", "conform_saxpy"});
}

DEVICE_TEST(Program, KernelKeepsItLoaded) {
  test.require_bytes();
  Queue queue = test.queue();
  Kernel kernel;
  {
    const Program program = need(test.device().load(need(suite_pack())));
    kernel = need(program.kernel("conform_affine"));
  }
  const Buffer buffer = test.buffer(Words{5});
  need(queue.submit(CommandList{}.exec(kernel, Grid{1}, buffer, 2u, 1u, 1u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words{11});
}

// Y7 for code: a submission keeps what it runs, though every handle is gone.
DEVICE_TEST(Program, StaysLoadedWhileItsWorkIsInFlight) {
  test.require_bytes();
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer buffer = test.buffer(Words{5});
  {
    const Kernel kernel = need(test.device().load(need(suite_pack()), "conform_affine"));
    need(queue.submit(CommandList{}.exec(kernel, Grid{1}, buffer, 2u, 1u, 1u), {.after = {test.at(gate, 1)}}));
  }
  need(test.raise(gate, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words{11});
}

// D1, S4: a pack with nothing for the device says what it has, and why each was refused.
DEVICE_TEST(Program, UnfitPackListsEveryVariantWithItsReason) {
  if (takes(test, "*")) test.not_applicable("the device takes every format");
  const auto first = need(ProgramPack::source("no_such_format", "code", {twice_signature}, "unfit"));
  const auto second = need(ProgramPack::source("another_format", "code", {twice_signature}, "unfit"));
  check_error(test.device().load(first.with(second)), Errc::build_failed,
              {"unfit", "no_such_format", "another_format", std::string(test.id()), test.info().formats.front()});
}

DEVICE_TEST(Error, EmptyPacksAndProgramsAreRefused) {
  check_error(test.device().load(ProgramPack()), Errc::invalid_argument);
  check_error(ProgramPack().serialize(), Errc::invalid_argument);
  CHECK(ProgramPack().variants().empty());
  CHECK(ProgramPack().name().empty());
  check_error(Program().kernel("x"), Errc::invalid_argument);
  CHECK(Program().entries().empty());
  CHECK(Program().format().empty());
}

DEVICE_TEST(Error, WrongSignaturesNameTheColumn) {
  for (const std::string_view wrong :
       {"", "(x: f32)", "f(x f32)", "f(x: f33)", "f(x: read f32)", "f(x: f32[])", "f(x: f32) group 0",
        "f(x: f32) group 1,2,3,4", "f(x: f32, x: f32)", "f(x: f32) trailing"}) {
    check_error(ProgramPack::source("c", "", {wrong}), Errc::invalid_argument, {"olumn"});
  }
  check_error(ProgramPack::source("", "code", {twice_signature}), Errc::invalid_argument);
  check_error(ProgramPack::source("c", "", {twice_signature}), Errc::invalid_argument, {"code"});
  check_error(ProgramPack::source("c", twice_code, {twice_signature, twice_signature}), Errc::invalid_argument,
              {"twice"});
}

DEVICE_TEST(Error, EntriesBeyondTheLimitsAreRefusedWithThem) {
  const Limits limits = test.info().limits;
  const auto refused = [&](const std::string& signature) {
    const std::array<std::string_view, 1> signatures{signature};
    const std::string format = takes(test, "*") ? "c" : test.info().formats.front();
    return test.device().load(need(ProgramPack::source(format, format == "native" ? "" : "code", signatures)));
  };
  const std::string local = std::to_string(std::uint64_t{limits.max_local_bytes} + 1);
  check_error(refused("f() local " + local), Errc::build_failed, {local, std::to_string(limits.max_local_bytes)});
  const std::string group = std::to_string(std::uint64_t{limits.max_group.x} + 1);
  check_error(refused("f() group " + group), Errc::build_failed, {group, std::to_string(limits.max_group.x)});
  const auto refused_with = [&](std::uint32_t count, const std::string& type) {
    std::string many = "f(p: " + type;
    for (std::uint32_t i = 1; i < count; ++i) many += ", p" + std::to_string(i) + ": " + type;
    return refused(many + ")");
  };
  if (limits.max_buffers < Entry::max_parameters)
    check_error(refused_with(limits.max_buffers + 1, "read u32[]"), Errc::build_failed,
                {"buffer count", std::to_string(limits.max_buffers + 1), std::to_string(limits.max_buffers)});
  const std::uint32_t scalars = limits.max_scalar_bytes / 8 + 1;
  if (scalars <= Entry::max_parameters)
    check_error(refused_with(scalars, "u64"), Errc::build_failed,
                {"scalars", std::to_string(scalars * 8), std::to_string(limits.max_scalar_bytes)});
}

DEVICE_TEST(Program, ConstantsAreHonest) {
  if (!test.has(Feature::constants)) {
    const LoadOptions options{.constants = {{"WIDTH", 4.0}}};
    check_error(test.device().load(need(suite_pack()), options), Errc::unsupported, {"constants"});
    return;
  }
  const ProgramPack pack = need(pack_of(scale_sources, std::array{scale_signature}, "scale"));
  Queue queue = test.queue();
  for (const double width : {3.0, 5.0}) {
    const Program program = need(test.device().load(pack, LoadOptions{.constants = {{"WIDTH", width}}}));
    const Buffer buffer = test.buffer(Words{2});
    need(queue.submit(CommandList{}.exec(need(program.kernel("scale")), Grid{1}, buffer)));
    CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words{static_cast<std::uint32_t>(2 * width)});
  }
  // A macro has no value of its own; a specialisation constant has.
  if (!takes(test, "glsl")) check_error(test.device().load(pack), Errc::build_failed, {"WIDTH"});
  // And a constant that the program does not have cannot be fixed; a macro that nobody reads can.
  const LoadOptions unknown{.constants = {{"WIDTH", 4.0}, {"HEIGHT", 4.0}}};
  if (!takes(test, "opencl_c") && !takes(test, "cuda_c") && !takes(test, "hip_c"))
    check_error(test.device().load(pack, unknown), Errc::build_failed, {"HEIGHT"});
}

DEVICE_TEST(Error, ConstantsWithoutANameAreRefused) {
  test.require(Feature::constants);
  for (const std::string name : {"", "a b", "1st", "x=1"}) {
    const auto refused = test.device().load(need(source_pack()), LoadOptions{.constants = {{name, 1.0}}});
    check_error(refused, Errc::invalid_argument, {"\"" + name + "\""});
  }
}

DEVICE_TEST(Program, PackGoesThroughBytesUnchanged) {
  const ProgramPack pack = need(suite_pack());
  const std::size_t count = pack.variants().size();
  const std::vector<std::byte> bytes = need(pack.serialize());
  const ProgramPack again = need(ProgramPack::parse(bytes));
  CHECK_EQ(again.name(), pack.name());
  REQUIRE(again.variants().size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK_EQ(again.variants()[i].format, pack.variants()[i].format);
    CHECK(again.variants()[i].entries == pack.variants()[i].entries);
    CHECK_EQ(again.variants()[i].code_bytes, pack.variants()[i].code_bytes);
  }
  CHECK_EQ(need(again.serialize()), bytes);
  check_ok(test.device().load(again));
}

DEVICE_TEST(Error, BrokenPacksAreRefused) {
  std::vector<std::byte> bytes = need(need(source_pack()).serialize());
  check_error(ProgramPack::parse(std::span(bytes).first(bytes.size() / 2)), Errc::invalid_argument);
  check_error(ProgramPack::parse({}), Errc::invalid_argument);
  bytes[bytes.size() / 2] ^= std::byte{1};
  check_error(ProgramPack::parse(bytes), Errc::invalid_argument);
  check_error(ProgramPack::open("/no/such/pack.pintle"), Errc::io, {"/no/such/pack.pintle"});
}

DEVICE_TEST(Program, CompilesSource) {
  const SourceText source = source_for(test, twice_sources);
  test.require_bytes();
  auto loaded =
      test.device().load(need(ProgramPack::source(source.format, source.code, {twice_signature}, "twice")), "twice");
  if (!loaded && loaded.error().text().find("compiler") != std::string::npos)
    test.missing("there is no compiler: " + loaded.error().text());
  const Kernel twice = need(std::move(loaded));
  const std::array operands{Operand::buffer(Words{1, 2, 3, 4})};
  const Outputs out = three_ways(test, twice, Grid::cover(4), operands);
  CHECK_EQ(values_of<std::uint32_t>(out[0]), (Words{2, 4, 6, 8}));
}

DEVICE_TEST(Program, WrongSourceIsBuildFailedWithTheCompilersWords) {
  const SourceText source = source_for(test, broken_sources);
  const auto pack = need(ProgramPack::source(source.format, source.code, {"broken()"}, "broken"));
  check_error(test.device().load(pack), Errc::build_failed, {"broken", "error"});
}

DEVICE_TEST(Program, MissingEntryIsBuildFailedByName) {
  const SourceText source = source_for(test, twice_sources);
  const auto pack = need(ProgramPack::source(source.format, source.code, {"thrice(x: read_write u32[])"}, "twice"));
  check_error(test.device().load(pack), Errc::build_failed, {"thrice"});
}

DEVICE_TEST(Program, MissingNativeFunctionIsBuildFailedByName) {
  require_format(test, "native");
  const auto pack = need(ProgramPack::source("native", "", {"nobody_registered_this()"}, "absent"));
  check_error(test.device().load(pack), Errc::build_failed, {"nobody_registered_this"});
}

// The C source and the same functions built in give the same bytes.
DEVICE_TEST(Program, NativeAndSourceAgree) {
  require_format(test, "native");
  require_format(test, "c");
  test.require_bytes();
  const Kernel native = need(test.device().load(need(suite_pack()), "conform_saxpy"));
  const auto x = ramp<float>(500, 0.1f, 0.3f), y = ramp<float>(500, 7.f, -0.7f);
  const std::array operands{Operand::scalar(1.7f), Operand::buffer(x), Operand::buffer(y), Operand::scalar(500u)};
  CHECK_EQ(three_ways(test, native, Grid::cover(500), operands)[2],
           three_ways(test, test.kernel("saxpy"), Grid::cover(500), operands)[2]);
}

DEVICE_TEST(Program, LoadsManyTimes) {
  for (int i = 0; i < 20; ++i) check_ok(test.device().load(need(suite_pack())));
}

}  // namespace
}  // namespace pintle::conformance
