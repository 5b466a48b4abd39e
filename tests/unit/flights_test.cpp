#include "core/queue/flights.h"

#include <gtest/gtest.h>

namespace pintle::core {
namespace {

/// Fills the places of `count` serials behind `last`.
void add(Flights& flights, std::uint64_t reached, std::uint64_t& last, std::size_t count) {
  flights.make_room(reached, last, count);
  for (; count != 0; --count) {
    ++last;
    flights[last].serial = last;
  }
}

void expect_serials(Flights& flights, std::uint64_t reached, std::uint64_t last) {
  for (std::uint64_t serial = reached; serial++ != last;) EXPECT_EQ(flights[serial].serial, serial);
}

TEST(Flights, GrowAsFarAsTheyAreNeeded) {
  Flights flights;
  std::uint64_t reached = 5, last = 5;
  for (int round = 0; round < 12; ++round) {
    add(flights, reached, last, 100);
    expect_serials(flights, reached, last);
    reached += 50;
  }
  add(flights, reached, last, 5000);
  expect_serials(flights, reached, last);
}

TEST(Flights, KeepTheirPlacesWhereThereIsRoom) {
  Flights flights;
  std::uint64_t last = 1000;
  add(flights, 1000, last, 100);
  const Flight* const first = &flights[1001];
  add(flights, 1050, last, 70);
  EXPECT_EQ(&flights[1001], first);
  EXPECT_EQ(flights[last].serial, last);
}

// Backends and signals read what the vectors of a flight hold.
TEST(Flights, MoveWithoutMovingWhatTheyHold) {
  Flights flights;
  std::uint64_t last = 0;
  add(flights, 0, last, 1);
  flights[1].bindings.resize(3);
  const backend::Binding* const bindings = flights[1].bindings.data();
  add(flights, 0, last, 1000);
  EXPECT_EQ(flights[1].bindings.data(), bindings);
}

TEST(Flights, ReachTheLastSerial) {
  Flights flights;
  std::uint64_t last = ~std::uint64_t{0} - 200;
  const std::uint64_t reached = last;
  add(flights, reached, last, 100);
  add(flights, reached, last, 100);
  EXPECT_EQ(last, ~std::uint64_t{0});
  expect_serials(flights, reached, last);
}

}  // namespace
}  // namespace pintle::core
