// Programs as values: what a seed becomes, what is listed, shrunk and run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pintle::differential {

/// Elements [first, first + count) of a buffer, or of an image: whole rows, or a part of one. All elements are u32.
struct Window {
  int buffer = -1;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

enum class Op : std::uint8_t {
  copy,        ///< to, from; of one device or of two
  fill,        ///< to, a
  add_to,      ///< to[i] = from[i] + a
  affine,      ///< to[i] = to[i] * a + b
  gather,      ///< to[i] = to[i] * 3 + from[i * a % count]
  to_image,    ///< to, an image; from, a buffer
  from_image,  ///< to, a buffer; from, an image
  paint,       ///< to[i] = from[i] + a; two images of one size
  upload,      ///< to; host: the pattern's number
  keep,        ///< the same, from memory that the list owns
  download,    ///< from, to lent memory; host: the download's number
  receive,     ///< the same, to memory that the list owns
  pull,        ///< from, to the host memory that import `host` is made over
  push,        ///< to, from the host memory that import `host` is made over
  call,        ///< host: the call's number
  pause,       ///< a call that takes `a` microseconds
  latch,       ///< a call that ends when the program opens latch `host`
  blow,        ///< a call that throws when it has been made `a` times before; host: the call's number
  barrier,
};

struct Command {
  Op op = Op::barrier;
  Window to{};
  Window from{};
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  int host = -1;
  // For a recording: which slot stands instead of the window, the scalar `a` or the host memory; -1: none.
  int slot_to = -1;
  int slot_from = -1;
  int slot_a = -1;
  int slot_host = -1;
};

/// A moment: of a submission, or of a signal.
struct Moment {
  int node = -1;
  int signal = -1;
  std::uint32_t value = 0;
};

struct Promise {
  int signal = -1;
  std::uint32_t value = 0;
};

/// What a replay puts into a slot: one of the three, as the list uses it.
struct Binding {
  Window window{};
  std::uint32_t scalar = 0;
  int host = -1;
};

/// Why a submission, a replay or a recording has to be refused.
enum class Wrong : std::uint8_t {
  nothing,
  stale,         ///< the last command fills a buffer that is gone
  sealed,        ///< the last command fills a sealed buffer
  slot,          ///< the last command has a slot
  size,          ///< the last command copies between sizes
  low_signal,    ///< it signals what is reached
  own_future,    ///< it waits for a later point of its own queue
  dead_queue,    ///< its queue has failed
  few_bindings,  ///< a replay binds a slot less
  backend,       ///< the device refuses the call (layer faulty)
};

enum class Act : std::uint8_t {
  make_queue,
  make_buffer,
  make_image,  ///< Its number is among the buffers'.
  make_pool,
  allocate,     ///< a buffer from a pool
  import_host,  ///< a buffer over host memory
  map_file,
  fork,
  seal,
  drop_buffer,
  free_buffer,
  drop_queue,
  drop_pool,
  make_signal,
  set_signal,
  fail_signal,
  submit,
  record,
  replay,
  drop_recording,
  wait,  ///< for every moment
  wait_any,
  poll_shut,  ///< each moment is not reached, and a wait of no time says so
  then,       ///< a callback
  read,       ///< the buffer's bytes by a queue
  map_read,
  map_write,
  open_latch,
  drop_device,
};

struct Step {
  Act act{};
  int device = 0;
  int queue = -1;
  int buffer = -1;
  int other = -1;  ///< a second buffer (what is forked), or a pool
  int signal = -1;
  int recording = -1;
  int node = -1;  ///< what is submitted
  std::uint32_t value = 0;
  std::uint32_t count = 0;
  std::uint32_t width = 0;  ///< elements of an image's row
  bool lazy = false;        ///< a buffer gets its memory with its first use
  bool on_host = false;     ///< a buffer that can be mapped
  bool constant = false;    ///< an import that nothing writes
  bool scrub = false;       ///< a pool of zeros
  Wrong wrong = Wrong::nothing;
  Window bad{};  ///< what is wrong of a submission
  std::vector<Moment> moments{};
  std::vector<Promise> promises{};
  std::vector<Command> commands{};
  std::vector<Binding> bindings{};
};

using Program = std::vector<Step>;

/// One line.
std::string text(const Step& step);
std::string text(const Command& command);

}  // namespace pintle::differential
