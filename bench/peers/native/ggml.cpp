// ggml's CPU backend: graphs that are built once. What is small runs on one thread, its best; what is large on two.
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <array>
#include <stdexcept>

#include "bench/peers/native/values.h"
#include "bench/peers/native/worker.h"

namespace peers {
namespace {

constexpr std::size_t graph_size = 512;

ggml_context* create_context() {
  const std::size_t bytes = ggml_tensor_overhead() * graph_size + ggml_graph_overhead_custom(graph_size, false) * 2;
  return ggml_init({bytes, nullptr, true});
}

ggml_tensor* create_tensor(ggml_context* context, std::size_t elements) {
  return ggml_new_tensor_1d(context, GGML_TYPE_F32, static_cast<std::int64_t>(elements));
}

void write(ggml_tensor* to, const std::vector<float>& from) {
  ggml_backend_tensor_set(to, from.data(), 0, from.size() * sizeof(float));
}

void read(ggml_tensor* from, std::vector<float>& to) {
  ggml_backend_tensor_get(from, to.data(), 0, to.size() * sizeof(float));
}

std::vector<float> values(ggml_tensor* from) {
  std::vector<float> to(static_cast<std::size_t>(ggml_nelements(from)));
  read(from, to);
  return to;
}

/// ggml frees the contexts when the process ends.
class GgmlPeer final : public Peer {
 public:
  [[nodiscard]] std::string about() const override {
    return std::string("ggml ") + ggml_version() + " " + ggml_backend_name(backend_);
  }

  void add_saxpy(std::size_t elements) override {
    ggml_context* context = create_context();
    const Pair pair{create_tensor(context, elements), create_tensor(context, elements), create_graph(context),
                    elements > sizes[0].elements ? 2 : 1};
    ggml_build_forward_expand(pair.graph, ggml_add_inplace(context, pair.y, ggml_scale(context, pair.x, factor)));
    ggml_backend_alloc_ctx_tensors(context, backend_);
    write(pair.x, make_x(elements));
    write(pair.y, make_y(elements));
    pairs_.push_back(pair);
  }
  void saxpy(std::size_t index) override { compute(pairs_[index].graph, pairs_[index].threads); }
  std::vector<float> y(std::size_t index) override { return values(pairs_[index].y); }

  void prepare() override {
    ggml_context* context = create_context();
    counter_ = create_tensor(context, 1);
    far_ = create_tensor(context, transfer_floats);
    ggml_tensor* step = create_tensor(context, 1);
    single_ = launches(context, step, 1);
    hundred_ = launches(context, step, chain_length);
    ggml_backend_alloc_ctx_tensors(context, backend_);
    write(counter_, {0.0F});
    write(step, {1.0F});
  }
  void launch() override { compute(single_, 1); }
  void chain() override { compute(hundred_, 1); }
  float counter() override { return values(counter_)[0]; }
  void upload(const std::vector<float>& from) override { write(far_, from); }
  void download(std::vector<float>& to) override { read(far_, to); }

 private:
  struct Pair {
    ggml_tensor *x, *y;
    ggml_cgraph* graph;
    int threads;
  };

  static ggml_cgraph* create_graph(ggml_context* context) { return ggml_new_graph_custom(context, graph_size, false); }
  ggml_cgraph* launches(ggml_context* context, ggml_tensor* step, long count) {
    ggml_cgraph* graph = create_graph(context);
    ggml_tensor* last = counter_;
    for (long i = 0; i < count; ++i) last = ggml_add_inplace(context, last, step);
    ggml_build_forward_expand(graph, last);
    if (ggml_graph_n_nodes(graph) != count) throw std::runtime_error("the graph has another number of nodes");
    return graph;
  }
  void compute(ggml_cgraph* graph, int threads) {
    use(threads);
    if (ggml_backend_graph_compute(backend_, graph) != GGML_STATUS_SUCCESS)
      throw std::runtime_error("ggml_backend_graph_compute failed");
  }

  /// Without a pool of the caller's, each graph makes threads of its own.
  void use(int threads) {
    if (threads_ == threads) return;
    ggml_backend_cpu_set_n_threads(backend_, threads);
    ggml_backend_cpu_set_threadpool(backend_, pools_[static_cast<std::size_t>(threads - 1)]);
    threads_ = threads;
  }
  static ggml_threadpool_t create_pool(int threads) {
    ggml_threadpool_params params = ggml_threadpool_params_default(threads);
    return ggml_threadpool_new(&params);
  }

  std::array<ggml_threadpool_t, 2> pools_{create_pool(1), create_pool(2)};
  int threads_ = 0;
  ggml_backend_t backend_ = ggml_backend_cpu_init();
  std::vector<Pair> pairs_;
  ggml_tensor *counter_ = nullptr, *far_ = nullptr;
  ggml_cgraph *single_ = nullptr, *hundred_ = nullptr;
};

}  // namespace
}  // namespace peers

int main(int count, char** arguments) {
  return peers::worker_main(count, arguments, [](auto) { return std::make_unique<peers::GgmlPeer>(); });
}
