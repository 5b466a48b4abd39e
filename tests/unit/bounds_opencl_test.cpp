// The layer `bounds` over OpenCL: patterns around each binding.
#include "bounds_support.h"

namespace pintle::test {
namespace {

/// Runs each test on every OpenCL device.
class BoundsOpenCl : public testing::Test {
 protected:
  template <class Body>
  void each(Body body) {
    std::size_t count = 0;
    for (const DeviceInfo& info : must(devices()).devices) {
      if (info.backend != "opencl") continue;
      SCOPED_TRACE(info.name);
      BoundsRig rig("bounds(" + info.id + ")");
      body(rig);
      ++count;
    }
    if (count == 0) GTEST_SKIP() << "this machine has no OpenCL device";
  }
};

TEST_F(BoundsOpenCl, TheRowSaysHowFarItSees) {
  each([](BoundsRig& rig) {
    const Capability& row = rig.device.info().capability(Feature::bounds);
    EXPECT_EQ(row.support, Support::emulated);
    EXPECT_THAT(row.detail, testing::HasSubstr("writes up to 4096 bytes"));
  });
}

TEST_F(BoundsOpenCl, NearWritesAreNamed) {
  each([](BoundsRig& rig) {
    const Kernel put = rig.kernel("put");
    const Buffer out = rig.buffer(Words(10, 7)), other = rig.buffer(Words(5, 3));
    expect_step(rig.failure(CommandList{}.exec(put, Grid{}, out, 10, 1u)),
                {"\"put\"", "writes", "\"out\"", "offset (40)", "(40) bytes"});
    expect_step(rig.failure(CommandList{}.exec(put, Grid{}, out, 1000, 1u)), {"offset (4000)"});
    expect_step(rig.failure(CommandList{}.exec(put, Grid{}, out, -1, 1u)), {"writes", "before the beginning"});
    EXPECT_EQ(rig.read(out), Words(10, 7));
    EXPECT_EQ(rig.read(other), Words(5, 3));
  });
}

TEST_F(BoundsOpenCl, RightProgramsGiveTheSameBytes) {
  each([](BoundsRig& rig) {
    const Buffer x = rig.buffer(Words(100, 1));
    const Recording recording =
        must(rig.device.record(CommandList{}.exec(rig.kernel("bump"), Grid::cover(100), x, 100u)));
    for (int i = 0; i < 5; ++i) must(rig.queue.replay(recording));
    EXPECT_EQ(rig.read(x), Words(100, 6));
  });
}

TEST_F(BoundsOpenCl, OneBufferBoundTwiceIsOneBuffer) {
  each([](BoundsRig& rig) {
    const Buffer x = rig.buffer({1, 2, 3, 4});
    must(rig.queue.submit_and_wait(CommandList{}.exec(rig.kernel("get"), Grid{}, x, x, 3)));
    EXPECT_EQ(rig.read(x), (Words{4, 2, 3, 4}));
  });
}

}  // namespace
}  // namespace pintle::test
