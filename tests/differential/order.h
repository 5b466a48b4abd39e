// What comes before what, as far as the documentation promises: queues, points, signals, the host.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "clock.h"
#include "step.h"

namespace pintle::differential {

/// A use of elements [first, last) of a storage.
struct Use {
  int storage = -1;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool writes = false;
};

/// A submission before it is accepted.
struct Entry {
  int node = -1;
  int queue = -1;
  std::vector<Moment> waits{};
  std::vector<Promise> promises{};
  std::vector<Use> uses{};
  std::vector<int> latches{};
  bool is_slow = false;  ///< May stand behind a host call of another queue, as far as anybody promises.
  Clock born{};          ///< What it comes after because of the buffers that it names.
  bool throws = false;
};

enum class Fate : std::uint8_t {
  pending,  ///< Waits for what nobody has promised to raise.
  settled,  ///< Runs, or has run.
  dropped,  ///< Never runs: what it waits for has failed.
  thrown,   ///< Runs and fails.
};

/// Every question here is about what holds in each run that the documentation allows. A method that changes something
/// answers false where the program would not be defined any more; the order is then to be thrown away.
class Order {
 public:
  int add_queue();
  void end_queue(int queue);
  void add_signal();
  void add_latch() { latches_.push_back(true); }
  void open_latch(int latch) { latches_[static_cast<std::size_t>(latch)] = false; }

  /// One step of the host.
  void step() { host_.raise(0, host_.at(0) + 1); }

  bool submit(const Entry& entry);
  bool set(int signal, std::uint32_t value);
  bool fail(int signal);
  /// The host waits. It hears of failed moments that they have failed.
  bool await(const Moment& moment);
  bool await_any(const std::vector<Moment>& moments);

  /// The moment can only be unreached now.
  [[nodiscard]] bool is_shut(const Moment& moment) const;
  /// The moment is reached soon, whatever the host does now.
  [[nodiscard]] bool is_coming(const Moment& moment) const;
  [[nodiscard]] bool has_failed(const Moment& moment) const;
  /// The moment is reached soon although a latch is closed.
  [[nodiscard]] bool is_live(const Moment& moment) const;
  [[nodiscard]] Fate fate(int node) const { return nodes_[index(node)].fate; }
  [[nodiscard]] bool knows(int node) const;  ///< The host has heard of its end.
  [[nodiscard]] int queue_of(int node) const { return nodes_[index(node)].queue; }
  [[nodiscard]] bool comes_before(int node, int later) const;

  [[nodiscard]] bool is_open(int queue) const;    ///< Takes submissions.
  [[nodiscard]] bool is_failed(int queue) const;  ///< Refuses them.
  [[nodiscard]] bool has_pending(int queue) const;
  [[nodiscard]] int last(int queue) const { return queues_[index(queue)].last; }
  [[nodiscard]] bool has_signal_failed(int signal) const { return signals_[index(signal)].failed; }
  [[nodiscard]] std::uint32_t highest(int signal) const;   ///< Above everything promised or set.
  [[nodiscard]] std::uint32_t possible(int signal) const;  ///< The most that it may have reached.
  [[nodiscard]] std::uint32_t reached(int signal) const { return signals_[index(signal)].reached; }
  [[nodiscard]] bool has_closed_latch() const;
  [[nodiscard]] bool has_pending() const;
  [[nodiscard]] bool has_all() const;  ///< Nothing is pending, no latch closed.
  /// Submissions of several queues may bring the moment: what waits for it is held by the host.
  [[nodiscard]] bool is_raced(const Moment& moment) const;
  /// What a use of a new buffer of this queue comes after.
  [[nodiscard]] Clock birth(int queue) const;
  /// The host may touch the bytes.
  [[nodiscard]] bool may_touch(const Use& use) const;
  [[nodiscard]] int node_count() const { return static_cast<int>(nodes_.size()); }
  /// Nodes in the order in which they ran, since the last call.
  std::vector<int> take_settled() { return std::exchange(settled_, {}); }

 private:
  struct Node {
    int queue = -1;
    int tick = 0;
    int before = -1;  // on its queue
    Fate fate = Fate::pending;
    Clock known{};   // what it certainly comes after, itself included
    Clock needed{};  // what it must come after, while pending
    std::vector<Moment> waits{};
    std::vector<Promise> promises{};
    std::vector<int> latches{};
    bool is_slow = false;
    bool throws = false;
  };
  struct Queue {
    int ticks = 0;
    int last = -1;
    bool ended = false;
    bool throwing = false;
    bool failed = false;
  };
  struct Raiser {
    std::uint32_t value = 0;
    int node = -1;  // -1: the host
    Clock clock{};
  };
  struct Trust {
    std::uint32_t value = 0;
    Clock clock{};
  };
  struct Signal {
    std::vector<Raiser> raisers{};
    std::vector<Trust> trusts{};  // what waiters rely on: later raisers must come after it, too
    std::uint32_t reached = 0;    // that the host knows
    bool failed = false;
  };
  struct Past {
    int node = -1;
    Use use{};
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  static int place(int queue) { return queue + 1; }
  [[nodiscard]] bool is_live(const Moment& moment, std::vector<char>& asked) const;
  [[nodiscard]] bool is_ready(const Node& node) const;
  [[nodiscard]] bool has_raiser(const Moment& moment) const;
  [[nodiscard]] Clock partly_known(const Node& node) const;
  Clock trust(const Moment& moment, const Node* waiter = nullptr);
  bool settle(int number);
  bool settle_all();
  bool drop(int number);
  bool drop_waiters(int signal);
  bool fail_signal(int signal);
  bool keep_promises(const Node& node);
  bool check_uses(int number, const std::vector<Use>& uses);
  bool check_use(int number, const Use& use, const Past& past);
  void need(Node& node, const Node& earlier);
  [[nodiscard]] bool precedes(const Node& earlier, const Clock& clock) const {
    return clock.at(place(earlier.queue)) >= earlier.tick;
  }

  Clock host_{};
  std::vector<Node> nodes_;
  std::vector<Queue> queues_;
  std::vector<Signal> signals_;
  std::vector<bool> latches_;  // closed
  std::vector<Past> past_;
  std::vector<int> settled_;
};

}  // namespace pintle::differential
