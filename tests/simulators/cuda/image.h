// What a simulated compiler hands to a simulated driver: PTX whose last lines hold a shared object for the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::simulator {

/// A parameter of an entry, as its function takes it.
struct ParameterLayout {
  std::size_t size = 0;
  std::size_t alignment = 1;
};

/// An entry as the text has it.
struct EntryText {
  std::string name;
  std::vector<ParameterLayout> parameters;
  int max_threads = 0;  ///< Threads of a block, as `.maxntid` says; 0 where it says nothing.
};

struct Image {
  int version = 0;     ///< Ten times `.version`: 90 for 9.0; 0 where the text has none.
  std::string target;  ///< `sm_90`.
  std::vector<EntryText> entries;
  std::vector<std::byte> object;  ///< Empty where the text is PTX alone: it can be loaded and not launched.
  bool is_whole = true;           ///< False where an entry has no end, or calls what is not there.
};

/// Text that `parse_image` reads back, without a NUL.
[[nodiscard]] std::string print_image(const Image& image);
/// What the simulator knows of PTX: its head, its entries and the object behind them.
[[nodiscard]] Image parse_image(std::string_view text);

/// What the object of an image has under the name `pintle_simulator_module`.
struct HostEntry {
  const char* name;
  void (*call)(void* const* arguments);
  const ParameterLayout* parameters;
  std::size_t parameter_count;
  int max_threads;
};

/// Where an item of a grid is: what kernels read as threadIdx and so on.
struct ItemPlace {
  unsigned thread[3];
  unsigned block[3];
  unsigned block_size[3];
  unsigned grid_size[3];
};

/// What a kernel calls while it runs.
struct HostServices {
  void (*barrier)();
  void* (*dynamic_shared)();  ///< The calling thread's shared memory, always at one address.
};

struct HostModule {
  const HostEntry* entries;
  std::size_t entry_count;
  /// Tells which item the calling thread runs.
  ItemPlace* (*place)();
  void (*set_services)(const HostServices* services);
};

}  // namespace pintle::simulator
