#include "budgets/c_path.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "pintle/native/cpu_kernel.h"

namespace budgets {
namespace {

void ok(pintle_status status, const pintle_error& error) {
  if (status == PINTLE_OK) return;
  std::fprintf(stderr, "%s\n", error.text);
  std::exit(2);
}

void add_one(const pintle_group*, void* const* arguments) { ++*static_cast<std::uint32_t*>(arguments[0]); }

}  // namespace

CPath::CPath(bool is_recording) : is_recording_(is_recording) {
  const char* const signature = "budget_add_one(x: read_write u32[], n: u32)";
  const std::uint64_t dims = 64;
  pintle_pack pack;
  one_.size = sizeof one_;
  one_.kind = PINTLE_ARGUMENT_SCALAR;
  one_.dtype = PINTLE_U32;
  one_.value.u = 1;
  done_.size = sizeof done_;
  ok(pintle_cpu_register_kernel("budget_add_one", add_one, &error_), error_);
  ok(pintle_device_open("cpu", &device_, &error_), error_);
  ok(pintle_queue_create(device_, nullptr, &queue_, &error_), error_);
  ok(pintle_pack_source("native", "", 0, &signature, 1, &pack, &error_), error_);
  ok(pintle_kernel_load(device_, pack, "budget_add_one", &kernel_, &error_), error_);
  ok(pintle_buffer_allocate(device_, PINTLE_U32, 1, &dims, nullptr, &buffer_, &error_), error_);
  pintle_argument slot{};
  slot.size = sizeof slot;
  slot.kind = PINTLE_ARGUMENT_SLOT;
  ok(pintle_recording_create(device_, launch(slot), &recording_, &error_), error_);
  occupy();
  for (int i = 0; i < warm_up_rounds * measured; ++i) {
    prepare();
    submit_one();
    if (i % measured != measured - 1) continue;
    let_go();
    occupy();
  }
}

pintle_list CPath::launch(const pintle_argument& number) {
  pintle_argument arguments[2] = {number, number};
  arguments[0].kind = PINTLE_ARGUMENT_BUFFER;
  arguments[0].dtype = 0;
  arguments[0].buffer = buffer_;
  pintle_extent one_group{};
  one_group.size = sizeof one_group;
  one_group.is_groups = 1;
  one_group.x = 1;
  pintle_list list;
  ok(pintle_list_create(&list, &error_), error_);
  ok(pintle_list_launch(list, kernel_, &one_group, arguments, 2, &error_), error_);
  return list;
}

// The worker stays awake: it is inside a host call that ends with the measurement.
void CPath::occupy() {
  busy_ = released_ = false;
  const auto wait_inside = [](void* data) {
    auto& self = *static_cast<CPath*>(data);
    self.busy_ = true;
    while (!self.released_.load()) std::this_thread::yield();
  };
  pintle_list list;
  ok(pintle_list_create(&list, &error_), error_);
  ok(pintle_list_call(list, wait_inside, this, &error_), error_);
  ok(pintle_queue_submit(queue_, list, nullptr, &done_, &error_), error_);
  while (!busy_.load()) std::this_thread::yield();
}

void CPath::let_go() {
  released_ = true;
  ok(pintle_queue_last(queue_, &done_, &error_), error_);
  ok(pintle_point_wait(&done_, PINTLE_TIMEOUT_DEFAULT, &error_), error_);
}

void CPath::prepare() {
  if (!is_recording_) list_ = launch(one_);
}

void CPath::submit() { submit_one(); }

void CPath::submit_one() {
  if (is_recording_) ok(pintle_queue_replay(queue_, recording_, &one_, 1, nullptr, &done_, &error_), error_);
  else ok(pintle_queue_submit(queue_, list_, nullptr, &done_, &error_), error_);
}

bool is_recording(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "recording") == 0) return true;
  if (count == 2 && std::strcmp(arguments[1], "list") == 0) return false;
  std::fprintf(stderr, "usage: PROGRAM list|recording\n");
  std::exit(2);
}

}  // namespace budgets
