// Modules as the registry opens them: one that can be used, and each way of not fitting.
#include "registry/modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/temporary_folder.h"
#include "pintle/backend/module.h"
#include "pintle/must.h"
#include "registry/catalog.h"

namespace pintle::registry {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::filesystem::path modules = MODULES;

Absence absence_of(const ModuleFile& file) {
  backend::Driver* const driver = load_module(file);
  const backend::Enumeration found = driver->enumerate();
  EXPECT_TRUE(found.devices.empty());
  EXPECT_EQ(found.absences.size(), 1u);
  const auto opened = driver->open(0, {});
  EXPECT_TRUE(!opened && opened.error().code() == Errc::unavailable);
  return found.absences.empty() ? Absence() : found.absences.front();
}

Absence absence_of(const std::string& name) {
  return absence_of(ModuleFile{modules / "wrong" / ("libpintle_backend_" + name + ".so"), name});
}

TEST(Modules, AFolderHasThemByName) {
  std::string names;
  for (const ModuleFile& file : module_files(modules / "wrong")) names += file.name + " ";
  EXPECT_EQ(names, "empty foreign larger misnamed mute nameless newer powerless renamed silent throwing ");
  EXPECT_TRUE(module_files(modules / "nowhere").empty());
}

TEST(Modules, OneThatFitsIsADriver) {
  backend::Driver* const driver = load_module({modules / "right/libpintle_backend_twin.so", "twin"});
  EXPECT_EQ(driver->name(), "twin");
  EXPECT_EQ(driver->enumerate().devices.size(), 1u);
  const auto device = driver->open(0, {});
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->info().backend, "twin");
  EXPECT_TRUE((*device)->allocate({64, 1, Placement::device, {}}));
}

TEST(Modules, ErrorsCrossBothWays) {
  backend::Driver* const driver = load_module({modules / "right/libpintle_backend_twin.so", "twin"});
  const backend::Option option{"colour", "red"};
  Error error(Errc::internal, "nothing");
  {
    const auto refused = driver->open(0, {&option, 1});
    ASSERT_FALSE(refused);
    error = refused.error().during("asking a module");
  }
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_THAT(error.text(), AllOf(HasSubstr("colour"), HasSubstr("asking a module")));
}

TEST(Modules, TheirLogIsTheLibrarys) {
  std::string heard;
  set_log_callback([&](LogLevel, std::string_view category, std::string_view message) {
    heard += std::string(category) + ": " + std::string(message) + "\n";
  });
  const auto device = load_module({modules / "right/libpintle_backend_twin.so", "twin"})->open(0, {});
  set_log_callback({});
  EXPECT_THAT(heard, HasSubstr("twin: The module opens a device.\n"));
}

TEST(Modules, AnotherVersionIsRefusedByName) {
  const Absence absence = absence_of("newer");
  EXPECT_EQ(absence.backend, "newer");
  EXPECT_THAT(absence.reason,
              AllOf(HasSubstr("libpintle_backend_newer.so"),
                    HasSubstr("version (" + std::to_string(backend::seam_version + 1) + ") of the seam"),
                    HasSubstr("has version (" + std::to_string(backend::seam_version) + ")")));
  EXPECT_THAT(absence.next_step, HasSubstr("Build the module"));
}

TEST(Modules, WhateverDoesNotFitSaysWhy) {
  EXPECT_THAT(absence_of("larger").reason, HasSubstr("bytes; this library needs"));
  EXPECT_THAT(absence_of("foreign").reason, HasSubstr("another compiler, standard library or version of the headers"));
  EXPECT_THAT(absence_of("renamed").reason, HasSubstr("the backend \"other\""));
  EXPECT_THAT(absence_of("nameless").reason, HasSubstr("the backend \"\""));
  EXPECT_THAT(absence_of("powerless").reason, HasSubstr("no function that makes its driver"));
  EXPECT_THAT(absence_of("empty").reason, HasSubstr("makes no driver"));
  EXPECT_THAT(absence_of("misnamed").reason, HasSubstr("makes a driver that is called \"somebody\""));
  EXPECT_THAT(absence_of("mute").reason, HasSubstr("says nothing of itself"));
  EXPECT_THAT(absence_of("throwing").reason, HasSubstr("The module throws."));
}

TEST(Modules, ALibraryWithoutTheSymbolIsNamed) {
  const Absence absence = absence_of("silent");
  EXPECT_THAT(absence.reason, AllOf(HasSubstr("pintle_backend_module"), HasSubstr("libpintle_backend_silent.so")));
  EXPECT_THAT(absence.next_step, HasSubstr("PINTLE_BACKEND_PATH"));
}

TEST(Modules, AFileThatIsNoLibraryIsNamed) {
  const base::TemporaryFolder folder = must(base::TemporaryFolder::create());
  const std::filesystem::path path = folder / "libpintle_backend_text.so";
  std::ofstream(path) << "no library";
  EXPECT_THAT(absence_of({path, "text"}).reason, HasSubstr("libpintle_backend_text.so"));
  EXPECT_THAT(absence_of({folder / "libpintle_backend_gone.so", "gone"}).reason, HasSubstr("cannot be opened"));
}

TEST(Modules, ANameThatNoIdCanHaveIsRefused) {
  const base::TemporaryFolder folder = must(base::TemporaryFolder::create());
  std::ofstream(folder / "libpintle_backend_.so") << "";
  std::ofstream(folder / "libpintle_backend_Big.so") << "";
  std::ofstream(folder / "libother.so") << "";
  const auto drivers = load_modules(folder / "", [](std::string_view) { return true; });
  ASSERT_EQ(drivers.size(), 1u);
  EXPECT_EQ(drivers[0]->name(), "libpintle_backend_Big.so");
  EXPECT_THAT(drivers[0]->enumerate().absences.at(0).reason, HasSubstr("which no device id can have"));
}

TEST(Modules, AFolderThatCannotBeReadIsAnAbsence) {
  const auto drivers = load_modules(modules / "nowhere", [](std::string_view) { return true; });
  ASSERT_EQ(drivers.size(), 1u);
  const Absence absence = drivers[0]->enumerate().absences.at(0);
  EXPECT_THAT(absence.reason, AllOf(HasSubstr("PINTLE_BACKEND_PATH"), HasSubstr("nowhere")));
  EXPECT_TRUE(load_modules({}, [](std::string_view) { return true; }).empty());
}

TEST(Modules, OnlyThoseThatAreWantedAreOpened) {
  const auto drivers = load_modules(modules / "wrong", [](std::string_view name) { return name == "newer"; });
  ASSERT_EQ(drivers.size(), 1u);
  EXPECT_EQ(drivers[0]->name(), "newer");
}

TEST(Modules, TheCatalogExplainsThemLikeAnyBackend) {
  auto drivers = load_modules(modules / "right", [](std::string_view) { return true; });
  drivers.push_back(load_module({modules / "wrong/libpintle_backend_newer.so", "newer"}));
  const Catalog catalog(drivers, {});
  const auto listed = catalog.list();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->devices.size(), 1u);
  EXPECT_EQ(listed->devices[0].id, "twin");
  ASSERT_EQ(listed->absences.size(), 1u);
  EXPECT_EQ(listed->absences[0].backend, "newer");
  const auto newer = catalog.find("newer");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code(), Errc::unavailable);
  EXPECT_THAT(newer.error().text(), HasSubstr("of the seam"));
}

}  // namespace
}  // namespace pintle::registry
