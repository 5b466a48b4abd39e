#include "base/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "pintle/log.h"
#include "pintle/must.h"
#include "unit/golden.h"

namespace pintle::base {
namespace {

using std::chrono::milliseconds;
using Environment = std::vector<std::string>;

std::string refusal(const std::string& setting) {
  const auto settings = parse_settings(Environment{setting});
  if (settings) return "accepted: " + setting;
  EXPECT_EQ(settings.error().code(), Errc::invalid_argument);
  return settings.error().text();
}

TEST(Settings, AnEmptyEnvironmentHasTheDefaults) {
  const Settings settings = must(parse_settings({}));
  EXPECT_EQ(settings.log, "");
  EXPECT_EQ(settings.timeout, std::chrono::seconds(30));
  EXPECT_EQ(settings.backend_path, "");
  EXPECT_EQ(settings.cpu_threads, 0u);
  EXPECT_EQ(settings.cc, "");
  EXPECT_FALSE(settings.warnings_are_errors);
  EXPECT_EQ(settings.slang, "");
  EXPECT_EQ(settings.cache_dir, "");
  EXPECT_EQ(settings.cache_limit, 256ull << 20);
  EXPECT_EQ(settings.rank, std::nullopt);
  EXPECT_EQ(settings.ranks, std::nullopt);
  EXPECT_EQ(settings.group_memory, std::nullopt);
  EXPECT_EQ(settings.mpi_plugin, "");
  EXPECT_EQ(settings.first_serial, 0u);
}

TEST(Settings, ReadsEveryVariable) {
  const Environment environment{"HOME=/",
                                "PINTLE_LOG=warn,cpu=debug",
                                "PINTLE_TIMEOUT_MS=1500",
                                "PINTLE_BACKEND_PATH=/opt/modules",
                                "PINTLE_CPU_THREADS=3",
                                "PINTLE_CC=/usr/bin/gcc",
                                "PINTLE_WERROR=1",
                                "PINTLE_CACHE_DIR=/var/cache/pintle",
                                "PINTLE_CACHE_MIB=7",
                                "PINTLE_RANK=0",
                                "PINTLE_RANKS=1024",
                                "PINTLE_GROUP_MEMORY=7",
                                "PINTLE_MPI_PLUGIN=/opt/libpintle_mpi.so",
                                "PINTLE_MPI_SHARED=0",
                                "PINTLE_FIRST_SERIAL=18446744073709551615"};
  const Settings settings = must(parse_settings(environment));
  EXPECT_EQ(settings.log, "warn,cpu=debug");
  EXPECT_EQ(settings.timeout, milliseconds(1500));
  EXPECT_EQ(settings.backend_path, "/opt/modules");
  EXPECT_EQ(settings.cpu_threads, 3u);
  EXPECT_EQ(settings.cc, "/usr/bin/gcc");
  EXPECT_TRUE(settings.warnings_are_errors);
  EXPECT_EQ(settings.cache_dir, "/var/cache/pintle");
  EXPECT_EQ(settings.cache_limit, 7ull << 20);
  EXPECT_EQ(settings.rank, 0u);
  EXPECT_EQ(settings.ranks, 1024u);
  EXPECT_EQ(settings.group_memory, 7u);
  EXPECT_EQ(settings.mpi_plugin, "/opt/libpintle_mpi.so");
  EXPECT_FALSE(settings.mpi_shared);
  EXPECT_EQ(settings.first_serial, 18446744073709551615ull);
}

TEST(Settings, TakesLimitsAndRefusesWhatIsBeyond) {
  for (const char* const text :
       {"PINTLE_TIMEOUT_MS=1", "PINTLE_TIMEOUT_MS=86400000", "PINTLE_CPU_THREADS=1024", "PINTLE_CACHE_MIB=1048576",
        "PINTLE_LOG=", "PINTLE_CACHE_DIR=", "PINTLE_BACKEND_PATH=", "PINTLE_CC=", "PINTLE_RANK=1023", "PINTLE_RANKS=1",
        "PINTLE_GROUP_MEMORY=2147483647", "PINTLE_MPI_PLUGIN=", "PINTLE_MPI_SHARED=1"}) {
    EXPECT_TRUE(parse_settings(Environment{text})) << text;
  }
}

TEST(Settings, RefusalsNameVariableValueAndValidOnes) {
  std::string all;
  for (const char* const text : {"PINTLE_LOG=loud",
                                 "PINTLE_TIMEOUT_MS=0",
                                 "PINTLE_TIMEOUT_MS=86400001",
                                 "PINTLE_TIMEOUT_MS=",
                                 "PINTLE_TIMEOUT_MS= 5",
                                 "PINTLE_TIMEOUT_MS=+5",
                                 "PINTLE_BACKEND_PATH=relative/folder",
                                 "PINTLE_CPU_THREADS=1025",
                                 "PINTLE_CPU_THREADS=-1",
                                 "PINTLE_CPU_THREADS=two",
                                 "PINTLE_CACHE_DIR=relative/folder",
                                 "PINTLE_CACHE_MIB=0",
                                 "PINTLE_CACHE_MIB=1.5",
                                 "PINTLE_RANK=1024",
                                 "PINTLE_RANK=",
                                 "PINTLE_RANKS=0",
                                 "PINTLE_RANKS=1025",
                                 "PINTLE_GROUP_MEMORY=-1",
                                 "PINTLE_GROUP_MEMORY=2147483648",
                                 "PINTLE_MPI_SHARED=2",
                                 "PINTLE_WERROR=yes",
                                 "PINTLE_FIRST_SERIAL=18446744073709551616"}) {
    all += (all.empty() ? "" : "\n") + refusal(text);
  }
  test::expect_golden("errors/settings", all);
}

TEST(Settings, TheFirstOfTwoValuesCounts) {
  EXPECT_EQ(must(parse_settings(Environment{"PINTLE_CPU_THREADS=2", "PINTLE_CPU_THREADS=5"})).cpu_threads, 2u);
}

TEST(Settings, NamesThatOnlyStartAlikeAreUnknown) {
  const Environment environment{"PINTLE_CPU_THREADS_MAX=9", "PINTLE_CC=gcc", "PINTLE_=1", "MY_PINTLE_LOG=x",
                                "PINTLE_BARE"};
  EXPECT_EQ(unknown_settings(environment), (Environment{"PINTLE_CPU_THREADS_MAX", "PINTLE_", "PINTLE_BARE"}));
  EXPECT_EQ(must(parse_settings(environment)).cpu_threads, 0u);
}

TEST(Settings, AnUnknownNameIsToldWhatItMayMean) {
  EXPECT_TRUE(words_on_unknown("PINTLE_THREADS").ends_with("Did you mean PINTLE_CPU_THREADS?"));
  EXPECT_TRUE(words_on_unknown("PINTLE_DEVCIE").ends_with("Did you mean PINTLE_DEVICE?"));
  EXPECT_TRUE(words_on_unknown("PINTLE_").ends_with("PINTLE_FIRST_SERIAL."));
  EXPECT_TRUE(
      words_on_unknown("PINTLE_XYZZY\n")
          .starts_with("Variable \"PINTLE_XYZZY\\x0a\" is unknown and does nothing; the known ones are PINTLE_LOG, "));
}

TEST(Settings, EveryRowIsDescribed) {
  const auto rows = setting_rows();
  EXPECT_EQ(rows.size(), 20u);
  for (const SettingRow& row : rows) {
    EXPECT_TRUE(row.name.starts_with("PINTLE_"));
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_FALSE(row.valid.empty());
    EXPECT_TRUE(row.source == "default" || row.source == "environment");
  }
}

/// The process reads its environment once, so each case runs in a process of its own.
class SettingsDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void print_row(std::string_view name) {
  const auto rows = setting_rows();
  const auto row = std::ranges::find(rows, name, &SettingRow::name);
  std::cerr << row->name << "|" << row->value << "|" << row->source << "\n";
}

TEST_F(SettingsDeathTest, ProcessSettingsComeFromItsEnvironment) {
  EXPECT_EXIT(
      {
        setenv("PINTLE_TIMEOUT_MS", "77", 1);
        print_row("PINTLE_TIMEOUT_MS");
        print_row("PINTLE_CACHE_MIB");
        std::exit(must(settings())->timeout == milliseconds(77) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "PINTLE_TIMEOUT_MS\\|77\\|environment\nPINTLE_CACHE_MIB\\|256\\|default");
}

TEST_F(SettingsDeathTest, ABadValueIsAnErrorAndShowsAsItIs) {
  EXPECT_EXIT(
      {
        setenv("PINTLE_TIMEOUT_MS", "soon", 1);
        print_row("PINTLE_TIMEOUT_MS");
        std::cerr << settings().error().text() << "\n";
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "PINTLE_TIMEOUT_MS\\|soon\\|environment\nValue \"soon\" of variable PINTLE_TIMEOUT_MS is not valid; it takes 1 "
      "to 86400000\\.");
}

TEST_F(SettingsDeathTest, AnUnknownNameIsAWarningOnce) {
  EXPECT_EXIT(
      {
        setenv("PINTLE_TIMEOUT", "5", 1);
        set_log_callback([](LogLevel level, std::string_view category, std::string_view message) {
          std::cerr << name(level) << " " << category << ": " << message << "\n";
        });
        const bool fine = settings().has_value() && settings().has_value();
        std::exit(fine ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "^warn settings: Variable \"PINTLE_TIMEOUT\" is unknown and does nothing\\. Did you mean "
      "PINTLE_TIMEOUT_MS\\?\n$");
}

}  // namespace
}  // namespace pintle::base
