// The devices that programs run on, open and with their kernels loaded from one program to the next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model.h"
#include "pintle/pintle.h"

namespace pintle::differential {

/// No wait takes longer, whatever the machine does beside.
Duration patience();
/// Another patience, for programs that are known to fail.
void be_impatient(Duration patience);

class World {
 public:
  struct Machine {
    std::string id;
    Device device{};
    Kernel add_to{}, affine{}, gather{}, paint{}, lift{};
    std::uint64_t texel_alignment = 0;  ///< For the offsets of `lift`; 0: the device has no such texel buffers.
    Ability ability{};
    bool driven = false;
  };

  /// Throws `Exception` where a device cannot be opened.
  explicit World(std::vector<std::string> ids);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] Machine& at(int device) { return machines_[static_cast<std::size_t>(device)]; }
  [[nodiscard]] int size() const { return static_cast<int>(machines_.size()); }
  [[nodiscard]] std::vector<Ability> abilities() const;
  [[nodiscard]] std::string text() const;
  /// Lets the device go, with what it has loaded.
  void close(int device);
  /// Opens what is closed.
  void open_all();
  void poll();
  void drive();                       ///< Polls the devices that do nothing by themselves.
  bool is_shared = false;             ///< Other programs run beside, and fail queues of the same devices.
  bool polls_before_looking = false;  ///< At downloads whose own points nobody has asked.

  /// A file of so many words of `pattern(file_number, i)`.
  static constexpr std::uint32_t file_words = 4096;
  static constexpr std::uint32_t file_number = 77;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// Removes the file; what is mapped stays.
  void remove_file() noexcept;

 private:
  void open(Machine& machine);

  std::vector<Machine> machines_;
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

}  // namespace pintle::differential
