// State that stays: what a failure leaves of it, on the host and in files.
#include <filesystem>

#include "base/temporary_folder.h"
#include "conformance/sweep/memory.h"

namespace pintle::conformance {
namespace {

constexpr std::uint64_t size = 64;

Result<Handle> handle_with(Run& run, Queue& queue, std::string name, std::uint32_t value) {
  PINTLE_ASSIGN(handle, Handle::create(run.device(), std::move(name), DType::u32, {size}, Keep::host_shadow()));
  PINTLE_TRY(run.keep(handle.write(queue, Words(size, value))));
  return std::move(handle);
}

Result<void> expect(Run& run, Queue& queue, const Handle& handle, std::uint32_t value) {
  PINTLE_ASSIGN(now, read<std::uint32_t>(queue, handle.view()));
  run.compare(now, Words(size, value));
  return {};
}

Result<void> add(HandleSet& set, Run& run, Queue& queue, std::string name, std::uint32_t value) {
  PINTLE_ASSIGN(handle, handle_with(run, queue, std::move(name), value));
  PINTLE_TRY(set.add(std::move(handle)));
  return {};
}

Result<void> expect_both(Run& run, Queue& queue, HandleSet& set, std::uint32_t a, std::uint32_t b) {
  PINTLE_ASSIGN(first, set.find("a"));
  PINTLE_ASSIGN(second, set.find("b"));
  PINTLE_TRY(expect(run, queue, *first, a));
  return expect(run, queue, *second, b);
}

Result<void> clear(Run& run, Queue& queue, HandleSet& set) {
  PINTLE_ASSIGN(first, set.find("a"));
  PINTLE_ASSIGN(second, set.find("b"));
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(first->view(), 0u).fill(second->view(), 0u))));
  return {};
}

}  // namespace

// A checkpoint that is refused leaves the shadow that there was.
Result<void> handle_that_flips(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(state, handle_with(run, queue, "state", 5));
  PINTLE_ASSIGN(back, state.next());
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.copy(back, state.view()).fill(back, 6u))));
  PINTLE_TRY(state.flip());
  const bool kept = run.attempt(state.checkpoint(queue));
  PINTLE_TRY(expect(run, queue, state, 6));
  PINTLE_ASSIGN(front, state.next());
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(front, 7u))));
  PINTLE_TRY(state.flip());
  if (!run.attempt(state.restore(queue))) PINTLE_TRY(run.keep(state.restore(queue)));
  return expect(run, queue, state, kept ? 6 : 5);
}

// A file is there whole or not at all, and both handles are what it holds or what they were.
Result<void> handles_in_a_file(Run& run) {
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::string path = folder.path() + "/set.safetensors";
  PINTLE_ASSIGN(queue, run.device().create_queue());
  HandleSet set;
  PINTLE_TRY(add(set, run, queue, "a", 1));
  PINTLE_TRY(add(set, run, queue, "b", 2));
  PINTLE_TRY(run.keep(set.checkpoint(queue)));
  const auto saved = set.save(queue, path);
  run.attempt(saved);
  run.compare({std::filesystem::exists(path)}, {saved.has_value()});
  PINTLE_TRY(clear(run, queue, set));
  if (!saved) {
    PINTLE_TRY(run.keep(set.restore(queue)));
    return expect_both(run, queue, set, 1, 2);
  }
  const bool loaded = run.attempt(set.load(queue, path));
  return expect_both(run, queue, set, loaded ? 1 : 0, loaded ? 2 : 0);
}

}  // namespace pintle::conformance
