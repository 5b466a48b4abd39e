// Runs a kernel of OpenCL C on a device.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/pintle.h"

namespace pintle::test {

/// A kernel `NAME(in: read f32[], out: read_write f32[], n: u32)`: what most tests need.
struct Plain {
  std::string source;
  std::string name;
  std::string group;  ///< "64", or "16,16 local 1024".
  Grid groups;
  std::uint32_t n = 0;
};

inline Device device_of(std::string_view id) { return must(open(id)); }

/// The device whose driver has the word of `id` ("opencl:intel"), or none: PoCL has the name of its processor. The
/// cpu is always there. Any other failure to open a device is thrown, so that it ends the test.
inline std::optional<Device> device_if_there(std::string_view id) {
  auto device = open(id);
  if (!device && device.error().code() == Errc::unavailable && id != "cpu") return std::nullopt;
  must(device);
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const std::string driver = device->info().driver;
  const std::string_view word = id.substr(id.find(':') + 1);
  const bool is_meant = id.find(':') == std::string_view::npos || !std::ranges::search(driver, word, same).empty();
  return is_meant ? std::optional(*std::move(device)) : std::nullopt;
}

inline Program program_of(const Device& device, const std::string& source, const std::vector<std::string>& signatures,
                          const LoadOptions& options = {}) {
  const std::vector<std::string_view> views(signatures.begin(), signatures.end());
  return must(device.load(must(ProgramPack::source("opencl_c", source, views)), options));
}

inline Kernel kernel_on(Device& device, const Plain& plain) {
  const std::string signature = plain.name + "(in: read f32[], out: read_write f32[], n: u32) group " + plain.group;
  const std::string_view signatures[] = {signature};
  return must(device.load(must(ProgramPack::source("opencl_c", plain.source, signatures)), plain.name));
}

/// What the kernel leaves in `out`.
template <class T = float>
std::vector<T> run_on(Device& device, const Plain& plain, const std::vector<float>& in, std::vector<T> out) {
  Queue queue = must(device.create_queue());
  const Kernel kernel = kernel_on(device, plain);
  Buffer from = must(device.allocate_for(in));
  Buffer to = must(device.allocate_for(out));
  must(queue.submit(CommandList{}.upload(from, in).upload(to, out).exec(kernel, plain.groups, from, to, plain.n)));
  return must(read<T>(queue, to));
}

}  // namespace pintle::test
