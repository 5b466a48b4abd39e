#include "core/queue/imported.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kit/accesses.h"

namespace pintle::core {
namespace {

using backend::Command;
using backend::Range;

/// A transfer between a range and the host.
struct Transfer {
  Range range;
  std::byte* host = nullptr;
  bool is_download = false;
};

std::optional<Transfer> transfer_of(const Command& command) noexcept {
  if (const auto* const upload = std::get_if<backend::Upload>(&command.operation)) {
    if (upload->from.slot != backend::no_slot || upload->to.slot != backend::no_slot) return std::nullopt;
    return Transfer{upload->to, const_cast<std::byte*>(upload->from.data), false};
  }
  if (const auto* const download = std::get_if<backend::Download>(&command.operation)) {
    if (download->to.slot != backend::no_slot || download->from.slot != backend::no_slot) return std::nullopt;
    return Transfer{download->from, download->to.data, true};
  }
  return std::nullopt;
}

bool concerns(const Alias& alias, const Transfer& transfer) noexcept {
  return !alias.host.empty() && alias.memory != transfer.range.memory && !(transfer.is_download && alias.is_constant) &&
         alias.overlaps({transfer.host, transfer.range.size});
}

const Alias* alias_of(const Transfer& transfer, std::span<const Alias> aliases) noexcept {
  const auto found = std::ranges::find_if(aliases, [&](const Alias& alias) { return concerns(alias, transfer); });
  return found == aliases.end() ? nullptr : &*found;
}

Transfer part_of(const Transfer& whole, std::byte* begin, std::byte* end) noexcept {
  Transfer part = whole;
  part.range.offset += static_cast<std::uint64_t>(begin - whole.host);
  part.range.size = static_cast<std::uint64_t>(end - begin);
  part.host = begin;
  return part;
}

Command plain(const Command& like, const Transfer& transfer) {
  Command command = like;
  if (transfer.is_download)
    command.operation = backend::Download{{transfer.host, transfer.range.size, backend::no_slot}, transfer.range};
  else command.operation = backend::Upload{transfer.range, {transfer.host, transfer.range.size, backend::no_slot}};
  return command;
}

Command as_copy(const Command& like, const Transfer& transfer, const Alias& alias) {
  const Range other{alias.memory, alias.buffer, static_cast<std::uint64_t>(transfer.host - alias.host.data()),
                    transfer.range.size, backend::no_slot};
  Command command = like;
  if (transfer.is_download) command.operation = backend::Copy{other, transfer.range};
  else command.operation = backend::Copy{transfer.range, other};
  return command;
}

/// Cuts the transfer from the left: the piece that is not imported, the imported piece, and the rest.
void add_pieces(std::vector<Command>& out, const Command& like, Transfer transfer, std::span<const Alias> aliases) {
  while (transfer.range.size != 0) {
    const Alias* const alias = alias_of(transfer, aliases);
    if (alias == nullptr) {
      out.push_back(plain(like, transfer));
      return;
    }
    std::byte* const end = transfer.host + transfer.range.size;
    std::byte* const first = std::max(transfer.host, alias->host.data());
    std::byte* const last = std::min(end, alias->host.data() + alias->host.size());
    if (first != transfer.host) add_pieces(out, like, part_of(transfer, transfer.host, first), aliases);
    out.push_back(as_copy(like, part_of(transfer, first, last), *alias));
    transfer = part_of(transfer, last, end);
  }
}

}  // namespace

void use_imports(std::vector<Command>& commands, std::span<const Alias> aliases) {
  const auto is_concerned = [&](const Command& command) {
    const auto transfer = transfer_of(command);
    return transfer && alias_of(*transfer, aliases) != nullptr;
  };
  if (aliases.empty() || std::ranges::none_of(commands, is_concerned)) return;
  std::vector<Command> out;
  for (const Command& command : commands) {
    if (is_concerned(command)) add_pieces(out, command, *transfer_of(command), aliases);
    else out.push_back(command);
  }
  commands = std::move(out);
}

}  // namespace pintle::core
