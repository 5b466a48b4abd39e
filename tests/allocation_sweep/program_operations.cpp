// Packs, programs and kernels.
#include <array>

#include "allocation_sweep/operations.h"
#include "base/temporary_folder.h"

namespace pintle::allocation_sweep {
namespace {

constexpr const char* pack_name = "a_name_that_is_longer_than_what_a_string_holds";
constexpr const char* signature = "a_long_kernel_name(a_long_parameter_name: read f32[], n: u32) group 16";

Result<void> source(Run& run) {
  PINTLE_ASSIGN(pack, during([] { return ProgramPack::source("c", "void f(void) {}", {signature}, pack_name); }));
  run.check(pack.variants().size() == 1 && pack.name() == pack_name);
  return {};
}

Result<void> source_refused(Run& run) {
  run.check(!during([] { return ProgramPack::source("c", "void f(void) {}", {"no signature of anything at all"}); }));
  return {};
}

Result<void> with(Run& run) {
  PINTLE_ASSIGN(c, ProgramPack::source("c", "void f(void) {}", {signature}, pack_name));
  PINTLE_ASSIGN(glsl, ProgramPack::source("glsl", "void main() {}", {signature}, pack_name));
  const ProgramPack both = during([&] { return c.with(glsl); });
  run.check(both.variants().size() == 2 || (failed().happened && both.variants().empty()));
  return {};
}

Result<void> serialize(Run& run) {
  PINTLE_ASSIGN(pack, ProgramPack::source("c", "void f(void) {}", {signature}, pack_name));
  PINTLE_ASSIGN(bytes, during([&] { return pack.serialize(); }));
  PINTLE_ASSIGN(back, ProgramPack::parse(bytes));
  run.check(back.name() == pack_name);
  return {};
}

Result<void> parse(Run& run) {
  PINTLE_ASSIGN(pack, ProgramPack::source("c", "void f(void) {}", {signature}, pack_name));
  PINTLE_ASSIGN(bytes, pack.serialize());
  PINTLE_ASSIGN(back, during([&] { return ProgramPack::parse(bytes); }));
  run.check(back.name() == pack_name);
  return {};
}

Result<void> open_missing(Run& run) {
  run.check(!during([] { return ProgramPack::open("/there/is/no/such/folder/and/no/such/pack"); }));
  return {};
}

Result<void> load(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pack, conformance::suite_pack_for(run.device()));
  PINTLE_ASSIGN(kernel, during([&] { return run.device().load(pack, "conform_add_to"); }));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.exec(kernel, Grid{1}, mine.ones, mine.twos, 7u, 64u))));
  return expect(run, mine.queue, mine.twos, 8);
}

Result<void> kernel(Run& run) {
  PINTLE_ASSIGN(pack, conformance::suite_pack_for(run.device()));
  PINTLE_ASSIGN(program, run.device().load(pack));
  PINTLE_ASSIGN(found, during([&] { return program.kernel("conform_affine"); }));
  run.check(found.entry().name == "conform_affine");
  run.check(!during([&] { return program.kernel("a kernel that is not there in any program"); }));
  return {};
}

Result<void> kernel_text(Run& run) {
  PINTLE_ASSIGN(pack, conformance::suite_pack_for(run.device()));
  PINTLE_ASSIGN(kernel, run.device().load(pack, "conform_affine"));
  run.check(during([&] { return kernel.text(); }).starts_with("[Kernel"));
  return {};
}

Result<void> load_refused(Run& run) {
  PINTLE_ASSIGN(pack, ProgramPack::source("a_format_that_nobody_reads", "nothing", {signature}, pack_name));
  const auto refused = during([&] { return run.device().load(pack); });
  run.check(!refused || !run.test().executes());
  return {};
}

Result<void> entry(Run& run) {
  PINTLE_ASSIGN(parsed, during([] { return Entry::parse(signature); }));
  const std::string written = during([&] { return parsed.signature(); });
  run.check(written == signature || (failed().happened && written.empty()));
  return {};
}

}  // namespace

std::span<const Scenario> program_operations() {
  static constexpr std::array<Scenario, 11> all{{{"ProgramPack_source", source},
                                                 {"ProgramPack_source_refused", source_refused},
                                                 {"ProgramPack_with", with},
                                                 {"ProgramPack_serialize", serialize},
                                                 {"ProgramPack_parse", parse},
                                                 {"ProgramPack_open_missing", open_missing},
                                                 {"Device_load", load},
                                                 {"Program_kernel", kernel},
                                                 {"Kernel_text", kernel_text},
                                                 {"Device_load_refused", load_refused},
                                                 {"Entry_parse", entry}}};
  return all;
}

}  // namespace pintle::allocation_sweep
