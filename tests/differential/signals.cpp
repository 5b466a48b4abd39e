#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "surroundings.h"

namespace pintle::differential {
namespace {

void send_to_all(pid_t sender) {
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return;
  while (const dirent* const entry = readdir(folder)) {
    const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
    if (thread > 0 && thread != sender) syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
  }
  closedir(folder);
}

}  // namespace

struct Signals::Sender {
  std::atomic<bool> ends{false};
  std::thread thread{};
};

Signals::Signals() : sender_(new Sender) {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);  // without SA_RESTART
  sender_->thread = std::thread([sender = sender_] {
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    while (!sender->ends) {
      send_to_all(self);
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
}

Signals::~Signals() {
  sender_->ends = true;
  sender_->thread.join();
  delete sender_;
}

}  // namespace pintle::differential
