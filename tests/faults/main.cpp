// faults DEVICE FAULT: README.md.
#include <cstdio>
#include <string_view>

#include "faults/faults.h"

namespace {

struct Fault {
  std::string_view name;
  int (*run)(const pintle::Device& device);
};

constexpr Fault all[] = {
    {"bad_store", &faults::bad_store}, {"endless", &faults::endless}, {"out_of_memory", &faults::out_of_memory}};

}  // namespace

int main(int count, char** arguments) {
  if (count == 3) {
    for (const Fault& fault : all) {
      if (fault.name == arguments[2]) return fault.run(faults::value(pintle::open(arguments[1])));
    }
  }
  std::fprintf(stderr, "usage: faults DEVICE bad_store|endless|out_of_memory\n");
  return 2;
}
