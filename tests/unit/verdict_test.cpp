// When core asks a device whether a submission has failed.
#include "kit/verdict.h"

#include <gtest/gtest.h>

#include <atomic>

#include "kit/forwarding.h"
#include "null_support.h"

namespace pintle::test {
namespace {

/// Answers the question, and may say that nothing has failed.
class Telling final : public kit::Forwarding {
 public:
  explicit Telling(const std::atomic<bool>* any_failed) : Forwarding("telling", open_null()), any_failed_(any_failed) {}
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override {
    if (type != kit::Verdict::native_type) return Forwarding::native(type, object, out);
    static_cast<kit::Verdict*>(out)->any_failed = any_failed_;
    return {};
  }

 private:
  const std::atomic<bool>* const any_failed_;
};

TEST(Verdicts, OfADeviceThatTellsNone) { EXPECT_FALSE(kit::Verdicts(*open_null()).may_be_told()); }

TEST(Verdicts, MayAlwaysBeToldWhereTheDeviceSaysNoMore) {
  Telling device(nullptr);
  EXPECT_TRUE(kit::Verdicts(device).may_be_told());
}

TEST(Verdicts, AreAskedForOnceASubmissionHasFailed) {
  std::atomic<bool> any_failed{false};
  Telling device(&any_failed);
  const kit::Verdicts verdicts(device);
  EXPECT_FALSE(verdicts.may_be_told());
  any_failed = true;
  EXPECT_TRUE(verdicts.may_be_told());
}

}  // namespace
}  // namespace pintle::test
