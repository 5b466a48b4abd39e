// The vectors of FIPS 180 (appendix B of 180-2, and NIST's example of a million letters).
#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/file.h"

namespace pintle::base {
namespace {

std::string hash(std::string_view text) { return hex(sha256(bytes_in(text))); }

TEST(Hash, OfNothing) { EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"); }

TEST(Hash, OfOneBlock) { EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); }

TEST(Hash, OfTwoBlocks) {
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Hash, OfAMillionLetters) {
  EXPECT_EQ(hash(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hash, OfOneByteMoreOrLessDiffers) {
  EXPECT_NE(hash(std::string(64, '\0')), hash(std::string(65, '\0')));
  EXPECT_NE(hash(std::string(64, '\0')), hash(std::string(63, '\0')));
}

}  // namespace
}  // namespace pintle::base
