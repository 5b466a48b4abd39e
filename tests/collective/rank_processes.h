// Ranks that are processes: a test runs once more in each of them, with shared memory or MPI between them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/dylib.h"
#include "base/subprocess.h"
#include "collective/mpi/mpi_plugin.h"
#include "collective/shm/rendezvous.h"
#include "pintle/group.h"
#include "pintle/must.h"

namespace pintle::collective {

/// What lies between the ranks. `mpi` is MPI's shared memory, since they are on one host; the others are as between
/// hosts, by one of Open MPI's ways (`osc`) each, the last one through a network's.
enum class Wire : std::uint8_t { shm, mpi, mpi_rdma, mpi_ucx, mpi_over_tcp };

[[nodiscard]] inline std::string name_of(Wire wire) {
  constexpr std::string_view names[]{"shm", "mpi", "mpi_rdma", "mpi_ucx", "mpi_over_tcp"};
  return std::string(names[static_cast<std::size_t>(wire)]);
}

/// Whether this process is a rank that `RankProcesses` has started.
[[nodiscard]] inline bool is_rank_process() {
  return std::getenv("PINTLE_RANK") != nullptr || std::getenv("OMPI_COMM_WORLD_RANK") != nullptr;
}

/// The test that runs, once more in a process for each rank, with what `pintle launch` sets, or under mpirun.
class RankProcesses {
 public:
  /// `wrapper`, of shm only: a program and its arguments that is to become the test.
  explicit RankProcesses(std::uint32_t ranks, Wire wire = Wire::shm, std::vector<std::string> wrapper = {})
      : wrapper_(std::move(wrapper)) {
    if (wire != Wire::shm) {
      start_mpirun(ranks, wire);
      return;
    }
    rendezvous_ = must(Rendezvous::shared(ranks));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) start(rank);
  }

  /// Each ran the test without a failure.
  void expect_success() {
    for (std::size_t i = 0; i < children_.size(); ++i) {
      const base::ProcessEnd end = children_[i].wait();
      EXPECT_TRUE(end.is_success()) << (rendezvous_ ? "rank " + std::to_string(i) : "mpirun") << " " << text(end);
    }
  }
  /// For shm only.
  [[nodiscard]] base::ProcessEnd end_of(std::uint32_t rank) { return children_[rank].wait(); }

 private:
  [[nodiscard]] static std::vector<std::string> this_test() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    return {std::filesystem::read_symlink("/proc/self/exe").string(), "--gtest_brief=1",
            std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name()};
  }

  void start(std::uint32_t rank) {
    base::ChildStart start;
    start.arguments = wrapper_;
    for (std::string& word : this_test()) start.arguments.push_back(std::move(word));
    start.environment = {"PINTLE_RANK=" + std::to_string(rank), "PINTLE_RANKS=" + std::to_string(rendezvous_->ranks()),
                         "PINTLE_GROUP_MEMORY=" + std::to_string(rendezvous_->descriptor())};
    start.inherited = rendezvous_->descriptor();
    children_.push_back(must(base::ChildProcess::start(start)));
  }

  /// Written for OpenMPI, whose options these are. What MPI keeps until the end is not ours to report as a leak.
  void start_mpirun(std::uint32_t ranks, Wire wire) {
    const char* const asan = std::getenv("ASAN_OPTIONS");
    base::ChildStart start;
    start.arguments = {base::find_program("mpirun").value_or("mpirun"),
                       "-np",
                       std::to_string(ranks),
                       "--oversubscribe",
                       "--mca",
                       "mpi_yield_when_idle",
                       "1"};
    start.environment = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                         std::string("ASAN_OPTIONS=") + (asan != nullptr ? asan : "") + ":detect_leaks=0",
                         std::string("PINTLE_MPI_SHARED=") + (wire == Wire::mpi ? "1" : "0")};
    const auto add = [&start](std::initializer_list<const char*> words) {
      start.arguments.insert(start.arguments.end(), words.begin(), words.end());
    };
    if (wire == Wire::mpi_rdma) add({"--mca", "osc", "rdma"});
    if (wire == Wire::mpi_ucx) add({"--mca", "osc", "ucx"});
    if (wire == Wire::mpi_over_tcp) {
      add({"--mca", "osc", "ucx", "--mca", "btl", "self,tcp", "--mca", "pml", "ob1"});
      start.environment.emplace_back("UCX_TLS=tcp,self");
      start.environment.emplace_back("UCX_LOG_LEVEL=fatal");
    }
    // UCX would patch functions that AddressSanitizer has patched already.
    start.environment.emplace_back("UCX_MEM_MMAP_HOOK_MODE=none");
    for (std::string& word : this_test()) start.arguments.push_back(std::move(word));
    children_.push_back(must(base::ChildProcess::start(start)));
  }

  std::vector<std::string> wrapper_;
  std::shared_ptr<Rendezvous> rendezvous_;  // of shm
  std::vector<base::ChildProcess> children_;
};

/// A test of ranks that are processes, whatever lies between them:
///   if (!is_rank_process()) return run_ranks(3);
///   Group group = must(Group::join());
class OverWires : public testing::TestWithParam<Wire> {
 protected:
  void SetUp() override {
    if (GetParam() == Wire::shm || is_rank_process()) return;
    if (!base::find_program("mpirun")) GTEST_SKIP() << "there is no mpirun in PATH";
    const bool has_plugin = std::ranges::any_of(mpi_plugin_paths({}, base::own_folder()),
                                                [](const auto& path) { return std::filesystem::exists(path); });
    if (!has_plugin) GTEST_SKIP() << "the plug-in for MPI is not built here";
  }
  void run_ranks(std::uint32_t ranks) { RankProcesses(ranks, GetParam()).expect_success(); }
  [[nodiscard]] std::string transport() const { return GetParam() == Wire::shm ? "shm" : "mpi"; }
};

[[nodiscard]] inline auto wires() {
  return testing::Values(Wire::shm, Wire::mpi, Wire::mpi_rdma, Wire::mpi_ucx, Wire::mpi_over_tcp);
}
[[nodiscard]] inline std::string name_of_wire(const testing::TestParamInfo<Wire>& info) { return name_of(info.param); }

}  // namespace pintle::collective
