// Bytes that buffers share until one of them is written.
#include <algorithm>
#include <array>
#include <atomic>

#include "conformance/sweep/memory.h"

namespace pintle::conformance {
namespace {

constexpr std::uint64_t size = 1024, half = size / 2;

/// Half of these, half of those.
Words halves(std::uint32_t first, std::uint32_t second) {
  Words words(size, first);
  std::fill(words.begin() + half, words.end(), second);
  return words;
}

Result<void> expect(Run& run, Queue& queue, const BufferView& of, const Words& expected) {
  Words& result = run.memory(expected.size());
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.download(result, of))));
  PINTLE_TRY(run.test().wait(done));
  run.compare(result, expected);
  return {};
}

Result<BufferView> head(const Buffer& buffer) { return buffer.slice(0, half); }

}  // namespace

// A write that is refused leaves both sides as they were, and nobody waits for it.
Result<void> forks_written_in_turn(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(make, device.queue());
  PINTLE_ASSIGN(use, device.queue());
  PINTLE_ASSIGN(later, device.allocate(DType::u32, {size}, {.label = "later", .allocation = Allocation::lazy}));
  PINTLE_TRY(run.keep(make.submit(CommandList{}.fill(later, 1u))));
  PINTLE_ASSIGN(branch, make.fork(later, "branch"));
  PINTLE_ASSIGN(branch_head, head(branch));
  PINTLE_ASSIGN(later_head, head(later));
  const bool branched = run.attempt(make.submit(CommandList{}.fill(branch_head, 2u)));
  const bool written = run.attempt(use.submit(CommandList{}.fill(later_head, 3u)));
  PINTLE_TRY(expect(run, make, branch, halves(branched ? 2 : 1, 1)));
  return expect(run, use, later, halves(written ? 3 : 1, 1));
}

// Both sides are written by one list; all of it waits for the host, and so fails, if it does, after it was accepted.
Result<void> forks_of_held_work(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(make, device.queue());
  PINTLE_ASSIGN(use, device.queue());
  PINTLE_ASSIGN(gate, run.gate());
  PINTLE_ASSIGN(trunk, device.allocate(DType::u32, {size}));
  PINTLE_TRY(run.keep(make.submit(CommandList{}.fill(trunk, 1u), {.after = {run.test().at(gate, 1)}})));
  PINTLE_ASSIGN(branch, make.fork(trunk));
  PINTLE_ASSIGN(twig, make.fork(branch));
  PINTLE_ASSIGN(branch_head, head(branch));
  PINTLE_ASSIGN(twig_head, head(twig));
  PINTLE_ASSIGN(done, run.keep(make.submit(CommandList{}.fill(branch_head, 2u).fill(twig_head, 3u))));
  trunk = Buffer();  // the others live on
  PINTLE_TRY(run.keep(use.submit(CommandList{}, {.after = {done}})));
  PINTLE_TRY(run.test().raise(gate, 1));
  PINTLE_TRY(expect(run, use, branch, halves(2, 1)));
  return expect(run, use, twig, halves(3, 1));
}

// Shared bytes of a pool go back with the last buffer that has them, also where its write is tried again.
Result<void> forks_of_a_pool(Run& run) {
  PINTLE_ASSIGN(queue, run.device().queue());
  PINTLE_ASSIGN(pool, Pool::create(run.device(), {.cap = 4 * size, .block = 4 * size}));
  PINTLE_ASSIGN(trunk, queue.allocate(pool, DType::u32, {size}));
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(trunk, 1u))));
  PINTLE_ASSIGN(branch, queue.fork(trunk));
  trunk = Buffer();
  PINTLE_ASSIGN(branch_head, head(branch));
  if (!run.attempt(queue.submit(CommandList{}.fill(branch_head, 2u))))  // in place
    PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(branch_head, 2u))));
  PINTLE_TRY(expect(run, queue, branch, halves(2, 1)));
  branch = Buffer();
  PINTLE_ASSIGN(again, queue.allocate(pool, DType::u32, {size}));
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(again, 3u))));
  return expect(run, queue, again, Words(size, 3));
}

// A sealed buffer is shared and recorded as it likes; its fork is recorded once it has bytes of its own.
Result<void> sealed_and_unshared(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(queue, device.queue());
  PINTLE_ASSIGN(base, device.allocate(DType::u32, {size}));
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.upload(base, halves(4, 5)))));
  PINTLE_TRY(base.seal());
  PINTLE_ASSIGN(branch, queue.fork(base));
  PINTLE_ASSIGN(shared, queue.fork(base));
  if (!run.attempt(queue.unshare(branch))) PINTLE_TRY(run.keep(queue.unshare(branch)));
  PINTLE_ASSIGN(branch_head, head(branch));
  PINTLE_ASSIGN(recording, device.record(CommandList{}.copy(branch, base).fill(branch_head, 6u)));
  PINTLE_TRY(run.keep(queue.replay(recording)));
  PINTLE_ASSIGN(pinned, queue.fork(branch));  // recorded, so it is copied now
  PINTLE_TRY(run.keep(queue.last()));
  PINTLE_TRY(expect(run, queue, pinned, halves(6, 5)));
  return expect(run, queue, shared, halves(4, 5));
}

// The host's memory is let go once, whatever becomes of the buffer.
Result<void> host_memory_in_place(Run& run) {
  const auto gone = std::make_shared<std::atomic<int>>(0);
  run.expect(gone);
  struct alignas(4096) Page {
    std::array<std::uint32_t, 1024> values{};
  };
  std::shared_ptr<Page> page(new Page, [gone](Page* owned) {
    delete owned;
    ++*gone;
  });
  PINTLE_ASSIGN(queue, run.device().queue());
  auto imported = run.device().import_host(page->values, page);
  page.reset();
  if (!imported && imported.error().code() != Errc::unsupported) return imported.error();
  if (!imported) return {};
  PINTLE_ASSIGN(branch, queue.fork(*imported));
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(*imported, 8u))));
  PINTLE_TRY(expect(run, queue, branch, Words(1024, 0)));
  return expect(run, queue, *imported, Words(1024, 8));
}

}  // namespace pintle::conformance
