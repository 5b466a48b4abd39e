// A member of the reactor's lists of queues to observe.
#pragma once

#include <cstdint>
#include <memory>

namespace pintle::core {

/// A queue can be put on the lists without memory. The reactor's mutex guards these members.
class Polled {
 protected:
  Polled() = default;
  virtual ~Polled() = default;

 private:
  friend class Reactor;
  friend class Rounds;
  std::shared_ptr<Polled> next_posted_;  // the chain keeps its members alive
  bool is_posted_ = false;
  std::shared_ptr<Polled> next_on_rounds_;  // likewise
  Polled* previous_on_rounds_ = nullptr;
  bool is_on_rounds_ = false;
  bool is_due_ = false;          // it is told when it has been observed
  std::uint64_t unwatched_ = 0;  // a serial that is not watched yet, for want of memory; 0: none
};

}  // namespace pintle::core
