// State that stays: written, fed back, checkpointed, lost and restored, saved and loaded.
#include "base/temporary_folder.h"
#include "conformance/fragile.h"
#include "conformance/ways.h"
#include "io/safetensors.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

Handle make(const Context& test, std::string name, std::uint64_t count, Keep keep = Keep::lost()) {
  return need(Handle::create(test.device(), std::move(name), DType::u32, {count}, std::move(keep)));
}

/// A handle with these words in it, written and reached.
Handle filled(const Context& test, std::string name, const Words& words, Keep keep = Keep::lost()) {
  Handle handle = make(test, std::move(name), words.size(), std::move(keep));
  Queue queue = test.queue("filler");
  test.finish(need(handle.write(queue, words)));
  return handle;
}

Words read(const Context& test, Queue& queue, const Handle& handle) {
  return test.read<std::uint32_t>(queue, handle.view());
}

Keep counting() {
  return Keep::refill<std::uint32_t>([](std::span<std::uint32_t> words) -> Result<void> {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i + 1);
    return {};
  });
}

DEVICE_TEST(Handle, HasItsNameDtypeShapeAndGeneration) {
  const Handle handle =
      need(Handle::create(test.device(), "layer.0.kv", DType::bf16, {2, 3, 4}, Keep::host_shadow(), {.alignment = 64}));
  CHECK_EQ(handle.name(), "layer.0.kv");
  CHECK_EQ(handle.dtype(), DType::bf16);
  CHECK(handle.shape() == Shape({2, 3, 4}));
  CHECK_EQ(handle.size_bytes(), 48u);
  CHECK_EQ(handle.keep(), Keep::Kind::host_shadow);
  CHECK_EQ(handle.text(), "[Handle \"layer.0.kv\"]");
  CHECK_EQ(handle.generation(), test.device().generation());
  CHECK(!handle.is_stale());
  CHECK(handle.view().shape() == Shape({2, 3, 4}));
}

// P1: not f32 alone.
DEVICE_TEST(Handle, EveryDtypeRoundTrips) {
  test.require_bytes();
  Queue queue = test.queue();
  for (const DType dtype : all_dtypes()) {
    Handle handle = need(Handle::create(test.device(), "state", dtype, {5, 3}, Keep::lost()));
    std::vector<std::byte> bytes(handle.size_bytes());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 11);
    need(handle.write(queue, bytes));
    CHECK_EQ(test.bytes(queue, handle.view()), bytes);
  }
}

DEVICE_TEST(Handle, WrittenMemoryIsTheCallersAtOnce) {
  test.require_bytes();
  Queue queue = test.queue();
  for (const Keep& keep : {Keep::lost(), Keep::host_shadow(), counting()}) {
    Handle handle = make(test, "state", 3, keep);
    Words words{1, 2, 3};
    Signal gate = test.signal();
    need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
    need(handle.write(queue, words));
    words.assign(3, 9);
    need(test.raise(gate, 1));
    CHECK_EQ(read(test, queue, handle), (Words{1, 2, 3}));
  }
}

// P3: sizes and dtypes are checked, and a refused write changes nothing.
DEVICE_TEST(Handle, WritesOfOtherSizesOrTypesAreRefused) {
  Queue queue = test.queue();
  Handle handle = filled(test, "six", {1, 2, 3, 4, 5, 6});
  check_error(handle.write(queue, Words(5)), Errc::invalid_argument, {"(5) of elements", "(6)", "[Handle \"six\"]"});
  check_error(handle.write(queue, Words(7)), Errc::invalid_argument, {"(7)", "(6)"});
  check_error(handle.write(queue, Words()), Errc::invalid_argument, {"(0)", "(6)"});
  check_error(handle.write(queue, std::vector<float>(6)), Errc::invalid_argument, {"f32", "u32", "[Handle \"six\"]"});
  check_error(handle.write(queue, std::vector<std::byte>(25)), Errc::invalid_argument, {"(25) of bytes", "(24)"});
  if (test.executes()) CHECK_EQ(read(test, queue, handle), (Words{1, 2, 3, 4, 5, 6}));
}

// P3: a write after the first run counts.
DEVICE_TEST(Handle, WritesAfterARunCount) {
  test.require_bytes();
  Queue queue = test.queue();
  Handle handle = filled(test, "parameter", {10});
  const Recording step =
      need(test.device().record(CommandList{}.exec(test.kernel("affine"), Grid{1}, handle.view(), 2u, 1u, 1u)));
  need(queue.replay(step));
  need(handle.write(queue, Words{100}));
  need(queue.replay(step));
  CHECK_EQ(read(test, queue, handle), Words{201});
}

// P1: what a step writes is what the next one reads.
DEVICE_TEST(Handle, FeedsBackInPlace) {
  test.require_bytes();
  Queue queue = test.queue();
  const Handle handle = filled(test, "state", {1, 2, 3});
  const Kernel affine = test.kernel("affine");
  Words expected{1, 2, 3};
  for (int i = 0; i < 20; ++i) {
    need(queue.submit(CommandList{}.exec(affine, Grid::cover(3), handle.view(), 3u, 1u, 3u)));
    for (std::uint32_t& word : expected) word = word * 3 + 1;
  }
  CHECK_EQ(read(test, queue, handle), expected);
}

DEVICE_TEST(Handle, FlipMakesTheOutputTheState) {
  test.require_bytes();
  Queue queue = test.queue();
  Handle handle = filled(test, "state", {1, 2, 3});
  const Kernel add = test.kernel("add_to");
  for (int i = 0; i < 21; ++i) {
    need(queue.submit(CommandList{}.exec(add, Grid::cover(3), handle.view(), need(handle.next()), 5u, 3u)));
    need(handle.flip());
  }
  CHECK_EQ(read(test, queue, handle), (Words{106, 107, 108}));
  need(handle.flip());
  CHECK_EQ(read(test, queue, handle), (Words{101, 102, 103}));
}

DEVICE_TEST(Handle, FlipsBetweenReplaysThroughSlots) {
  test.require_bytes();
  Queue queue = test.queue();
  Handle handle = filled(test, "state", {7});
  const Recording step =
      need(test.device().record(CommandList{}.exec(test.kernel("add_to"), Grid{1}, Slot{0}, Slot{1}, 1u, 1u)));
  for (int i = 0; i < 10; ++i) {
    need(queue.replay(step, {handle.view(), need(handle.next())}));
    need(handle.flip());
  }
  CHECK_EQ(read(test, queue, handle), Words{17});
}

DEVICE_TEST(Handle, FlipWithoutABackIsRefused) {
  Handle handle = make(test, "single", 4);
  check_error(handle.flip(), Errc::invalid_argument, {"[Handle \"single\"]", "next()"});
  const BufferView back = need(handle.next());
  CHECK_EQ(back.dtype(), DType::u32);
  CHECK(back.shape() == Shape({4}));
  check_ok(handle.flip());
}

// P4: nothing evicts, and neither programs nor queues own the state.
DEVICE_TEST(Handle, OutlivesProgramsQueuesAndOtherHandles) {
  test.require_bytes();
  Handle handle = filled(test, "state", {1});
  for (int i = 0; i < 3; ++i) {
    Queue queue = test.queue();
    const Kernel affine = need(test.device().load(need(suite_pack()), "conform_affine"));
    const Recording step = need(test.device().record(CommandList{}.exec(affine, Grid{1}, handle.view(), 10u, 1u, 1u)));
    for (int other = 0; other < 50; ++other) make(test, "other" + std::to_string(other), 1000);
    test.finish(need(queue.replay(step)));
  }
  CHECK_EQ(test.read<std::uint32_t>(handle.view()), Words{1111});
}

DEVICE_TEST(Handle, StaleAfterALossUntilRestored) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  Handle handle = filled(inner, "kv", {1, 2, 3}, Keep::host_shadow());
  need(handle.next());
  const BufferView old = handle.view();
  const std::uint64_t generation = handle.generation();
  const std::string before = std::to_string(generation), after = std::to_string(generation + 1);
  Queue lost = inner.queue();
  fragile.lose();
  check_error(handle.checkpoint(lost), Errc::device_lost);
  check_error(handle.write(lost, Words(3)), Errc::device_lost);
  check_error(handle.restore(lost), Errc::device_lost);
  need(fragile.device().recover());
  CHECK(handle.is_stale());
  CHECK_EQ(handle.generation(), generation);
  Queue queue = inner.queue();
  check_error(queue.submit(CommandList{}.fill(handle.view(), 1u)), Errc::stale, {"[Buffer", before, after});
  check_error(handle.checkpoint(queue), Errc::stale, {"[Handle \"kv\"]", before, after});
  check_error(handle.next(), Errc::stale, {"[Handle \"kv\"]", before, after});
  check_error(handle.flip(), Errc::stale, {"[Handle \"kv\"]", before, after});
  check_error(handle.restore(lost), Errc::stale, {before, after});
  CHECK(handle.is_stale());
  inner.finish(need(handle.restore(queue)));
  CHECK(!handle.is_stale());
  CHECK_EQ(handle.generation(), generation + 1);
  check_error(queue.submit(CommandList{}.fill(old, 1u)), Errc::stale, {before, after});
  check_error(handle.flip(), Errc::invalid_argument);
  check_ok(queue.submit(CommandList{}.fill(need(handle.next()), 1u)));
  if (test.executes()) CHECK_EQ(read(inner, queue, handle), (Words{1, 2, 3}));
}

DEVICE_TEST(Handle, RestoresTheLastCheckpointReached) {
  test.require_bytes();
  Fragile fragile(test);
  Context& inner = fragile.context();
  Handle handle = filled(inner, "kv", {1, 2}, Keep::host_shadow());
  for (std::uint32_t round = 1; round <= 3; ++round) {
    Queue queue = inner.queue();
    for (std::uint32_t i = 0; i < 3; ++i) {
      need(queue.submit(CommandList{}.fill(handle.view(), round * 10 + i)));
      inner.finish(need(handle.checkpoint(queue)));
    }
    inner.finish(need(queue.submit(CommandList{}.fill(handle.view(), 99u))));  // after the checkpoint: not kept
    fragile.lose();
    need(fragile.device().recover());
    Queue fresh = inner.queue();
    need(handle.restore(fresh));
    CHECK_EQ(read(inner, fresh, handle), (Words(2, round * 10 + 2)));
  }
}

DEVICE_TEST(Handle, ACheckpointInFlightAtALossLeavesTheOneBefore) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  Handle handle = filled(inner, "kv", {1, 2}, Keep::host_shadow());
  Queue queue = inner.queue();
  Signal gate = test.signal();
  need(queue.submit(CommandList{}.fill(handle.view(), 7u), {.after = {test.at(gate, 1)}}));
  const Point pending = need(handle.checkpoint(queue));
  fragile.lose();
  check_error(pending.wait(moment), Errc::device_lost);
  need(fragile.device().recover());
  need(test.raise(gate, 1));
  Queue fresh = inner.queue();
  inner.finish(need(handle.restore(fresh)));
  if (test.executes()) CHECK_EQ(read(inner, fresh, handle), (Words{1, 2}));
  inner.finish(need(handle.checkpoint(fresh)));
}

DEVICE_TEST(Handle, WithoutACheckpointReachedThereIsNothingToRestore) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  Handle never = make(inner, "never", 4, Keep::host_shadow()), late = make(inner, "late", 4, Keep::host_shadow());
  Queue queue = inner.queue();
  check_error(never.restore(queue), Errc::invalid_argument, {"[Handle \"never\"]", "host_shadow"});
  Signal gate = test.signal();
  need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  need(late.write(queue, Words(4)));
  fragile.lose();
  need(fragile.device().recover());
  Queue fresh = inner.queue();
  check_error(never.restore(fresh), Errc::stale, {"[Handle \"never\"]", "host_shadow"});
  check_error(late.restore(fresh), Errc::stale, {"[Handle \"late\"]", "host_shadow"});
  check_ok(late.write(fresh, Words(4)));
  need(test.raise(gate, 1));
}

DEVICE_TEST(Handle, LostOnesAreWrittenOrRenewed) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  Handle written = filled(inner, "written", {1, 2}), renewed = filled(inner, "renewed", {3, 4});
  Queue queue = inner.queue();
  check_error(written.restore(queue), Errc::invalid_argument, {"[Handle \"written\"]", "(lost)"});
  check_error(written.checkpoint(queue), Errc::invalid_argument, {"[Handle \"written\"]", "(lost)", "host_shadow"});
  fragile.lose();
  need(fragile.device().recover());
  Queue fresh = inner.queue();
  check_error(written.restore(fresh), Errc::stale, {"[Handle \"written\"]", "(lost)"});
  check_error(written.write(fresh, Words(3)), Errc::invalid_argument, {"(3)", "(2)"});
  CHECK(written.is_stale());
  inner.finish(need(written.write(fresh, Words{5, 6})));
  need(renewed.renew());
  CHECK(!written.is_stale());
  CHECK(!renewed.is_stale());
  inner.finish(need(fresh.submit(CommandList{}.fill(renewed.view(), 8u))));
  if (!test.executes()) return;
  CHECK_EQ(read(inner, fresh, written), (Words{5, 6}));
  CHECK_EQ(read(inner, fresh, renewed), (Words{8, 8}));
}

DEVICE_TEST(Handle, RefillFillsAtFirstAndAfterALoss) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  Handle handle = make(inner, "weights", 3, counting());
  Queue queue = inner.queue();
  inner.finish(need(handle.restore(queue)));
  if (test.executes()) CHECK_EQ(read(inner, queue, handle), (Words{1, 2, 3}));
  fragile.lose();
  need(fragile.device().recover());
  Queue fresh = inner.queue();
  inner.finish(need(handle.restore(fresh)));
  CHECK(!handle.is_stale());
  if (test.executes()) CHECK_EQ(read(inner, fresh, handle), (Words{1, 2, 3}));
}

DEVICE_TEST(Handle, RestoreOnAHealthyDeviceGoesBackInPlace) {
  test.require_bytes();
  Queue queue = test.queue();
  Handle handle = filled(test, "state", {1, 2}, Keep::host_shadow());
  const BufferView view = handle.view();
  need(queue.submit(CommandList{}.fill(view, 9u)));
  need(handle.restore(queue));
  CHECK_EQ(test.read<std::uint32_t>(queue, view), (Words{1, 2}));
}

/// The handles of one model in one set.
HandleSet model(const Context& test) {
  HandleSet set;
  need(set.add(filled(test, "weights", {1, 1}, Keep::host_shadow())));
  need(set.add(filled(test, "moments", {2, 2}, Keep::host_shadow())));
  need(set.add(make(test, "table", 3, counting())));
  return set;
}

// P1: an unknown name is an error that tells the known ones.
DEVICE_TEST(HandleSet, NamesAreKnownOrNot) {
  HandleSet set = model(test);
  CHECK_EQ(set.names(), (std::vector<std::string>{"moments", "table", "weights"}));
  CHECK_EQ(need(set.find("weights"))->name(), "weights");
  check_error(set.find("weight"), Errc::not_found, {"\"weight\"", "\"moments\", \"table\", \"weights\""});
  Handle second = make(test, "table", 3);
  check_error(set.add(std::move(second)), Errc::invalid_argument, {"[Handle \"table\"]"});
  CHECK_EQ(second.name(), "table");  // NOLINT(bugprone-use-after-move): a refused one stays ours
}

DEVICE_TEST(HandleSet, ComesBackAsItWasAtOneCheckpoint) {
  test.require_bytes();
  Fragile fragile(test);
  Context& inner = fragile.context();
  HandleSet set = model(inner);
  Handle& weights = *need(set.find("weights"));
  Handle& moments = *need(set.find("moments"));
  Queue queue = inner.queue();
  need(queue.submit(CommandList{}.fill(weights.view(), 10u).fill(moments.view(), 20u)));
  inner.finish(need(set.checkpoint(queue)));
  Signal gate = test.signal();
  need(queue.submit(CommandList{}.fill(weights.view(), 11u), {.after = {test.at(gate, 1)}}));
  need(set.checkpoint(queue));  // in flight when the device goes
  fragile.lose();
  need(fragile.device().recover());
  Queue fresh = inner.queue();
  need(set.restore(fresh));
  CHECK_EQ(read(inner, fresh, weights), (Words{10, 10}));
  CHECK_EQ(read(inner, fresh, moments), (Words{20, 20}));
  CHECK_EQ(read(inner, fresh, *need(set.find("table"))), (Words{1, 2, 3}));
  need(test.raise(gate, 1));
}

DEVICE_TEST(HandleSet, RestoreNamesTheLostAndRestoresNone) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  HandleSet set = model(inner);
  need(set.add(filled(inner, "scratch", {1})));
  need(set.add(make(inner, "cache", 1, Keep::host_shadow())));
  CHECK(need(set.lost()).empty());
  fragile.lose();
  need(fragile.device().recover());
  Queue queue = inner.queue();
  CHECK_EQ(need(set.lost()), (std::vector<std::string>{"cache", "scratch"}));
  check_error(set.restore(queue), Errc::stale, {"\"cache\", \"scratch\""});
  CHECK(need(set.find("weights"))->is_stale());
  for (const std::string& name : need(set.lost())) need(need(set.find(name))->renew());
  inner.finish(need(set.restore(queue)));
  for (const std::string& name : set.names()) CHECK(!need(set.find(name))->is_stale());
}

/// One handle of every dtype, each with bytes of its own.
HandleSet of_every_dtype(const Context& test, Queue& queue, unsigned seed) {
  HandleSet set;
  for (const DType dtype : all_dtypes()) {
    Handle handle = need(Handle::create(test.device(), std::string(name(dtype)), dtype, {3, 2}, Keep::host_shadow()));
    std::vector<std::byte> bytes(handle.size_bytes());
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(dtype == DType::boolean ? (i + seed) % 2 : i * 41 + seed);
    need(handle.write(queue, bytes));
    need(set.add(std::move(handle)));
  }
  return set;
}

// P1: every dtype, and the file is what any reader of safetensors sees.
DEVICE_TEST(HandleSet, SavesAndLoadsEveryDtype) {
  test.require_bytes();
  const base::TemporaryFolder folder = need(base::TemporaryFolder::create());
  const std::string path = folder / "state.safetensors";
  Queue queue = test.queue();
  HandleSet first = of_every_dtype(test, queue, 3), second = of_every_dtype(test, queue, 8);
  need(first.save(queue, path));
  const io::TensorFile file = need(io::read_safetensors(path));
  CHECK_EQ(file.contents.tensors.size(), all_dtypes().size());
  need(second.load(queue, path));
  for (const std::string& name : first.names()) {
    const io::TensorView tensor = need(file.contents.tensor(name));
    const std::vector<std::byte> saved(tensor.bytes.begin(), tensor.bytes.end());
    CHECK(tensor.shape == Shape({3, 2}));
    CHECK_EQ(pintle::name(tensor.dtype), name);
    CHECK_EQ(test.bytes(queue, need(first.find(name))->view()), saved);
    CHECK_EQ(test.bytes(queue, need(second.find(name))->view()), saved);
  }
}

// The front is what is saved, behind what the queue has.
DEVICE_TEST(HandleSet, SavesTheFrontBehindTheQueue) {
  test.require_bytes();
  const base::TemporaryFolder folder = need(base::TemporaryFolder::create());
  const std::string path = folder / "state.safetensors";
  Queue queue = test.queue();
  HandleSet set;
  Handle& state = *need(set.add(filled(test, "state", {1, 2})));
  need(queue.submit(
      CommandList{}.exec(test.kernel("add_to"), Grid::cover(2), state.view(), need(state.next()), 4u, 2u)));
  need(state.flip());
  need(set.save(queue, path));
  const io::TensorFile file = need(io::read_safetensors(path));
  const auto saved = need(file.contents.tensor("state")).bytes;
  CHECK_EQ(values_of<std::uint32_t>({saved.begin(), saved.end()}), (Words{5, 6}));
}

// What was loaded is a checkpoint: it survives the next loss.
DEVICE_TEST(HandleSet, LoadsIntoTheNextGeneration) {
  test.require_bytes();
  const base::TemporaryFolder folder = need(base::TemporaryFolder::create());
  const std::string path = folder / "state.safetensors";
  Fragile fragile(test);
  Context& inner = fragile.context();
  HandleSet set;
  Handle& lost = *need(set.add(filled(inner, "lost", {1, 2})));
  Handle& kept = *need(set.add(filled(inner, "kept", {3, 4}, Keep::host_shadow())));
  Queue queue = inner.queue();
  need(set.save(queue, path));
  need(queue.submit(CommandList{}.fill(kept.view(), 9u)));
  inner.finish(need(kept.checkpoint(queue)));
  fragile.lose();
  need(fragile.device().recover());
  Queue fresh = inner.queue();
  check_error(set.save(fresh, folder / "stale.safetensors"), Errc::stale, {"[Handle \"kept\"]"});
  check_error(io::read_safetensors(folder / "stale.safetensors"), Errc::io);
  inner.finish(need(set.load(fresh, path)));
  CHECK_EQ(read(inner, fresh, lost), (Words{1, 2}));
  CHECK_EQ(read(inner, fresh, kept), (Words{3, 4}));
  need(fresh.submit(CommandList{}.fill(kept.view(), 9u)));
  need(kept.restore(fresh));
  CHECK_EQ(read(inner, fresh, kept), (Words{3, 4}));
}

DEVICE_TEST(Error, EmptyAndMovedFromHandlesAreRefused) {
  Queue queue = test.queue();
  Handle source = make(test, "state", 4);
  const Handle target = std::move(source);
  Handle& empty = source;  // NOLINT(bugprone-use-after-move): that is the case
  check_error(empty.write(queue, Words(4)), Errc::invalid_argument, {"Handle is empty"});
  check_error(empty.checkpoint(queue), Errc::invalid_argument, {"Handle is empty"});
  check_error(empty.restore(queue), Errc::invalid_argument, {"Handle is empty"});
  check_error(empty.next(), Errc::invalid_argument, {"Handle is empty"});
  check_error(empty.flip(), Errc::invalid_argument, {"Handle is empty"});
  check_error(empty.renew(), Errc::invalid_argument, {"Handle is empty"});
  check_error(queue.submit(CommandList{}.fill(empty.view(), 1u)), Errc::invalid_argument);
  CHECK(empty.is_stale());
  CHECK_EQ(empty.generation(), 0u);
  CHECK_EQ(empty.name(), "");
  CHECK_EQ(empty.text(), "[Handle]");
  CHECK_EQ(target.name(), "state");
  HandleSet set;
  check_error(set.add(std::move(empty)), Errc::invalid_argument, {"Handle is empty"});
}

}  // namespace
}  // namespace pintle::conformance
