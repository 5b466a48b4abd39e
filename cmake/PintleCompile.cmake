# How our own targets are compiled. pintle_options carries the language, the warnings and the sanitizers; it is never exported.
include_guard(GLOBAL)

set(PINTLE_GENERATED ${PROJECT_BINARY_DIR}/generated)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
if(SKBUILD)
  set(PINTLE_PYTHON ${Python3_EXECUTABLE} CACHE FILEPATH "The Python that builds the wheel")
endif()
find_program(PINTLE_PYTHON NAMES python3 HINTS /usr/bin)

# Objects are shared between build folders and between copies of the tree.
find_program(PINTLE_CCACHE ccache)
if(PINTLE_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/compile_cached.sh ${PROJECT_SOURCE_DIR})
  endforeach()
endif()

# LLD links the tests' programs in a fifth of the time (unit_tests: 0.7 s instead of 5.9). Compilers look for it by one name.
if(PINTLE_FAST_LINK AND PROJECT_IS_TOP_LEVEL)
  find_program(PINTLE_LLD NAMES ld.lld-19 ld.lld)
  if(PINTLE_LLD)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/linker)
    file(CREATE_LINK ${PINTLE_LLD} ${PROJECT_BINARY_DIR}/linker/ld.lld SYMBOLIC)
    add_link_options(-B${PROJECT_BINARY_DIR}/linker -fuse-ld=lld)
  endif()
endif()

add_library(pintle_options INTERFACE)
target_compile_features(pintle_options INTERFACE cxx_std_23)
target_compile_options(pintle_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion $<$<BOOL:${PINTLE_WERROR}>:-Werror>)
target_link_libraries(pintle_options INTERFACE Threads::Threads)
# GCC 12 warns of `"text" + std::string` where it optimizes (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(pintle_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

# For sources that get all that the machine's processor has. Clang 19 warns of its own choice of features on processors with AVX10.
set(PINTLE_NATIVE -march=native -Wno-invalid-feature-combination)

# Only how programs are linked differs, so that ccache has the objects of the same preset without it. --as-needed drops the
# libraries whose functions are there already.
if(PINTLE_SELF_CONTAINED)
  foreach(own own_fmt own_highway)
    target_sources(pintle_options INTERFACE
                   $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${PROJECT_SOURCE_DIR}/cmake/${own}.cpp>)
  endforeach()
  target_link_options(pintle_options INTERFACE -static-libstdc++ -static-libgcc -Wl,--as-needed -Wl,--gc-sections)
endif()

# Paths in messages are relative to the source tree, whatever its place.
file(RELATIVE_PATH relative_source ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
target_compile_options(pintle_options INTERFACE -fmacro-prefix-map=${relative_source}= -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(PINTLE_SANITIZE)
  set(sanitizer_options -fsanitize=${PINTLE_SANITIZE} -fno-omit-frame-pointer)
  if(PINTLE_SANITIZE MATCHES undefined)
    list(APPEND sanitizer_options -fno-sanitize-recover=undefined)
  endif()
  if(PINTLE_SANITIZE MATCHES address)
    target_sources(pintle_options INTERFACE
                   $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${PROJECT_SOURCE_DIR}/cmake/keep_libraries.c>)
    target_link_options(pintle_options INTERFACE -Wl,--export-dynamic-symbol=dlclose)
  endif()
  target_compile_options(pintle_options INTERFACE ${sanitizer_options})
  target_link_options(pintle_options INTERFACE ${sanitizer_options})
endif()
if(PINTLE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "PINTLE_FUZZ needs clang's libFuzzer; the compiler is ${CMAKE_CXX_COMPILER_ID}.")
  endif()
  target_compile_options(pintle_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
