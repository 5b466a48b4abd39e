// The end of a chain of queues, each held behind the one before, that all write one buffer: chains.py counts its
// instructions. The buffer's handle goes first, except for `exit`.
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
  std::optional<Buffer> shared;
};

[[gnu::noinline]] void end_of_chain(Chain& chain, std::string_view how) {
  if (how == "fail") must(chain.first.fail(Error(Errc::cancelled, "The caller gives up.")));
  else chain.queues.clear();
  chain.shared.reset();
  if (how == "close" || how == "exit") chain.device.reset();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  Chain chain;
  chain.device = must(open(arguments[1]));
  chain.shared = must(chain.device->allocate(DType::u32, {64}));
  Point last = chain.first.at(1);
  for (int i = std::atoi(arguments[2]); i > 0; --i) {
    chain.queues.push_back(must(chain.device->create_queue()));
    last = must(chain.queues.back().submit(CommandList{}.fill(*chain.shared, 1U), {.after = {last}}));
  }
  if (std::string_view(arguments[3]) != "exit") chain.shared.reset();
  end_of_chain(chain, arguments[3]);
}
