// The registry's logic over drivers and layers made for the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "registry/catalog.h"
#include "unit/golden.h"
#include "unit/seam_support.h"

namespace pintle::registry {
namespace {

DeviceInfo device(DeviceKind kind, std::string uuid = {}) {
  DeviceInfo info;
  info.id = "what the driver calls it";
  info.kind = kind;
  info.uuid = std::move(uuid);
  return info;
}

class FakeDriver final : public backend::Driver {
 public:
  FakeDriver(std::string name, std::vector<DeviceInfo> devices, std::vector<Absence> absences = {})
      : name_(std::move(name)), found_{std::move(devices), std::move(absences)} {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  backend::Enumeration enumerate() override {
    ++enumerated;
    return found_;
  }
  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    opened = name_ + ":" + std::to_string(ordinal);
    for (const auto& [key, value] : options) {
      opened += "?" + std::string(key) + "=" + std::string(value);
      if (key == "unknown") return Error(Errc::invalid_argument, "Option \"unknown\" is unknown.");
      if (key == "nothing") return std::unique_ptr<backend::Device>();
    }
    return test::open_null();
  }
  std::vector<DeviceInfo>& devices() { return found_.devices; }

  int enumerated = 0;
  std::string opened;

 private:
  std::string name_;
  backend::Enumeration found_;
};

class FakeLayer final : public backend::Layer {
 public:
  FakeLayer(std::string name, std::string& log) : name_(std::move(name)), log_(log) {}
  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  Result<std::unique_ptr<backend::Device>> wrap(std::unique_ptr<backend::Device> inner,
                                                std::span<const backend::Option> options) override {
    log_ += name_;
    for (const auto& [key, value] : options) log_ += "?" + std::string(key) + "=" + std::string(value);
    log_ += ";";
    return inner;
  }

 private:
  std::string name_;
  std::string& log_;
};

/// A machine with a little of everything.
class Registry : public testing::Test {
 protected:
  FakeDriver cpu{"cpu", {device(DeviceKind::cpu)}};
  FakeDriver null{"null", {device(DeviceKind::simulated)}};
  FakeDriver vulkan{"vulkan",
                    {device(DeviceKind::software, "AAAA-1"), device(DeviceKind::integrated_gpu, "aabb-2"),
                     device(DeviceKind::discrete_gpu, "cc00-3")}};
  FakeDriver cuda{"cuda", {}, {{"", "libcuda.so.1 does not open: no such file.", "Install the NVIDIA driver"}}};
  std::string wrapped;
  FakeLayer trace{"trace", wrapped};
  FakeLayer faulty{"faulty", wrapped};
  std::vector<backend::Driver*> drivers{&vulkan, &null, &cuda, &cpu};
  std::vector<backend::Layer*> layers{&trace, &faulty};

  [[nodiscard]] Catalog catalog() const { return {drivers, layers}; }
  [[nodiscard]] std::string canonical(std::string_view id) const {
    const auto recipe = catalog().find(id);
    return recipe ? recipe->id : std::string(name(recipe.error().code())) + ": " + recipe.error().text();
  }
  [[nodiscard]] std::string listing() const {
    std::string text;
    for (const DeviceInfo& info : must(catalog().list()).devices) text += info.id + " of " + info.backend + "\n";
    for (const Absence& absence : must(catalog().list()).absences) {
      text += "no " + absence.backend + ": " + absence.reason + " " + absence.next_step + "\n";
    }
    return text;
  }
};

TEST_F(Registry, ListsEverythingUnderCanonicalIds) {
  EXPECT_EQ(listing(),
            "cpu of cpu\nnull of null\nvulkan:0 of vulkan\nvulkan:1 of vulkan\nvulkan:2 of vulkan\n"
            "no cuda: libcuda.so.1 does not open: no such file. Install the NVIDIA driver\n");
}

TEST_F(Registry, TheOrderOfDriversDoesNotMatter) {
  const std::string wanted = listing();
  const auto by_name = [](const backend::Driver* a, const backend::Driver* b) { return a->name() < b->name(); };
  std::ranges::sort(drivers, by_name);
  int orders = 0;
  do {
    ++orders;
    ASSERT_EQ(listing(), wanted);
    ASSERT_EQ(canonical("best"), "vulkan:2");
  } while (std::ranges::next_permutation(drivers, by_name).found);
  EXPECT_EQ(orders, 24);
}

TEST_F(Registry, ListedIdsAreFoundAsThemselves) {
  for (const DeviceInfo& info : must(catalog().list()).devices) EXPECT_EQ(canonical(info.id), info.id);
}

TEST_F(Registry, ADriverOfAKnownNameIsLeftOut) {
  FakeDriver second("cpu", {device(DeviceKind::discrete_gpu), device(DeviceKind::discrete_gpu)});
  const std::string wanted = listing();
  drivers.push_back(&second);
  EXPECT_EQ(listing(), wanted);
  EXPECT_EQ(second.enumerated, 0);
}

TEST_F(Registry, ADriverWithoutDevicesOrReasonIsExplained) {
  FakeDriver silent("silent", {});
  drivers = {&silent};
  EXPECT_EQ(listing(), "no silent: The driver finds no device and gives no reason. \n");
}

TEST_F(Registry, CanonicalIds) {
  EXPECT_EQ(canonical("CPU"), "cpu");
  EXPECT_EQ(canonical("cpu:0"), "cpu");
  EXPECT_EQ(canonical("cpu?Inline"), "cpu?inline");
  EXPECT_EQ(canonical("VULKAN:2"), "vulkan:2");
  EXPECT_EQ(canonical("vulkan:aaaa"), "vulkan:0");
  EXPECT_EQ(canonical("vulkan:AABB-2"), "vulkan:1");
  EXPECT_EQ(canonical("Trace(vulkan:cc)?B&A"), "trace(vulkan:2)?a&b");
}

TEST_F(Registry, BestIsTheBestHardware) {
  EXPECT_EQ(canonical("best"), "vulkan:2");
  vulkan.devices().pop_back();
  EXPECT_EQ(canonical("best"), "vulkan:1");
  FakeDriver accelerator("accelerator", {device(DeviceKind::accelerator), device(DeviceKind::accelerator)});
  drivers.push_back(&accelerator);
  EXPECT_EQ(canonical("best"), "vulkan:1") << "an integrated gpu comes before an accelerator";
  vulkan.devices().pop_back();
  EXPECT_EQ(canonical("best"), "accelerator:0") << "the first of the best kind";
}

TEST_F(Registry, ABackendsNameIsItsBestDevice) {
  EXPECT_EQ(canonical("vulkan"), "vulkan:2") << "hardware before software";
  EXPECT_EQ(canonical("Trace(Vulkan?x)"), "trace(vulkan:2?x)");
  vulkan.devices()[2].kind = DeviceKind::integrated_gpu;
  EXPECT_EQ(canonical("vulkan"), "vulkan:1") << "the first of its kind";
  for (DeviceInfo& info : vulkan.devices()) info.kind = DeviceKind::software;
  EXPECT_EQ(canonical("vulkan"), "vulkan:0");
  EXPECT_EQ(canonical("null"), "null");
}

TEST_F(Registry, PintleDeviceMayBeABackendsName) {
  const Catalog chosen(drivers, layers, {"vulkan"});
  EXPECT_EQ(must(chosen.find("best")).id, "vulkan:2");
}

TEST_F(Registry, BestIsNeverSoftwareOrSimulated) {
  vulkan.devices().resize(1);
  EXPECT_EQ(canonical("best"), "cpu");
  EXPECT_EQ(canonical("faulty(best)"), "faulty(cpu)");
  drivers = {&null, &vulkan};
  EXPECT_EQ(
      canonical("best"),
      "unavailable: Device id \"best\" names no device here. Neither hardware nor a cpu device is there. Valid ids are "
      "null, vulkan; layers are faulty, trace.");
}

TEST_F(Registry, BestAsksNoDriverThatCannotHaveBetter) {
  FakeDriver amd("amd", {device(DeviceKind::discrete_gpu)});
  drivers.push_back(&amd);
  EXPECT_EQ(canonical("best"), "amd") << "the first of the best kind";
  EXPECT_EQ(cpu.enumerated + null.enumerated + cuda.enumerated + vulkan.enumerated, 0);
}

TEST_F(Registry, BestIsTheCpuWhereNothingElseShowsItself) {
  const Catalog nothing_shown(drivers, layers, {.best = {}, .may_have_accelerators = [] { return false; }});
  EXPECT_EQ(must(nothing_shown.find("best")).id, "cpu");
  EXPECT_EQ(null.enumerated + vulkan.enumerated, 0) << "a vendor's library takes up to a second to load";
  EXPECT_EQ(must(nothing_shown.find("vulkan:2")).id, "vulkan:2");
}

TEST_F(Registry, AVariableSaysWhatBestIs) {
  const auto found = [&](std::string best, std::string_view id) {
    const auto recipe = Catalog(drivers, layers, {.best = std::move(best)}).find(id);
    return recipe ? recipe->id : recipe.error().text();
  };
  EXPECT_EQ(found("vulkan:1", "best"), "vulkan:1");
  EXPECT_EQ(found("faulty(cpu?x)?call=submit", "trace(best)?file=a"), "trace(faulty(cpu?x)?call=submit)?file=a");
  EXPECT_EQ(found("best", "best"), "vulkan:2");
  EXPECT_EQ(found("null", "cpu"), "cpu");
  EXPECT_EQ(found("null??", "best"),
            "Column 6 of the device id \"null??\" is \"?\" where an option's key is expected.\n"
            " - While opening what variable PINTLE_DEVICE names");
  EXPECT_TRUE(found("metal", "best").ends_with("\n - While opening what variable PINTLE_DEVICE names"));
}

io::Pack pack_in(std::initializer_list<std::string> formats, std::uint32_t group = 64) {
  io::Pack pack{"blur", {}};
  for (const std::string& format : formats) {
    pack.variants.push_back(
        {format, {}, {must(Entry::parse("blur(x: read f32[]) group " + std::to_string(group)))}, {}});
  }
  return pack;
}

/// Devices that say what they take: an integrated gpu and a discrete one behind a driver in software.
class BestForAPack : public Registry {
 protected:
  BestForAPack() {
    const auto takes = [](DeviceInfo& info, std::vector<std::string> formats, std::uint32_t most) {
      info.formats = std::move(formats);
      info.limits.max_group = {most, most, most};
      info.limits.max_group_items = most;
      info.limits.max_buffers = 8;
      info.limits.max_scalar_bytes = 64;
    };
    takes(cpu.devices()[0], {"native", "so", "c"}, 1024);
    takes(null.devices()[0], {"*"}, 1024);
    takes(vulkan.devices()[0], {"spirv"}, 1024);
    takes(vulkan.devices()[1], {"spirv", "glsl"}, 1024);
    takes(vulkan.devices()[2], {"spirv"}, 256);
  }
  [[nodiscard]] static std::string found(const Catalog& catalog, std::string_view id, const io::Pack& pack) {
    const auto recipe = catalog.find(id, &pack);
    return recipe ? recipe->id : std::string(name(recipe.error().code())) + ": " + recipe.error().text();
  }
  [[nodiscard]] std::string best(const io::Pack& pack) const { return found(catalog(), "best", pack); }
};

TEST_F(BestForAPack, IsTheBestHardwareThatTakesAVariant) {
  EXPECT_EQ(best(pack_in({"c", "spirv"})), "vulkan:2");
  EXPECT_EQ(best(pack_in({"glsl"})), "vulkan:1") << "the discrete one does not take GLSL";
  EXPECT_EQ(best(pack_in({"spirv"}, 512)), "vulkan:1") << "the discrete one has groups of 256 items";
  EXPECT_EQ(best(pack_in({"c"})), "cpu");
  EXPECT_EQ(found(catalog(), "trace(best)", pack_in({"c"})), "trace(cpu)");
}

TEST_F(BestForAPack, RefusesWithTheReasonOfEachDevice) {
  vulkan.devices().resize(1);
  EXPECT_EQ(
      best(pack_in({"spirv", "ptx"})),
      "unavailable: Device id \"best\" names no device that takes [Program \"blur\"].\n"
      " - [cpu] takes no variant of [Program \"blur\"]: it takes the formats native, so, c, and the pack has spirv, "
      "ptx.\n"
      " - [null] takes it, and is simulated, which \"best\" never picks: name it (\"null\").\n"
      " - [vulkan] takes it, and is software, which \"best\" never picks: name it (\"vulkan\").\n"
      " - Backend \"cuda\" has no device: libcuda.so.1 does not open: no such file. Install the NVIDIA driver.");
}

TEST_F(BestForAPack, TheCpuIsEnoughWhereNothingElseShowsItself) {
  const Catalog nothing_shown(drivers, layers, {.best = {}, .may_have_accelerators = [] { return false; }});
  EXPECT_EQ(found(nothing_shown, "best", pack_in({"spirv", "c"})), "cpu");
  EXPECT_EQ(null.enumerated + vulkan.enumerated, 0) << "a vendor's library takes up to a second to load";
}

TEST_F(BestForAPack, ANamedDeviceHasToTakeThePack) {
  EXPECT_EQ(found(catalog(), "vulkan:2", pack_in({"spirv"})), "vulkan:2");
  EXPECT_EQ(found(catalog(), "vulkan:0", pack_in({"spirv"})), "vulkan:0") << "software, and asked for by name";
  EXPECT_EQ(
      found(catalog(), "vulkan:2", pack_in({"spirv"}, 512)),
      "unavailable: [vulkan:2] takes no variant of [Program \"blur\"]: it takes the formats spirv, and the pack has "
      "spirv; of the variant spirv, in the entry \"blur\" the group (512,1,1) is larger than the limit "
      "(256,256,256).");
}

TEST_F(BestForAPack, TheVariableStillDecides) {
  const Catalog meant(drivers, layers, {.best = "vulkan:0"});
  EXPECT_EQ(found(meant, "best", pack_in({"spirv", "c"})), "vulkan:0");
  EXPECT_EQ(
      found(meant, "best", pack_in({"c"})),
      "unavailable: [vulkan:0] takes no variant of [Program \"blur\"]: it takes the formats spirv, and the pack has "
      "c.\n - While opening what variable PINTLE_DEVICE names");
}

TEST_F(BestForAPack, AVariantIsForItsTarget) {
  cpu.devices()[0].target = "x86_64-linux";
  io::Pack pack = pack_in({"so"});
  pack.variants[0].target = "aarch64-linux";
  EXPECT_TRUE(best(pack).find("of the variant so for aarch64-linux, the device needs the target \"x86_64-linux\".") !=
              std::string::npos)
      << best(pack);
}

TEST_F(Registry, ANameSelectsADevice) {
  const auto name = [](DeviceInfo& info, std::string_view is, std::string_view driver) {
    info.name = is;
    info.driver = driver;
  };
  name(vulkan.devices()[0], "llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe Mesa 22.3.6");
  name(vulkan.devices()[1], "NVIDIA H100", "NVIDIA 550");
  name(vulkan.devices()[2], "NVIDIA H100 NVL", "NVIDIA 550");
  EXPECT_EQ(canonical("vulkan:llvmpipe"), "vulkan:0");
  EXPECT_EQ(canonical("vulkan:LLVM-15"), "vulkan:0") << "the beginning of a later word";
  EXPECT_EQ(canonical("vulkan:mesa"), "vulkan:0") << "of the driver";
  EXPECT_EQ(canonical("vulkan:nvl?x"), "vulkan:2?x");
  EXPECT_EQ(canonical("vulkan:nvidia-h100"), "vulkan:1") << "what is called exactly so comes first";
  EXPECT_EQ(canonical("vulkan:nvid"),
            "invalid_argument: Word \"nvid\" begins the uuid, name or driver of 2 devices of \"vulkan\": vulkan:1, "
            "vulkan:2.");
  EXPECT_NE(canonical("vulkan:pipe").find("No uuid, name or driver of the devices of \"vulkan\" begins with \"pipe\"."),
            std::string::npos);
  EXPECT_NE(canonical("cpu:1").find("Valid ids are best, cpu, null, vulkan:llvmpipe, vulkan:nvidia-h100, vulkan:nvl;"),
            std::string::npos);
}

TEST_F(Registry, RefusalsSayWhatThereIs) {
  std::string texts;
  for (const std::string_view id : {"metal", "metal:3", "cuda", "cuda:0", "cpu:1", "vulkan:3", "vulkan:dd", "vulkan:aa",
                                    "trace", "cpu(null)", "slow(trace(cpu))", "trace(metal)", "cpu??", ""}) {
    texts += canonical(id) + "\n";
  }
  drivers.clear();
  layers.clear();
  texts += canonical("cpu") + "\n";
  test::expect_golden("registry/refusals", texts);
}

TEST_F(Registry, FindingByNameAsksThatDriverAlone) {
  EXPECT_EQ(canonical("cpu?inline"), "cpu?inline");
  EXPECT_EQ(cpu.enumerated, 1);
  EXPECT_EQ(vulkan.enumerated + null.enumerated + cuda.enumerated, 0);
}

TEST_F(Registry, NothingIsOpenedBeforeTheRecipeRuns) {
  const DeviceRecipe recipe = must(catalog().find("faulty(trace(vulkan:1?x=Y)?file=a)?call=submit"));
  EXPECT_EQ(vulkan.opened + wrapped, "");
  for (int generation = 0; generation < 2; ++generation) {
    vulkan.opened.clear();
    wrapped.clear();
    EXPECT_NE(must(recipe.open()), nullptr);
    EXPECT_EQ(vulkan.opened, "vulkan:1?x=Y");
    EXPECT_EQ(wrapped, "trace?file=a;faulty?call=submit;");
  }
}

TEST_F(Registry, ReopeningFollowsTheUuid) {
  const DeviceRecipe recipe = must(catalog().find("vulkan:2"));
  must(recipe.open());
  EXPECT_EQ(vulkan.opened, "vulkan:2");
  vulkan.devices().erase(vulkan.devices().begin());
  must(recipe.open());
  EXPECT_EQ(vulkan.opened, "vulkan:1");
  vulkan.devices().pop_back();
  const auto gone = recipe.open();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), Errc::unavailable);
  EXPECT_NE(gone.error().text().find("\"cc00-3\""), std::string::npos);
}

TEST_F(Registry, OpeningErrorsNameTheDevice) {
  const auto unknown = must(catalog().find("trace(cpu?unknown)")).open();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), Errc::invalid_argument);
  EXPECT_EQ(unknown.error().text(), "Option \"unknown\" is unknown.\n - While opening [trace(cpu?unknown)]");
  EXPECT_EQ(wrapped, "");
  const auto nothing = must(catalog().find("cpu?nothing")).open();
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code(), Errc::internal);
}

}  // namespace
}  // namespace pintle::registry
