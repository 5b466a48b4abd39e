#include "core/queue/crossings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/inside.h"
#include "core/door/describe.h"
#include "core/list/slot_rules.h"
#include "core/queue/shared_memory.h"

namespace pintle::core {
namespace {

backend::Range range_of(const BufferView& view, std::uint64_t buffer) {
  return {backend::MemoryId::none, buffer, view.offset_bytes(), view.size_bytes(), backend::no_slot};
}

}  // namespace

Result<std::uint64_t> Crossings::submit(SubmitOptions* options) {
  if (list_.error()) return queue_->submit(std::move(list_), options);  // the refusal gives the list's error
  PINTLE_TRY(queue_->check_open());
  std::vector<Side> staged;
  const auto crossings = std::exchange(state_.crossings, {});
  for (const ListCrossing& crossing : crossings) {
    PINTLE_ASSIGN(side, look(crossing));
    PINTLE_TRY(find_way(side));
    borrows_ |= side.twin != nullptr || side.loan != nullptr;
    come_after(*side.owner, Inside::buffer(side.other));
    if (side.twin != nullptr) use_twin(side);
    else if (side.loan != nullptr) use_loan(side);
    else staged.push_back(std::move(side));
  }
  if (!staged.empty()) return submit_pieces(staged, options);
  SubmitOptions all = take(options);
  std::array parts{Part{.list = &list_, .borrows = borrows_, .options = &all}};
  return queue_->submit(parts);
}

Result<Crossings::Side> Crossings::look(const ListCrossing& crossing) const {
  const Life& life = queue_->life();
  const std::uint64_t here = life.number();
  const bool is_inbound = Inside::incarnation(crossing.to) == here;
  if (!is_inbound && Inside::incarnation(crossing.from) != here) {
    return life
        .check_owner(Inside::incarnation(crossing.to),
                     buffer_text(Inside::incarnation(crossing.to), Inside::buffer(crossing.to)))
        .error();
  }
  const BufferView& other = is_inbound ? crossing.from : crossing.to;
  auto owner = BufferTable::find_table(Inside::incarnation(other));
  if (owner == nullptr) {
    return Error(Errc::stale, fmt::format("{} belonged to a device that has been closed.",
                                          BufferRecord().text(Inside::buffer(other))));
  }
  const BufferView& local = is_inbound ? crossing.to : crossing.from;
  return Side{local, other, std::move(owner), is_inbound, nullptr, nullptr, crossing.command};
}

/// The whole list waits for the copy that makes a fork, whichever of its pieces uses the fork.
void Crossings::come_after(BufferTable& owner, std::uint64_t buffer) {
  if (auto formed = owner.formed(buffer)) before_.push_back(*std::move(formed));
}

Result<void> Crossings::find_way(Side& side) {
  if (state_.incarnation == 0) {
    state_.incarnation = Inside::incarnation(side.local);
    state_.first_buffer = Inside::buffer(side.local);
  }
  PINTLE_TRY(side.owner->life().usable());
  PINTLE_TRY(side.owner->check_access(Inside::buffer(side.other), side.access()));
  PINTLE_ASSIGN(twin, find_twin(side));
  side.twin = twin;
  if (twin != nullptr) return {};
  auto loan = side.owner->lend(Inside::buffer(side.other), side.access());
  if (loan) {
    side.loan = std::move(*loan);
  } else if (loan.error().code() != Errc::unsupported) {
    return loan.error().during("submitting a copy to " + queue_->text());
  }
  return {};
}

/// Null where the devices share no memory, or cannot share this buffer's.
Result<const Crossings::Twin*> Crossings::find_twin(const Side& side) {
  const auto is_of = [&](const Twin& twin) {
    return twin.incarnation == Inside::incarnation(side.other) && twin.buffer == Inside::buffer(side.other);
  };
  if (const auto known = std::ranges::find_if(twins_, is_of); known != twins_.end()) return &*known;
  BufferTable& here = queue_->table();
  if (!shares_memory(side.owner->life(), here.life())) return nullptr;
  backend::Exported exported;
  auto loan = side.owner->share(Inside::buffer(side.other), side.access(), exported);
  if (!loan && loan.error().code() == Errc::unsupported) return nullptr;
  if (!loan) return loan.error();
  auto imported = here.import_memory(exported);
  ::close(exported.fd);
  if (!imported && is_loss(imported.error().code())) return imported.error();
  if (!imported) return nullptr;  // a driver may refuse any memory, for any reason: these bytes go through the host
  return &twins_.emplace_back(Inside::incarnation(side.other), Inside::buffer(side.other), *std::move(loan),
                              *std::move(imported));
}

void Crossings::use_twin(const Side& side) {
  const backend::Range local = range_of(side.local, Inside::buffer(side.local));
  const backend::Range other = range_of(side.other, Inside::buffer(side.twin->here.view()));
  state_.commands[side.command].operation = side.is_inbound ? backend::Copy{local, other} : backend::Copy{other, local};
  state_.retained.push_back(side.twin->loan);
}

void Crossings::use_loan(const Side& side) {
  const std::span<std::byte> bytes = side.loan->bytes().subspan(side.other.offset_bytes(), side.other.size_bytes());
  const backend::Range local = range_of(side.local, Inside::buffer(side.local));
  backend::Operation& operation = state_.commands[side.command].operation;
  if (side.is_inbound) operation = backend::Upload{local, {bytes.data(), bytes.size(), backend::no_slot}};
  else operation = backend::Download{{bytes.data(), bytes.size(), backend::no_slot}, local};
  state_.retained.push_back(side.loan);
}

SubmitOptions Crossings::take(SubmitOptions* options) const {
  SubmitOptions all = options != nullptr ? std::move(*options) : SubmitOptions{};
  all.after.insert(all.after.end(), before_.begin(), before_.end());
  return all;
}

Result<std::uint64_t> Crossings::submit_pieces(const std::vector<Side>& staged, SubmitOptions* options) {
  for (const BufferUse& use : buffer_uses(state_.commands, state_.arguments)) come_after(queue_->table(), use.buffer);
  for (const Side& side : staged) come_after(queue_->table(), Inside::buffer(side.local));
  SubmitOptions all = take(options);
  PINTLE_TRY(check_options(all));
  turn_ = std::make_shared<SignalState>(0, "crossing");
  cut(staged, all);
  for (Piece& piece : pieces_) keep_devices(piece.list, staged);
  for (Piece& move : moves_) keep_devices(move.list, staged);
  auto submitted = submit_all();
  if (!submitted) static_cast<void>(turn_->fail(submitted.error()));
  return submitted;
}

// The first piece waits for what the list waits for. The last piece signals what the list signals.
void Crossings::cut(const std::vector<Side>& staged, SubmitOptions& options) {
  pieces_.emplace_back().options = {
      .after = std::move(options.after), .label = options.label, .timeout = options.timeout};
  for (const Side& side : staged) cut_at(side);
  Piece& last = pieces_.back();
  state_of(last.list).add_part(state_, taken_, state_.commands.size());
  state_of(last.list).held = state_.held;
  last.options.signal = std::move(options.signal);
  last.options.label = std::move(options.label);
}

void Crossings::cut_at(const Side& side) {
  const auto size = static_cast<std::size_t>(side.other.size_bytes());
  const auto bytes = std::make_shared_for_overwrite<std::byte[]>(size);
  const std::span<std::byte> span(bytes.get(), size);
  const auto turn = [&] { return SignalState::point(turn_, ++turns_); };
  Piece& before = pieces_.back();
  state_of(before.list).add_part(state_, taken_, side.command);
  taken_ = side.command + 1;
  if (!side.is_inbound) before.list.download_retained(bytes, span, side.local);
  const Point moves = turn(), goes_on = turn();
  before.options.signal = {moves};
  const auto behind = std::ranges::find(moves_.rbegin(), moves_.rend(), side.owner, &Piece::owner).base();
  Piece& move = *moves_.emplace(behind);  // moves of one device stand together
  move.owner = side.owner;
  move.options = {.after = {moves}, .signal = {goes_on}};
  if (side.is_inbound) move.list.download_retained(bytes, span, side.other);
  else move.list.upload_retained(side.other, bytes, span);
  Piece& after = pieces_.emplace_back();
  after.options.after = {goes_on};
  if (side.is_inbound) after.list.upload_retained(side.local, bytes, span);
}

// A device that closes gives up what is held on it, so none may close before the last piece is done.
void Crossings::keep_devices(CommandList& piece, const std::vector<Side>& staged) const {
  state_of(piece).retained.push_back(queue_->life().lease());
  for (const Side& side : staged) state_of(piece).retained.push_back(side.owner->life().lease());
}

// The moves wait for the first piece, and so they start only after the queue has accepted all pieces. Those of one
// device wait for each other in any case, so they go to one queue there; no other list's work is on that queue.
Result<std::uint64_t> Crossings::submit_all() {
  for (auto begin = moves_.begin(); begin != moves_.end();) {
    const auto owner = begin->owner;
    const auto end = std::find_if(begin, moves_.end(), [&](const Piece& move) { return move.owner != owner; });
    PINTLE_TRY(submit_moves(*owner, {begin, end}));
    begin = end;
  }
  auto parts = parts_of(pieces_);
  return queue_->submit(parts);
}

Result<void> Crossings::submit_moves(BufferTable& owner, std::span<Piece> moves) {
  const std::size_t most = std::max<std::size_t>(owner.life().info().limits.max_in_flight, 1);
  for (; !moves.empty(); moves = moves.subspan(std::min(most, moves.size()))) {
    auto parts = parts_of(moves.first(std::min(most, moves.size())));
    auto mover = owner.queues().take_mover();
    const auto moved = mover ? (*mover)->submit(parts) : Result<std::uint64_t>(mover.error());
    if (!moved) return moved.error().during("submitting a copy to " + queue_->text());
  }
  return {};
}

std::vector<Part> Crossings::parts_of(std::span<Piece> pieces) const {
  std::vector<Part> parts;
  for (Piece& piece : pieces) parts.push_back({.list = &piece.list, .borrows = borrows_, .options = &piece.options});
  return parts;
}

}  // namespace pintle::core
