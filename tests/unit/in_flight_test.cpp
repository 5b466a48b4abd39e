#include "core/queue/in_flight.h"

#include <gtest/gtest.h>

#include "kit/serial_ring.h"

namespace pintle::core {
namespace {

/// Accepts `count` flights, each of which knows its serial.
void accept(InFlight& flights, std::size_t count) {
  flights.make_room(count);
  for (std::uint64_t serial = flights.last(), left = count; left != 0; --left) {
    ++serial;
    flights[serial].serial = serial;
  }
  flights.accept(count);
}

/// The backend gets all that is held, and finishes the first `count`.
void finish(InFlight& flights, std::size_t count) {
  flights.end_start(flights.last());
  for (; count != 0; --count) flights.finish_one();
}

void expect_serials(InFlight& flights) {
  for (std::uint64_t serial = flights.reached(); serial++ != flights.last();) EXPECT_EQ(flights[serial].serial, serial);
}

TEST(InFlight, GrowsAsFarAsItIsNeeded) {
  InFlight flights(backend::QueueId{1}, 5);
  for (int round = 0; round < 12; ++round) {
    accept(flights, 100);
    expect_serials(flights);
    finish(flights, 50);
  }
  accept(flights, 5000);
  expect_serials(flights);
}

TEST(InFlight, KeepsItsPlacesWhereThereIsRoom) {
  InFlight flights(backend::QueueId{1}, 1000);
  accept(flights, 100);
  const Flight* const first = &flights[1001];
  finish(flights, 50);
  accept(flights, 70);
  EXPECT_EQ(&flights[1001], first);
  EXPECT_EQ(flights[flights.last()].serial, 1170);
}

// Backends and signals read what the vectors of a flight hold.
TEST(InFlight, MovesFlightsWithoutMovingWhatTheyHold) {
  InFlight flights(backend::QueueId{1}, 0);
  accept(flights, 1);
  flights[1].bindings.resize(3);
  const backend::Binding* const bindings = flights[1].bindings.data();
  accept(flights, 1000);
  EXPECT_EQ(flights[1].bindings.data(), bindings);
}

TEST(InFlight, ReachesTheLastSerial) {
  InFlight flights(backend::QueueId{1}, ~std::uint64_t{0} - 200);
  accept(flights, 100);
  accept(flights, 100);
  EXPECT_EQ(flights.last(), ~std::uint64_t{0});
  expect_serials(flights);
}

TEST(InFlight, DropsWhatNoBackendHas) {
  InFlight flights(backend::QueueId{1}, 0);
  accept(flights, 4);
  flights.end_start(1);
  flights.begin_start(2);  // the backend is about to get it
  EXPECT_EQ(flights.drop_last(), &flights[4]);
  EXPECT_EQ(flights.drop_last(), &flights[3]);
  EXPECT_EQ(flights.drop_last(), nullptr);
  EXPECT_TRUE(flights.has_held());
  flights.end_start(2);
  EXPECT_FALSE(flights.has_held());
  EXPECT_EQ(flights.count(), 2);
}

TEST(InFlight, TakesBackWhatTheBackendRefuses) {
  InFlight flights(backend::QueueId{1}, 7);
  accept(flights, 2);
  flights.begin_start(8);
  flights.give_up_start();
  flights.take_back(8);
  EXPECT_EQ(flights.last(), 7);
  EXPECT_EQ(flights.count(), 0);
  EXPECT_TRUE(flights.is_quiet());
}

// The places of a backend's queue cannot be moved, and need not be.
TEST(SerialRing, HoldsWhatCannotBeMoved) {
  struct Fixed {
    Fixed() = default;
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;
    int value = 0;
  };
  kit::SerialRing<Fixed> ring(4);
  ring[6].value = 1;
  EXPECT_EQ(ring[10].value, 1);
  EXPECT_EQ(ring[7].value, 0);
  EXPECT_EQ(ring.size(), 4U);
}

}  // namespace
}  // namespace pintle::core
