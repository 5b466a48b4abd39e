# Test programs.
include_guard(GLOBAL)
include(GoogleTest)

# Where the tests' files are: a header, so that only what includes it differs between two copies of the tree.
file(CONFIGURE OUTPUT ${PINTLE_GENERATED}/tests/tests_dir.h CONTENT "#pragma once\n#define TESTS_DIR \"${PROJECT_SOURCE_DIR}/tests\"\n")

# pintle_test(<name> [SOURCES ...] [LINK ...] [LABELS ...] [OWN_MAIN]): a GoogleTest program against the library's insides.
# Without SOURCES every .cpp of the folder belongs to it. Suites whose name contains "Concurrency" get that label: they are
# what runs under ThreadSanitizer.
function(pintle_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN" "" "SOURCES;LINK;LABELS")
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(NOT arg_SOURCES)
    return()
  endif()
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR} ${PINTLE_GENERATED}/tests)
  target_link_libraries(${name} PRIVATE pintle_options ${arg_LINK} pintle_internal GTest::gmock)
  if(NOT arg_OWN_MAIN)
    target_link_libraries(${name} PRIVATE GTest::gmock_main)
  endif()
  pintle_discover(${name} "-*Concurrency*" TIMEOUT 120 LABELS ${arg_LABELS})
  pintle_discover(${name} "*Concurrency*" TIMEOUT 240 LABELS ${arg_LABELS} concurrency)
endfunction()

# pintle_discover(<program> <filter> TIMEOUT <seconds> LABELS ...): one ctest for each test of the program that fits the filter.
function(pintle_discover program filter)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "LABELS")
  set(properties TIMEOUT ${arg_TIMEOUT})
  if(arg_LABELS)
    # gtest_discover_tests takes one label only; ctest -L finds each word in it.
    list(JOIN arg_LABELS "-" label)
    list(APPEND properties LABELS ${label})
  endif()
  gtest_discover_tests(${program} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_FILTER ${filter} PROPERTIES ${properties})
endfunction()
