#include <gtest/gtest.h>

#include "kit/host_cpus.h"
#include "scratch_folder.h"

namespace pintle::kit {
namespace {

using test::ScratchFolder;

TEST(CpuLimits, NoCgroupIsNoLimit) {
  const ScratchFolder root;
  EXPECT_EQ(cgroup_quota(root.path()), std::nullopt);
}

TEST(CpuLimits, Version2) {
  const ScratchFolder root;
  root.write("proc/self/cgroup", "0::/user/app\n");
  root.write("sys/fs/cgroup/user/app/cpu.max", "150000 100000\n");
  EXPECT_EQ(cgroup_quota(root.path()), 1.5);
  root.write("sys/fs/cgroup/user/app/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_quota(root.path()), std::nullopt);
}

TEST(CpuLimits, TheTightestAncestorCounts) {
  const ScratchFolder root;
  root.write("proc/self/cgroup", "0::/user/app\n");
  root.write("sys/fs/cgroup/user/app/cpu.max", "800000 100000\n");
  root.write("sys/fs/cgroup/user/cpu.max", "300000 100000\n");
  EXPECT_EQ(cgroup_quota(root.path()), 3.0);
}

TEST(CpuLimits, AContainersOwnRootCounts) {
  const ScratchFolder root;
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_quota(root.path()), 0.5);
}

TEST(CpuLimits, Version1) {
  const ScratchFolder root;
  root.write("proc/self/cgroup", "5:memory:/a\n3:cpu,cpuacct:/slice\n1:name=systemd:/b\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/slice/cpu.cfs_quota_us", "400000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/slice/cpu.cfs_period_us", "200000\n");
  EXPECT_EQ(cgroup_quota(root.path()), 2.0);
  root.write("sys/fs/cgroup/cpu,cpuacct/slice/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cgroup_quota(root.path()), std::nullopt);
}

TEST(CpuLimits, Version1UnderItsShortName) {
  const ScratchFolder root;
  root.write("proc/self/cgroup", "3:cpuacct,cpu:/\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_quota(root.path()), 1.0);
}

TEST(CpuLimits, UnifiedBesideVersion1) {
  const ScratchFolder root;
  root.write("proc/self/cgroup", "1:cpuset:/\n0::/x\n");
  root.write("sys/fs/cgroup/unified/x/cpu.max", "200000 100000");
  EXPECT_EQ(cgroup_quota(root.path()), 2.0);
}

TEST(CpuLimits, GarbageIsNoLimit) {
  const ScratchFolder root;
  for (const char* text : {"", "\n", "many 100000", "100000", "100000 0", "-5 100000", "1e5 100000"}) {
    root.write("proc/self/cgroup", "0::/\nnonsense\n:\n");
    root.write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(cgroup_quota(root.path()), std::nullopt) << text;
  }
}

TEST(CpuLimits, ThreadsAreTheLeastOfAll) {
  EXPECT_EQ((HostCpus{8, std::nullopt}.threads(0)), 8u);
  EXPECT_EQ((HostCpus{8, 2.5}.threads(0)), 3u);
  EXPECT_EQ((HostCpus{8, 0.2}.threads(0)), 1u);
  EXPECT_EQ((HostCpus{8, 64.0}.threads(0)), 8u);
  EXPECT_EQ((HostCpus{8, 2.5}.threads(2)), 2u);
  EXPECT_EQ((HostCpus{8, 2.5}.threads(100)), 3u);
  EXPECT_EQ((HostCpus{0, std::nullopt}.threads(0)), 1u);
}

TEST(CpuLimits, CpuinfoFieldsAreFoundByTheirWholeName) {
  const ScratchFolder root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Some CPU: 2 GHz\nflags\t:\n\nmodel name\t: Other\n");
  EXPECT_EQ(cpuinfo_field(root.path(), "model name"), "Some CPU: 2 GHz");
  EXPECT_EQ(cpuinfo_field(root.path(), "model"), "1");
  EXPECT_EQ(cpuinfo_field(root.path(), "flags"), "");
  EXPECT_EQ(cpuinfo_field(root.path(), "mod"), "");
}

TEST(CpuLimits, MeminfoIsInBytes) {
  const ScratchFolder root;
  root.write("proc/meminfo", "MemTotal:       24684092 kB\nMemFree:        1 kB\nMemAvailable:   1000 kB\n");
  const HostMemory memory = host_memory(root.path());
  EXPECT_EQ(memory.total, 24684092ull * 1024);
  EXPECT_EQ(memory.available, 1000ull * 1024);
  const ScratchFolder empty;
  EXPECT_EQ(host_memory(empty.path()).available, std::nullopt);
}

}  // namespace
}  // namespace pintle::kit
