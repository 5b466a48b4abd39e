# The suite under GoogleTest: one test for each case and device.
find_package(GTest REQUIRED)
include(GoogleTest)

add_executable(conformance main.cpp)
target_link_libraries(conformance PRIVATE pintle_options pintle_conformance fmt::fmt GTest::gtest)
gtest_discover_tests(conformance DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 EXTRA_ARGS --require cpu --require null
                     PROPERTIES LABELS "conformance;concurrency" TIMEOUT 120)
