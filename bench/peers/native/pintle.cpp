// Pintle on one device: `peer_pintle PACK DEVICE [--cold]`. The pack `linked` stands for a kernel that is part of this
// program, as in a build that compiles kernels ahead of time; it has no counter and runs cold only.
#include "pintle/pintle.h"

#include <algorithm>
#include <string_view>

#include "bench/peers/native/values.h"
#include "bench/peers/native/worker.h"
#include "pintle/native/cpu.h"

namespace peers {
namespace {

using namespace pintle;

extern "C" void linked_saxpy(const pintle_group* group, void* const* arguments) {
  const float a = *static_cast<const float*>(arguments[0]);
  const float* __restrict x = static_cast<const float*>(arguments[1]);
  float* __restrict y = static_cast<float*>(arguments[2]);
  const std::size_t count = *static_cast<const std::uint32_t*>(arguments[3]);
  const std::size_t first = std::size_t{group->id[0]} * group->size[0];
  const std::size_t last = std::min(first + group->size[0], count);
  for (std::size_t i = first; i < last; ++i) y[i] = a * x[i] + y[i];
}

ProgramPack pack_of(std::string_view path) {
  if (path != "linked") return must(ProgramPack::open(path));
  must(cpu::register_kernel("saxpy", linked_saxpy));
  return must(
      ProgramPack::source("native", "", {"saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 1024"}));
}

/// The work-groups of a saxpy. A Vulkan device promises 65,535 of them in a row, so every Vulkan peer uses two
/// dimensions.
Extent extent_of(const Device& device, std::size_t elements) {
  if (!device.id().starts_with("vulkan")) return Grid::cover(elements);
  constexpr std::uint32_t row = 32768;
  const auto groups = static_cast<std::uint32_t>((elements + 255) / 256);
  return Grid{std::min(groups, row), (groups + row - 1) / row, 1};
}

/// An owner of memory that the caller keeps until the transfer is done.
std::shared_ptr<const void> lent(const void* memory) { return {std::shared_ptr<const void>(), memory}; }

class PintlePeer final : public Peer {
 public:
  PintlePeer(const char* pack, const char* id)
      : device_(must(open(id))),
        queue_(must(device_.create_queue())),
        program_(must(device_.load(pack_of(pack)))),
        saxpy_(must(program_.kernel("saxpy"))) {}

  [[nodiscard]] std::string about() const override {
    return "pintle on " + std::string(device_.id()) + " (" + device_.info().name + "), kernels as " +
           std::string(program_.format());
  }

  void add_saxpy(std::size_t elements) override {
    const std::vector<float> x = make_x(elements), y = make_y(elements);
    Pair pair{must(device_.allocate_for(x)), must(device_.allocate_for(y)), {}};
    must(queue_.submit_and_wait(CommandList{}.upload(pair.x, x).upload(pair.y, y)));
    pair.recording = must(device_.record(saxpy_list(pair, elements, {})));
    pairs_.push_back(std::move(pair));
  }
  void saxpy(std::size_t index) override { replay(pairs_[index].recording); }
  std::vector<float> y(std::size_t index) override { return must(read<float>(queue_, pairs_[index].y)); }

  void prepare() override {
    counter_kernel_ = must(program_.kernel("inc"));
    counter_ = must(device_.allocate(DType::f32, {1}));
    far_ = must(device_.allocate(DType::f32, {transfer_floats}));
    must(queue_.submit_and_wait(CommandList{}.fill(counter_, 0.0F)));
    single_ = must(device_.record(launches(1)));
    hundred_ = must(device_.record(launches(chain_length)));
  }
  void launch() override { replay(single_); }
  void chain() override { replay(hundred_); }
  float counter() override { return must(read<float>(queue_, counter_))[0]; }
  void upload(const std::vector<float>& from) override {
    const auto bytes = std::as_bytes(std::span(from));
    must(queue_.submit_and_wait(CommandList{}.upload_retained(far_, lent(from.data()), bytes)));
  }
  void download(std::vector<float>& to) override { must(queue_.submit_and_wait(CommandList{}.download(to, far_))); }

  [[nodiscard]] bool has_fresh() const override { return true; }
  void launch_fresh() override { must(queue_.submit_and_wait(launches(1))); }
  void chain_fresh() override { must(queue_.submit_and_wait(launches(chain_length))); }

  std::vector<float> first_y(std::size_t elements) override {
    const std::vector<float> x = make_x(elements), y = make_y(elements);
    const Pair pair{must(device_.allocate_for(x)), must(device_.allocate_for(y)), {}};
    must(queue_.submit(saxpy_list(pair, elements, CommandList{}.upload(pair.x, x).upload(pair.y, y))));
    return must(read<float>(queue_, pair.y));
  }

 private:
  struct Pair {
    Buffer x, y;
    Recording recording;
  };

  [[nodiscard]] CommandList saxpy_list(const Pair& pair, std::size_t elements, CommandList list) const {
    return std::move(list).exec(saxpy_, extent_of(device_, elements), factor, pair.x, pair.y,
                                static_cast<std::uint32_t>(elements));
  }
  [[nodiscard]] CommandList launches(long count) const {
    CommandList list;
    for (long i = 0; i < count; ++i) list.exec(counter_kernel_, Grid{1}, counter_);
    return list;
  }
  void replay(const Recording& recording) { must(must(queue_.replay(recording)).wait()); }

  Device device_;
  Queue queue_;
  Program program_;
  Kernel saxpy_, counter_kernel_;
  std::vector<Pair> pairs_;
  Buffer counter_, far_;
  Recording single_, hundred_;
};

}  // namespace
}  // namespace peers

int main(int count, char** arguments) {
  return peers::worker_main(
      count, arguments, [](std::span<char*> given) { return std::make_unique<peers::PintlePeer>(given[0], given[1]); });
}
