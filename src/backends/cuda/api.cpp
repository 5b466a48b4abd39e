#include "backends/cuda/api.h"

#include <utility>

#include "base/immortal.h"
#include "base/made_once.h"

namespace pintle::cuda {
namespace {

template <class Table>
const Result<Table>& opened() noexcept {
  try {
    static const auto& table = *new Result<Table>(base::made_once(Table::open()));
    return table;
  } catch (...) {
    static const base::Immortal<Result<Table>> exhausted(Error(Errc::out_of_memory, {}));
    return exhausted.value;
  }
}

}  // namespace

const Result<vendor::cuda::Driver>& loaded() noexcept { return opened<vendor::cuda::Driver>(); }
const Result<vendor::cuda::Compiler>& compiler() noexcept { return opened<vendor::cuda::Compiler>(); }

Error failure(Status status, std::string message) {
  return vendor::cuda::failure_of(status, std::move(message), loaded() ? api().library.name() : "libcuda.so.1");
}

}  // namespace pintle::cuda
