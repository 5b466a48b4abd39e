#include "budgets/hot_path.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "pintle/native/cpu.h"

namespace budgets {
namespace {

using namespace pintle;

void add_one(const pintle_group*, void* const* arguments) { ++*static_cast<std::uint32_t*>(arguments[0]); }

Kernel load(const Device& device) {
  must(cpu::register_kernel("budget_add_one", add_one));
  const auto pack = must(ProgramPack::source("native", "", {"budget_add_one(x: read_write u32[], n: u32)"}, "budget"));
  return must(device.load(pack, "budget_add_one"));
}

}  // namespace

HotPath::HotPath(Kind kind)
    : kind_(kind),
      device_(must(open("cpu"))),
      queue_(must(device_.create_queue())),
      kernel_(load(device_)),
      pool_(must(Pool::create(device_))),
      buffer_(must(device_.allocate(DType::u32, {64}))),
      recording_(must(device_.record(CommandList{}.exec(kernel_, Grid{1}, buffer_, Slot{0})))),
      ranks_(must(Group::threads(2))) {
  if (kind_ == Kind::round_trip) warm_up();
  occupy();
  for (int i = 0; i < warm_up_rounds * measured; ++i) {
    prepare();
    submit_one();
    if (i % measured == measured - 1) settle();
  }
}

HotPath::~HotPath() { release(); }

// Not counted: a worker runs a kernel that nobody knows, while this thread spins.
void HotPath::warm_up() {
  for (int i = 0; i < measured; ++i) must(queue_.submit_and_wait(CommandList{}.exec(kernel_, Grid{1}, buffer_, 1u)));
}

void HotPath::occupy() {
  if (kind_ == Kind::round_trip) return;
  busy_ = released_ = false;
  must(queue_.submit(CommandList{}.call([this] {
    busy_ = true;
    while (!released_.load()) std::this_thread::yield();
  })));
  while (!busy_.load()) std::this_thread::yield();
}

void HotPath::release() {
  released_ = true;
  must(queue_.last().wait());
}

void HotPath::settle() {
  release();
  occupy();
}

void HotPath::prepare() {
  if (kind_ == Kind::list || kind_ == Kind::round_trip) list_ = CommandList{}.exec(kernel_, Grid{1}, buffer_, 1u);
}

void HotPath::submit() { submit_one(); }

void HotPath::submit_one() {
  if (kind_ == Kind::list) must(queue_.submit(std::move(list_)));
  else if (kind_ == Kind::round_trip) must(must(queue_.submit(std::move(list_))).wait());
  else if (kind_ == Kind::recording) must(queue_.replay(recording_, {1u}));
  else if (kind_ == Kind::pool) must(queue_.allocate(pool_, DType::u32, {1024}));  // and it goes back
  else collect();
}

void HotPath::collect() {
  std::array<float, 2> first{1, 2}, second{};
  for (Group& rank : ranks_) must(rank.run(Collective::broadcast(rank.rank() == 0 ? first : second, 0)));
  for (Group& rank : ranks_)
    must(rank.run(Collective::reduce(second, rank.rank() == 0 ? first : second, ReduceOp::sum, 1)));
  if (second != std::array<float, 2>{2, 4}) std::abort();
}

Kind parse_kind(std::string_view text) {
  if (text == "list") return Kind::list;
  if (text == "recording") return Kind::recording;
  if (text == "pool") return Kind::pool;
  if (text == "collective") return Kind::collective;
  if (text == "round_trip") return Kind::round_trip;
  std::fprintf(stderr, "usage: PROGRAM list|recording|pool|collective|round_trip\n");
  std::exit(2);
}

}  // namespace budgets
