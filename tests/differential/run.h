// A program on real devices: each step by the public API, and what comes of it beside what the model says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model.h"
#include "world.h"

namespace pintle::differential {

/// A program that the model has judged, with what is to be seen of each step.
struct Case {
  Program program;
  std::vector<Outcome> outcomes;
  Model end;
};

/// Empty where the program is not defined or not complete.
std::optional<Case> judge(const Program& program, const std::vector<Ability>& devices);

/// What went wrong, and at which step (the number of steps: at the end).
struct Failure {
  std::string what;
  std::size_t step = 0;
};

class Run;
/// Called before each step.
using Visit = std::function<void(Run&, std::size_t)>;

/// Runs a program once. Whatever it leaves in flight is brought to an end or kept for ever.
std::optional<Failure> run(World& world, const Case& given, const Visit& visit = {});

/// Memory of a list, which is spoiled when the list lets it go.
struct Token {
  std::vector<std::uint32_t> words{};
  ~Token() { std::fill(words.begin(), words.end(), 0xdddddddd); }
};

/// A host function's runs.
struct CallRecord {
  std::atomic<std::uint32_t> count{0};
  std::atomic<std::uint64_t> first{0};  ///< Its number among all calls.
};

struct CallbackRecord {
  std::atomic<std::uint32_t> count{0};
  std::atomic<bool> succeeded{false};
};

/// Host memory that is imported.
struct Block {
  std::uint32_t* words = nullptr;
  std::uint32_t count = 0;
  explicit Block(std::uint32_t count);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
};

class Run {
 public:
  Run(World& world, const Case& given) : world_(world), case_(given) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void step(const Step& step, const Outcome& outcome);
  /// Everything has ended, and nothing is left.
  void check_end();
  /// Gives up what is in flight; false where that does not end.
  bool give_up();
  /// In a forked child: nothing is done.
  void check_forked();
  /// Drops every object; what is lent to devices stays.
  void let_go();

 private:
  using Words = std::vector<std::uint32_t>;
  struct Sources {  // what is the caller's until submit returns
    std::vector<std::unique_ptr<Words>> words{};
  };

  void make(const Step& step);
  void make_import(const Step& step);
  void drop(const Step& step);
  void drop_device(int device);
  void signal_step(const Step& step);
  void submit(const Step& step);
  void refuse(const Step& step);
  void record(const Step& step);
  Result<Point> start(const Step& step);
  Result<Point> start_replay(const Step& step, SubmitOptions options);
  SubmitOptions options(const Step& step);
  void wait(const Step& step, const Outcome& outcome);
  void wait_any(const Step& step, const Outcome& outcome);
  void poll_shut(const Step& step);
  void then(const Step& step);
  void map(const Step& step, const Outcome& outcome);
  void read(const Step& step, const Outcome& outcome);

  CommandList list(const std::vector<Command>& commands, int device, Sources& sources);
  void add(CommandList& list, const Command& command, int device, Sources& sources);
  void add_call(CommandList& list, const Command& command);
  [[nodiscard]] bool has_texels(const World::Machine& machine, const Command& command) const;
  void add_launch(CommandList& list, const Command& command, int device);
  void add_host(CommandList& list, const Command& command, Sources& sources);
  [[nodiscard]] BufferView view(const Window& window) const;
  [[nodiscard]] ImagePart part(const Window& window) const;
  void add_image(CommandList& list, const Command& command, int device);
  [[nodiscard]] BufferArgument argument(const Window& window, int slot) const;
  Words& download(int number, std::uint32_t count);
  std::shared_ptr<Token> token(Words words);
  void adopt_buffer(int number, Result<Buffer> made);
  [[nodiscard]] Point point(const Moment& moment) const;
  void compare(const Cells& expected, std::span<const std::uint32_t> seen, const std::string& what,
               bool executes) const;
  void compare_download(int number);
  [[nodiscard]] int device_of_buffer(int buffer) const { return case_.end.buffers().at(buffer).device; }
  [[nodiscard]] int device_of_queue(int queue) const { return case_.end.queues().at(queue).device; }
  [[nodiscard]] bool executes(int device) { return world_.at(device).ability.executes; }
  [[nodiscard]] bool may_fail() const;
  [[nodiscard]] bool has_closed() const;

  void wait_idle();
  void check_calls();
  void check_order() const;
  void check_blocks();
  void check_let_go();
  void check_next();
  void clear();
  template <class Holds>
  bool eventually(Holds holds);

  World& world_;
  const Case& case_;
  std::map<int, Queue> queues_;
  std::map<int, Buffer> buffers_;
  std::map<int, BufferView> views_;
  std::map<int, Image> images_;
  std::map<int, ImageView> image_views_;
  std::map<int, Pool> pools_;
  std::map<int, int> pool_devices_;
  std::map<int, Signal> signals_;
  std::map<int, Recording> recordings_;
  std::map<int, Point> points_;
  std::map<int, std::shared_ptr<Block>> blocks_;
  std::map<int, Words> downloads_;
  std::map<int, int> download_devices_;
  std::vector<std::weak_ptr<void>> tokens_;
  std::map<int, std::shared_ptr<CallRecord>> calls_;
  std::map<int, std::shared_ptr<std::atomic<bool>>> latches_;
  std::vector<std::shared_ptr<CallbackRecord>> callbacks_;
  std::shared_ptr<std::atomic<std::uint64_t>> counter_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

/// Ends the run with a failure.
[[noreturn]] void fail(std::string what);
template <class T>
T expect(Result<T> result, const std::string& what) {
  if (!result) fail(what + " answers " + std::string(name(result.error().code())) + ": " + result.error().text());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace pintle::differential
