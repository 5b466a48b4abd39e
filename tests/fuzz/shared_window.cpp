// A rank whose neighbours write what the input says into its window, before and while it waits: it ends, with whatever
// answer, in its time and within its memory.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "collective/group/group_state.h"
#include "collective/group/layout.h"
#include "collective/transport.h"
#include "collective/window.h"
#include "pintle/group.h"

namespace {

using namespace std::chrono_literals;
using pintle::Algorithm;
using pintle::Collective;
using pintle::Deadline;
using pintle::Group;
using pintle::ReduceOp;
using pintle::Result;
using pintle::collective::Call;
using pintle::collective::Exchange;
using pintle::collective::Founding;
using pintle::collective::GroupState;
using pintle::collective::Layout;
using pintle::collective::line_bytes;
using pintle::collective::Note;
using pintle::collective::Operation;
using pintle::collective::Transport;
using pintle::collective::Window;

constexpr std::uint32_t ranks = 3;
constexpr auto deadline = 500us;

/// Each of exactly its size, so that a byte beyond is found.
class Pieces {
 public:
  Pieces(std::uint32_t count, std::uint64_t size) {
    for (std::uint32_t i = 0; i < count; ++i) pieces_.emplace_back(static_cast<std::byte*>(std::calloc(1, size)));
  }
  [[nodiscard]] std::vector<std::byte*> addresses() const {
    std::vector<std::byte*> addresses;
    for (const auto& piece : pieces_) addresses.push_back(piece.get());
    return addresses;
  }

 private:
  struct Free {
    void operator()(std::byte* piece) const noexcept { std::free(piece); }
  };
  std::vector<std::unique_ptr<std::byte, Free>> pieces_;
};

/// A rank that waits here lets the neighbours write once more.
class HostileWindow final : public Window {
 public:
  HostileWindow(std::uint32_t rank, std::uint64_t size, Pieces pieces, std::function<void()> write)
      : Window(rank, size, pieces.addresses()), pieces_(std::move(pieces)), write_(std::move(write)) {}
  void progress() noexcept override { write_(); }

 private:
  const Pieces pieces_;
  const std::function<void()> write_;
};

class HostileTransport final : public Transport {
 public:
  HostileTransport(std::uint32_t rank, std::uint32_t count, std::function<void()> write)
      : Transport(rank, count), write_(std::move(write)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "hostile"; }
  [[nodiscard]] Result<std::unique_ptr<Window>> create_window(std::uint64_t bytes, const Exchange& exchange,
                                                              Deadline until) override {
    PINTLE_ASSIGN(notes, exchange(Note{}, until));
    if (notes.size() != ranks()) std::abort();
    PINTLE_TRY(pintle::collective::agree({}, exchange, until));
    return std::unique_ptr<Window>(std::make_unique<HostileWindow>(rank(), bytes, Pieces(ranks(), bytes), [] {}));
  }
  [[nodiscard]] Result<std::unique_ptr<Transport>> split(std::span<const std::uint32_t> members, Deadline) override {
    const auto own = std::ranges::find(members, rank());
    if (own == members.end() || std::ranges::max(members) >= ranks()) std::abort();
    return std::unique_ptr<Transport>(std::make_unique<HostileTransport>(
        static_cast<std::uint32_t>(own - members.begin()), static_cast<std::uint32_t>(members.size()), write_));
  }
  [[nodiscard]] std::optional<std::string> loss(std::uint32_t) const noexcept override { return std::nullopt; }
  void sleep(const std::uint32_t*, std::uint32_t, Deadline) noexcept override {}
  void wake(std::uint32_t*) noexcept override {}

 private:
  const std::function<void()> write_;
};

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool is_empty() const noexcept { return bytes_.empty(); }
  template <class T>
  [[nodiscard]] T take() noexcept {
    T value{};
    const std::size_t size = std::min(sizeof value, bytes_.size());
    std::memcpy(&value, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Writes one thing after the other, as the input says, into the pieces of a group of which this process is rank 0.
class Neighbours {
 public:
  Neighbours(Input& input, const Layout& layout) : input_(input), layout_(layout) {}

  void meet(GroupState& group) noexcept { group_ = &group; }
  void write() noexcept {
    if (group_ == nullptr || input_.is_empty()) return;
    const auto kind = input_.take<std::uint8_t>();
    std::byte* const piece = group_->window().at(kind % ranks);
    switch (kind / ranks % 4) {
      case 0: return message(1 + kind % (ranks - 1));
      case 1: return word(piece, input_.take<std::uint16_t>() * std::uint64_t{8} % layout_.gate());
      case 2: return word(piece, input_.take<std::uint32_t>() * std::uint64_t{8} % layout_.size());
      default: return many(piece);
    }
  }

 private:
  static void store(std::byte* piece, std::uint64_t offset, std::uint64_t value) noexcept {
    Window::word_in(piece, offset).store(value);
  }
  void word(std::byte* piece, std::uint64_t offset) noexcept { store(piece, offset, input_.take<std::uint64_t>()); }
  /// As the operation expects it, but for what the input changes.
  void message(std::uint32_t from) noexcept {
    std::uint64_t& number = sent_[from];
    const Call& call = group_->call();
    const std::array<std::uint64_t, 8> head{number + 1, call.number, call.count, pack(call),
                                            input_.take<std::uint16_t>()};
    const std::uint64_t slot = layout_.slot_of(from, number++);
    for (std::size_t i = head.size(); i-- > 0;) store(group_->window().own(), slot + 8 * i, head[i]);
    const auto change = input_.take<std::uint8_t>();
    if (change < head.size()) store(group_->window().own(), slot + 8u * change, input_.take<std::uint64_t>());
  }
  void many(std::byte* piece) noexcept {
    const std::uint64_t offset = input_.take<std::uint32_t>() % layout_.size();
    const std::uint64_t bytes = std::min<std::uint64_t>(input_.take<std::uint16_t>(), layout_.size() - offset);
    std::memset(piece + offset, input_.take<std::uint8_t>(), bytes);
  }

  Input& input_;
  const Layout layout_;
  GroupState* group_ = nullptr;
  std::array<std::uint64_t, ranks> sent_{};
};

void operate(Group& group, std::uint8_t choice) {
  std::vector<std::uint16_t> from(choice % 2 == 0 ? 30 : 60'000, 1), to(from.size());
  const std::array algorithms{Algorithm::direct, Algorithm::ring, Algorithm::tree, Algorithm::halving_doubling};
  const pintle::Algorithm algorithm = algorithms[choice / 2 % algorithms.size()];
  switch (choice / 8 % 8) {
    case 0:
      static_cast<void>(group.run(Collective::all_reduce(to, from, ReduceOp::sum).with(algorithm), deadline));
      break;
    case 1: static_cast<void>(group.run(Collective::broadcast(to, 1).with(algorithm), deadline)); break;
    case 2: static_cast<void>(group.run(Collective::recv(to, 1).with(algorithm), deadline)); break;
    case 3: static_cast<void>(group.run(Collective::send(from, 2).with(algorithm), deadline)); break;
    case 4: static_cast<void>(group.run(Collective::all_to_all(to, from).with(algorithm), deadline)); break;
    case 5:
      static_cast<void>(group.run(Collective::reduce(to, from, ReduceOp::max, 0).with(algorithm), deadline));
      break;
    case 6: static_cast<void>(group.run(Collective::barrier().with(algorithm), deadline)); break;
    default: static_cast<void>(group.split(0, 0, {.timeout = deadline})); break;
  }
}

/// Whatever others show.
void look_at_others(GroupState& state) {
  static_cast<void>(state.health());
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    const auto status = state.status_of(rank);
    if (!status) std::abort();
    static_cast<void>(text(pintle::collective::unpack(status->number, status->count, status->rest)));
    if (const auto fault = state.fault_of(rank)) static_cast<void>(fault->text());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(std::span(data, size));
  const Layout layout(ranks);
  Neighbours neighbours(input, layout);
  const auto write = [&] { neighbours.write(); };
  Founding founding{.transport = std::make_unique<HostileTransport>(0, ranks, write),
                    .rendezvous = nullptr,
                    .label = "",
                    .generation = 1};
  auto window = std::make_unique<HostileWindow>(0, layout.size(), Pieces(ranks, layout.size()), write);
  const auto state = std::make_shared<GroupState>(std::move(founding), std::move(window));
  neighbours.meet(*state);
  Group group = GroupState::group_of(state);
  const auto choice = input.take<std::uint8_t>();
  for (std::uint8_t i = input.take<std::uint8_t>() % 8; i > 0; --i) neighbours.write();
  const Deadline began = pintle::Clock::now();
  operate(group, choice);
  look_at_others(*state);
  static_cast<void>(group.shrink(deadline));
  if (pintle::Clock::now() - began > 5s) std::abort();
  return 0;
}
