// The backend over the simulator: what the suite does not see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/dylib.h"
#include "base/kept_number.h"
#include "base/temporary_folder.h"
#include "pintle/commands.h"
#include "pintle/device.h"
#include "pintle/must.h"
#include "pintle/program.h"
#include "pintle/queue.h"
#include "rig.h"

namespace pintle::test {
namespace {

using backend::no_slot;
using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

TEST(CudaDriver, ListsTheDeviceWithEveryFeature) {
  const auto listed = create_driver()->enumerate();
  ASSERT_EQ(listed.devices.size(), 1u);
  const DeviceInfo& info = listed.devices[0];
  EXPECT_EQ(info.kind, DeviceKind::software);  // the best hardware is never a simulator
  EXPECT_EQ(info.uuid, "70696e746c652d73696d756c61746564");
  EXPECT_THAT(info.driver, AllOf(HasSubstr("CUDA 13.0"), HasSubstr("0000:00:06.0")));
  EXPECT_EQ(info.formats, (std::vector<std::string>{"ptx", "cubin", "fatbin", "cuda_c"}));
  EXPECT_EQ(info.better_targets.front(), "sm_90");
  EXPECT_EQ(info.limits.max_local_bytes, 232448u);
  std::set<Feature> features;
  for (const Capability& row : info.capabilities) {
    EXPECT_TRUE(features.insert(row.feature).second);
    EXPECT_TRUE(row.support == Support::native || !row.detail.empty()) << name(row.feature);
  }
  EXPECT_EQ(features.size(), static_cast<std::size_t>(Feature::optional_buffers));
  EXPECT_EQ(info.capability(Feature::subgroup_matrices).support, Support::native);
  EXPECT_THAT(info.capability(Feature::subgroup_matrices).detail, HasSubstr("wmma"));
}

TEST(CudaDriver, RefusesOptionsAndOrdinalsByName) {
  EXPECT_EQ(try_open(0, {{"fast", ""}}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(try_open(7).error().code(), Errc::not_found);
}

TEST(CudaProgram, DeclarationsAreCompared) {
  Rig rig;
  EXPECT_EQ(rig.refusal_of("add(x: read_write u32[], a: u32, n: u32) group 64"), "loads");
  EXPECT_THAT(rig.refusal_of("add(x: read_write u32[], a: u64, n: u32)"),
              AllOf(HasSubstr("\"a\""), HasSubstr("(4) bytes"), HasSubstr("(8)")));
  EXPECT_THAT(rig.refusal_of("add(x: read_write u32[], a: u32)"), AllOf(HasSubstr("(3) parameters"), HasSubstr("(2)")));
  EXPECT_THAT(rig.refusal_of("few() group 33"), AllOf(HasSubstr("(33)"), HasSubstr("(32)")));
  EXPECT_THAT(rig.refusal_of("subtract()"), AllOf(HasSubstr("subtract"), HasSubstr("add, hold, store, few, ends")));
}

TEST(CudaProgram, WrongPtxIsBuildFailedWithItsReason) {
  Rig rig;
  const auto refused = [&](std::string_view code) {
    const auto loaded = rig.try_load({"f()"}, code, "ptx");
    EXPECT_EQ(loaded.error().code(), Errc::build_failed);
    return loaded.error().text();
  };
  EXPECT_THAT(refused(".version 9.9\n.target sm_90\n.visible .entry f()\n{\n}\n"),
              AllOf(HasSubstr("222"), HasSubstr("the PTX is of a version that the driver does not know")));
  EXPECT_THAT(refused(".version 9.0\n.target sm_121\n.visible .entry f()\n{\n}\n"),
              AllOf(HasSubstr("218"), HasSubstr("sm_121")));
  EXPECT_THAT(refused("garbage"), HasSubstr("CUDA_ERROR_INVALID_IMAGE"));
  const auto cubin = rig.try_load({"f()"}, std::string_view("\177ELF\2\1\1\0 of another card", 25), "cubin");
  EXPECT_EQ(cubin.error().code(), Errc::build_failed);
  EXPECT_THAT(cubin.error().text(), AllOf(HasSubstr("209"), HasSubstr("for another architecture")));
}

TEST(CudaProgram, LocalMemoryIsAnOffsetAndMayBeLarge) {
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
  rig.run(launch(200 << 10));  // above the 48 KiB that need no asking
  EXPECT_EQ(rig.read(out, 4)[0], std::byte{7});
  const auto refused = rig.device->submit(rig.queue, {}, launch(232448 + 16));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr("232448"));
}

TEST(CudaTransfer, LargeCopiesGoInPieces) {
  Rig rig;
  for (const std::size_t size : {std::size_t{1} << 20, (std::size_t{1} << 20) + 1, (std::size_t{21} << 20) + 3}) {
    const auto bytes = pattern(size);
    const auto memory = rig.allocate(size);
    rig.write(memory, bytes);
    EXPECT_TRUE(rig.read(memory, size) == bytes) << size;
  }
}

TEST(CudaTransfer, PatternsOfEightBytesFillWhatFourCannot) {
  Rig rig;
  const std::uint64_t size = 3 * 4096 + 24;
  const auto memory = rig.allocate(size + 8);
  rig.write(memory, std::vector<std::byte>(size + 8));
  backend::Scalar pattern;
  const std::uint64_t word = 0x0123456789abcdef;
  std::memcpy(pattern.bytes.data(), &word, sizeof word);
  List list;
  list.add(backend::Fill{range_of(memory, 0, size), pattern, 8, DType::u64});
  rig.run(list);
  const auto bytes = rig.read(memory, size + 8);
  std::vector<std::uint64_t> words(size / 8 + 1);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  EXPECT_EQ(std::ranges::count(words, word), static_cast<std::ptrdiff_t>(size / 8));
  EXPECT_EQ(words.back(), 0u);
}

TEST(CudaQueue, SubmitNeverBlocksInAFullStream) {
  Rig rig;
  const auto memory = rig.allocate(4);
  rig.write(memory, std::vector<std::byte>(4));
  volatile std::uint32_t* const gate = rig.hold();
  List list;
  for (int count = 0; count < 500; ++count)
    rig.launch(list, Entries::add, {buffer_argument(range_of(memory, 0, 4)), scalar_argument(1u), scalar_argument(1u)});
  std::uint64_t last = 0;
  for (int round = 0; round < 6; ++round) last = rig.submit(list);  // the gate is opened behind this, or never
  rig.let_go(gate);
  rig.finish(last);
  Words sum(1);
  std::memcpy(sum.data(), rig.read(memory, 4).data(), 4);
  EXPECT_EQ(sum[0], 3000u);
}

TEST(CudaQueue, SubmitAsksForNoPinnedMemory) {
  const auto library = must(base::Dylib::open_any(std::array{"libcuda.so.1"}));
  auto* const calls = must(library.function<std::uint64_t(const char*)>("simulated_thread_calls"));
  Rig rig;
  const std::uint64_t size = 1 << 20;
  const auto memory = rig.allocate(16 * size);
  const auto bytes = pattern(16 * size);
  std::vector<std::byte> back(16 * size);
  volatile std::uint32_t* const gate = rig.hold();
  const std::uint64_t before = calls("cuMemHostAlloc");
  List up, down;
  for (std::uint64_t index = 0; index < 16; ++index) {
    up.add(backend::Upload{range_of(memory, index * size, size), {bytes.data() + index * size, size, no_slot}});
    down.add(backend::Download{{back.data() + index * size, size, no_slot}, range_of(memory, index * size, size)});
  }
  rig.submit(up);
  const std::uint64_t last = rig.submit(down);
  EXPECT_EQ(calls("cuMemHostAlloc"), before);  // the courier's thread has asked, or will
  rig.let_go(gate);
  rig.finish(last);
  EXPECT_TRUE(back == bytes);
}

TEST(CudaMemory, NobodyWaitsForSomebodysKernel) {
  Rig rig;
  const auto program = must(rig.try_load({"few()"}));
  const auto first = rig.allocate(64 << 20), second = rig.allocate(1 << 20, Placement::host);
  volatile std::uint32_t* const gate = rig.hold();
  rig.device->release(first);  // each would wait for the gate if the driver were called
  rig.device->release(second);
  rig.device->unload(program);
  rig.let_go(gate);
}

TEST(CudaMemory, EmptyBlocksGoWhereAnotherNeedsTheirMemory) {
  Rig rig;
  const std::uint64_t gibibyte = 1 << 30;
  rig.device->release(rig.allocate(2 * gibibyte));
  const auto large = rig.allocate(3 * gibibyte);
  const auto refused = rig.device->allocate({gibibyte, 1, Placement::device, "more"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::out_of_memory);
  EXPECT_THAT(std::string(refused.error().message()), AllOf(HasSubstr("1073741824"), HasSubstr("more")));
  rig.device->release(large);
  EXPECT_EQ(must(rig.device->budget()).front().used, 0u);
}

class CudaProcess : public testing::Test {
 public:
  CudaProcess() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CudaProcess, AbsencesSayWhyAndWhatToDo) {
  const auto told = testing::ExitedWithCode(3);
  EXPECT_EXIT(tell_absences("SIMULATED_CUDA_INIT", "34"), told, "CUDA_ERROR_STUB_LIBRARY .34.*stubs");
  EXPECT_EXIT(tell_absences("SIMULATED_CUDA_INIT", "803"), told, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH.*kernel module");
  EXPECT_EXIT(tell_absences("SIMULATED_CUDA_VERSION", "12020"), told, "CUDA .12.2., and .12.4. is needed.*550");
  EXPECT_EXIT(tell_absences("CUDA_VISIBLE_DEVICES", "-1"), told, "NO_DEVICE.*CUDA_VISIBLE_DEVICES is .-1.*nvidia-smi");
  EXPECT_EXIT(tell_absences("CUDA_VISIBLE_DEVICES", "0"), told, "hidden.*CUDA_VISIBLE_DEVICES is .0.*Unset");
}

/// The largest allocation that a trial has shown to work is the limit from then on.
[[noreturn]] void keep_what_works() {
  constexpr std::uint64_t works = std::uint64_t{3} << 20;
  const auto folder = must(base::TemporaryFolder::create());
  setenv("PINTLE_CACHE_DIR", (folder / "cache").c_str(), 1);
  const auto find = [] { return create_driver()->enumerate().devices.front(); };
  const DeviceInfo before = find();
  must(base::keep_number(folder / "cache", base::allocation_with(before.backend, before.name, before.driver), works));
  const DeviceInfo after = find();
  std::_Exit(before.limits.max_allocation > works && after.limits.max_allocation == works &&
             after.limits.max_binding == works);
}

TEST_F(CudaProcess, ATriedAllocationIsTheLimit) { EXPECT_EXIT(keep_what_works(), testing::ExitedWithCode(1), ""); }

/// The programs that are kept of one source behind three loads with two drivers. Whether the older driver takes the PTX
/// does not matter.
int programs_kept() {
  const auto folder = must(base::TemporaryFolder::create());
  const auto cache = folder / "cache";
  setenv("PINTLE_CACHE_DIR", cache.c_str(), 1);
  for (const char* const version : {"13000", "12080", "13000"}) {
    setenv("SIMULATED_CUDA_VERSION", version, 1);
    Rig rig;
    static_cast<void>(rig.try_load({"few()"}));
  }
  int kept = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(cache))
    kept += file.path().extension() == ".ptx";
  return kept;
}

TEST_F(CudaProcess, CompiledCodeIsKeptBesideTheDriversVersion) {
  EXPECT_EXIT(std::_Exit(programs_kept()), testing::ExitedWithCode(2), "");
}

/// The exit code tells how far a process comes in which a kernel writes where nothing is.
[[noreturn]] void poison() {
  Rig victim;
  Rig bystander;
  List list;
  victim.launch(list, Entries::store, {scalar_argument(std::uint64_t{0x10})});
  const auto submitted = victim.device->submit(victim.queue, {}, list);  // the fault may come before the call returns
  const auto done = submitted ? victim.device->wait(victim.queue, *submitted, soon()) : Result<void>(submitted.error());
  int passed = 10;
  const auto count = [&](const auto& result) {
    passed += !result && result.error().code() == Errc::process_poisoned && result.error().vendor()->number == 700;
  };
  count(done);
  count(victim.device->allocate({4, 1, Placement::device, "more"}));
  count(bystander.device->allocate({4, 1, Placement::device, "more"}));
  count(bystander.device->reached(bystander.queue));
  count(try_open());
  std::_Exit(passed);
}

/// Closes a device whose kernel never ends.
[[noreturn]] void close_endless() {
  {
    Rig rig;
    rig.hold();
  }
  std::_Exit(0);
}

/// Loads behind a kernel that never ends: the driver does not answer, and the caller's deadline holds.
[[noreturn]] void load_behind_endless() {
  setenv("PINTLE_TIMEOUT_MS", "50", 1);
  int passed = 0;
  {
    Rig rig;
    rig.hold();
    const auto loaded = rig.try_load({"few()"});
    passed += !loaded && loaded.error().code() == Errc::timeout;
    passed += rig.device->allocate({4, 1, Placement::device, "beside it"}).has_value();
  }
  std::_Exit(passed);
}

TEST_F(CudaProcess, ALoadBehindAnEndlessKernelEndsAtItsDeadline) {
  EXPECT_EXIT(load_behind_endless(), testing::ExitedWithCode(2), "");
}

TEST_F(CudaProcess, NoDestructorWaitsForAnEndlessKernel) {
  EXPECT_EXIT(close_endless(), testing::ExitedWithCode(0), "");
}

TEST_F(CudaProcess, AFaultPoisonsEveryDevice) { EXPECT_EXIT(poison(), testing::ExitedWithCode(15), ""); }

/// The same through the public API: nothing can be recovered.
[[noreturn]] void poison_and_recover() {
  Device device = must(open("cuda:0"));
  Queue queue = must(device.create_queue());
  const ProgramPack pack = must(ProgramPack::source("cuda_c", source, {"store(at: u64)"}, "poison"));
  const Kernel store = must(device.load(pack, "store"));
  const auto done = queue.submit(CommandList{}.exec(store, Grid{1}, std::uint64_t{0x10}));
  const auto waited = done ? done->wait() : Result<void>(done.error());  // the fault may come before the call returns
  const auto recovered = device.recover();
  const bool is_told = !waited && waited.error().code() == Errc::process_poisoned && !recovered &&
                       recovered.error().code() == Errc::process_poisoned;
  std::exit(is_told ? 0 : 1);
}

TEST_F(CudaProcess, RecoverSaysThatTheProcessIsPoisoned) {
  EXPECT_EXIT(poison_and_recover(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pintle::test
