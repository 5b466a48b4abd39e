// The end of a chain of queues, each held behind the one before: chains.py counts its instructions.
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "pintle/pintle.h"

namespace {

using namespace pintle;

struct Chain {
  std::optional<Device> device;
  Signal first = must(Signal::create());
  std::vector<Queue> queues;
};

[[gnu::noinline]] void end_of_chain(Chain& chain, std::string_view how) {
  if (how == "fail") must(chain.first.fail(Error(Errc::cancelled, "The caller gives up.")));
  else chain.queues.clear();
  if (how == "close") chain.device.reset();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  Chain chain;
  chain.device = must(open(arguments[1]));
  Point last = chain.first.at(1);
  for (int i = std::atoi(arguments[2]); i > 0; --i) {
    chain.queues.push_back(must(chain.device->create_queue()));
    last = must(chain.queues.back().submit(CommandList{}, {.after = {last}}));
  }
  end_of_chain(chain, arguments[3]);
}
