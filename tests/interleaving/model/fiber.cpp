#include "interleaving/model/fiber.h"

#include <cstdint>

// Weak, so that the same source serves with and without AddressSanitizer.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_bottom, std::size_t* old_size);
}

namespace pintle::interleaving {
namespace {

Fiber* previous = nullptr;  // the one that was left last; the model runs on one thread

}  // namespace

Fiber::Fiber(void (*body)(void*), void* argument)
    : stack_(new std::byte[stack_size]), body_(body), argument_(argument), bottom_(stack_.get()), size_(stack_size) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = stack_size;
  const auto address = reinterpret_cast<std::uintptr_t>(this);  // makecontext passes nothing wider than an int
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(address),
              static_cast<unsigned>(std::uint64_t{address} >> 32));
}

void Fiber::enter(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low));
  self->arrived();
  for (;;) self->body_(self->argument_);
}

void Fiber::arrived() {
  if (__sanitizer_finish_switch_fiber == nullptr) return;
  __sanitizer_finish_switch_fiber(fake_stack_, &previous->bottom_, &previous->size_);
}

void Fiber::go(Fiber& from, Fiber& to) {
  previous = &from;
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.bottom_, to.size_);
  }
  swapcontext(&from.context_, &to.context_);
  from.arrived();
}

}  // namespace pintle::interleaving
