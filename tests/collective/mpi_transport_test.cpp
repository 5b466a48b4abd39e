// What the mpi transport does around MPI: finding the plug-in, errors, large counts. tests/collective/mpi has the rest,
// with real ranks.
#include "collective/mpi/mpi_transport.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/dylib.h"
#include "collective/mpi/mpi_plugin.h"
#include "mpi_fake.h"
#include "pintle/must.h"
#include "unit/scratch_folder.h"

namespace pintle::collective {
namespace {

using mpi_fake::state;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Deadline soon() { return Clock::now() + std::chrono::seconds(20); }

class MpiFake : public testing::Test {
 protected:
  MpiFake() { state() = {}; }
  void fail(const char* call, int number) {
    state().failing_call = call;
    state().failing = number;
  }
  std::unique_ptr<Transport> join(Reach reach = Reach::any) { return must(join_mpi(table_, soon(), reach)); }

  // Windows that a test drops may be freed in a later one.
  const MpiFunctions& table_ = *[] {
    static const auto* const table = new MpiFunctions(mpi_fake::table());
    return table;
  }();
};

TEST(MpiPlugin, IsLookedForBesideTheLibraryThenBesideTheProgramThenByName) {
  EXPECT_THAT(mpi_plugin_paths("", "/opt/lib", "/job"),
              ElementsAre("/opt/lib/libpintle_mpi.so", "/opt/lib/pintle/libpintle_mpi.so", "/job/libpintle_mpi.so",
                          "/job/pintle/libpintle_mpi.so", "libpintle_mpi.so"));
  EXPECT_THAT(mpi_plugin_paths("", ""), ElementsAre("libpintle_mpi.so"));
  EXPECT_THAT(mpi_plugin_paths("/else/where.so", "/opt/pintle/bin"), ElementsAre("/else/where.so"));
}

TEST(MpiPlugin, OwnFolderHasThisProgram) {
  std::error_code failure;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  EXPECT_EQ(base::own_folder(), program.parent_path());
}

TEST(MpiPlugin, MissingIsUnavailableWithEveryPathAndTheLoadersWords) {
  const pintle::test::ScratchFolder folder;
  const std::filesystem::path paths[] = {folder.path() / "first.so", folder.path() / "second.so"};
  const auto opened = open_mpi_plugin(paths);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::unavailable);
  const std::string message(opened.error().message());
  EXPECT_THAT(message, StartsWith("No plug-in for MPI can be opened; PINTLE_MPI_PLUGIN may have its path."));
  EXPECT_THAT(message, HasSubstr("Library \"" + paths[0].string() + "\" cannot be opened: "));
  EXPECT_THAT(message, HasSubstr("Library \"" + paths[1].string() + "\" cannot be opened: "));
  EXPECT_THAT(message, HasSubstr("No such file"));
}

TEST(MpiPlugin, AnotherLibraryIsNoPlugin) {
  const std::filesystem::path paths[] = {"libc.so.6"};
  const auto opened = open_mpi_plugin(paths);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::unavailable);
  EXPECT_THAT(std::string(opened.error().message()), HasSubstr("\"pintle_mpi_plugin\" is not in"));
}

TEST(MpiPlugin, OfAnotherVersionIsRefusedWithBothNumbers) {
  MpiFunctions table = mpi_fake::table();
  EXPECT_TRUE(check_mpi_plugin(table, "some.so"));
  table.version = 77;
  const auto version = check_mpi_plugin(table, "some.so");
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code(), Errc::unavailable);
  EXPECT_EQ(version.error().message(), "[MPI plug-in \"some.so\"] has version (77); this library needs version (2).");
  table.version = vendor::mpi::plugin_version;
  table.size = 8;
  const auto size = check_mpi_plugin(table, "some.so");
  ASSERT_FALSE(size);
  EXPECT_THAT(std::string(size.error().message()), HasSubstr("has a table of (8) bytes; this library needs ("));
}

TEST(MpiErrors, HaveMpisWordsAndNumber) {
  const MpiFunctions table = mpi_fake::table();
  const Error error = mpi_error(table, 6, "put (8) bytes");
  EXPECT_EQ(error.code(), Errc::internal);
  EXPECT_EQ(error.message(), "MPI cannot put (8) bytes: words for 6.");
  ASSERT_TRUE(error.vendor());
  EXPECT_EQ(error.vendor()->library, "libmpi");
  EXPECT_EQ(error.vendor()->number, 6);
  EXPECT_EQ(error.vendor()->symbol, "words for 6");
}

TEST(MpiErrors, SayWhatTheCallerCanDo) {
  const MpiFunctions table = mpi_fake::table();
  EXPECT_EQ(mpi_error(table, 34, "x").code(), Errc::out_of_memory);
  EXPECT_EQ(mpi_error(table, vendor::mpi::mpi_is_over, "x").code(), Errc::stale);
  EXPECT_EQ(mpi_error(table, vendor::mpi::memory_is_split, "x").code(), Errc::unsupported);
  EXPECT_EQ(mpi_error(table, vendor::mpi::pair_is_unknown, "x").code(), Errc::unsupported);
}

TEST(MpiJob, IsSeenInTheEnvironment) {
  constexpr const char* names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  for (const char* name : names) ASSERT_EQ(std::getenv(name), nullptr) << "these tests do not run under mpirun";
  EXPECT_FALSE(is_mpi_job());
  for (const char* name : names) {
    setenv(name, "0", 1);
    EXPECT_TRUE(is_mpi_job()) << name;
    unsetenv(name);
  }
}

TEST(MpiPlace, ProcessNumbersMeanSomethingOnOneHostInOneNamespace) {
  MpiPlace own{.host = 1, .process_numbers = {'a'}};
  MpiPlace other = own;
  EXPECT_TRUE(own.can_watch(other));
  other.host = 2;
  EXPECT_FALSE(own.can_watch(other));
  other = {.host = 1, .process_numbers = {'b'}};
  EXPECT_FALSE(own.can_watch(other));
  own.process_numbers = other.process_numbers = {};
  EXPECT_FALSE(own.can_watch(other)) << "not known is not the same";
}

TEST_F(MpiFake, LowerThreadLevelIsUnsupportedByName) {
  constexpr std::pair<int, const char*> levels[] = {{vendor::mpi::thread_single, "(MPI_THREAD_SINGLE)"},
                                                    {vendor::mpi::thread_funneled, "(MPI_THREAD_FUNNELED)"},
                                                    {vendor::mpi::thread_serialized, "(MPI_THREAD_SERIALIZED)"}};
  for (const auto& [level, name] : levels) {
    state().level = level;
    const auto joined = join_mpi(table_, soon());
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code(), Errc::unsupported);
    EXPECT_THAT(std::string(joined.error().message()), HasSubstr(name));
  }
}

TEST_F(MpiFake, EveryStepOfJoiningMayFail) {
  for (const char* call : {"start", "copy_world", "test", "place", "host"}) {
    state() = {};
    fail(call, 17);
    const auto joined = join_mpi(table_, soon());
    ASSERT_FALSE(joined) << call;
    ASSERT_TRUE(joined.error().vendor()) << call;
    EXPECT_EQ(joined.error().vendor()->number, 17);
  }
}

TEST_F(MpiFake, JoiningEndsAtItsDeadline) {
  state().is_done = false;
  const auto joined = join_mpi(table_, Clock::now() + std::chrono::milliseconds(5));
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code(), Errc::timeout);
  EXPECT_THAT(state().calls, Contains("test").Times(testing::Gt(1)));
}

TEST_F(MpiFake, ProcessThatHasEndedIsALossOnItsHostOnly) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  const auto process = static_cast<std::uint64_t>(child);
  const MpiRank own{}, out_of_sight{.place = {.world_rank = 2}};
  const MpiRank watched{.place = {.world_rank = 1}, .watch = std::make_shared<const base::ProcessWatch>(process)};
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const auto communicator = std::make_shared<const MpiCommunicator>(table_, 1);
  const MpiTransport transport(communicator, 0, {own, watched, out_of_sight}, Reach::any);
  EXPECT_EQ(transport.loss(0), std::nullopt);
  EXPECT_EQ(transport.loss(1), "its process " + std::to_string(child) + " has ended");
  EXPECT_EQ(transport.loss(2), std::nullopt);
}

TEST_F(MpiFake, CommunicatorIsFreedWithItsLastUser) {
  auto transport = join();
  const auto window = must(transport->create_window(8, {}, soon()));
  transport.reset();
  EXPECT_THAT(state().calls, Contains("free_communicator").Times(0)) << "the window still needs it";
}

TEST_F(MpiFake, WindowIsSharedOnOneHostUnlessRemoteOnly) {
  EXPECT_TRUE(must(join()->create_window(64, {}, soon()))->is_addressable());
  EXPECT_THAT(state().calls, Contains("allocate_shared"));
  state() = {};
  must(join(Reach::remote_only)->create_window(64, {}, soon()));
  EXPECT_THAT(state().calls, Contains("allocate"));
  EXPECT_THAT(state().calls, Contains("allocate_shared").Times(0));
}

TEST_F(MpiFake, WindowIsZeroAndAlignedWhateverMpiGives) {
  for (const Reach reach : {Reach::any, Reach::remote_only}) {
    const auto transport = join(reach);
    const auto window = must(transport->create_window(100, {}, soon()));
    EXPECT_THAT(std::span(window->own(), 100), Each(std::byte{}));
    EXPECT_EQ(mpi_shift(window->own()), 0u);
    EXPECT_LE(window->own() + 100, state().memory.data() + state().memory.size());
  }
}

TEST(MpiHosts, AreSharedByGroupsOfSeveralRanksOnEach) {
  const auto group = [](std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> ranks) {
    std::vector<MpiRank> all;
    for (const auto& [host, neighbours] : ranks) {
      all.push_back({.place = {.host = host, .neighbours = neighbours}});
    }
    return all;
  };
  EXPECT_FALSE(shares_hosts(group({{0, 4}, {4, 4}})));                  // one rank on each of two hosts
  EXPECT_FALSE(shares_hosts(group({{0, 3}, {0, 3}, {3, 1}})));          // nobody is left for a group of several
  EXPECT_FALSE(shares_hosts(group({{0, 4}, {0, 4}, {0, 4}, {0, 4}})));  // everybody
  EXPECT_TRUE(shares_hosts(group({{0, 4}, {0, 4}})));
  EXPECT_TRUE(shares_hosts(group({{4, 1}, {0, 4}, {0, 4}})));
}

TEST_F(MpiFake, FailureToAllocateNamesTheRank) {
  const auto transport = join(Reach::remote_only);
  fail("allocate", 34);
  const auto made = transport->create_window(100, {}, soon());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Errc::out_of_memory);
  EXPECT_EQ(made.error().message(), "On rank 0: MPI cannot allocate a window of (100) bytes: words for 34.");
  fail("", 0);
  EXPECT_TRUE(transport->create_window(100, {}, soon()));
}

TEST_F(MpiFake, DroppedWindowIsFreedWhereRanksMeetNext) {
  const auto transport = join();
  auto dropped = must(transport->create_window(8, {}, soon()));
  state().calls.clear();
  dropped.reset();
  EXPECT_THAT(state().calls, IsEmpty()) << "a destructor waits for nobody";
  const auto next = must(transport->create_window(8, {}, soon()));
  EXPECT_THAT(state().calls, Contains("free_window").Times(1));
}

TEST_F(MpiFake, EveryOperationOfARemoteWindowMayFail) {
  const auto transport = join(Reach::remote_only);
  const auto window = must(transport->create_window(64, {}, soon()));
  std::byte bytes[8] = {};
  fail("put", 6);
  EXPECT_EQ(window->put(0, 16, bytes).error().message(), "MPI cannot put (8) bytes at (16) on rank 0: words for 6.");
  fail("get", 6);
  EXPECT_EQ(window->get(0, 16, bytes).error().vendor()->number, 6);
  fail("store", 6);
  EXPECT_EQ(window->store(0, 0, 1).error().vendor()->number, 6);
  fail("raise", 6);
  EXPECT_EQ(window->raise(0, 0, 1).error().vendor()->number, 6);
  fail("flush", 6);
  EXPECT_EQ(window->flush().error().vendor()->number, 6);
}

/// Never touched: only its size counts.
std::span<std::byte> as_if_of(std::uint64_t size) { return {reinterpret_cast<std::byte*>(4096), size}; }

TEST_F(MpiFake, TransfersAreCutBelowWhatMpiCounts) {
  const auto transport = join(Reach::remote_only);
  const auto window = must(transport->create_window(64, {}, soon()));
  constexpr std::uint64_t gib = 1ull << 30;
  state().sizes.clear();
  must(window->put(0, 0, as_if_of(2 * gib + 5)));
  EXPECT_THAT(state().sizes, ElementsAre(gib, gib, 5));
  state().sizes.clear();
  must(window->get(0, 0, as_if_of(gib)));
  EXPECT_THAT(state().sizes, ElementsAre(gib));
  state().sizes.clear();
  must(window->put(0, 0, {}));
  EXPECT_THAT(state().sizes, IsEmpty());
}

TEST_F(MpiFake, CollectivesAreCutOrRefusedAboveWhatMpiCounts) {
  const auto transport = join();
  NativeCollectives& native = *transport->native();
  constexpr std::uint64_t gib = 1ull << 30;
  const auto large = as_if_of(8 * gib + 8);
  must(native.all_reduce(large, large, DType::i64, ReduceOp::sum));
  must(native.broadcast(as_if_of(gib + 1), 0));
  EXPECT_THAT(state().sizes, ElementsAre(gib, 1, gib, 1));
  for (const auto& refused : {native.all_gather(large, large), native.all_to_all(large, large),
                              native.reduce_scatter(large, large, DType::i64, ReduceOp::sum)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_THAT(std::string(refused.error().message()),
                HasSubstr("is larger than what MPI is asked for at once (1073741824)"));
  }
}

TEST_F(MpiFake, PartWithinTheWholeIsInPlace) {
  const auto transport = join();
  NativeCollectives& native = *transport->native();
  std::vector<std::byte> whole(16), apart(16);
  must(native.all_gather(whole, whole));
  must(native.all_gather(whole, apart));
  EXPECT_THAT(state().calls, Contains("all_gather_in_place").Times(1));
  EXPECT_THAT(state().calls, Contains("all_gather").Times(1));
  must(native.reduce_scatter(whole, whole, DType::u8, ReduceOp::bit_xor));
  EXPECT_THAT(whole, Each(std::byte{0x11})) << "by way of memory apart, which the fake fills";
}

TEST(MpiNative, TakesWhatIsTheSameForEveryInput) {
  for (const DType integer :
       {DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::u16, DType::u32, DType::u64}) {
    EXPECT_EQ(mpi_reduces(ReduceOp::sum, integer, 2), bytes_of(integer) > 2) << "sums of short integers saturate";
    EXPECT_TRUE(mpi_reduces(ReduceOp::prod, integer, 2));
    EXPECT_TRUE(mpi_reduces(ReduceOp::min, integer, 2));
    EXPECT_TRUE(mpi_reduces(ReduceOp::bit_xor, integer, 1));
    EXPECT_TRUE(mpi_reduces(ReduceOp::logical_or, integer, 2));
    EXPECT_FALSE(mpi_reduces(ReduceOp::logical_or, integer, 1)) << "MPI copies what is not 0 or 1";
    EXPECT_FALSE(mpi_reduces(ReduceOp::mean, integer, 2));
  }
  for (const DType number : {DType::f32, DType::f64, DType::complex64}) {
    EXPECT_TRUE(mpi_reduces(ReduceOp::sum, number, 2));
    EXPECT_TRUE(mpi_reduces(ReduceOp::prod, number, 2));
    EXPECT_FALSE(mpi_reduces(ReduceOp::max, number, 2)) << "of NaN MPI says nothing";
    EXPECT_FALSE(mpi_reduces(ReduceOp::bit_and, number, 2));
  }
  for (const DType other : {DType::boolean, DType::f16, DType::bf16, DType::f8_e4m3fn, DType::f8_e5m2})
    EXPECT_FALSE(mpi_reduces(ReduceOp::sum, other, 2));
}

}  // namespace
}  // namespace pintle::collective
