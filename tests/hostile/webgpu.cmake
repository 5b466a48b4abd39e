# WebGPU over a driver that loses its device: wgpu-native where the wheel is, and Dawn where tests/dawn has made a library of it.
hostile_program(hostile_webgpu_tests webgpu_loss_test.cpp)
set(lossy "${under_layer};VK_ICD_FILENAMES=${swiftshader};HOSTILE=dead_device,lost_submission")

function(hostile_webgpu name library cases)
  add_test(NAME hostile.webgpu_loss.${name} COMMAND ${run_cases} --filter ${cases} $<TARGET_FILE:hostile_webgpu_tests>)
  set_tests_properties(hostile.webgpu_loss.${name} PROPERTIES LABELS "concurrency" TIMEOUT 900 ENVIRONMENT
                       "${lossy};PINTLE_BACKENDS=webgpu;PINTLE_WEBGPU=${library}")
endfunction()

get_property(webgpu_devices GLOBAL PROPERTY PINTLE_WEBGPU_DEVICES)
if(webgpu_devices)
  get_property(wgpu_native GLOBAL PROPERTY PINTLE_WGPU_NATIVE)
  hostile_webgpu(wgpu_native ${wgpu_native} *EndsTheProcess*)
endif()
if(NOT webgpu_devices AND NOT TARGET webgpu_dawn)
  message(STATUS "Left out: hostile.webgpu_loss, which needs the wheels wgpu and wgpudawn (./dev setup devices)")
endif()
if(TARGET webgpu_dawn)
  hostile_webgpu(dawn $<TARGET_FILE:webgpu_dawn> *IsTold*)
endif()
