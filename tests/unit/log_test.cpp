#include "base/log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/log_filter.h"

namespace pintle {
namespace {

using base::LogFilter;

/// Collects what is said and makes the log silent again at its end.
class Listener {
 public:
  explicit Listener(LogLevel most_verbose = LogLevel::warn) {
    set_log_callback(
        [this](LogLevel level, std::string_view category, std::string_view message) {
          lines.push_back(std::string(name(level)) + " " + std::string(category) + " " + std::string(message));
        },
        most_verbose);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { set_log_callback({}); }

  std::vector<std::string> lines;
};

TEST(LogLevel, NamesReadBack) {
  for (const LogLevel level : {LogLevel::error, LogLevel::warn, LogLevel::info, LogLevel::debug}) {
    EXPECT_EQ(parse_log_level(name(level)), level);
  }
  EXPECT_EQ(parse_log_level("warning"), std::nullopt);
  EXPECT_EQ(name(static_cast<LogLevel>(9)), "unknown");
}

TEST(LogFilter, ReadsLevelsAndCategories) {
  const auto filter = LogFilter::parse("warn,cpu=debug,cache=error");
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->admits(LogLevel::warn, "core"));
  EXPECT_FALSE(filter->admits(LogLevel::info, "core"));
  EXPECT_TRUE(filter->admits(LogLevel::debug, "cpu"));
  EXPECT_FALSE(filter->admits(LogLevel::warn, "cache"));
  EXPECT_EQ(filter->loudest(), base::verbosity_of(LogLevel::debug));
}

TEST(LogFilter, WithoutALevelOnlyCategoriesSpeak) {
  const auto filter = LogFilter::parse("cpu=info");
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->admits(LogLevel::error, "core"));
  EXPECT_TRUE(filter->admits(LogLevel::info, "cpu"));
  EXPECT_EQ(LogFilter::parse("")->loudest(), 0);
}

TEST(LogFilter, RefusesWhatIsNotValid) {
  for (const char* const text :
       {"loud", "warn,", ",warn", "warn,info", "cpu=", "=warn", "cpu=warn,cpu=info", "WARN", "warn cpu=info"}) {
    EXPECT_FALSE(LogFilter::parse(text)) << text;
  }
}

TEST(Log, IsSilentWithoutACallback) {
  unsetenv("PINTLE_LOG");
  set_log_callback({});
  EXPECT_FALSE(base::log_enabled(LogLevel::error));
}

TEST(Log, HearsItsLevelsOnly) {
  Listener listener(LogLevel::info);
  EXPECT_TRUE(base::log_enabled(LogLevel::info));
  EXPECT_FALSE(base::log_enabled(LogLevel::debug));
  base::log(LogLevel::info, "core", "Device ({}) opens.", "cpu");
  base::log(LogLevel::debug, "core", "Not heard ({}).", 1);
  base::log_message(LogLevel::debug, "core", "Not heard either.");
  EXPECT_EQ(listener.lines, std::vector<std::string>{"info core Device (cpu) opens."});
}

TEST(Log, WarnsByDefaultAndStopsWithTheCallback) {
  {
    Listener listener;
    base::log_message(LogLevel::warn, "core", "Heard.");
    base::log_message(LogLevel::info, "core", "Not heard.");
    EXPECT_EQ(listener.lines.size(), 1u);
  }
  base::log_message(LogLevel::error, "core", "Nobody hears this.");
  EXPECT_FALSE(base::log_enabled(LogLevel::error));
}

TEST(Log, SurvivesACallbackThatThrowsOrLogs) {
  int calls = 0;
  set_log_callback([&](LogLevel, std::string_view, std::string_view) {
    ++calls;
    base::log_message(LogLevel::error, "core", "From inside.");
    throw std::runtime_error("from a callback");
  });
  base::log_message(LogLevel::error, "core", "One.");
  base::log_message(LogLevel::error, "core", "Two.");
  set_log_callback({});
  EXPECT_EQ(calls, 2);
}

TEST(LogConcurrency, CallsTheCallbackOneAtATime) {
  constexpr std::size_t rounds = 200;
  Listener listener;
  std::vector<std::jthread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([] {
      for (std::size_t round = 0; round < rounds; ++round) base::log(LogLevel::warn, "core", "Round {}.", round);
    });
  }
  threads.clear();
  EXPECT_EQ(listener.lines.size(), 4 * rounds);
}

/// The environment decides once in a process, so each case runs in one of its own.
class LogDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void speak() {
  base::log_message(LogLevel::warn, "core", "A general warning.");
  base::log_message(LogLevel::debug, "core", "A general detail.");
  base::log_message(LogLevel::debug, "cpu", "A detail of the cpu.");
  std::exit(0);
}

TEST_F(LogDeathTest, TheEnvironmentSendsItToStandardError) {
  EXPECT_EXIT(
      {
        setenv("PINTLE_LOG", "warn,cpu=debug", 1);
        speak();
      },
      testing::ExitedWithCode(0),
      "^pintle warn \\[core\\] A general warning\\.\npintle debug \\[cpu\\] A detail of the cpu\\.\n$");
}

TEST_F(LogDeathTest, ABadValueIsSilent) {
  EXPECT_EXIT(
      {
        setenv("PINTLE_LOG", "loud", 1);
        speak();
      },
      testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace pintle
