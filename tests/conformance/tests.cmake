# The suite under GoogleTest, the fault sweep, and the programs that must end cleanly.
find_package(GTest REQUIRED)

# CI must have these devices: on them a skip for want of something on the machine is a failure. It has two each of
# vulkan and opencl, in software: `./dev` sets what their loaders want to know. A third of opencl comes from a wheel,
# which `./dev test` installs: it is not there under sanitizers, so that the others keep their numbers.
set(required --require cpu --require null)
set(devices null cpu cpu_inline validate_cpu faulty_cpu trace_cpu bounds_cpu validate_null validate_cpu_inline)
set(vendor_devices "")
get_property(plain_backends GLOBAL PROPERTY PINTLE_BACKENDS)
list(REMOVE_ITEM plain_backends vulkan opencl cuda webgpu)
list(JOIN plain_backends "," plain_backends)
set(every_end ON)
if(PINTLE_SANITIZE)  # their threads and their ends are not instrumented
  set(every_end OFF)
endif()
foreach(backend vulkan opencl)
  if(TARGET pintle_backend_${backend})
    list(APPEND vendor_devices ${backend}:0 ${backend}:1)
    list(APPEND required --require ${backend}:0 --require ${backend}:1)
  endif()
endforeach()
set(vendor_groups ${vendor_devices})
if(PINTLE_SANITIZE AND NOT PINTLE_NIGHTLY)  # `./dev check` takes one device of each backend
  list(FILTER vendor_groups INCLUDE REGEX ":0$")
endif()
set(system_drivers "")
if(PINTLE_SANITIZE)
  set(system_drivers OCL_ICD_VENDORS=/etc/OpenCL/vendors)
elseif(TARGET pintle_backend_opencl AND EXISTS ${PROJECT_SOURCE_DIR}/build/venv/lib/libintelocl.so)
  list(APPEND vendor_devices opencl:2)
  list(APPEND vendor_groups opencl:2)
  list(APPEND required --require opencl:2)
endif()
# WebGPU comes from a wheel too, over the two Vulkans in software: tests/shares.txt says
# which part of their cases a check takes; `./dev nightly` takes all.
file(GLOB wgpu_native ${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/wgpu/resources/libwgpu_native-release.so)
set(webgpu_devices "")
if(TARGET pintle_backend_webgpu AND wgpu_native AND NOT PINTLE_SANITIZE)
  set(webgpu_devices webgpu:0 webgpu:1 webgpu:1?inline)
  list(APPEND required --require webgpu:0 --require webgpu:1 --require webgpu:1?inline)
elseif(TARGET pintle_backend_webgpu AND NOT PINTLE_SANITIZE)
  message(STATUS "Left out: the suite on webgpu, which needs the wheel wgpu (./dev setup devices)")
endif()
set_property(GLOBAL PROPERTY PINTLE_WEBGPU_DEVICES ${webgpu_devices})
set_property(GLOBAL PROPERTY PINTLE_WGPU_NATIVE ${wgpu_native})
set(vendor_filter "")
foreach(device ${vendor_devices} ${webgpu_devices})
  string(REPLACE ":" "_" name ${device})
  list(APPEND vendor_filter *.*/${name})
endforeach()
list(JOIN vendor_filter ":" vendor_filter)

add_executable(conformance main.cpp framework_test.cpp)
target_link_libraries(conformance PRIVATE pintle_options pintle_conformance fmt::fmt GTest::gtest)

# conformance_group(<name> <filter> [NAME=VALUE]): all that the filter picks in one process.
function(conformance_group name filter)
  add_test(NAME conformance.${name} COMMAND ${PINTLE_PYTHON} -B ${PROJECT_SOURCE_DIR}/tests/run_cases.py --seconds-each 300
           --filter ${filter} $<TARGET_FILE:conformance> ${required})
  set_tests_properties(conformance.${name} PROPERTIES LABELS "conformance;concurrency;strict" TIMEOUT 900 ENVIRONMENT "${ARGN};${system_drivers}")
endfunction()
set(ending_devices "")
if(every_end)
  set(ending_devices ${vendor_devices} ${webgpu_devices})
endif()

if(PINTLE_SANITIZE)
  # A process for each case would take most of the time to start.
  foreach(device ${devices})
    conformance_group(${device} *.*/${device} PINTLE_BACKENDS=${plain_backends})
  endforeach()
  list(TRANSFORM devices PREPEND "*.*/" OUTPUT_VARIABLE covered)
  list(APPEND covered ${vendor_filter})
  list(JOIN covered ":" covered)
  conformance_group(others "*:-${covered}" PINTLE_BACKENDS=${plain_backends})
else()
  pintle_discover(conformance "-${vendor_filter}" SECONDS_EACH 120 PREFIX conformance. LABELS conformance ARGUMENTS ${required}
                  ENVIRONMENT PINTLE_BACKENDS=${plain_backends})  # none of these opens a driver
endif()
# A process for each case would open a driver and compile the kernels each time.
if(PINTLE_SANITIZE MATCHES thread)
  include(tsan.cmake)
else()
  foreach(device ${vendor_groups} ${webgpu_devices})
    string(REPLACE ":" "_" name ${device})
    conformance_group(${name} *.*/${name})
  endforeach()
endif()
# With counters that are near their end.
set(near_the_end PINTLE_FIRST_SERIAL=18446744073709550615)
foreach(device ${devices})
  conformance_group(counters_near_the_end.${device} *.*/${device} ${near_the_end} PINTLE_BACKENDS=${plain_backends})
endforeach()
foreach(device ${ending_devices})
  string(REPLACE ":" "_" name ${device})
  conformance_group(counters_near_the_end.${name} *.*/${name} ${near_the_end})
endforeach()

# What the sweeps run again and again. Not inlined: the sweep of allocations tells by the frames of the stack whose one is.
file(GLOB sweep_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sweep/*.cpp)
list(REMOVE_ITEM sweep_sources ${CMAKE_CURRENT_SOURCE_DIR}/sweep/main.cpp)
add_library(pintle_sweep OBJECT ${sweep_sources})
pintle_unite(pintle_sweep ${sweep_sources})
target_include_directories(pintle_sweep PUBLIC ${PROJECT_SOURCE_DIR}/tests PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(pintle_sweep PRIVATE pintle_options fmt::fmt PUBLIC pintle)
target_compile_options(pintle_sweep PRIVATE -fno-inline)

# Every seam call failed once for every scenario.
add_executable(fault_sweep sweep/main.cpp)
target_link_libraries(fault_sweep PRIVATE pintle_options pintle_sweep pintle_conformance fmt::fmt)
target_include_directories(fault_sweep PRIVATE ${PROJECT_SOURCE_DIR}/src)
foreach(device "cpu" "cpu?inline" "null" ${ending_devices})
  add_test(NAME conformance.fault_sweep.${device} COMMAND fault_sweep "faulty(${device})")
  set_tests_properties(conformance.fault_sweep.${device} PROPERTIES LABELS "conformance;concurrency;strict" TIMEOUT 600)
endforeach()

# Small programs that must end with exit code 0, whatever is alive when they do.
file(GLOB ends CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/clean_ends ${CMAKE_CURRENT_SOURCE_DIR}/clean_ends/*.cpp)
foreach(source ${ends})
  cmake_path(GET source STEM end)
  add_executable(clean_end_${end} clean_ends/${source})
  target_include_directories(clean_end_${end} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(clean_end_${end} PRIVATE pintle_options pintle)
  foreach(device "cpu" "cpu?inline" "null" "trace(cpu)" ${ending_devices})
    add_test(NAME conformance.clean_end.${end}.${device} COMMAND clean_end_${end} ${device})
    set_tests_properties(conformance.clean_end.${end}.${device} PROPERTIES LABELS "conformance;concurrency" TIMEOUT 60)
  endforeach()
endforeach()
