// Programs out of seeds. Steps are proposed at random, and the model keeps those that have one meaning.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model.h"
#include "random.h"
#include "run.h"

namespace pintle::differential {

struct GeneratorOptions {
  bool closes_devices = true;  ///< A program may let devices go.
  /// What programs do without, to look behind a failure that is known: fork, pool, record, cross, fail, import, latch,
  /// throw, race, refuse, image, held, map, then, abandon, close, transitive (downloads known through other points
  /// only).
  std::set<std::string, std::less<>> without{};
};

class Generator {
 public:
  Generator(std::uint64_t seed, std::vector<Ability> devices, GeneratorOptions options);
  Case make();

 private:
  bool propose(Step step);
  void act();
  bool act_on(Act act);
  void begin();
  void finish();
  void release();
  void read_all();

  bool make_buffer();
  bool make_image();
  bool make_pool();
  bool allocate();
  int allocate_from(int pool, int queue, std::uint32_t count);
  bool reuse(int pool, int queue, int buffer);
  bool make_import();
  bool fork();
  bool drop(Act act);
  bool set_signal();
  bool fail_signal();
  bool submit();
  bool submit_held();
  bool refuse();
  bool record();
  bool replay();
  bool wait(Act act);
  bool wait_known();
  bool poll_shut();
  bool then();
  bool read();
  bool map();
  void signal_race(int signal);

  /// Proposes as it is, and then behind everything that was submitted.
  bool propose_ordered(Step step);
  void add_waits(Step& step);
  void add_promises(Step& step);
  std::vector<Command> commands(int device, std::uint32_t most);
  Command command(int device);
  Command host_command(int device);
  Command call_command(int device);
  Command crossing(int device);
  Command image_command(int device);
  Window image_window(int image);
  Command recorded_command(int device, int& slots);
  Step bound(int recording, int queue);
  Window window(int buffer, bool for_kernel);
  Window window_like(int buffer, std::uint32_t count, bool for_kernel);
  void make_bad(Step& step);

  int some_queue(int device);
  int some_queue();
  int some_buffer(int device, bool written);
  int some_image(int device);
  int some_device() { return static_cast<int>(random_.below(model_.devices().size())); }
  int some(const std::vector<int>& all) { return all.empty() ? -1 : all[random_.below(all.size())]; }
  Moment some_moment();
  std::vector<Moment> lasts();
  std::uint32_t some_count();
  int fresh() { return next_++; }
  [[nodiscard]] bool has(std::string_view kind) const { return !options_.without.contains(kind); }
  [[nodiscard]] const Ability& ability(int device) const { return model_.devices()[static_cast<std::size_t>(device)]; }

  Random random_;
  GeneratorOptions options_;
  Model model_;
  Program program_;
  std::vector<Outcome> outcomes_;
  std::vector<std::uint32_t> weights_;  // by act
  std::vector<std::uint32_t> op_weights_;
  std::vector<std::uint32_t> tops_;  // of signals: the highest value that anybody named
  std::uint32_t base_count_ = 64;
  int next_ = 0;
  int next_signal_ = 0;
  bool tidy_waits_ = false;  // this program orders by points rather than by luck
};

}  // namespace pintle::differential
