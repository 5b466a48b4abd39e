// The same work with no library: a call through a pointer, loops of OpenMP, memcpy.
#include <omp.h>

#include <cstring>

#include "bench/peers/native/values.h"
#include "bench/peers/native/worker.h"

namespace peers {
namespace {

void add_one(float* counter) { *counter += 1.0F; }
void (*volatile add_one_pointer)(float*) = add_one;  // volatile: no compiler sees through the call

void saxpy_loop(const std::vector<float>& from, std::vector<float>& to) {
  const float* __restrict x = from.data();
  float* __restrict y = to.data();
  const long count = static_cast<long>(to.size());
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < count; ++i) y[i] = factor * x[i] + y[i];
}

class HandPeer final : public Peer {
 public:
  [[nodiscard]] std::string about() const override {
    return "C++ and OpenMP by hand, " + std::to_string(omp_get_max_threads()) + " threads";
  }
  void add_saxpy(std::size_t elements) override { pairs_.push_back({make_x(elements), make_y(elements)}); }
  void saxpy(std::size_t index) override { saxpy_loop(pairs_[index].x, pairs_[index].y); }
  std::vector<float> y(std::size_t index) override { return pairs_[index].y; }

  void prepare() override { far_.resize(transfer_floats); }
  void launch() override { add_one_pointer(&counter_); }
  void chain() override {
    for (long i = 0; i < chain_length; ++i) add_one_pointer(&counter_);
  }
  float counter() override { return counter_; }
  void upload(const std::vector<float>& from) override {
    std::memcpy(far_.data(), from.data(), from.size() * sizeof(float));
  }
  void download(std::vector<float>& to) override { std::memcpy(to.data(), far_.data(), to.size() * sizeof(float)); }

 private:
  struct Pair {
    std::vector<float> x, y;
  };
  std::vector<Pair> pairs_;
  float counter_ = 0;
  std::vector<float> far_;
};

}  // namespace
}  // namespace peers

int main(int count, char** arguments) {
  return peers::worker_main(count, arguments, [](auto) { return std::make_unique<peers::HandPeer>(); });
}
