// DLPack over buffers: tensors that a device uses in place, and copies everywhere. The structs are made and read by io.
#include "pintle/dlpack.h"

#include <cstdlib>

#include "conformance/ways.h"
#include "io/dlpack.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

/// Memory as a device that is particular about addresses wants it, and a count of those who need it.
struct Memory {
  struct Free {
    void operator()(std::uint32_t* words) const noexcept { std::free(words); }
  };
  static constexpr std::size_t count = 16384;

  Memory() : words(static_cast<std::uint32_t*>(std::aligned_alloc(65536, count * sizeof(std::uint32_t)))) {
    for (std::size_t i = 0; i < count; ++i) words.get()[i] = static_cast<std::uint32_t>(i);
  }
  [[nodiscard]] std::span<std::uint32_t> values() const { return {words.get(), count}; }
  [[nodiscard]] bool is_free() const { return keeper.use_count() == 1; }

  std::unique_ptr<std::uint32_t, Free> words;
  std::shared_ptr<int> keeper = std::make_shared<int>(0);
};

/// The words from `first` on, in C order until somebody changes the strides.
io::Tensor tensor_of(const Memory& memory, const Shape& shape, std::size_t first = 0) {
  io::Tensor tensor;
  tensor.dtype = DType::u32;
  tensor.shape = shape;
  tensor.byte_strides = io::contiguous_strides(DType::u32, shape);
  tensor.bytes = std::as_writable_bytes(memory.values()).subspan(first * sizeof(std::uint32_t));
  tensor.owner = memory.keeper;
  return tensor;
}

DLManagedTensorVersioned* made(const io::Tensor& tensor) { return need(io::to_dlpack(tensor)).release(); }

/// A consumer's look at a tensor, which is deleted behind it.
template <class Made>
std::pair<io::Tensor, Words> consumed(Made tensor) {
  io::Tensor host = need(io::from_dlpack(tensor.release()));
  Words words(host.bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), host.bytes.data(), words.size() * sizeof(std::uint32_t));
  host.owner.reset();
  return {std::move(host), std::move(words)};
}

DEVICE_TEST(Dlpack, TensorIsUsedInPlace) {
  const Memory memory;
  const io::Tensor tensor = tensor_of(memory, {128, 128});
  if (!test.has(Feature::host_import)) {
    check_error(from_dlpack(test.device(), need(io::to_old_dlpack(tensor_of(memory, {4}))).release()),
                Errc::unsupported);
    check_error(from_dlpack(test.device(), made(tensor)), Errc::unsupported);
    CHECK_EQ(memory.keeper.use_count(), 2);
    test.require(Feature::host_import);
  }
  Queue queue = test.queue();
  {
    const Buffer buffer = need(from_dlpack(test.device(), made(tensor), "theirs"));
    CHECK_EQ(buffer.shape().text(), std::string("[128,128]"));
    CHECK(!buffer.is_sealed());
    need(queue.submit(CommandList{}.exec(test.kernel("affine"), Grid::cover(Memory::count), buffer, 2u, 1u,
                                         static_cast<std::uint32_t>(Memory::count))));
  }
  test.finish(queue.last());
  CHECK(test.eventually([&] { return memory.keeper.use_count() == 2; }));
  if (!test.executes()) return;
  const auto values = memory.values();
  CHECK_EQ(Words(values.begin(), values.end()), ramp<std::uint32_t>(Memory::count, 1, 2));
}

DEVICE_TEST(Dlpack, ReadOnlyTensorIsSealed) {
  const Memory memory;
  io::Tensor tensor = tensor_of(memory, {Memory::count});
  tensor.access = io::TensorAccess::read_only;
  Queue queue = test.queue();
  const Buffer buffer = need(from_dlpack(test.device(), queue, made(tensor)));
  CHECK(buffer.is_sealed());
  check_error(queue.submit(CommandList{}.fill(buffer, 1u)), Errc::invalid_argument, {"sealed"});
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, buffer), ramp<std::uint32_t>(Memory::count));
}

DEVICE_TEST(Dlpack, RefusedTensorsAreLetGo) {
  const Memory memory;
  io::Tensor transposed = tensor_of(memory, {2, 3});
  transposed.byte_strides = {4, 8};
  check_error(from_dlpack(test.device(), made(transposed)), Errc::unsupported, {"C order", "[4,8]"});
  check_error(from_dlpack(test.device(), made(tensor_of(memory, {0}))), Errc::invalid_argument, {"[0]"});
  Queue queue = test.queue();
  check_error(from_dlpack(test.device(), queue, made(tensor_of(memory, {3, 0}))), Errc::invalid_argument, {"[3,0]"});
  transposed.owner.reset();
  CHECK(memory.is_free());
}

DEVICE_TEST(Dlpack, TensorIsCopied) {
  const Memory memory;
  Queue queue = test.queue();
  io::Tensor transposed = tensor_of(memory, {3, 100});
  transposed.byte_strides = {4, 40};
  const Buffer strided = need(from_dlpack(test.device(), queue, made(transposed), DlpackCopy::always));
  const Buffer plain =
      need(from_dlpack(test.device(), queue, made(tensor_of(memory, {50, 2}, 1)), DlpackCopy::always, "copy"));
  test.finish(queue.last());
  transposed.owner.reset();
  CHECK(test.eventually([&] { return memory.is_free(); }));
  CHECK_EQ(strided.shape().text(), std::string("[3,100]"));
  if (test.executes()) {
    Words wanted;
    for (std::uint32_t row = 0; row < 3; ++row) {
      for (std::uint32_t column = 0; column < 100; ++column) wanted.push_back(row + 10 * column);
    }
    CHECK_EQ(test.read<std::uint32_t>(queue, strided), wanted);
    CHECK_EQ(test.read<std::uint32_t>(queue, plain), ramp<std::uint32_t>(100, 1));
  }
  need(queue.submit(CommandList{}.fill(plain, 5u)));
  test.finish(queue.last());
  CHECK_EQ(memory.values()[1], 1u);
}

// Wherever it lies, and whether the device imports memory or not: the same bytes.
DEVICE_TEST(Dlpack, CopyIsMadeWhereItIsNeeded) {
  const Memory memory;
  Queue queue = test.queue();
  for (const std::size_t first : {0u, 1u, 3u, 1024u}) {
    const Shape shape{Memory::count - 1024};
    const Buffer buffer = need(from_dlpack(test.device(), queue, made(tensor_of(memory, shape, first))));
    if (!test.executes()) continue;
    CHECK_EQ(test.read<std::uint32_t>(queue, buffer),
             ramp<std::uint32_t>(Memory::count - 1024, static_cast<std::uint32_t>(first)));
  }
  test.finish(queue.last());
  CHECK(test.eventually([&] { return memory.is_free(); }));
}

DEVICE_TEST(Dlpack, MappedBufferIsHandedOut) {
  Queue queue = test.queue();
  Buffer buffer = need(test.device().allocate(DType::u32, {4, 16}, {.label = "ours", .placement = Placement::host}));
  const BufferView view = buffer;
  need(queue.submit(CommandList{}.fill(buffer, 6u)));
  test.finish(queue.last());
  if (!test.has(Feature::mapped_memory)) {
    check_error(to_dlpack(std::move(buffer)), Errc::unsupported, {"ours"});
    need(queue.submit(CommandList{}.fill(buffer, 7u)));
    test.require(Feature::mapped_memory);
  }
  const auto [tensor, words] = consumed(need(to_dlpack(std::move(buffer))));
  CHECK_EQ(tensor.shape.text(), std::string("[4,16]"));
  CHECK(tensor.access == io::TensorAccess::read_write);
  if (test.executes()) CHECK_EQ(words, Words(64, 6));
  check_error(queue.submit(CommandList{}.fill(view, 1u)), Errc::stale, {"destroyed"});
}

DEVICE_TEST(Dlpack, SealedBufferIsHandedOutReadOnly) {
  test.require(Feature::mapped_memory);
  Buffer buffer = need(test.device().allocate(DType::u32, {16}, {.placement = Placement::host}));
  need(buffer.seal());
  check_error(to_old_dlpack(std::move(buffer)), Errc::unsupported, {"read-only"});
  CHECK(consumed(need(to_dlpack(std::move(buffer)))).first.access == io::TensorAccess::read_only);
}

DEVICE_TEST(Dlpack, CopyBelongsToItsConsumer) {
  Queue queue = test.queue();
  DlpackTensor whole;
  OldDlpackTensor part;
  {
    const Buffer buffer = test.allocate(DType::u32, 64);
    need(queue.submit(CommandList{}.upload(buffer, ramp<std::uint32_t>(64))));
    whole = need(to_dlpack(queue, need(buffer.view().as(DType::u32, {8, 8})), patience));
    need(queue.submit(CommandList{}.fill(buffer, 9u)));
    part = need(to_old_dlpack(queue, need(buffer.slice(60, 4)), patience));
  }
  const auto [tensor, words] = consumed(std::move(whole));
  const auto [rest, nines] = consumed(std::move(part));
  CHECK_EQ(tensor.shape.text(), std::string("[8,8]"));
  CHECK_EQ(rest.shape.text(), std::string("[4]"));
  if (!test.executes()) return;
  CHECK_EQ(words, ramp<std::uint32_t>(64));
  CHECK_EQ(nines, Words(4, 9));
}

}  // namespace
}  // namespace pintle::conformance
