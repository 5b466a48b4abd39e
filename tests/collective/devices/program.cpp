// A rank with a device: `program cpu,vulkan:swiftshader` gives rank i entry i of the list, again from the start where
// it ends. Says what has passed and exits with 0, or says what has not.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "operations.h"

namespace devices {
namespace {

using namespace std::chrono_literals;
using namespace pintle;

constexpr auto patience = 20s;

class Checks {
 public:
  void expect(bool is_met, const std::string& what) {
    if (!is_met) throw std::runtime_error("This is not so: " + what + ".");
    ++count_;
  }
  [[nodiscard]] int count() const noexcept { return count_; }

 private:
  int count_ = 0;
};

struct Member {
  Place place;
  Device device;
  Queue queue;
  Checks checks;
};

std::string words(const Call& call, const char* dtype, const char* where) {
  return std::string(names[static_cast<std::size_t>(call.operation)]) + " of " + std::to_string(call.count) + " " +
         dtype + " " + where;
}

/// Runs `check(call)` for every operation, size and root in turn.
template <class T, class Check>
void for_each_call(Place place, const Check& check) {
  std::uint32_t number = 0;
  for (std::size_t operation = 0; operation < names.size(); ++operation) {
    for (const std::uint64_t count : counts<T>(static_cast<Operation>(operation), place)) {
      check(Call{static_cast<Operation>(operation), count, number++ % place.ranks});
    }
  }
}

/// Memory with room on both sides that nobody may touch; of the values of a rank, or not yet written.
template <class T>
struct Guarded {
  static constexpr std::ptrdiff_t before = 3, after = 5;
  static constexpr T untouched = 77;

  static std::vector<T> around(const std::vector<T>& values) {
    std::vector<T> all(static_cast<std::size_t>(before + after) + values.size(), untouched);
    std::ranges::copy(values, all.begin() + before);
    return all;
  }
  static std::vector<T> to(const Call& call, Place place) {
    return around(std::vector<T>(call.parts_to(place) * call.count, untouched));
  }
  static std::vector<T> from(const Call& call, Place place) {
    return around(given<T>(place.rank, 0, call.parts_from(place) * call.count));
  }
  /// What `to` is in the end.
  static std::vector<T> result(const Call& call, Place place) {
    return call.writes(place) ? around(expected<T>(call, place)) : to(call, place);
  }
};

template <class T>
Buffer uploaded(Member& member, const std::vector<T>& values) {
  Buffer buffer = must(member.device.allocate_for(values));
  must(member.queue.submit(CommandList{}.upload(buffer, values)));
  return buffer;
}

/// What the device has when `point` is reached, once the point that comes with it is; nobody waits here.
template <class T>
std::pair<std::shared_ptr<std::vector<T>>, Point> download(Member& member, const Point& point, const BufferView& from) {
  const auto values = std::make_shared<std::vector<T>>(from.size_bytes() / sizeof(T));
  const auto bytes = std::as_writable_bytes(std::span(*values));
  return {values, must(member.queue.submit(CommandList{}.download_retained(values, bytes, from), {.after = {point}}))};
}

template <class T>
std::vector<T> values_after(Member& member, const Point& point, const BufferView& from) {
  const auto [values, done] = download<T>(member, point, from);
  must(done.wait(patience));
  return *values;
}

/// In place, where the device can be mapped, or staged: neighbours differ, and so does one rank from call to call.
template <class T>
DeviceElements elements(Buffer& buffer, bool is_staged) {
  using Values = Guarded<T>;
  const std::uint64_t first = Values::before;
  const std::uint64_t count = buffer.size_bytes() / sizeof(T) - Values::before - Values::after;
  return is_staged ? DeviceElements(must(buffer.slice(first, count))) : DeviceElements(buffer, first, count);
}

/// A call that is enqueued, from the upload to the download, and that nobody has waited for.
template <class T>
struct Enqueued {
  Call call;
  Buffer to, from;
  std::shared_ptr<std::vector<T>> to_values, from_values;
  Point done;
};

template <class T>
Enqueued<T> enqueue(Member& member, GroupQueue& collectives, const Call& call, bool is_staged) {
  Buffer to = uploaded(member, Guarded<T>::to(call, member.place));
  Buffer from = uploaded(member, Guarded<T>::from(call, member.place));
  const auto submit = [&](const Collective& operation) {
    return collectives.submit(operation, {.after = {member.queue.last()}, .timeout = patience});
  };
  const Point done =
      must(perform(submit, call, member.place, elements<T>(to, is_staged), elements<T>(from, !is_staged)));
  const auto [to_values, unused] = download<T>(member, done, to);
  const auto [from_values, read] = download<T>(member, done, from);
  return {call, std::move(to), std::move(from), to_values, from_values, read};
}

template <class T>
void check_on_device(Member& member, GroupQueue& collectives, const char* dtype) {
  std::uint32_t number = member.place.rank;
  std::vector<Enqueued<T>> all;
  for_each_call<T>(member.place,
                   [&](const Call& call) { all.push_back(enqueue<T>(member, collectives, call, number++ % 2 == 0)); });
  must(collectives.submit(Collective::barrier(), {.after = {member.queue.last()}, .timeout = patience}));
  for (const Enqueued<T>& one : all) {
    must(one.done.wait(patience));
    member.checks.expect(*one.to_values == Guarded<T>::result(one.call, member.place),
                         words(one.call, dtype, "on the device"));
    member.checks.expect(*one.from_values == Guarded<T>::from(one.call, member.place),
                         words(one.call, dtype, "on the device leaves what it reads"));
  }
  must(collectives.last().wait(patience));
}

template <class T>
MutableElements elements(std::vector<T>& values) {
  return std::span(values).subspan(Guarded<T>::before, values.size() - Guarded<T>::before - Guarded<T>::after);
}

template <class T>
void check_on_host(Member& member, Group& group, const char* dtype) {
  for_each_call<T>(member.place, [&](const Call& call) {
    auto to = Guarded<T>::to(call, member.place), from = Guarded<T>::from(call, member.place);
    const auto run = [&](const Collective& operation) { return group.run(operation, patience); };
    must(perform(run, call, member.place, elements(to), elements(from)));
    member.checks.expect(to == Guarded<T>::result(call, member.place), words(call, dtype, "on the host"));
    member.checks.expect(from == Guarded<T>::from(call, member.place),
                         words(call, dtype, "on the host leaves what it reads"));
  });
  must(group.run(Collective::barrier(), patience));
}

constexpr std::uint64_t heap_count = 5000;

/// The device writes the own piece; with the signal it has come from the rank before, and this device reads it.
void check_ring(Member& member, SymmetricHeap& heap, const SymmetricBuffer& mine, const SymmetricBuffer& theirs,
                const SymmetricSignal& signal, std::uint64_t round) {
  const Place place = member.place;
  const auto values = given<float>(place.rank, round, heap_count);
  must(member.queue.submit(CommandList{}.upload(must(heap.on_device(mine)), values)));
  must(must(heap.from_device(mine, member.queue)).wait(patience));
  member.checks.expect(std::ranges::equal(must(heap.local<float>(mine)), values),
                       "the own piece has what its device wrote");
  must(heap.put_signal(theirs.on(place.next()), must(heap.local<float>(mine)), signal, round));
  must(heap.wait_signal(signal, round, patience, place.previous()));
  const Point there = must(heap.to_device(theirs, member.queue));
  const auto seen = values_after<float>(member, there, must(heap.on_device(theirs)));
  member.checks.expect(seen == given<float>(place.previous(), round, heap_count),
                       "the device reads what came with a signal");
  std::vector<float> got(heap_count);
  must(heap.barrier(patience));
  must(heap.get(got, mine.on(place.next())));
  member.checks.expect(got == given<float>(place.next(), round, heap_count), "what another's device wrote is got");
  must(heap.barrier(patience));
}

/// A part of the next rank's piece is put; the rest stays, and a copy of the device's is as old as its last
/// `to_device`.
void check_put(Member& member, SymmetricHeap& heap, const SymmetricBuffer& theirs, std::uint64_t last_round) {
  const auto before = given<float>(member.place.previous(), last_round, heap_count);
  must(heap.put(must(theirs.slice(1001, 333)).on(member.place.next()), std::vector<float>(333, -1)));
  must(heap.barrier(patience));
  if (heap.residence() == Residence::staged) {
    const auto old = values_after<float>(member, member.queue.last(), must(heap.on_device(theirs)));
    member.checks.expect(old == before, "a staged copy changes with to_device only");
  }
  auto wanted = before;
  std::fill_n(wanted.begin() + 1001, 333, -1.0f);
  const Point there = must(heap.to_device(theirs, member.queue));
  const auto seen = values_after<float>(member, there, must(heap.on_device(theirs)));
  member.checks.expect(seen == wanted, "the device reads what was put before a barrier");
}

void check_heap(Member& member, Group& group) {
  SymmetricHeap heap = must(SymmetricHeap::create(group, 1 << 20, {.timeout = patience, .device = member.device}));
  const Residence residence = heap.residence();
  member.checks.expect(residence == Residence::in_place || residence == Residence::staged, "a device has the piece");
  member.checks.expect((residence == Residence::staged) != heap.residence_detail().empty(), "what is staged says why");
  const SymmetricBuffer mine = must(heap.allocate(DType::f32, {heap_count}, patience));
  const SymmetricBuffer theirs = must(heap.allocate(DType::f32, {heap_count}, patience));
  const SymmetricSignals signals = must(heap.allocate_signals(1, patience));
  for (std::uint64_t round = 1; round <= 3; ++round) check_ring(member, heap, mine, theirs, signals.at(0), round);
  check_put(member, heap, theirs, 3);
  must(heap.barrier(patience));
}

/// The last rank calls with another size: an error on every rank, at once, which is no timeout.
template <class Attempt>
void check_mismatch(Member& member, const std::string& where, const Attempt& attempt) {
  const std::uint64_t count = member.place.rank + 1 == member.place.ranks ? 101 : 100;
  const auto begin = Clock::now();
  const Result<void> done = attempt(given<float>(member.place.rank, 0, count));
  member.checks.expect(!done, "calls " + where + " that differ fail");
  const bool is_named = done.error().code() == Errc::invalid_argument || done.error().code() == Errc::peer_lost;
  member.checks.expect(is_named, "calls " + where + " that differ are no \"" + done.error().text() + "\"");
  member.checks.expect(Clock::now() - begin < patience / 2, "calls " + where + " that differ fail at once");
}

void check_mismatches(Member& member, Group& group) {
  const GroupOptions options{.timeout = patience};
  auto hosts = must(group.split(0, 0, options)), queues = must(group.split(0, 0, options));
  check_mismatch(member, "of a Group", [&](std::vector<float> values) -> Result<void> {
    PINTLE_TRY(hosts->run(Collective::all_reduce(values, ReduceOp::sum), patience));
    return hosts->run(Collective::barrier(), patience);
  });
  check_mismatch(member, "of a GroupQueue", [&](const std::vector<float>& values) -> Result<void> {
    PINTLE_ASSIGN(collectives, GroupQueue::create(*queues, member.device));
    Buffer buffer = uploaded(member, values);
    PINTLE_TRY(collectives.submit(Collective::all_reduce(buffer, ReduceOp::sum),
                                  {.after = {member.queue.last()}, .timeout = patience}));
    PINTLE_ASSIGN(last, collectives.submit(Collective::barrier(), {.timeout = patience}));
    return last.wait(patience);
  });
  must(group.run(Collective::barrier(), patience));  // the group that they were split from has not failed
}

std::string device_of(const std::string& list, std::uint32_t rank) {
  std::vector<std::string> ids(1);
  for (const char letter : list) {
    if (letter == ',') ids.emplace_back();
    else ids.back() += letter;
  }
  return ids[rank % ids.size()];
}

void run(const std::string& list) {
  Group group = must(Group::join({.timeout = patience}));
  Device device = must(open(device_of(list, group.rank())));
  Member member{{group.rank(), group.ranks()}, device, must(device.create_queue()), {}};
  check_on_host<float>(member, group, "f32");
  check_on_host<std::uint8_t>(member, group, "u8");
  {
    const auto apart = must(group.split(0, 0, {.timeout = patience}));
    GroupQueue collectives = must(GroupQueue::create(*apart, device));
    check_on_device<float>(member, collectives, "f32");
    check_on_device<std::uint8_t>(member, collectives, "u8");
  }
  check_heap(member, group);
  check_mismatches(member, group);
  std::printf("rank %u of %u on %s over %s: passed (%d checks)\n", group.rank(), group.ranks(),
              std::string(device.id()).c_str(), std::string(group.transport()).c_str(), member.checks.count());
}

}  // namespace
}  // namespace devices

int main(int count, char** arguments) {
  try {
    if (count != 2) throw std::runtime_error("The devices are the one argument: cpu,vulkan:swiftshader");
    devices::run(arguments[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "devices_program: %s\n", error.what());
    return 1;
  }
}
