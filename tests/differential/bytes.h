// What every byte is: the commands of settled submissions, one after another.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "step.h"

namespace pintle::differential {

/// Elements, and which of them the documentation determines.
struct Cells {
  std::vector<std::uint32_t> values;
  std::vector<char> known;

  explicit Cells(std::size_t count = 0) : values(count), known(count, 0) {}
};

/// A command whose windows are places in storages.
struct Place {
  int storage = -1;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};
struct Deed {
  Op op = Op::barrier;
  Place to{};
  Place from{};
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  int host = -1;
};

class Bytes {
 public:
  /// Unknown at first.
  void add(int storage, std::uint32_t count) { storages_.insert_or_assign(storage, Cells(count)); }
  void do_all(const std::vector<Deed>& deeds);
  /// A throwing list may have done any part of it.
  void forget(const std::vector<Deed>& deeds);
  void write_pattern(const Place& to, std::uint32_t number);
  [[nodiscard]] Cells at(const Place& from) const;
  /// What a download brought.
  [[nodiscard]] const std::map<int, Cells>& downloads() const { return downloads_; }

 private:
  void act(const Deed& deed);
  void put(const Place& to, const Cells& cells);

  std::map<int, Cells> storages_;
  std::map<int, Cells> downloads_;
};

}  // namespace pintle::differential
