// The backend hip over the simulator: what it has of its own. What it shares with cuda is tested there, and by the
// suite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backends/cuda/platform.h"
#include "base/dylib.h"
#include "code_object_image.h"
#include "cuda/pages.h"
#include "cuda/rig.h"
#include "pintle/native/cuda.h"
#include "pintle/native/hip.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(HipDriver, ListsTheDeviceWithEveryFeature) {
  const auto listed = create_driver()->enumerate();
  ASSERT_EQ(listed.devices.size(), 1u);
  const DeviceInfo& info = listed.devices[0];
  EXPECT_EQ(info.id, "hip:0");
  EXPECT_EQ(info.backend, "hip");
  EXPECT_EQ(info.kind, DeviceKind::software);
  EXPECT_EQ(info.uuid, "4750552d70696e746c652d6869702d30");
  EXPECT_THAT(info.driver, AllOf(HasSubstr("AMD HIP 6.2.41133"), HasSubstr("0000:03:00.0")));
  EXPECT_THAT(info.formats, ElementsAre("amdgcn", "hip_c"));
  EXPECT_EQ(info.target, "gfx90a");
  EXPECT_THAT(info.better_targets, ElementsAre("gfx90a:sramecc+:xnack-"));
  EXPECT_EQ(info.limits.max_local_bytes, 65536u);
  EXPECT_EQ(info.limits.min_subgroup, 64u);
  std::set<Feature> features;
  for (const Capability& row : info.capabilities) EXPECT_TRUE(features.insert(row.feature).second);
  EXPECT_EQ(features.size(), static_cast<std::size_t>(Feature::optional_buffers));
  EXPECT_EQ(info.capability(Feature::subgroup_matrices).support, Support::native);
  EXPECT_THAT(info.capability(Feature::subgroup_matrices).detail, HasSubstr("MFMA"));
}

TEST(HipProgram, DeclarationsAreComparedWithTheCodesOwnWords) {
  Rig rig;
  EXPECT_EQ(rig.refusal_of("add(x: read_write u32[], a: u32, n: u32) group 64"), "loads");
  EXPECT_THAT(rig.refusal_of("add(x: read_write u32[], a: u64, n: u32)"),
              AllOf(HasSubstr("\"a\""), HasSubstr("(4) bytes"), HasSubstr("(8)")));
  EXPECT_THAT(rig.refusal_of("add(x: read_write u32[], a: u32)"), AllOf(HasSubstr("(3) parameters"), HasSubstr("(2)")));
  EXPECT_THAT(rig.refusal_of("few() group 33"), AllOf(HasSubstr("(33)"), HasSubstr("(32)")));
  EXPECT_THAT(rig.refusal_of("subtract()"),
              AllOf(HasSubstr("hipErrorNotFound"), HasSubstr("add"), HasSubstr("hold"), HasSubstr("ends")));
}

TEST(HipProgram, CodeForAnotherArchitectureIsNamed) {
  Rig rig;
  simulator::CodeImage image;
  image.target = "gfx1100";
  image.entries = {{.name = "f", .arguments = {}}};
  const auto refused = [&](std::string_view code) {
    const auto loaded = rig.try_load({"f()"}, code, "amdgcn");
    EXPECT_EQ(loaded.error().code(), Errc::build_failed);
    return loaded.error().text();
  };
  const auto other = simulator::print_code_object(image);
  EXPECT_THAT(refused(base::text_in(other)), AllOf(HasSubstr("gfx1100"), HasSubstr("gfx90a")));
  EXPECT_THAT(refused("garbage"), HasSubstr("test"));
  image.target = "gfx90a:xnack+";
  const auto mode = simulator::print_code_object(image);
  EXPECT_THAT(refused(base::text_in(mode)), HasSubstr("xnack+"));
  for (const std::string fitting : {"gfx90a", "gfx90a:xnack-", "gfx90a:sramecc+:xnack-"}) {
    image.target = fitting;
    const auto code = simulator::print_code_object(image);
    EXPECT_TRUE(rig.try_load({"f()"}, base::text_in(code), "amdgcn")) << fitting;
  }
}

TEST(HipProgram, LocalMemoryIsAnOffsetWithinWhatAGroupHas) {
  Rig rig;
  const auto out = rig.allocate(4);
  const auto launch = [&](std::uint32_t size) {
    List list;
    backend::Argument local;
    local.kind = backend::Argument::Kind::local;
    local.range.size = size;
    rig.launch(list, Entries::ends, {local, scalar_argument(size), buffer_argument(range_of(out, 0, 4))});
    return list;
  };
  rig.run(launch(60000));
  EXPECT_EQ(rig.read(out, 4)[0], std::byte{7});
  const auto refused = rig.device->submit(rig.queue, {}, launch(65536 + 16));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr("65536"));
}

/// The exit code tells whether a thread's device is what it was after each call of ours, and as it is chosen by others.
[[noreturn]] void keep_devices() {
  setenv("SIMULATED_HIP_DEVICES", "2", 1);
  const auto library = must(base::Dylib::open_any(std::array{"libamdhip64.so.6"}));
  auto* const set = must(library.function<unsigned(int)>("hipSetDevice"));
  auto* const get = must(library.function<unsigned(int*)>("hipGetDevice"));
  bool is_kept = true;
  const auto look = [&](int wanted) {
    int now = -1;
    is_kept &= get(&now) == 0 && now == wanted;
  };
  const auto use = [&](int wanted) {
    set(wanted);
    for (const std::uint32_t ordinal : {0u, 1u}) {
      Rig rig(ordinal);
      look(wanted);
      const auto memory = rig.allocate(64 << 20);
      rig.write(memory, std::vector<std::byte>(4));
      List list;
      rig.launch(list, Entries::add,
                 {buffer_argument(range_of(memory, 0, 4)), scalar_argument(1u), scalar_argument(1u)});
      rig.run(list);
      look(wanted);
      rig.device->release(memory);
    }
    look(wanted);
  };
  use(1);
  std::thread([&] { use(0); }).join();
  look(1);
  std::_Exit(is_kept ? 0 : 1);
}

// What cuda's tests say of contexts does not exist here.
TEST(HipNative, TheRuntimesOwnStreamAndMemoryAreUsed) {
  const auto& api = *must(cuda::hip_platform().loaded());
  constexpr std::uint32_t size = 1000;
  vendor::cuda::Stream stream = nullptr;
  vendor::cuda::DevicePointer memory = 0;
  ASSERT_EQ(api.cuStreamCreate(&stream, vendor::cuda::stream_non_blocking), vendor::cuda::Status::CUDA_SUCCESS);
  ASSERT_EQ(api.cuMemAlloc(&memory, size * 4), vendor::cuda::Status::CUDA_SUCCESS);
  {
    const Device device = must(wrap_native(hip::HipDevice{0}));
    EXPECT_EQ(must(device.native<hip::HipDevice>()).device, 0);
    Queue queue = must(device.wrap_native(hip::HipQueue{stream}, {.label = "theirs"}));
    EXPECT_EQ(must(queue.native<hip::HipQueue>()).stream, stream);
    const Buffer buffer = must(device.wrap_native(hip::HipMemory{memory}, DType::u32, {size}));
    EXPECT_EQ(must(buffer.native<hip::HipMemory>()).address, memory);
    must(queue.submit_and_wait(CommandList{}.fill(buffer, 7u)));
    EXPECT_EQ(must(read<std::uint32_t>(queue, buffer)), std::vector<std::uint32_t>(size, 7));
    EXPECT_EQ(device.wrap_native(cuda::CudaQueue{stream}, {}).error().code(), Errc::unsupported);
    EXPECT_EQ(wrap_native(hip::HipDevice{3}).error().code(), Errc::invalid_argument);
    EXPECT_EQ(open("hip:0?primary").error().code(), Errc::invalid_argument);
  }
  EXPECT_EQ(api.cuStreamDestroy(stream), vendor::cuda::Status::CUDA_SUCCESS);
  EXPECT_EQ(api.cuMemFree(memory), vendor::cuda::Status::CUDA_SUCCESS);
}

TEST(HipImport, PagesAreUsedInPlaceOnce) {
  Rig rig;
  const Pages pages(1, 5);
  const auto imported = must(rig.device->import_memory(pages.bytes()));
  const auto refused = rig.device->import_memory(pages.bytes());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_EQ(refused.error().vendor()->symbol, "hipErrorHostMemoryAlreadyRegistered");
  List list;
  rig.launch(list, Entries::add,
             {buffer_argument(range_of(imported, 0, Pages::size)), scalar_argument(2u), scalar_argument(1024u)}, 16);
  rig.run(list);
  EXPECT_THAT(pages.words(), Each(7u));
  volatile std::uint32_t* const gate = rig.hold();
  rig.device->release(imported);
  rig.let_go(gate);
}

// The number of CUDA's flag for them means another thing to HIP.
TEST(HipImport, PagesThatNobodyMayWriteAreCopied) {
  Rig rig;
  const Pages pages(1, 9);
  pages.allow(PROT_READ);
  const auto refused = rig.device->import_memory(pages.bytes());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().vendor()->symbol, "hipErrorInvalidValue");
  const Device device = must(open("hip:0"));
  Queue queue = must(device.create_queue());
  const std::span<const std::uint32_t> values = pages.words();
  EXPECT_THAT(must(read<std::uint32_t>(queue, must(device.import_host(values)))), Each(9u));
}

TEST(HipClock, TimestampsLieBetweenCalibrations) {
  Rig rig;
  const auto times = rig.allocate(8);
  const auto before = must(rig.device->calibrate());
  rig.run(List({backend::Timestamp{range_of(times, 0, 8)}}));
  const auto after = must(rig.device->calibrate());
  std::uint64_t ticks = 0;
  std::memcpy(&ticks, rig.read(times, 8).data(), sizeof ticks);
  EXPECT_LE(before.device_ticks, ticks);
  EXPECT_LE(ticks, after.device_ticks);
}

class HipProcess : public testing::Test {
 public:
  HipProcess() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(HipProcess, AThreadKeepsItsDevice) { EXPECT_EXIT(keep_devices(), testing::ExitedWithCode(0), ""); }

TEST_F(HipProcess, AbsencesSayWhyAndWhatToDo) {
  const auto told = testing::ExitedWithCode(3);
  EXPECT_EXIT(tell_absences("SIMULATED_HIP_INIT", "101"), told, "hipErrorInvalidDevice .101. to hipInit.*/dev/kfd");
  EXPECT_EXIT(tell_absences("ROCR_VISIBLE_DEVICES", "-1"), told,
              "hipErrorNoDevice.*ROCR_VISIBLE_DEVICES is .-1.*rocminfo");
  EXPECT_EXIT(tell_absences("ROCR_VISIBLE_DEVICES", "0"), told, "hidden.*ROCR_VISIBLE_DEVICES is .0.*Unset");
}

/// Through the public API: the first cause has HIP's own name, and nothing can be recovered.
[[noreturn]] void poison_and_recover() {
  Device device = must(open("hip:0"));
  Queue queue = must(device.create_queue());
  const ProgramPack pack = must(ProgramPack::source("hip_c", source, {"store(at: u64)"}, "poison"));
  const Kernel store = must(device.load(pack, "store"));
  const auto done = queue.submit(CommandList{}.exec(store, Grid{1}, std::uint64_t{0x10}));
  const auto waited = done ? done->wait() : Result<void>(done.error());  // the fault may come before the call returns
  const auto recovered = device.recover();
  const bool is_told = !waited && waited.error().code() == Errc::process_poisoned &&
                       waited.error().vendor()->symbol == "hipErrorIllegalAddress" && !recovered &&
                       recovered.error().code() == Errc::process_poisoned;
  std::exit(is_told ? 0 : 1);
}

TEST_F(HipProcess, AFaultPoisonsTheProcess) { EXPECT_EXIT(poison_and_recover(), testing::ExitedWithCode(0), ""); }

TEST(HipErrors, NameHipsOwnCalls) {
  Rig rig;
  const auto refused = rig.device->allocate({std::uint64_t{3} << 30, 1, Placement::device, "first"});
  ASSERT_TRUE(refused);
  const auto second = rig.device->allocate({std::uint64_t{3} << 30, 1, Placement::device, "second"});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), Errc::out_of_memory);
  EXPECT_EQ(must(rig.device->budget()).front().source, "hipMemGetInfo");
}

}  // namespace
}  // namespace pintle::test
