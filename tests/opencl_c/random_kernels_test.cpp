// Random kernels leave what the model says, on the cpu. PINTLE_RANDOM_KERNELS=FIRST,COUNT are seeds, 16 kernels each;
// PINTLE_RANDOM_KERNELS_DEVICE is another device.
#include "random_kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "rig.h"

namespace pintle::test::random {
namespace {

constexpr std::size_t kernels_each = 16;

std::vector<std::uint32_t> seeds() {
  std::uint32_t first = 1, count = 6;
  if (const char* const text = std::getenv("PINTLE_RANDOM_KERNELS")) {
    char* end = nullptr;
    first = static_cast<std::uint32_t>(std::strtoul(text, &end, 10));
    count = *end == ',' ? static_cast<std::uint32_t>(std::strtoul(end + 1, nullptr, 10)) : 1;
  }
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = first + i;
  return all;
}

const char* device_id() {
  const char* const id = std::getenv("PINTLE_RANDOM_KERNELS_DEVICE");
  return id != nullptr ? id : "cpu";
}

Program program_of(Device& device, const std::vector<RandomKernel>& kernels) {
  std::string source;
  std::vector<std::string> signatures;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string name = "f" + std::to_string(i);
    source += kernels[i].text(name);
    signatures.push_back(kernels[i].signature(name));
  }
  return test::program_of(device, source, signatures);
}

class RandomKernels : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomKernels, LeaveWhatTheModelSays) {
  std::mt19937 random(GetParam());
  Words in(word_count);
  for (std::uint32_t& word : in)
    word = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : static_cast<std::uint32_t>(random() % 100);
  std::vector<RandomKernel> kernels;
  for (std::size_t i = 0; i < kernels_each; ++i) kernels.push_back(random_kernel(random));
  Device device = device_of(device_id());
  Queue queue = must(device.create_queue());
  const Program program = program_of(device, kernels);
  for (std::size_t i = 0; i < kernels_each; ++i) {
    const RandomKernel& kernel = kernels[i];
    const Words before(kernel.results(), 77), none(sum_count);
    Words wanted = before, sums = none;
    kernel.run(in, wanted, sums);
    Buffer from = must(device.allocate_for(in)), to = must(device.allocate_for(before));
    Buffer shared = must(device.allocate_for(none));
    const Grid grid{kernel.counts[0], kernel.counts[1], kernel.counts[2]};
    must(queue.submit(CommandList{}
                          .upload(from, in)
                          .upload(to, before)
                          .upload(shared, none)
                          .exec(must(program.kernel("f" + std::to_string(i))), grid, from, to, shared, kernel.n)));
    const bool is_right =
        must(read<std::uint32_t>(queue, to)) == wanted && must(read<std::uint32_t>(queue, shared)) == sums;
    EXPECT_TRUE(is_right) << "n " << kernel.n << ", groups " << grid.x << "," << grid.y << "," << grid.z << "\n"
                          << kernel.signature("f") << "\n"
                          << kernel.text("f");
  }
}

INSTANTIATE_TEST_SUITE_P(OpenclC, RandomKernels, testing::ValuesIn(seeds()));

}  // namespace
}  // namespace pintle::test::random
