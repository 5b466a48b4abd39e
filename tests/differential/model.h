// The judge of programs: whether the documentation says what a step does, and what that is. Knows nothing of the
// library.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "bytes.h"
#include "order.h"
#include "step.h"

namespace pintle::differential {

/// What a device can do, as far as programs depend on it.
struct Ability {
  bool executes = false;
  bool calls = false;
  bool latches = false;  ///< A host call may wait for the thread that submits.
  bool maps = false;
  bool imports = false;
  bool images = false;          ///< Images of u32, which kernels read and write.
  bool refuses = false;         ///< The layer that fails calls is there.
  std::uint32_t alignment = 1;  ///< The alignment of a kernel's windows, in elements.
};

struct BufferState {
  int storage = -1;
  int device = 0;
  std::uint32_t count = 0;
  std::uint32_t width = 0;  ///< The width of an image's rows; 0: no image.
  bool alive = true;
  bool sealed = false;
  int forked_by = -1;  ///< The copy that whatever uses it comes after, as the order numbers it.
  bool imported = false;
  bool over_file = false;
  bool on_host = false;
  bool pooled = false;
  Clock born{};
};

struct QueueState {
  int device = 0;
  int order = -1;  ///< Its number there.
  bool alive = true;
};

struct RecordingState {
  int device = 0;
  bool alive = true;
  std::vector<Command> commands{};
  std::vector<int> nodes{};  ///< Replays.
};

struct CallState {
  int node = -1;  ///< The last that calls it.
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

/// What has to be seen of a step.
struct Outcome {
  std::vector<int> downloads{};  ///< Those whose bytes are there now.
  std::vector<char> failing{};   ///< For each moment waited for, whether it has failed.
  std::vector<char> possible{};  ///< For each moment, whether `wait_any` may answer it.
  Cells cells{};
};

class Model {
 public:
  explicit Model(std::vector<Ability> devices) : devices_(std::move(devices)), gone_(devices_.size(), false) {}

  /// False where the program would not be defined; nothing has changed then.
  bool apply(const Step& step);
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }

  [[nodiscard]] const std::vector<Ability>& devices() const { return devices_; }
  [[nodiscard]] bool is_gone(int device) const { return gone_[static_cast<std::size_t>(device)]; }
  [[nodiscard]] const std::map<int, BufferState>& buffers() const { return buffers_; }
  [[nodiscard]] const std::map<int, QueueState>& queues() const { return queues_; }
  [[nodiscard]] const std::map<int, RecordingState>& recordings() const { return recordings_; }
  [[nodiscard]] const std::map<int, int>& pools() const { return pools_; }  ///< With their devices.
  [[nodiscard]] const std::map<int, int>& signals() const { return signals_; }
  [[nodiscard]] const std::map<int, int>& nodes() const { return nodes_; }
  [[nodiscard]] const std::map<int, CallState>& calls() const { return calls_; }
  [[nodiscard]] const std::set<int>& latches() const { return open_latches_; }  ///< That are closed.
  [[nodiscard]] const Order& order() const { return order_; }
  [[nodiscard]] Moment inner(const Moment& moment) const;  ///< As the order numbers it.
  [[nodiscard]] bool takes(int queue) const;
  /// Nothing is left that waits for the program.
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] Cells cells(const Window& window) const;
  [[nodiscard]] const Cells& download(int number) const { return bytes_.downloads().at(number); }
  [[nodiscard]] const std::vector<Moment>& callbacks() const { return callbacks_; }
  /// The answer that a callback on the moment gets.
  [[nodiscard]] bool fails(const Moment& moment) const { return order_.has_failed(inner(moment)); }
  /// The bytes of a host's memory that was imported, where the host may look.
  [[nodiscard]] std::optional<Cells> host_block(int buffer) const;

 private:
  enum class Verdict : std::uint8_t { fine, refused, undefined };
  struct Task {  // of a submission
    std::vector<Command> commands{};
    std::vector<Deed> deeds{};
  };

  bool perform(const Step& step);
  bool make_buffer(const Step& step);
  bool make_image(const Step& step);
  bool make_import(const Step& step);
  bool allocate(const Step& step);
  bool fork(const Step& step);
  bool seal(const Step& step);
  bool drop_buffer(const Step& step);
  bool make_queue(const Step& step);
  bool submit(const Step& step);
  bool refuse(const Step& step);
  bool record(const Step& step);
  bool replay(const Step& step);
  bool wait(const Step& step);
  bool wait_any(const Step& step);
  bool poll_shut(const Step& step);
  bool read(const Step& step);
  bool map(const Step& step);
  bool signal_step(const Step& step);
  bool drop_device(const Step& step);
  bool drop_pool(const Step& step);

  [[nodiscard]] bool has_device(int device) const;
  [[nodiscard]] bool is_new_node(int node) const { return node >= 0 && !nodes_.contains(node); }
  [[nodiscard]] const BufferState* living(int buffer) const;  ///< No image.
  [[nodiscard]] bool knows_moments(const Step& step) const;
  [[nodiscard]] Verdict check(const Command& command, int device) const;
  [[nodiscard]] Verdict check_window(const Window& window, bool writes, bool is_image) const;
  [[nodiscard]] bool check_call(const Command& command, int device, bool in_recording) const;
  [[nodiscard]] Verdict check_all(const std::vector<Command>& commands, int device, bool in_recording) const;
  [[nodiscard]] bool check_latches(const std::vector<Command>& commands) const;
  [[nodiscard]] bool check_recorded(const Command& command) const;
  [[nodiscard]] Verdict bind(const Step& step, std::vector<Command>& commands) const;
  [[nodiscard]] Deed deed(const Command& command) const;
  [[nodiscard]] bool is_slow(const Command& command, int device) const;
  void collect_uses(const Deed& deed, Entry& entry) const;
  bool enter(const Step& step, const std::vector<Command>& commands, bool throws);
  bool enter_entry(const Step& step, Entry entry, Task task);
  bool adopt(const Step& step, Entry& entry) const;
  static void come_after(const BufferState& buffer, Entry& entry);
  void run_settled();
  void count_calls(int node, const Task& task, bool thrown);
  void look();  // at what the host knows now
  [[nodiscard]] Place place(const Window& window) const;
  [[nodiscard]] bool throws(const std::vector<Command>& commands, std::size_t runs) const;

  std::vector<Ability> devices_;
  std::vector<bool> gone_;
  Order order_;
  Bytes bytes_;
  Outcome outcome_;
  std::map<int, BufferState> buffers_;
  std::map<int, QueueState> queues_;
  std::map<int, RecordingState> recordings_;
  std::map<int, int> pools_;
  std::map<int, char> scrubs_;
  std::map<int, int> signals_;  // to the order's numbers
  std::map<int, int> nodes_;
  std::map<int, int> latches_;
  std::set<int> open_latches_;
  std::map<int, CallState> calls_;
  std::map<int, int> download_nodes_;  // not compared yet; the order's numbers
  std::vector<Task> tasks_;            // by the order's numbers
  std::vector<Moment> callbacks_;
  bool held_ = false;  // something was, so that calls of a device may come at any time
};

}  // namespace pintle::differential
