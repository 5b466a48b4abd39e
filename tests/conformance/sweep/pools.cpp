// Memory of a pool that goes from use to use.
#include "conformance/sweep/memory.h"

namespace pintle::conformance {
namespace {

constexpr std::uint64_t size = 512;
constexpr std::uint64_t bytes = 4 * size;

Result<void> fill_and_read(Run& run, Queue& queue, const Buffer& buffer, std::uint32_t value) {
  Words& result = run.memory(size);
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.fill(buffer, value).download(result, buffer))));
  PINTLE_TRY(run.test().wait(done));
  run.compare(result, Words(size, value));
  return {};
}

}  // namespace

// A buffer comes back while its work is in flight, and its bytes are another queue's, which comes behind.
Result<void> pool_across_queues(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(make, device.create_queue());
  PINTLE_ASSIGN(use, device.create_queue());
  PINTLE_ASSIGN(pool, Pool::create(device, {.label = "swept", .block = 2 * bytes}));
  PINTLE_ASSIGN(first, make.allocate(pool, DType::u32, {size}));
  PINTLE_ASSIGN(used, run.keep(make.submit(CommandList{}.fill(first, 1u))));
  PINTLE_TRY(make.free(std::move(first)));
  PINTLE_TRY(run.keep(use.submit(CommandList{}, {.after = {used}})));
  PINTLE_ASSIGN(second, use.allocate(pool, DType::u32, {size}));
  PINTLE_TRY(fill_and_read(run, use, second, 2));
  PINTLE_ASSIGN(large, use.allocate(pool, DType::u32, {4 * size}));  // no block has room for it
  PINTLE_TRY(run.keep(use.submit(CommandList{}.fill(large, 3u))));
  PINTLE_TRY(use.free(std::move(large)));
  PINTLE_TRY(pool.trim());
  pool = Pool();  // the buffer outlives it
  return fill_and_read(run, use, second, 4);
}

// All there is goes to another queue, which waits for it. A use that is refused is none to wait for.
Result<void> pool_at_its_cap(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(make, device.create_queue());
  PINTLE_ASSIGN(use, device.create_queue());
  PINTLE_ASSIGN(pool, Pool::create(device, {.cap = bytes, .block = bytes, .patience = patience}));
  PINTLE_ASSIGN(first, make.allocate(pool, DType::u32, {size}));
  PINTLE_TRY(run.keep(make.submit(CommandList{}.fill(first, 1u))));
  run.attempt(make.submit(CommandList{}.fill(first, 2u)));
  PINTLE_TRY(make.free(std::move(first)));
  PINTLE_ASSIGN(second, use.allocate(pool, DType::u32, {size}));
  return fill_and_read(run, use, second, 3);
}

// The pool has a submission of its own for each buffer, and without it the buffer is none.
Result<void> pool_that_scrubs(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(pool, Pool::create(run.device(), {.cap = bytes, .block = bytes, .scrub = Scrub::zeros}));
  for (int round = 0; round < 2; ++round) {
    auto got = queue.allocate(pool, DType::u32, {size});
    run.attempt(got);
    if (!got) got = queue.allocate(pool, DType::u32, {size});  // the cap has room for one, so the other has gone
    if (!got) return got.error();
    Words& result = run.memory(size);
    PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.download(result, *got).fill(*got, 7u))));
    PINTLE_TRY(run.test().wait(done));
    run.compare(result, Words(size, 0));
  }
  return {};
}

}  // namespace pintle::conformance
