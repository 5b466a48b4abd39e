// Gloo's ring over TCP on the loopback interface. Gloo throws; nothing of that leaves this file.
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <limits>
#include <optional>

#include "base/contain.h"
#include "base/temporary_folder.h"
#include "bench/collective/side.h"

namespace pintle::bench {
namespace {

using GlooContext = std::shared_ptr<gloo::rendezvous::Context>;

/// The ranks find each other by files in a folder, which is gone again when they have.
Result<GlooContext> connect(const Job& job) {
  std::optional<base::TemporaryFolder> folder;
  std::string path;
  if (job.rank() == 0) {
    auto created = base::TemporaryFolder::create();
    if (created) {
      folder.emplace(*std::move(created));
      path = *folder / "";
    }
  }
  path = job.from_first(path);
  if (path.empty()) return Error(Errc::io, "Rank 0 cannot create a temporary folder.");
  auto context = base::contain("connecting Gloo", [&]() -> Result<GlooContext> {
    take_place(job.rank(), std::numeric_limits<std::uint32_t>::max());  // its own thread may run where it likes
    auto device = gloo::transport::tcp::CreateDevice("127.0.0.1");
    auto result =
        std::make_shared<gloo::rendezvous::Context>(static_cast<int>(job.rank()), static_cast<int>(job.ranks()));
    gloo::rendezvous::FileStore store(path);
    result->connectFullMesh(store, device);
    return result;
  });
  take_place(job.rank(), job.ranks());
  job.barrier();
  return context;
}

}  // namespace

Sided theirs_gloo(const Job& job, const CollectiveWork& work) {
  if (work.operation != CollectiveOperation::all_reduce)
    return Error(Errc::unsupported, "Gloo is measured by its all_reduce only.");
  PINTLE_ASSIGN(context, connect(job));
  auto memory = std::make_unique<CollectiveMemory>(work, job.rank());
  CollectiveMemory& here = *memory;
  return side_of_calls(std::move(memory), [&here, context = context] {
    return base::contain("Gloo's allreduce", [&]() -> Result<void> {
      gloo::AllreduceOptions options(context);
      options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
      options.setInput(here.from.data(), here.from.size());
      options.setOutput(here.to.data(), here.to.size());
      options.setReduceFunction(static_cast<void (*)(void*, const void*, const void*, std::size_t)>(&gloo::sum<float>));
      gloo::allreduce(options);
      return {};
    });
  });
}

}  // namespace pintle::bench
