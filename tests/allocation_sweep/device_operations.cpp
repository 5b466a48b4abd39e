// Devices: listing, opening, asking, making.
#include <array>
#include <filesystem>
#include <memory>

#include "allocation_sweep/operations.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "conformance/kernels.h"
#include "pintle/native/cpu.h"

namespace pintle::allocation_sweep {
namespace {

Result<void> listing(Run& /*run*/) {
  return outcome(during([] { return devices(); }));
}

Result<void> naming(Run& run) {
  PINTLE_ASSIGN(list, devices());
  const std::size_t names = during([&] { return ids_by_name(list.devices).size(); });
  run.check(names == 0 || names == list.devices.size());
  return {};
}

// Another id is another device, opened afresh.
Result<void> opening(Run& run) {
  const std::string id = "trace(" + std::string(run.device().id()) + ")";
  PINTLE_ASSIGN(device, during([&] { return open(id); }));
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(done, queue.submit(CommandList{}));
  return conformance::Context(device).wait(done);
}

Result<void> opening_again(Run& run) {
  return outcome(during([&] { return open(run.device().id()); }));
}

Result<void> opening_for_a_pack(Run& run) {
  PINTLE_ASSIGN(pack, conformance::suite_pack_for(run.device()));
  return outcome(during([&] { return open(run.device().id(), pack); }));
}

Result<void> taking(Run& run) {
  PINTLE_ASSIGN(pack, conformance::suite_pack_for(run.device()));
  return outcome(during([&] { return takes(run.device().info(), pack); }));
}

Result<void> taking_none(Run& run) {
  PINTLE_ASSIGN(pack, ProgramPack::source("no_format", "x", {"none()"}));
  const auto refused = during([&] { return takes(run.device().info(), pack); });
  run.check(!refused || run.device().info().formats == std::vector<std::string>{"*"});
  if (refused || refused.error().code() == Errc::unsupported) return {};
  return refused.error();
}

Result<void> opening_what_is_not_there(Run& run) {
  const auto refused = during([] { return open("a device that nobody has ever seen anywhere"); });
  run.check(!refused);
  if (refused || refused.error().code() == Errc::invalid_argument || refused.error().code() == Errc::not_found)
    return {};
  return refused.error();
}

Result<void> info(Run& run) {
  const std::uint64_t limit = during([&] { return run.device().info().limits.max_allocation; });
  run.check(limit == run.test().info().limits.max_allocation);
  return {};
}

Result<void> capability(Run& run) {
  const Support now = during([&] { return run.device().info().capability(Feature::host_import).support; });
  run.check(now == run.test().info().capability(Feature::host_import).support);
  return {};
}

Result<void> budget(Run& run) {
  return outcome(during([&] { return run.device().budget(); }));
}

Result<void> queue(Run& run) {
  PINTLE_ASSIGN(queue, during([&] { return run.device().create_queue({.label = words}); }));
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{})));
  return run.test().wait(done);
}

Result<void> allocate(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(buffer, during([&] { return run.device().allocate(DType::u32, {size}, {.label = words}); }));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(buffer, 3u))));
  return expect(run, mine.queue, buffer, 3);
}

Result<void> allocate_on_the_host(Run& run) {
  return outcome(during(
      [&] { return run.device().allocate(DType::u32, {size}, {.label = words, .placement = Placement::host}); }));
}

Result<void> allocate_too_much(Run& run) {
  const auto refused = during([&] { return run.device().allocate(DType::u32, {1ull << 60}, {.label = words}); });
  run.check(!refused);
  return {};
}

Result<void> import_host(Run& run) {
  struct alignas(4096) Page {
    std::array<std::uint32_t, 1024> values{};
  };
  const auto page = std::make_shared<Page>();
  const auto alone = page.use_count();
  PINTLE_TRY(unless_unsupported(during([&] { return run.device().import_host(page->values, page, words); })));
  PINTLE_TRY(run.device().wait_idle(patience));
  run.check(run.test().eventually([&] { return page.use_count() == alone; }));
  return {};
}

Result<void> map_file(Run& run) {
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::string path = folder / "bytes";
  PINTLE_TRY(base::write_file(path, std::vector<std::byte>(4096)));
  return unless_unsupported(during([&] { return run.device().map_file(path, 0, DType::u32, {size}, words); }));
}

Result<void> record(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  CommandList list;
  list.fill(mine.ones, 5u).copy(mine.twos, mine.ones).fill(Slot{0}, 6u);
  PINTLE_ASSIGN(recording, during([&] { return run.device().record(std::move(list)); }));
  PINTLE_TRY(run.keep(mine.queue.replay(recording, {mine.ones})));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, 6));
  return expect(run, mine.queue, mine.twos, 5);
}

Result<void> poll(Run& run) {
  return during([&] { return run.device().poll(); });
}

Result<void> wait_idle(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 3u))));
  return during([&] { return run.device().wait_idle(patience); });
}

Result<void> health(Run& run) {
  return during([&] { return run.device().health(); });
}
Result<void> recover(Run& run) {
  return during([&] { return run.device().recover(); });
}

Result<void> native(Run& run) {
  return unless_unsupported(during([&] { return run.device().native<cpu::CpuDevice>(); }));
}

Result<void> drop(Run& run) {
  PINTLE_ASSIGN(other, open("faulty(" + std::string(run.device().id()) + ")"));
  PINTLE_ASSIGN(queue, other.create_queue());
  PINTLE_ASSIGN(buffer, other.allocate(DType::u32, {size}));
  PINTLE_TRY(queue.submit(CommandList{}.fill(buffer, 3u)));
  during([&] {
    buffer = Buffer();
    queue = Queue();
    other = Device();
    return 0;
  });
  return {};
}

}  // namespace

std::span<const Scenario> device_operations() {
  static constexpr std::array<Scenario, 24> all{{{"devices", listing},
                                                 {"ids_by_name", naming},
                                                 {"open", opening},
                                                 {"open_again", opening_again},
                                                 {"open_for_a_pack", opening_for_a_pack},
                                                 {"takes", taking},
                                                 {"takes_none", taking_none},
                                                 {"open_unknown", opening_what_is_not_there},
                                                 {"Device_info", info},
                                                 {"DeviceInfo_capability", capability},
                                                 {"Device_budget", budget},
                                                 {"Device_queue", queue},
                                                 {"Device_allocate", allocate},
                                                 {"Device_allocate_host", allocate_on_the_host},
                                                 {"Device_allocate_too_much", allocate_too_much},
                                                 {"Device_import_host", import_host},
                                                 {"Device_map_file", map_file},
                                                 {"Device_record", record},
                                                 {"Device_poll", poll},
                                                 {"Device_wait_idle", wait_idle},
                                                 {"Device_health", health},
                                                 {"Device_recover", recover},
                                                 {"Device_native", native},
                                                 {"Device_drop", drop}}};
  return all;
}

}  // namespace pintle::allocation_sweep
