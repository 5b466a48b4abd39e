# Test programs, and the cases of GoogleTest programs as ctests.
include_guard(GLOBAL)

# tests/tests_dir.h: where the tests' files are.
file(CONFIGURE OUTPUT ${PINTLE_GENERATED}/tests_dir.cpp
     CONTENT "#include \"tests_dir.h\"\n\nconst char* const pintle::test::tests_dir = \"${PROJECT_SOURCE_DIR}/tests\";\n")

# Most of the time of tests under ASan is their compilation: -O0 halves it, and the library, which they run, keeps -O1.
set(PINTLE_TEST_OPTIONS "")
if(PINTLE_SANITIZE MATCHES address)
  set(PINTLE_TEST_OPTIONS $<$<COMPILE_LANGUAGE:CXX>:-O0>)
endif()

# pintle_concurrent_sources(<out> <source>...): those with a suite whose name contains "Concurrency", and what has no test and so may be
# needed by them; nothing where there is no such suite.
function(pintle_concurrent_sources out)
  set(chosen "")
  set(found FALSE)
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source)
    file(STRINGS ${source} tests REGEX "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\\(")
    if(tests MATCHES "Concurrency")
      set(found TRUE)
    elseif(tests)
      continue()
    endif()
    list(APPEND chosen ${source})
  endforeach()
  if(NOT found)
    set(chosen "")
  endif()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()

# pintle_test(<name> [SOURCES ...] [OBJECTS ...] [LINK ...] [LABELS ...] [OWN_MAIN]): a GoogleTest program against the library's insides.
# Without SOURCES every .cpp of the folder belongs to it. Suites whose name contains "Concurrency" get that label: they are
# what runs under ThreadSanitizer, where a program has the sources of such suites only. No such suite, no program.
function(pintle_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN" "" "SOURCES;OBJECTS;LINK;LABELS")
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(PINTLE_SANITIZE MATCHES thread)
    pintle_concurrent_sources(arg_SOURCES ${arg_SOURCES})
  endif()
  if(NOT arg_SOURCES)
    return()
  endif()
  find_package(GTest REQUIRED)
  set(tests_dir ${PINTLE_GENERATED}/tests_dir.cpp)
  set_source_files_properties(${tests_dir} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  add_executable(${name} ${arg_SOURCES} ${arg_OBJECTS} ${tests_dir})
  pintle_fast_sources(${name} HEADERS gtest/gtest.h gmock/gmock.h pintle/pintle.h SOURCES ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${PINTLE_TEST_OPTIONS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE pintle_options ${arg_LINK} pintle_internal GTest::gmock)
  if(NOT arg_OWN_MAIN)
    target_link_libraries(${name} PRIVATE GTest::gmock_main)
  endif()
  pintle_discover(${name} "-*Concurrency*" SECONDS_EACH 120 LABELS ${arg_LABELS})
  pintle_discover(${name} "*Concurrency*" SECONDS_EACH 240 LABELS ${arg_LABELS} concurrency)
endfunction()

# Tests that are not forgiven where they fail and then pass: of order, signals, pools and memory.
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/strict.txt PINTLE_STRICT REGEX "^[^#]")
list(JOIN PINTLE_STRICT "|" PINTLE_STRICT)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/strict.txt)

# pintle_discover(<program> <filter> SECONDS_EACH <of a case, at most> [PREFIX <of names>] [LABELS ...] [ARGUMENTS ...]
# [ENVIRONMENT NAME=VALUE...]): ctests of at most 40 cases of a suite each, of the suite's name, for what the filter leaves;
# tests/run_cases.py runs them.
function(pintle_discover program filter)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SECONDS_EACH;PREFIX" "LABELS;ARGUMENTS;ENVIRONMENT")
  string(MAKE_C_IDENTIFIER "${filter}" kind)
  string(SHA1 kind "${kind}")
  string(SUBSTRING ${kind} 0 8 kind)
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${program}_${kind}.cmake)
  file(GENERATE OUTPUT ${include} CONTENT "set(program [==[$<TARGET_FILE:${program}>]==])
set(list [==[$<TARGET_FILE:${program}>.${kind}.cases]==])
set(filter [==[${filter}]==])
set(arguments [==[${arg_ARGUMENTS}]==])
set(environment [==[${arg_ENVIRONMENT}]==])
set(prefix [==[${arg_PREFIX}]==])
set(strict [==[${PINTLE_STRICT}]==])
set(seconds_each ${arg_SECONDS_EACH})
set(labels [==[${arg_LABELS}]==])
set(runner [==[${PINTLE_PYTHON};-B;${PROJECT_SOURCE_DIR}/tests/run_cases.py]==])
include([==[${PROJECT_SOURCE_DIR}/cmake/PintleCases.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
