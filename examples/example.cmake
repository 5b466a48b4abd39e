# pintle_example(<name>): a program over <name>.cpp, whose kernels are packed from <name>.slang and <name>.cl as pack.json says, and a
# test on each device. What could be built, and what not, is in <name>.txt: that depends on the compilers of the machine.
function(pintle_example name)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  set(pack ${CMAKE_CURRENT_BINARY_DIR}/${name}.pack)
  file(GLOB slang ${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/slangpy/libslang-compiler.so*)
  set(with_slang "")
  if(slang AND NOT DEFINED ENV{PINTLE_SLANG})
    set(with_slang ${CMAKE_COMMAND} -E env PINTLE_SLANG=${slang})
  endif()
  add_custom_command(OUTPUT ${pack} COMMAND ${with_slang} $<TARGET_FILE:pintle_packer> ${folder} ${pack} > ${name}.txt
                     DEPENDS pintle_packer ${folder}/pack.json ${folder}/${name}.slang ${folder}/${name}.cl VERBATIM)
  add_executable(example_${name} ${name}.cpp ${pack})
  target_compile_definitions(example_${name} PRIVATE EXAMPLE_PACK="${pack}")
  target_include_directories(example_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(example_${name} PRIVATE pintle_options pintle::pintle)
  if(PINTLE_TESTS)
    foreach(device best cpu cpu?inline opencl:0 opencl:1 opencl:2 vulkan:0 vulkan:1)
      add_test(NAME examples.${name}.${device} COMMAND example_${name} ${device})
      set_tests_properties(examples.${name}.${device} PROPERTIES TIMEOUT 120
                           SKIP_REGULAR_EXPRESSION "names no device here|has no device|names no device that takes|takes no variant of")
    endforeach()
  endif()
endfunction()
