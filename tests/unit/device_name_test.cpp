#include "base/device_name.h"

#include <gtest/gtest.h>

namespace pintle::base {
namespace {

DeviceInfo device(std::string id, std::string name, std::string driver, std::string uuid = {}) {
  DeviceInfo info;
  info.backend = id.substr(0, id.find(':'));
  info.id = std::move(id);
  info.name = std::move(name);
  info.driver = std::move(driver);
  info.uuid = std::move(uuid);
  return info;
}

TEST(DeviceName, SlugsAreWords) {
  EXPECT_EQ(device_slug("llvmpipe (LLVM 15.0.6, 256 bits)"), "llvmpipe-llvm-15-0-6-256-bits");
  EXPECT_EQ(device_slug(" -A_b\xc3\xa9 "), "a-b");
  EXPECT_EQ(device_slug("(!)"), "");
}

using Places = std::vector<std::size_t>;

TEST(DeviceName, AWordSelectsByUuidNameAndDriver) {
  const std::vector<DeviceInfo> devices{device("gpu:0", "Big GPU", "vendor 5.1", "ABcd-1"),
                                        device("gpu:1", "Big GPU Plus", "vendor 5.1", "ef00-2")};
  EXPECT_EQ(devices_called("abcd", devices), Places{0});
  EXPECT_EQ(devices_called("EF", devices), Places{1});
  EXPECT_EQ(devices_called("plus", devices), Places{1});
  EXPECT_EQ(devices_called("gpu-pl", devices), Places{1});
  EXPECT_EQ(devices_called("big-gpu", devices), Places{0}) << "it is called exactly so";
  EXPECT_EQ(devices_called("big", devices), (Places{0, 1}));
  EXPECT_EQ(devices_called("vendor-5", devices), (Places{0, 1}));
  EXPECT_EQ(devices_called("lus", devices), Places{}) << "only the beginning of a word";
}

TEST(DeviceName, ADriverComesBeforeTheNameOfAProcessor) {
  const std::vector<DeviceInfo> devices{device("opencl:0", "pthread-Intel(R) Xeon(R)", "PoCL 3.1"),
                                        device("opencl:1", "Intel(R) Xeon(R)", "Intel(R) OpenCL 2025.20")};
  EXPECT_EQ(devices_called("intel", devices), Places{1});
  EXPECT_EQ(devices_called("pthread", devices), Places{0});
  EXPECT_EQ(ids_by_name(devices), (std::vector<std::string>{"opencl:pocl", "opencl:intel"}));
}

TEST(DeviceName, SeveralWordsMayStandApart) {
  const std::vector<DeviceInfo> devices{device("webgpu:0", "SwiftShader", "wgpu-native 29 over Vulkan"),
                                        device("webgpu:1", "llvmpipe (LLVM 15)", "wgpu-native 29 over Vulkan"),
                                        device("webgpu:2", "SwiftShader", "Dawn over Vulkan")};
  EXPECT_EQ(devices_called("wgpu-llvmpipe", devices), Places{1});
  EXPECT_EQ(devices_called("llvm-wgpu", devices), Places{1});
  EXPECT_EQ(devices_called("dawn-swift", devices), Places{2});
  EXPECT_EQ(devices_called("wgpu-vulkan", devices), (Places{0, 1}));
  EXPECT_EQ(devices_called("dawn-llvmpipe", devices), Places{});
  EXPECT_EQ(devices_called("wgpu--llvmpipe", devices), Places{});
  EXPECT_EQ(ids_by_name(devices),
            (std::vector<std::string>{"webgpu:wgpu-swiftshader", "webgpu:llvmpipe", "webgpu:dawn"}));
}

TEST(DeviceName, IdsByName) {
  const std::vector<DeviceInfo> devices{
      device("cpu", "AMD EPYC", "pintle 0.1.0"),
      device("opencl:0", "pthread-AMD EPYC", "PoCL (Portable Computing Language) 3.1"),
      device("opencl:1", "llvmpipe (LLVM 15.0.6)", "rusticl 22.3.6"),
      device("vulkan:0", "NVIDIA H100", "NVIDIA 550"),
      device("vulkan:1", "NVIDIA H200", "NVIDIA 550"),
      device("vulkan:2", "NVIDIA H200", "NVIDIA 550")};
  EXPECT_EQ(ids_by_name(devices),
            (std::vector<std::string>{"cpu", "opencl:pocl", "opencl:rusticl", "vulkan:h100", "vulkan:1", "vulkan:2"}));
  EXPECT_TRUE(ids_by_name({}).empty());
}

}  // namespace
}  // namespace pintle::base
