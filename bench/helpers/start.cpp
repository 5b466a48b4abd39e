// What start measures: opens the device that is named, runs one list of an empty kernel, ends.
#include <utility>

#include "bench/rig.h"

namespace {

pintle::Result<void> run(const char* device) {
  PINTLE_ASSIGN(rig, pintle::bench::Rig::open(device));
  pintle::CommandList list;
  list.exec(rig.nothing, pintle::Grid{1, 1, 1});
  return rig.queue.submit_and_wait(std::move(list));
}

}  // namespace

int main(int count, char** arguments) { return count == 2 && run(arguments[1]) ? 0 : 1; }
