// What a native peer can do. Every call is complete when it returns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace peers {

/// The constructor of a peer opens its device and loads its kernels. A call throws where the device refuses.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;

  /// The library's version and the device.
  [[nodiscard]] virtual std::string about() const = 0;

  /// Makes x and y of so many elements on the device. The first pair has the index 0, the next 1.
  virtual void add_saxpy(std::size_t elements) = 0;
  /// y = factor * x + y of the pair `index`.
  virtual void saxpy(std::size_t index) = 0;
  [[nodiscard]] virtual std::vector<float> y(std::size_t index) = 0;

  /// Makes the counter, which is 0, and the memory of the transfers: what a cold start does not need.
  virtual void prepare() = 0;
  /// One kernel that adds 1 to the counter.
  virtual void launch() = 0;
  /// A hundred such kernels, each after the one before.
  virtual void chain() = 0;
  [[nodiscard]] virtual float counter() = 0;
  virtual void upload(const std::vector<float>& from) = 0;
  virtual void download(std::vector<float>& to) = 0;

  /// Whether a launch and a chain can also be built anew for each call.
  [[nodiscard]] virtual bool has_fresh() const { return false; }
  virtual void launch_fresh() {}
  virtual void chain_fresh() {}

  /// y of the first saxpy of a process; `add_saxpy` has not been called.
  [[nodiscard]] virtual std::vector<float> first_y(std::size_t elements) {
    add_saxpy(elements);
    saxpy(0);
    return y(0);
  }
};

}  // namespace peers
