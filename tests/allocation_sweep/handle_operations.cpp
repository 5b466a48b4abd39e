// Handles and sets of them.
#include <algorithm>
#include <array>

#include "allocation_sweep/operations.h"
#include "base/temporary_folder.h"
#include "pintle/handle_set.h"

namespace pintle::allocation_sweep {
namespace {

constexpr const char* name_of_one = "a handle with quite a long name";

struct Kept {
  Queue queue;
  Handle handle;
};

/// A handle that holds fives, which its shadow holds too.
Result<Kept> kept(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(handle, Handle::create(run.device(), name_of_one, DType::u32, {size}, Keep::host_shadow()));
  PINTLE_ASSIGN(done, run.keep(handle.write(queue, Words(size, 5))));
  PINTLE_TRY(run.test().wait(done));
  return Kept{std::move(queue), std::move(handle)};
}

Result<void> create(Run& run) {
  return outcome(
      during([&] { return Handle::create(run.device(), name_of_one, DType::u32, {size}, Keep::host_shadow()); }));
}

Result<void> refill(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  const Words values(size, 3);
  const auto fill = [values](std::span<std::uint32_t> to) -> Result<void> {
    std::ranges::copy(values, to.begin());
    return {};
  };
  PINTLE_ASSIGN(handle,
                Handle::create(run.device(), name_of_one, DType::u32, {size}, Keep::refill<std::uint32_t>(fill)));
  if (!run.attempt(during([&] { return handle.restore(queue, patience); })))
    PINTLE_TRY(run.keep(handle.restore(queue)));
  return expect(run, queue, handle.view(), 3);
}

Result<void> write(Run& run) {
  PINTLE_ASSIGN(mine, kept(run));
  const Words values(size, 7);
  const bool done = run.attempt(during([&] { return mine.handle.write(mine.queue, values, patience); }));
  return expect(run, mine.queue, mine.handle.view(), done ? 7 : 5);
}

Result<void> flip(Run& run) {
  PINTLE_ASSIGN(mine, kept(run));
  PINTLE_ASSIGN(back, during([&] { return mine.handle.next(); }));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(back, 6u))));
  PINTLE_TRY(during([&] { return mine.handle.flip(); }));
  return expect(run, mine.queue, mine.handle.view(), 6);
}

Result<void> checkpoint(Run& run) {
  PINTLE_ASSIGN(mine, kept(run));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(mine.handle.view(), 8u))));
  const auto done = during([&] { return mine.handle.checkpoint(mine.queue, patience); });
  run.attempt(run.keep(done));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(mine.handle.view(), 9u))));
  PINTLE_TRY(run.keep(mine.handle.restore(mine.queue)));
  return expect(run, mine.queue, mine.handle.view(), done ? 8 : 5);
}

Result<void> restore(Run& run) {
  PINTLE_ASSIGN(mine, kept(run));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(mine.handle.view(), 8u))));
  const bool done = run.attempt(during([&] { return mine.handle.restore(mine.queue, patience); }));
  return expect(run, mine.queue, mine.handle.view(), done ? 5 : 8);
}

Result<void> renew_and_text(Run& run) {
  PINTLE_ASSIGN(mine, kept(run));
  PINTLE_TRY(during([&] { return mine.handle.renew(); }));
  run.check(during([&] { return mine.handle.text(); }).starts_with("[Handle"));
  return {};
}

struct Both {
  Queue queue;
  HandleSet set;
};

Result<Both> both(Run& run) {
  PINTLE_ASSIGN(mine, kept(run));
  PINTLE_ASSIGN(second, Handle::create(run.device(), "another", DType::u32, {size}, Keep::host_shadow()));
  PINTLE_TRY(run.keep(second.write(mine.queue, Words(size, 6))));
  HandleSet set;
  PINTLE_TRY(set.add(std::move(mine.handle)));
  PINTLE_TRY(set.add(std::move(second)));
  return Both{std::move(mine.queue), std::move(set)};
}

Result<void> expect_both(Run& run, Both& mine, std::uint32_t first, std::uint32_t second) {
  PINTLE_ASSIGN(one, mine.set.find(name_of_one));
  PINTLE_ASSIGN(other, mine.set.find("another"));
  PINTLE_TRY(expect(run, mine.queue, one->view(), first));
  return expect(run, mine.queue, other->view(), second);
}

// A handle that is not taken stays the caller's.
Result<void> add(Run& run) {
  PINTLE_ASSIGN(mine, kept(run));
  HandleSet set;
  const auto added = during([&] { return set.add(std::move(mine.handle)); });
  if (!added) {
    PINTLE_TRY(expect(run, mine.queue, mine.handle.view(), 5));
    run.check(set.names().empty());
    return added.error();
  }
  return expect(run, mine.queue, (*added)->view(), 5);
}

Result<void> find(Run& run) {
  PINTLE_ASSIGN(mine, both(run));
  PINTLE_TRY(during([&] { return mine.set.find(name_of_one); }));
  run.check(!during([&] { return mine.set.find("a handle that nobody has ever added"); }));
  run.check(during([&] { return mine.set.names(); }).size() <= 2);
  PINTLE_ASSIGN(lost, during([&] { return mine.set.lost(); }));
  run.check(lost.empty());
  return {};
}

Result<void> checkpoint_of_all(Run& run) {
  PINTLE_ASSIGN(mine, both(run));
  run.attempt(run.keep(during([&] { return mine.set.checkpoint(mine.queue, patience); })));
  return expect_both(run, mine, 5, 6);
}

Result<void> restore_of_all(Run& run) {
  PINTLE_ASSIGN(mine, both(run));
  PINTLE_ASSIGN(one, mine.set.find(name_of_one));
  PINTLE_ASSIGN(other, mine.set.find("another"));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(one->view(), 1u).fill(other->view(), 2u))));
  const bool done = run.attempt(during([&] { return mine.set.restore(mine.queue, patience); }));
  return expect_both(run, mine, done ? 5 : 1, done ? 6 : 2);
}

Result<void> file(Run& run) {
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::string path = folder / "a file with quite a long name.safetensors";
  PINTLE_ASSIGN(mine, both(run));
  if (!run.attempt(during([&] { return mine.set.save(mine.queue, path, patience); })))
    PINTLE_TRY(mine.set.save(mine.queue, path));
  PINTLE_ASSIGN(one, mine.set.find(name_of_one));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(one->view(), 1u))));
  const bool done = run.attempt(during([&] { return mine.set.load(mine.queue, path, {}, patience); }));
  return expect_both(run, mine, done ? 5 : 1, 6);
}

}  // namespace

std::span<const Scenario> handle_operations() {
  static constexpr std::array<Scenario, 12> all{{{"Handle_create", create},
                                                 {"Handle_refill", refill},
                                                 {"Handle_write", write},
                                                 {"Handle_flip", flip},
                                                 {"Handle_checkpoint", checkpoint},
                                                 {"Handle_restore", restore},
                                                 {"Handle_renew", renew_and_text},
                                                 {"HandleSet_add", add},
                                                 {"HandleSet_find", find},
                                                 {"HandleSet_checkpoint", checkpoint_of_all},
                                                 {"HandleSet_restore", restore_of_all},
                                                 {"HandleSet_file", file}}};
  return all;
}

}  // namespace pintle::allocation_sweep
