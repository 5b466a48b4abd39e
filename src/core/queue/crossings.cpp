#include "core/queue/crossings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/device/incarnation.h"
#include "core/device/shared_memory.h"
#include "core/door/object_names.h"

namespace pintle::core {
namespace {

backend::Range range_of(const BufferView& view, std::uint64_t buffer) {
  return {backend::MemoryId::none, buffer, view.offset_bytes(), view.size_bytes(), backend::no_slot};
}

}  // namespace

Result<Point> Crossings::submit(SubmitOptions* options) {
  if (list_.error()) return queue_->submit(std::move(list_), options);  // the refusal's words
  std::vector<Side> staged;
  const auto crossings = std::move(list_.crossings_);
  for (const Crossing& crossing : *crossings) {
    PINTLE_ASSIGN(side, look(crossing));
    PINTLE_TRY(settle(side));
    if (side.twin != nullptr) use_twin(side);
    else if (side.loan != nullptr) use_loan(side);
    else staged.push_back(std::move(side));
  }
  if (staged.empty()) return queue_->submit(std::move(list_), options);
  SubmitOptions all = options != nullptr ? std::move(*options) : SubmitOptions{};
  PINTLE_TRY(queue_->check(all));
  SubmitOptions signals{.signal = std::exchange(all.signal, {}), .label = all.label, .timeout = all.timeout};
  for (const Side& side : staged) PINTLE_TRY(pass(side, all));
  take(list_.commands_.size());
  signals.wait = std::move(all.wait);
  return queue_->submit(std::move(piece_), &signals);
}

Result<Crossings::Side> Crossings::look(const Crossing& crossing) const {
  const std::uint64_t here = queue_->incarnation().number();
  const bool is_inbound = crossing.to.incarnation_ == here;
  if (!is_inbound && crossing.from.incarnation_ != here) {
    return queue_->incarnation()
        .check_owner(crossing.to.incarnation_, buffer_text(crossing.to.incarnation_, crossing.to.buffer_))
        .error();
  }
  const BufferView& other = is_inbound ? crossing.from : crossing.to;
  auto owner = Incarnation::find(other.incarnation_);
  if (owner == nullptr) {
    return Error(Errc::stale, fmt::format("{} belonged to a device that has been closed.",
                                          object_text("Buffer", static_cast<std::uint32_t>(other.buffer_), "")));
  }
  const BufferView& local = is_inbound ? crossing.to : crossing.from;
  return Side{local, other, std::move(owner), is_inbound, nullptr, nullptr, crossing.command};
}

// How the bytes will go.
Result<void> Crossings::settle(Side& side) {
  if (list_.incarnation_ == 0) {
    list_.incarnation_ = side.local.incarnation_;
    list_.first_buffer_ = side.local.buffer_;
  }
  PINTLE_TRY(side.owner->check_access(side.other.buffer_, side.access()));
  PINTLE_ASSIGN(twin, find_twin(side));
  side.twin = twin;
  if (twin != nullptr) return {};
  auto loan = side.owner->lend(side.other.buffer_, side.access());
  if (loan) {
    side.loan = std::move(*loan);
  } else if (loan.error().code() != Errc::unsupported) {
    return loan.error().during("submitting a copy to " + queue_->text());
  }
  return {};
}

/// Null where the devices share no memory, or not this.
Result<const Crossings::Twin*> Crossings::find_twin(const Side& side) {
  const auto is_of = [&](const Twin& twin) {
    return twin.incarnation == side.other.incarnation_ && twin.buffer == side.other.buffer_;
  };
  if (const auto known = std::ranges::find_if(twins_, is_of); known != twins_.end()) return &*known;
  const auto none_or = [](const Error& error) -> Result<const Twin*> {
    if (error.code() == Errc::unsupported) return nullptr;
    return error;
  };
  Incarnation& here = queue_->incarnation();
  if (!shares_memory(*side.owner, here)) return nullptr;
  backend::Exported exported;
  auto loan = side.owner->share(side.other.buffer_, side.access(), exported);
  if (!loan) return none_or(loan.error());
  auto imported = here.import_memory(exported);
  ::close(exported.fd);
  if (!imported) return none_or(imported.error());
  return &twins_.emplace_back(side.other.incarnation_, side.other.buffer_, *std::move(loan), *std::move(imported));
}

void Crossings::use_twin(const Side& side) {
  const backend::Range local = range_of(side.local, side.local.buffer_);
  const backend::Range other = range_of(side.other, side.twin->here.view().buffer_);
  list_.commands_[side.command].operation = side.is_inbound ? backend::Copy{local, other} : backend::Copy{other, local};
  list_.retained_.push_back(side.twin->loan);
}

void Crossings::use_loan(const Side& side) {
  const std::span<std::byte> bytes = side.loan->bytes().subspan(side.other.offset_bytes(), side.other.size_bytes());
  const backend::Range local = range_of(side.local, side.local.buffer_);
  backend::Operation& operation = list_.commands_[side.command].operation;
  if (side.is_inbound) operation = backend::Upload{local, {bytes.data(), bytes.size(), backend::no_slot}};
  else operation = backend::Download{{bytes.data(), bytes.size(), backend::no_slot}, local};
  list_.retained_.push_back(side.loan);
}

// Has the other device move its bytes behind everything before the crossing; what follows will wait for it.
Result<void> Crossings::pass(const Side& side, SubmitOptions& options) {
  const auto size = static_cast<std::size_t>(side.other.size_bytes());
  const auto bytes = std::make_shared_for_overwrite<std::byte[]>(size);
  const std::span<std::byte> span(bytes.get(), size);
  take(side.command);
  CommandList other;
  if (side.is_inbound) {
    if (!piece_.commands_.empty()) PINTLE_TRY(start_piece(options));
    other.download_retained(bytes, span, side.other);
  } else {
    piece_.download_retained(bytes, span, side.local);
    PINTLE_TRY(start_piece(options));
    other.upload_retained(side.other, bytes, span);
  }
  PINTLE_ASSIGN(moved, move_bytes(side, std::move(other), options));
  options.wait = {std::move(moved)};
  if (side.is_inbound) piece_.upload_retained(side.local, bytes, span);
  ++taken_;
  return {};
}

// Submits what was taken; what follows waits for it.
Result<void> Crossings::start_piece(SubmitOptions& options) {
  PINTLE_ASSIGN(point, queue_->submit(std::exchange(piece_, CommandList()), &options));
  options.wait = {std::move(point)};
  return {};
}

// The commands of the list up to `end` go to the piece, with all that they point to.
void Crossings::take(std::size_t end) {
  const auto begin = list_.commands_.begin();
  const auto first = begin + static_cast<std::ptrdiff_t>(taken_);
  piece_.commands_.insert(piece_.commands_.end(), first, begin + static_cast<std::ptrdiff_t>(end));
  piece_.arguments_ = list_.arguments_;
  piece_.retained_.insert(piece_.retained_.end(), list_.retained_.begin(), list_.retained_.end());
  piece_.incarnation_ = list_.incarnation_;
  piece_.first_buffer_ = list_.first_buffer_;
  piece_.first_kernel_ = list_.first_kernel_;
  for (; taken_ < end; ++taken_) {
    const auto* const call = std::get_if<backend::HostCall>(&list_.commands_[taken_].operation);
    if (call == nullptr) continue;
    const auto function = std::ranges::find(list_.host_functions_, call->state, &std::shared_ptr<HostFunction>::get);
    piece_.host_functions_.push_back(*function);
  }
}

// A queue of the other device for this alone: nobody can be in its way, and it goes with its work.
Result<Point> Crossings::move_bytes(const Side& side, CommandList list, const SubmitOptions& options) {
  PINTLE_ASSIGN(queue, side.owner->create_queue({.label = "crossing"}));
  SubmitOptions waits{.wait = options.wait, .timeout = options.timeout};
  return queue->submit(std::move(list), &waits);
}

}  // namespace pintle::core
