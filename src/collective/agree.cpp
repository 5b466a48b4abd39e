#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/contain.h"
#include "collective/outcome.h"
#include "collective/transport.h"

namespace pintle::collective {
namespace {

// A note begins with: the code (0: success), the length of the message, the message.
constexpr std::size_t code_at = 0;
constexpr std::size_t length_at = 1;
constexpr std::size_t message_at = 2;
constexpr std::size_t most_message = outcome_size - message_at;
constexpr std::string_view cut = "...";

Errc code_of(std::byte written) noexcept {
  return parse_errc(name(static_cast<Errc>(written))).value_or(Errc::internal);
}

std::string message_of(const Note& note) {
  const std::size_t length = std::min(static_cast<std::size_t>(note[length_at]), most_message);
  std::string text(reinterpret_cast<const char*>(note.data()) + message_at, length);
  std::ranges::replace_if(text, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return text;
}

}  // namespace

void write_outcome(Note& note, const Result<void>& outcome) noexcept {
  std::ranges::fill(std::span(note).first(outcome_size), std::byte{});
  if (outcome) return;
  const std::string_view message = outcome.error().message();
  const std::size_t length = std::min(message.size(), most_message);
  note[code_at] = static_cast<std::byte>(outcome.error().code());
  note[length_at] = static_cast<std::byte>(length);
  std::memcpy(note.data() + message_at, message.data(), length);
  if (length < message.size()) std::memcpy(note.data() + outcome_size - cut.size(), cut.data(), cut.size());
}

Result<void> read_outcomes(std::span<const Note> notes) {
  return base::contain("reading what ranks say", [&]() -> Result<void> {
    for (std::size_t rank = 0; rank < notes.size(); ++rank) {
      const std::byte code = notes[rank][code_at];
      if (code != std::byte{})
        return Error(code_of(code), fmt::format("On rank {}: {}", rank, message_of(notes[rank])));
    }
    return {};
  });
}

Result<void> agree(const Result<void>& own, const Exchange& exchange, Deadline deadline) {
  return base::contain("agreeing", [&]() -> Result<void> {
    Note note{};
    write_outcome(note, own);
    PINTLE_ASSIGN(notes, exchange(note, deadline));
    return read_outcomes(notes);
  });
}

}  // namespace pintle::collective
