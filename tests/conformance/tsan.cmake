# Vendors' devices under ThreadSanitizer. It sees of a driver only what goes through pthread, and so takes what a
# driver's threads hand on by futex or by atomics for races. What each needs is here; tests/tsan.supp has the rest, and
# the test preset two for all tests: lavapipe's threads speak by futex, so that it gets none, and so do rusticl's, so
# that it is not listed.
if(TARGET pintle_backend_vulkan)
  conformance_group(vulkan_0 *.*/vulkan_0 PINTLE_BACKENDS=${plain_backends},vulkan)
  if(PINTLE_NIGHTLY)
    conformance_group(vulkan_1 *.*/vulkan_1 PINTLE_BACKENDS=${plain_backends},vulkan)
  endif()
endif()

if(TARGET pintle_backend_opencl)
  # PoCL is seen whole.
  conformance_group(opencl_0 *.*/opencl_0 PINTLE_BACKENDS=${plain_backends},opencl)
  if(NOT PINTLE_NIGHTLY)
    return()
  endif()

  # rusticl calls us back from threads that speak by futex, which the layer makes up for. Its compiler holds more locks
  # than the search for deadlocks can count (64). Each launch takes long, so that two long cases miss their deadlines,
  # and with those that are left out for it the group would take several minutes.
  add_library(callback_order MODULE callback_order/callback_order.cpp)
  target_include_directories(callback_order SYSTEM PRIVATE ${PINTLE_OPENCL_HEADERS})
  target_compile_definitions(callback_order PRIVATE CL_TARGET_OPENCL_VERSION=300)
  target_link_libraries(callback_order PRIVATE pintle_options)
  set(too_long Command.LongLists*:Copy.MovesWindows*:Crossing.*:Hazard.*:Launch.*)
  conformance_group(opencl_1 *.*/opencl_1:-${too_long} RUSTICL_ENABLE=llvmpipe PINTLE_BACKENDS=${plain_backends},opencl
                    OPENCL_LAYERS=$<TARGET_FILE:callback_order>
                    TSAN_OPTIONS=halt_on_error=1:detect_deadlocks=0:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp)
endif()
