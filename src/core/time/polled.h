// A place in the reactor's list of what it has to look at.
#pragma once

#include <cstdint>
#include <memory>

namespace pintle::core {

/// Being put on the list needs no memory. The reactor's mutex guards these members.
class Polled {
 protected:
  Polled() = default;
  virtual ~Polled() = default;

 private:
  friend class Reactor;
  std::shared_ptr<Polled> next_posted_;  // the chain keeps what is on it
  bool is_posted_ = false;
  std::uint64_t unwatched_ = 0;  // a serial that nobody could be asked to watch, for want of memory; 0: none
};

}  // namespace pintle::core
