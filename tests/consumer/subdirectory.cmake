# Builds the consumer and README's program with Pintle as a part of their own build: several sources at a time, as the demo is built. First by
# add_subdirectory, then by FetchContent, which finds the same objects.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

string(REPLACE "|" ";" LAUNCHER "${LAUNCHER}")
set(ENV{CMAKE_C_COMPILER_LAUNCHER} "${LAUNCHER}")
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")
set(build ${BUILD}-subdirectory)
write_program_of_readme(${WORK}/subdirectory/readme.cpp)
foreach(fetch OFF ON)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${build} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${TYPE} -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=${FLAGS} -DREADME=${WORK}/subdirectory/readme.cpp -DPINTLE_SOURCE=${SOURCE}
      -DPINTLE_UNITY=16 -DFETCH=${fetch})
  run(${CMAKE_COMMAND} --build ${build} --target consumer consumer_c readme)
  run(${build}/consumer)
  run(${build}/consumer_c)
  run(${build}/readme)
endforeach()
