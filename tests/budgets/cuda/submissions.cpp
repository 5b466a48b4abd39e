// Lists of launches on `cuda` over the empty driver, and the same calls by hand: instructions.py counts their
// instructions, and `allocations` what a submission allocates.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "budgets/counted_allocations.h"
#include "pintle/pintle.h"
#include "vendor/cuda/driver.h"

namespace {

bool is_counting = false;
std::size_t allocations = 0;

}  // namespace

static void count(const void* /*caller*/) noexcept { allocations += is_counting ? 1 : 0; }

namespace budgets {

using namespace pintle;

constexpr int launches = 100, rounds = 100, warm_up = 20;
constexpr const char* ptx =
    ".version 8.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 x, .param .u32 n)\n{\n\tret;\n}\n";

/// A list of launches, submitted and waited for again and again.
struct CudaPath {
  CudaPath()
      : device(must(open("cuda:0"))),
        queue(must(device.create_queue())),
        kernel(must(device.load(
            must(ProgramPack::source("ptx", ptx, {"add_one(x: read_write u32[], n: u32) group 64"})), "add_one"))),
        buffer(must(device.allocate(DType::u32, {64}))) {}

  void prepare() {
    list = CommandList{};
    for (int i = 0; i < launches; ++i) list.exec(kernel, Grid{1}, buffer, 64u);
  }
  [[gnu::noinline]] void submit();

  Device device;
  Queue queue;
  Kernel kernel;
  Buffer buffer;
  CommandList list;
};

/// What a program calls that does the same itself.
struct ByHand {
  vendor::cuda::Driver driver = must(vendor::cuda::Driver::open());
  vendor::cuda::Stream stream = nullptr;
  vendor::cuda::Event event = nullptr;
  vendor::cuda::Function function = nullptr;
  vendor::cuda::DevicePointer buffer = 0;

  void prepare() {}
  [[gnu::noinline]] void submit();
};

void CudaPath::submit() { must(queue.submit(std::move(list))); }

void ByHand::submit() {
  unsigned n = 64;
  void* arguments[] = {&buffer, &n};
  for (int i = 0; i < launches; ++i)
    static_cast<void>(driver.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
  static_cast<void>(driver.cuEventRecord(event, stream));
}

template <class Path>
void run(Path& path) {
  for (int i = 0; i < rounds + warm_up; ++i) {
    path.prepare();
    is_counting = i >= warm_up;
    path.submit();
    is_counting = false;
    if constexpr (requires { path.queue; }) must(path.queue.last().wait());
  }
}

}  // namespace budgets

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what == "hand") {
    budgets::ByHand path;
    budgets::run(path);
    return 0;
  }
  budgets::CudaPath path;
  budgets::run(path);
  if (what != "allocations") return 0;
  std::printf("%zu allocations in %d submissions of %d launches\n", allocations, budgets::rounds, budgets::launches);
  return allocations == 0 ? 0 : 1;
}
