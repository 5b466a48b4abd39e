#include "base/device_nodes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>

#include "unit/scratch_folder.h"

namespace pintle::base {
namespace {

namespace fs = std::filesystem;

/// A machine below a folder. Only root makes device nodes.
class DeviceNodes : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root() / "dev/dri");
    if (!make("null", 1, 3)) GTEST_SKIP() << "this user makes no device nodes here";
    make("tty1", 4, 1);
    make("kvm", 10, 232);
    make("cpu_dma_latency", 10, 259);
  }
  [[nodiscard]] fs::path root() const { return folder_.path(); }
  bool make(const fs::path& name, unsigned major, unsigned minor, mode_t kind = S_IFCHR) const {
    return ::mknod((root() / "dev" / name).c_str(), kind | 0600, makedev(major, minor)) == 0;
  }
  /// What the kernel says of the node's kind.
  void describe(const std::string& numbers, const std::string& kind) const {
    fs::create_directories(root() / "sys/dev/char" / numbers);
    fs::create_symlink("../../../../class/" + kind, root() / "sys/dev/char" / numbers / "subsystem");
  }
  [[nodiscard]] bool may() const { return may_have_accelerators(root()); }

 private:
  test::ScratchFolder folder_;
};

TEST_F(DeviceNodes, OrdinaryOnesAreNoAccelerators) {
  EXPECT_FALSE(may());
  make("loop0", 7, 0, S_IFBLK);
  make("rtc0", 250, 0);
  describe("250:0", "rtc");
  make("dri/card0", 226, 0);
  EXPECT_FALSE(may()) << "a screen alone computes nothing";
}

TEST_F(DeviceNodes, ANodeOfAGpuIsSeen) {
  for (const auto& [name, major, minor] :
       {std::tuple("dri/renderD128", 226u, 128u), std::tuple("nvidiactl", 195u, 255u), std::tuple("dxg", 10u, 256u),
        std::tuple("dxg", 10u, 60u)}) {
    ASSERT_TRUE(make(name, major, minor));
    EXPECT_TRUE(may()) << name;
    fs::remove(root() / "dev" / name);
  }
  make("kfd", 234, 0);
  describe("234:0", "kfd");
  EXPECT_TRUE(may());
}

TEST(DeviceNodesElsewhere, WhatCannotBeReadMayHaveAnything) {
  const test::ScratchFolder folder;
  EXPECT_TRUE(may_have_accelerators(folder.path()));
}

}  // namespace
}  // namespace pintle::base
