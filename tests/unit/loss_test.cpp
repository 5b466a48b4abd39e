#include "kit/loss.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "kit/give_up.h"
#include "kit/guarded.h"
#include "kit/native_types.h"
#include "kit/owned_table.h"
#include "kit/shared_table.h"
#include "unit/seam_support.h"

namespace pintle::kit {
namespace {

struct Waiting final : Loss::Waits {
  void end_waits(const Error& cause) noexcept override { told += cause.message(); }
  std::string told;
};

TEST(Loss, KeepsTheFirstCauseAndTellsItOnce) {
  Loss loss("gpu:0");
  Waiting waiting, gone;
  loss.add(waiting);
  loss.add(gone);
  loss.remove(gone);
  EXPECT_TRUE(loss.check());
  const Error first = loss.lose(Error(Errc::internal, "It is odd.").with_vendor({"lib", -4, "ODD"}));
  EXPECT_EQ(first.code(), Errc::device_lost);
  EXPECT_EQ(first.message(), "[gpu:0] is given up: It is odd.");
  EXPECT_EQ(first.vendor()->number, -4);
  EXPECT_EQ(loss.lose(Error(Errc::device_lost, "Another.")).message(), first.message());
  EXPECT_EQ(loss.check().error().message(), first.message());
  EXPECT_EQ(waiting.told, first.message());
  EXPECT_EQ(gone.told, "");
}

TEST(Loss, AnErrorThatIsALossStaysAsItIs) {
  EXPECT_EQ(Loss("gpu:0").lose(Error(Errc::device_lost, "It fell off.")).message(), "It fell off.");
  EXPECT_EQ(Loss("gpu:0").lose(Error(Errc::process_poisoned, "All fell off.")).code(), Errc::process_poisoned);
}

/// Throws from each call.
class Throwing final : public Forwarding {
 public:
  Throwing() : Forwarding("throwing", test::open_null()) {}
  Result<backend::MemoryId> allocate(const backend::MemoryRequest&) override { throw std::bad_alloc(); }
};

TEST(Guarded, PassesNoExceptionAndAnswersTheLoss) {
  const auto loss = std::make_shared<Loss>("null");
  StepQueues queues;
  Guarded device(std::make_unique<Throwing>(), loss, queues);
  EXPECT_EQ(device.allocate({}).error().code(), Errc::out_of_memory);
  EXPECT_TRUE(device.create_queue({}));
  static_cast<void>(loss->lose(Error(Errc::device_lost, "It fell off.")));
  EXPECT_EQ(device.create_queue({}).error().message(), "It fell off.");
  EXPECT_EQ(device.probe().error().message(), "It fell off.");
}

TEST(Guarded, ADeviceThatIsGivenUpIsLostAndNeverDestroyed) {
  struct Mortal final : Forwarding {
    explicit Mortal(bool& gone) : Forwarding("mortal", test::open_null()), is_gone(gone) {}
    ~Mortal() override { is_gone = true; }
    bool& is_gone;
  };
  static bool is_gone = false;
  const auto loss = std::make_shared<Loss>("null");
  StepQueues queues;
  {
    Guarded device(std::make_unique<Mortal>(is_gone), loss, queues);
    GiveUp given_up{Error(Errc::device_lost, "It says nothing.")};
    must(device.native(GiveUp::native_type, 0, &given_up));
    EXPECT_TRUE(loss->is_given_up());
    EXPECT_EQ(device.create_queue({}).error().message(), "It says nothing.");
  }
  EXPECT_FALSE(is_gone);
}

/// Has the pages that were imported until a kernel has ended, and its release keeps its caller as long.
class Registering final : public Forwarding {
 public:
  explicit Registering(std::shared_future<void> ended)
      : Forwarding("registering", test::open_null()), ended_(std::move(ended)) {}
  Result<backend::MemoryId> import_memory(const backend::MemorySource&) override {
    if (has_pages_.exchange(true)) return Error(Errc::unsupported, "It has them.").with_vendor({"lib", 712, "HAS"});
    return backend::MemoryId{1};
  }
  void release(backend::MemoryId) noexcept override {
    ended_.wait();
    has_pages_.store(false);
  }

 private:
  const std::shared_future<void> ended_;
  std::atomic<bool> has_pages_{false};
};

TEST(GuardedConcurrency, PagesAreImportedAgainBehindTheirRelease) {
  std::promise<void> ended;
  StepQueues queues;
  Guarded device(std::make_unique<Registering>(ended.get_future().share()), std::make_shared<Loss>("null"), queues,
                 Driving::loads_wait, [](backend::MemoryId) noexcept { return true; });
  std::array<std::byte, 16> bytes{};
  const backend::MemorySource pages = std::span<std::byte>(bytes);
  const auto first = device.import_memory(pages);
  ASSERT_TRUE(first);
  EXPECT_EQ(device.import_memory(pages).error().vendor()->number, 712) << "nobody releases them";
  device.release(*first);  // at once, though the kernel runs
  std::optional<Result<backend::MemoryId>> again;
  std::thread importing([&] { again = device.import_memory(pages); });
  ended.set_value();
  importing.join();
  EXPECT_TRUE(*again);
}

enum class Id : std::uint64_t { none = 0 };

TEST(OwnedTable, FindsOnlyWhatLives) {
  OwnedTable<Id, int> table;
  const Id id = table.add(std::make_unique<int>(5));
  EXPECT_EQ(table.at(id), 5);
  EXPECT_EQ(table.find(id), &table.at(id));
  EXPECT_EQ(table.find(Id::none), nullptr);
  EXPECT_EQ(table.find(Id{7}), nullptr);
  int sum = 0;
  table.for_each([&](int value) { sum += value; });
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(*table.remove(id), 5);
  EXPECT_EQ(table.remove(id), nullptr);
  EXPECT_EQ(table.find(id), nullptr);
}

TEST(SharedTable, IdsAreNeverGivenAgain) {
  SharedTable<Id, int> table;
  const Id first = table.next_id();
  table.add(first, std::make_shared<int>(1));
  const auto held = table.find(first);
  EXPECT_EQ(table.remove(first), held);
  EXPECT_EQ(table.remove(first), nullptr);
  const Id second = table.next_id();
  EXPECT_NE(second, first);
  table.add(second, std::make_shared<int>(2));
  const auto value = [](int& it) -> Result<int> { return it; };
  EXPECT_EQ(must(table.with(second, value)), 2);
  EXPECT_EQ(table.with(first, value).error().code(), Errc::internal);
  EXPECT_EQ(table.all().size(), 1u);
  table.clear();
  EXPECT_TRUE(table.all().empty());
}

struct Whole {
  static constexpr std::string_view native_type = "whole";
  int value = 0;
};
struct Part {
  static constexpr std::string_view native_type = "part";
  int value = 0;
};

Result<void> ask(std::string_view type, std::uint64_t object, void* out) {
  const auto part_of = [](std::uint64_t id) -> Result<std::optional<Part>> {
    if (id == 9) return Error(Errc::internal, "It broke.");
    return id == 8 ? std::optional(Part{80}) : std::nullopt;
  };
  return answer_native({type, object, out}, "fake", native_device(Whole{5}), native_type<Part>("a part", part_of));
}

TEST(NativeTypes, GoWithTheirKindOfObject) {
  Whole whole;
  must(ask("whole", 0, &whole));
  EXPECT_EQ(whole.value, 5);
  Part part;
  must(ask("part", 8, &part));
  EXPECT_EQ(part.value, 80);
  EXPECT_EQ(ask("whole", 8, &whole).error().message(),
            "Native type \"whole\" is that of the device, and the object is of another kind.");
  EXPECT_EQ(ask("part", 0, &part).error().code(), Errc::invalid_argument);
  EXPECT_EQ(ask("part", 9, &part).error().message(), "It broke.");
  EXPECT_EQ(ask("other", 0, nullptr).error().message(),
            "Native type \"other\" is none of the fake backend's (whole, part).");
}

}  // namespace
}  // namespace pintle::kit
