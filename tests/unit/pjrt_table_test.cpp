// The table of a plug-in of PJRT, read from made-up interfaces: each has the bytes that its size says, and no more.
#include "vendor/pjrt/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "pintle/must.h"

namespace pintle::vendor::pjrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t functions_of_081 = 118;

/// A number that no other function has. Nothing is called.
constexpr std::uintptr_t address_of(std::size_t place) { return 0x1000 + 16 * place; }

template <class Function>
std::uintptr_t address(Function* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

template <class Value>
void put(std::vector<std::byte>& bytes, std::size_t offset, const Value& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// An interface with this many functions.
std::vector<std::byte> interface_of(std::size_t functions, int major = 0, int minor = 81) {
  std::vector<std::byte> bytes(sizeof(InterfaceHead) + functions * sizeof(void*));
  InterfaceHead head;
  head.head.size = bytes.size();
  head.version.major = major;
  head.version.minor = minor;
  put(bytes, 0, head);
  for (std::size_t place = 0; place < functions; ++place)
    put(bytes, sizeof head + place * sizeof(void*), address_of(place));
  return bytes;
}

std::vector<std::byte> without(Place place) {
  auto bytes = interface_of(functions_of_081);
  put(bytes, offset_of(place), std::uintptr_t{0});
  return bytes;
}

/// The first bytes of an interface, which says that it has no more.
std::vector<std::byte> cut_to(std::size_t size) {
  auto bytes = interface_of(functions_of_081);
  put(bytes, 0, size);
  bytes.resize(size);
  bytes.shrink_to_fit();
  return bytes;
}

pintle::Error refusal(const void* interface) { return Table::read(interface, "some.so").error(); }

// The places are numbers that every plug-in of major version 0 has.
TEST(PjrtTable, HasEachFunctionFromItsPlace) {
  const auto bytes = interface_of(functions_of_081);
  const auto table = must(Table::read(bytes.data(), "some.so"));
  EXPECT_EQ(table.major, 0);
  EXPECT_EQ(table.minor, 81);
  EXPECT_EQ(address(table.Error_Destroy), address_of(0));
  EXPECT_EQ(address(table.Event_OnReady), address_of(9));
  EXPECT_EQ(address(table.Client_BufferFromHostBuffer), address_of(22));
  EXPECT_EQ(address(table.Device_MemoryStats), address_of(34));
  EXPECT_EQ(address(table.LoadedExecutable_Execute), address_of(55));
  EXPECT_EQ(address(table.Buffer_ReadyEvent), address_of(72));
  EXPECT_EQ(address(table.Executable_OutputDimensions), address_of(91));
  EXPECT_EQ(address(table.Client_CreateUninitializedBuffer), address_of(112));
}

TEST(PjrtTable, PluginWithoutAnInterfaceIsNamed) {
  EXPECT_EQ(refusal(nullptr).code(), Errc::unavailable);
  EXPECT_EQ(refusal(nullptr).message(), "[Plug-in \"some.so\"] has no PJRT interface to give.");
}

TEST(PjrtTable, InterfaceWithoutAWholeVersionIsRefused) {
  for (const std::size_t size : {8u, 16u, 32u, 39u}) {
    const pintle::Error error = refusal(cut_to(size).data());
    EXPECT_EQ(error.code(), Errc::unavailable);
    EXPECT_EQ(error.message(),
              "Size (" + std::to_string(size) + ") of the PJRT interface of [Plug-in \"some.so\"] is less than (40).");
  }
}

TEST(PjrtTable, OtherMajorVersionIsRefusedByBothNumbers) {
  for (const int major : {1, -1}) {
    const pintle::Error error = refusal(interface_of(functions_of_081, major, 2).data());
    EXPECT_EQ(error.code(), Errc::unavailable);
    EXPECT_EQ(error.message(),
              "[Plug-in \"some.so\"] speaks version (" + std::to_string(major) + ".2) of PJRT; Pintle speaks (0).");
  }
}

// The functions of another version may lie elsewhere, so the refusal does not name one.
TEST(PjrtTable, VersionIsJudgedBeforeFunctions) {
  EXPECT_THAT(std::string(refusal(interface_of(0, 1, 2).data()).message()), HasSubstr("version (1.2)"));
}

TEST(PjrtTable, InterfaceThatEndsBeforeARequiredFunctionIsRefusedByIt) {
  const pintle::Error none = refusal(interface_of(0, 0, 7).data());
  EXPECT_EQ(none.code(), Errc::not_found);
  EXPECT_EQ(none.message(),
            "Function \"Error_Destroy\" is not in [Plug-in \"some.so\"], which speaks version (0.7) of PJRT.");
  EXPECT_THAT(std::string(refusal(interface_of(20, 0, 7).data()).message()), HasSubstr("\"Client_Compile\""));
}

TEST(PjrtTable, PointerThatIsHalfInsideIsNotRead) {
  const auto whole = offset_of(Place::Executable_OutputDimensions) + sizeof(void*);
  EXPECT_TRUE(Table::read(cut_to(whole).data(), "some.so"));
  for (const std::size_t missing : {1u, 4u, 7u, 8u})
    EXPECT_THAT(std::string(refusal(cut_to(whole - missing).data()).message()),
                HasSubstr("\"Executable_OutputDimensions\""));
}

TEST(PjrtTable, OlderPluginLacksOptionalFunctionsBehindItsEnd) {
  const auto bytes = cut_to(offset_of(Place::Executable_OutputDimensions) + sizeof(void*));
  const auto table = must(Table::read(bytes.data(), "some.so"));
  EXPECT_NE(table.Executable_OutputDimensions, nullptr);
  EXPECT_NE(table.Buffer_Delete, nullptr);
  EXPECT_EQ(table.Buffer_CopyRawToHost, nullptr);
  EXPECT_EQ(table.Client_CreateUninitializedBuffer, nullptr);
}

TEST(PjrtTable, NewerPluginIsReadAsFarAsItIsKnown) {
  const auto bytes = interface_of(functions_of_081 + 40, 0, 999);
  const auto table = must(Table::read(bytes.data(), "some.so"));
  EXPECT_EQ(table.minor, 999);
  EXPECT_EQ(address(table.Client_CreateUninitializedBuffer), address_of(112));
}

TEST(PjrtTable, RequiredFunctionThatIsNullIsNamed) {
#define REQUIRED(name, result, arguments)                                  \
  EXPECT_EQ(refusal(without(Place::name).data()).code(), Errc::not_found); \
  EXPECT_THAT(std::string(refusal(without(Place::name).data()).message()), \
              AllOf(HasSubstr("\"" #name "\""), HasSubstr("version (0.81)")));
#define OPTIONAL(name, result, arguments)
#define UNUSED(name)
#include "vendor/pjrt/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
#undef UNUSED
}

TEST(PjrtTable, OtherFunctionMayBeNull) {
#define REQUIRED(name, result, arguments)
#define OPTIONAL(name, result, arguments) \
  EXPECT_EQ(must(Table::read(without(Place::name).data(), "some.so")).name, nullptr) << #name;
#define UNUSED(name) EXPECT_TRUE(Table::read(without(Place::name).data(), "some.so")) << #name;
#include "vendor/pjrt/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
#undef UNUSED
}

TEST(PjrtTable, LibraryThatIsNotThereIsNamed) {
  const auto opened = Table::open("/nowhere/pjrt_plugin.so");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::unavailable);
  EXPECT_THAT(std::string(opened.error().message()), HasSubstr("/nowhere/pjrt_plugin.so"));
}

TEST(PjrtTable, LibraryThatIsNoPluginIsRefused) {
  const auto opened = Table::open("libm.so.6");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::not_found);
  EXPECT_THAT(std::string(opened.error().message()), AllOf(HasSubstr("GetPjrtApi"), HasSubstr("libm.so.6")));
}

// The sizes go to the plug-in, which compares them with its own.
TEST(PjrtDeclarations, SizeOfAStructEndsWithItsLastMember) {
  EXPECT_EQ(ErrorGetCode().head.size, 28u);
  EXPECT_EQ(EventIsReady().head.size, 25u);
  EXPECT_EQ(DeviceDescriptionId().head.size, 28u);
  EXPECT_EQ(DeviceMemoryStats().head.size, 185u);
  EXPECT_EQ(BufferElementType().head.size, 28u);
  EXPECT_EQ(ClientCreate().head.size, 88u);
  EXPECT_EQ(ExecuteOptions().head.size, 112u);
  EXPECT_EQ(LoadedExecutableExecute().head.size, 80u);
  EXPECT_EQ(ClientBufferFromHostBuffer().head.size, 120u);
  EXPECT_EQ(NamedValue().head.size, 56u);
}

TEST(PjrtDeclarations, TextsAndListsThatAreNotSetAreEmpty) {
  EXPECT_EQ(Text().view(), "");
  EXPECT_EQ(Text("abc").view(), "abc");
  EXPECT_TRUE(List<const int>().span().empty());
  constexpr int numbers[] = {1, 2};
  EXPECT_THAT(List<const int>(std::span(numbers)).span(), testing::ElementsAre(1, 2));
}

}  // namespace
}  // namespace pintle::vendor::pjrt
