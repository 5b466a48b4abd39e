#include "collective/group/message.h"

#include <fmt/format.h>

namespace pintle::collective {

Result<Message> take_message(GroupState& group, std::uint32_t rank, std::uint64_t bytes) {
  const Message message = group.mailbox().take(rank);
  const Call& own = group.call();
  if (message.call != own) {
    PINTLE_TRY(group.health());  // a failure of others is why a rank has gone on to something else
    return group.fail(
        Error(Errc::invalid_argument, fmt::format("Rank {} of {} calls {} where rank {} calls {}.", rank, group.text(),
                                                  text(message.call), group.rank(), text(own))));
  }
  if (message.payload.size() == bytes) return message;
  return group.fail(Error(Errc::internal, fmt::format("Rank {} of {} sends {} bytes where {} are due, in {}.", rank,
                                                      group.text(), message.payload.size(), bytes, text(own))));
}

}  // namespace pintle::collective
