# Installs, moves the prefix, then builds and runs the consumer by find_package and by pkg-config.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}")
  endif()
endfunction()

set(work ${WORK}/${LIBRARY})
set(build ${BUILD})
file(REMOVE_RECURSE ${work})
if(LIBRARY STREQUAL "shared")
  set(build ${BUILD}-shared)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${build} -G ${GENERATOR} -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=${TYPE}
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=${FLAGS}
      -DPINTLE_TESTS=OFF -DPINTLE_BENCH=OFF -DPINTLE_COMMAND=OFF -DPINTLE_EXAMPLES=OFF)
  run(${CMAKE_COMMAND} --build ${build})
endif()

run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/moved)

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${work}/moved)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${CMAKE_COMMAND} -E env PINTLE_BACKEND_PATH=${work}/build ${work}/build/consumer tiny)
if(EXISTS ${work}/moved/bin/pintle)
  run(${work}/moved/bin/pintle --version)
endif()

# Nothing that was installed may know where the tree or the first prefix was.
file(GLOB_RECURSE texts ${work}/moved/*.cmake ${work}/moved/*.pc ${work}/moved/*.h)
foreach(text ${texts})
  file(READ ${text} words)
  string(FIND "${words}" "${SOURCE}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${text} names ${SOURCE}")
  endif()
endforeach()

find_program(pkg_config pkg-config)
if(pkg_config)
  file(GLOB_RECURSE pc ${work}/moved/pintle.pc)
  cmake_path(GET pc PARENT_PATH folder)
  cmake_path(GET folder PARENT_PATH libraries)
  set(static "")
  if(LIBRARY STREQUAL "static")
    set(static --static)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${pkg_config} --cflags --libs ${static} pintle
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  run(${COMPILER} ${CMAKE_CURRENT_LIST_DIR}/project/main.cpp -o ${work}/by_pkg_config ${flags} -Wl,-rpath,${libraries})
  run(${work}/by_pkg_config)
endif()
