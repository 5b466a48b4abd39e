// The cache's locks in forked children, which share whatever their parent has open.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "kit/code_cache.h"
#include "scratch_folder.h"

namespace pintle::kit {
namespace {

/// A forked child that lives until it is told to end.
class Child {
 public:
  Child() {
    EXPECT_EQ(::pipe(ends_.data()), 0);
    number_ = ::fork();
    if (number_ != 0) return;
    ::close(ends_[1]);
    char byte = 0;
    static_cast<void>(!::read(ends_[0], &byte, 1));
    ::_exit(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::close(ends_[1]);
    ::close(ends_[0]);
    EXPECT_EQ(::waitpid(number_, nullptr, 0), number_);
  }
  [[nodiscard]] bool is_alive() const { return ::waitpid(number_, nullptr, WNOHANG) == 0; }

 private:
  std::array<int, 2> ends_{};
  pid_t number_ = 0;
};

/// Compiles one program, which runs `during` while it has the lock.
void compile(const std::filesystem::path& folder, const std::function<void()>& during) {
  const CodeCache cache(folder, 1 << 20);
  const auto made = cache.obtain(base::sha256({}), ".so", [&]() -> Result<std::vector<std::byte>> {
    during();
    return std::vector<std::byte>(8);
  });
  EXPECT_TRUE(made);
}

/// Whether another process could take every lock of the folder.
bool is_free(const std::filesystem::path& folder) {
  int locks = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("lock-")) continue;
    ++locks;
    const int file = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
    const bool is_taken = ::flock(file, LOCK_EX | LOCK_NB) != 0;
    ::close(file);
    if (is_taken) return false;
  }
  EXPECT_EQ(locks, 1);
  return true;
}

TEST(CodeCacheFork, AChildThatLivesOnDoesNotKeepTheLock) {
  const test::ScratchFolder folder;
  std::optional<Child> child;
  compile(folder.path(), [&] {
    EXPECT_FALSE(is_free(folder.path()));
    child.emplace();
    EXPECT_FALSE(is_free(folder.path())) << "a child that closes the file leaves the lock to its parent";
  });
  EXPECT_TRUE(child->is_alive());
  EXPECT_TRUE(is_free(folder.path()));
}

TEST(CodeCacheFork, AChildOfAnotherThreadDoesNotKeepTheLock) {
  const test::ScratchFolder folder;
  std::optional<Child> child;
  compile(folder.path(), [&] { std::thread([&] { child.emplace(); }).join(); });
  EXPECT_TRUE(child->is_alive());
  EXPECT_TRUE(is_free(folder.path()));
}

TEST(CodeCacheFork, AChildDoesNotKeepTheLockOfAParentThatWasKilled) {
  const test::ScratchFolder folder;
  std::array<int, 2> life{}, begun{};
  ASSERT_EQ(::pipe(life.data()), 0);  // the grandchild lives as long as this process keeps the end for writing
  ASSERT_EQ(::pipe(begun.data()), 0);
  char byte = 0;
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::close(life[1]);
    compile(folder.path(), [&] {
      if (::fork() != 0) ::raise(SIGKILL);
      static_cast<void>(!::write(begun[1], &byte, 1));
      static_cast<void>(!::read(life[0], &byte, 1));
      ::_exit(0);
    });
  }
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  ASSERT_EQ(::read(begun[0], &byte, 1), 1);
  EXPECT_TRUE(is_free(folder.path()));
  for (const int end : {life[1], life[0], begun[1], begun[0]}) ::close(end);
}

TEST(CodeCacheFork, AChildMayCompileWhileItsParentDoes) {
  const test::ScratchFolder folder, other;
  compile(folder.path(), [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      compile(other.path(), [] {});
      ::_exit(is_free(other.path()) ? 7 : 8);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
  });
  EXPECT_TRUE(is_free(folder.path()));
}

}  // namespace
}  // namespace pintle::kit
