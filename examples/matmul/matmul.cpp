// The product of two matrices of small whole numbers, so that every device gives the same sums.
#include <vector>

#include "examples/example.h"

using namespace pintle;

constexpr std::uint32_t n = 128;

float a_at(std::size_t i) { return static_cast<float>(i % 7); }
float b_at(std::size_t i) { return static_cast<float>(i % 5) - 2; }

bool is_product(const std::vector<float>& c) {
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a_at(y * n + k) * b_at(k * n + x);
      if (c[y * n + x] != sum) return false;
    }
  }
  return true;
}

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel matmul = must(device.load(pack, "matmul"));
    std::vector<float> a(n * n), b(n * n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = a_at(i), b[i] = b_at(i);
    Buffer da = must(device.allocate_for(a)), db = must(device.allocate_for(b)), dc = must(device.allocate_for(a));
    must(queue.submit(CommandList{}.upload(da, a).upload(db, b).exec(matmul, Grid::cover(n, n), da, db, dc, n)));
    return example::verdict(device, "the product of two matrices", is_product(must(read<float>(queue, dc))));
  });
}
