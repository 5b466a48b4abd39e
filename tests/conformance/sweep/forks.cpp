// Forks, and memory of the host in place.
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

// A fork of a lazy buffer, and of a fork. A write that is refused leaves both sides as they were.
Result<void> forks_written_in_turn(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(make, device.create_queue());
  PINTLE_ASSIGN(use, device.create_queue());
  PINTLE_ASSIGN(later, device.allocate(DType::u32, {size}, {.label = "later", .allocation = Allocation::lazy}));
  PINTLE_TRY(run.keep(make.submit(CommandList{}.fill(later, 1u))));
  PINTLE_ASSIGN(branch, make.fork(later, "branch"));
  PINTLE_ASSIGN(twig, make.fork(branch, "twig"));
  PINTLE_ASSIGN(branch_head, head(branch));
  const bool branched = run.attempt(use.submit(CommandList{}.fill(branch_head, 2u), {.after = {make.last()}}));
  PINTLE_TRY(expect(run, use, branch, halves(branched ? 2 : 1, 1)));
  PINTLE_TRY(expect(run, use, twig, Words(size, 1)));
  return expect(run, make, later, Words(size, 1));
}

// The copies wait for the host, and what uses them waits for the copies.
Result<void> forks_of_held_work(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(make, device.create_queue());
  PINTLE_ASSIGN(use, device.create_queue());
  PINTLE_ASSIGN(gate, run.gate());
  PINTLE_ASSIGN(trunk, device.allocate(DType::u32, {size}));
  PINTLE_TRY(run.keep(make.submit(CommandList{}.fill(trunk, 1u), {.after = {run.test().at(gate, 1)}})));
  PINTLE_ASSIGN(branch, make.fork(trunk));
  PINTLE_ASSIGN(branch_head, head(branch));
  PINTLE_TRY(run.keep(use.submit(CommandList{}.fill(branch_head, 2u))));
  trunk = Buffer();  // the other lives on
  PINTLE_TRY(run.test().raise(gate, 1));
  return expect(run, use, branch, halves(2, 1));
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
  PINTLE_ASSIGN(queue, run.device().create_queue());
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
