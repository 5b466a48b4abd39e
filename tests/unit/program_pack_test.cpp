#include "core/program/program_pack.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "kit/forwarding.h"
#include "pintle/must.h"
#include "pintle/program.h"
#include "unit/golden.h"
#include "unit/scratch_folder.h"
#include "unit/seam_support.h"

namespace pintle {
namespace {

/// A device that takes some formats and notes what it is asked to load.
class Loader final : public kit::Forwarding {
 public:
  Loader() : Forwarding("loader", test::open_null()) {
    info_.id = "loader";
    info_.formats = {"native", "so", "c"};
    info_.target = "x86_64-linux";
    info_.limits.max_group = {64, 8, 4};
    info_.limits.max_group_items = 128;
    info_.limits.max_local_bytes = 1024;
    info_.limits.max_buffers = 2;
    info_.limits.max_scalar_bytes = 8;
    allow_constants(Support::native);
  }
  [[nodiscard]] DeviceInfo& info_to_edit() { return info_; }
  void allow_constants(Support support) {
    std::erase_if(info_.capabilities, [](const Capability& row) { return row.feature == Feature::constants; });
    info_.capabilities.push_back({Feature::constants, support, "this loader has none"});
  }

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override {
    asked += std::string(image.format) + " ";
    constants.assign(image.constants.begin(), image.constants.end());
    name = image.name;
    code = base::text_in(image.code);
    if (const auto answer = answers.find(image.format); answer != answers.end()) return answer->second;
    return backend::ProgramId{77};
  }

  std::map<std::string, Error, std::less<>> answers;  // by format: why it refuses
  std::vector<backend::Constant> constants;
  std::string asked;
  std::string name;
  std::string code;
};

ProgramPack pack_of(std::string_view format, std::string_view signature = "f()") {
  return must(ProgramPack::source(format, format == "native" ? "" : "code", {signature}, "thing"));
}

/// The state that Device::load hands on, made by hand.
ProgramPack::State state_of(std::vector<io::PackVariant> variants) { return {{"thing", std::move(variants)}, {}}; }

io::PackVariant variant(std::string format, std::string target = {}, std::string_view signature = "f()") {
  return {std::move(format), std::move(target), {must(Entry::parse(signature))}, {std::byte{'x'}}};
}

Result<core::LoadedVariant> load(Loader& device, const ProgramPack::State& pack, const LoadOptions& options) {
  return core::load_variant(device, device.info(), pack, options);
}

std::string outcome(const Result<core::LoadedVariant>& loaded) {
  if (loaded) return "loads " + loaded->format + "\n";
  return std::string(name(loaded.error().code())) + ": " + loaded.error().text() + "\n";
}

TEST(ProgramPack, SourceHasOneVariant) {
  const ProgramPack pack = must(ProgramPack::source("c", "int x;", {"f(a: f32)", "g() group 4"}, "both"));
  EXPECT_EQ(pack.name(), "both");
  ASSERT_EQ(pack.variants().size(), 1u);
  const VariantInfo& info = pack.variants().front();
  EXPECT_EQ(info.format, "c");
  EXPECT_EQ(info.target, "");
  EXPECT_EQ(info.code_bytes, 6u);
  ASSERT_EQ(info.entries.size(), 2u);
  EXPECT_EQ(info.entries[1].signature(), "g() group 4");
}

TEST(ProgramPack, SourceKeepsTheRulesOfPacks) {
  EXPECT_EQ(ProgramPack::source("c", "x", {"f("}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(ProgramPack::source("c", "x", {"f()", "f()"}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(ProgramPack::source("c", "", {"f()"}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(ProgramPack::source("native", "x", {"f()"}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(ProgramPack::source("", "x", {"f()"}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(ProgramPack::source("c", "x", {"f()"}, "no name").error().code(), Errc::invalid_argument);
  EXPECT_EQ(ProgramPack::source("c", "x", std::initializer_list<std::string_view>{}).error().code(),
            Errc::invalid_argument);
}

TEST(ProgramPack, WithAppends) {
  const ProgramPack both = pack_of("c").with(pack_of("so"));
  ASSERT_EQ(both.variants().size(), 2u);
  EXPECT_EQ(both.variants()[0].format, "c");
  EXPECT_EQ(both.variants()[1].format, "so");
  EXPECT_EQ(ProgramPack().with(both).variants().size(), 2u);
  EXPECT_EQ(both.with(ProgramPack()).variants().size(), 2u);
}

TEST(ProgramPack, VariantsThatContradictAreNotWritten) {
  const ProgramPack both = pack_of("c").with(pack_of("so", "f(x: read f32[])"));
  const auto bytes = both.serialize();
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), Errc::invalid_argument);
}

TEST(ProgramPack, BytesAndFilesReadBack) {
  const ProgramPack pack = pack_of("c").with(pack_of("native"));
  const std::vector<std::byte> bytes = must(pack.serialize());
  const ProgramPack again = must(ProgramPack::parse(bytes));
  EXPECT_EQ(again.name(), "thing");
  ASSERT_EQ(again.variants().size(), 2u);
  EXPECT_EQ(must(again.serialize()), bytes);

  const test::ScratchFolder folder;
  must(base::write_file(folder.path() / "thing.pack", bytes));
  EXPECT_EQ(must(must(ProgramPack::open(folder.path() / "thing.pack")).serialize()), bytes);
  EXPECT_EQ(ProgramPack::open(folder.path() / "missing").error().code(), Errc::io);
  EXPECT_EQ(ProgramPack::parse(std::span(bytes).first(bytes.size() - 1)).error().code(), Errc::invalid_argument);
}

TEST(ProgramPack, EmptyPackIsNamed) {
  ProgramPack pack = pack_of("c");
  const ProgramPack taken = std::move(pack);
  EXPECT_EQ(pack.name(), "");            // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(pack.variants().empty());  // NOLINT(bugprone-use-after-move)
  const auto bytes = pack.serialize();   // NOLINT(bugprone-use-after-move)
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), Errc::invalid_argument);
}

TEST(LoadVariant, PrefersTheFormatsOfTheDeviceInItsOrder) {
  Loader device;
  const auto pack = state_of({variant("c"), variant("spirv"), variant("so"), variant("native")});
  const auto loaded = must(load(device, pack, {}));
  EXPECT_EQ(loaded.format, "native");
  EXPECT_EQ(loaded.id, backend::ProgramId{77});
  EXPECT_EQ(loaded.entries, pack.pack.variants[3].entries);
  EXPECT_EQ(device.asked, "native ");
  EXPECT_EQ(device.name, "thing");
  EXPECT_EQ(device.code, "x");
}

TEST(LoadVariant, GoesOnToTheNextThatBuilds) {
  Loader device;
  device.answers.emplace("native", Error(Errc::not_found, "No such function."));
  device.answers.emplace("so", Error(Errc::build_failed, "No such symbol."));
  EXPECT_EQ(must(load(device, state_of({variant("so"), variant("c"), variant("native")}), {})).format, "c");
  EXPECT_EQ(device.asked, "native so c ");
}

TEST(LoadVariant, StarTakesAnythingOnce) {
  Loader device;
  device.info_to_edit().formats = {"c", "*"};
  device.answers.emplace("c", Error(Errc::build_failed, "No compiler."));
  EXPECT_EQ(must(load(device, state_of({variant("c"), variant("strange")}), {})).format, "strange");
  EXPECT_EQ(device.asked, "c strange ");
}

TEST(LoadVariant, TakesTheVariantOfItsTarget) {
  Loader device;
  const auto pack = state_of({variant("so", "aarch64-linux"), variant("so", "x86_64-linux")});
  EXPECT_EQ(must(load(device, pack, {})).format, "so");
  EXPECT_EQ(device.asked, "so ");
}

TEST(LoadVariant, ListsWhyEachIsRefused) {
  Loader device;
  device.answers.emplace("native", Error(Errc::not_found, "No function is registered under \"f\"."));
  device.answers.emplace("c", Error(Errc::build_failed, "cc says:\nx.c:1: error: expected ';'\n"));
  std::string texts;
  texts += outcome(
      load(device, state_of({variant("spirv"), variant("so", "aarch64-linux"), variant("native"), variant("c")}), {}));
  device.answers.clear();
  texts += outcome(load(device,
                        state_of({variant("so", "", "f() group 65"), variant("so", "", "f() group 64,4"),
                                  variant("so", "", "f() group 4,4,5"), variant("so", "", "f() group 8,8,4"),
                                  variant("so", "", "f() local 1025"), variant("so", "", "f(a: f32, b: f32, c: f32)")}),
                        {}));
  device.info_to_edit().formats.clear();
  texts += outcome(load(device, state_of({variant("c")}), {}));
  texts += outcome(load(device, state_of({}), {}));
  test::expect_golden("program/refused", texts);
  EXPECT_EQ(device.asked, "native c ");
}

TEST(LoadVariant, LimitsThemselvesAreAllowed) {
  Loader device;
  EXPECT_TRUE(load(device, state_of({variant("c", "", "f(a: f32, b: f32) group 16,8 local 1024")}), {}));
}

TEST(LoadVariant, TroubleOfTheDeviceEndsTheChoice) {
  for (const Errc code : {Errc::device_lost, Errc::process_poisoned, Errc::out_of_memory}) {
    Loader device;
    const Error cause(code, "Trouble.");
    device.answers.emplace("native", cause);
    const auto loaded = load(device, state_of({variant("native"), variant("c")}), {});
    ASSERT_FALSE(loaded);
    EXPECT_TRUE(loaded.error().same_origin(cause));
    EXPECT_EQ(device.asked, "native ");
  }
}

TEST(LoadVariant, ConstantsGoToTheDeviceOrAreRefused) {
  Loader device;
  const LoadOptions options{{{"width", 16.5}, {"height", -2}}};
  must(load(device, state_of({variant("c")}), options));
  ASSERT_EQ(device.constants.size(), 2u);
  EXPECT_EQ(device.constants[0].name, "height");
  EXPECT_EQ(device.constants[1].dtype, DType::f64);
  double width = 0;
  std::memcpy(&width, device.constants[1].value.bytes.data(), sizeof width);
  EXPECT_EQ(width, 16.5);

  device.allow_constants(Support::absent);
  device.asked.clear();
  EXPECT_EQ(
      outcome(load(device, state_of({variant("c")}), options)),
      "unsupported: Constant count (2) is larger than the limit (0) of [loader], which fixes no constants: this loader "
      "has none.\n");
  EXPECT_EQ(device.asked, "");
}

}  // namespace
}  // namespace pintle
