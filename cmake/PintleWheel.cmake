# The wheel (pyproject.toml, docs/adr/0025-packages.md): the Python package with the C library, the plug-ins and the command inside.
# scikit-build-core installs the component `wheel` into the folder that becomes the wheel, which can hold no links.
if(NOT TARGET pintle_python OR NOT TARGET pintle_command)
  message(FATAL_ERROR "A wheel needs the Python package and the command; the lines above say what they lack.")
endif()

add_custom_target(pintle_wheel DEPENDS pintle_python pintle_command pintle_c)
get_property(files GLOBAL PROPERTY PINTLE_PYTHON_FILES)
install(FILES ${files} DESTINATION pintle COMPONENT wheel)
install(TARGETS pintle_python_native LIBRARY DESTINATION pintle COMPONENT wheel)
set_target_properties(pintle_python_native PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
install(TARGETS pintle_command RUNTIME DESTINATION pintle/bin COMPONENT wheel)
install(PROGRAMS python/command.py DESTINATION ${SKBUILD_SCRIPTS_DIR} RENAME pintle COMPONENT wheel)

# One file by the name that the loader asks for.
set_target_properties(pintle_c PROPERTIES VERSION ${PROJECT_VERSION_MAJOR})
install(TARGETS pintle_c LIBRARY DESTINATION pintle/lib NAMELINK_SKIP COMPONENT wheel)

# MPI is never in the wheel: the plug-in takes the system's, or what the extra `mpi` puts into the lib folder of the Python.
if(TARGET pintle_mpi)
  add_dependencies(pintle_wheel pintle_mpi)
  set_target_properties(pintle_mpi PROPERTIES INSTALL_RPATH "$ORIGIN/../../../..")
  install(TARGETS pintle_mpi LIBRARY DESTINATION pintle/lib COMPONENT wheel)
endif()
if(TARGET pintle_opencl_c_plugin)
  add_dependencies(pintle_wheel pintle_opencl_c_plugin)
  install(TARGETS pintle_opencl_c_plugin LIBRARY DESTINATION pintle/lib COMPONENT wheel)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/ DESTINATION pintle/lib COMPONENT wheel FILES_MATCHING PATTERN "pintle_opencl_c-*.bc")
endif()

# auditwheel copies these libraries into the wheel, and so it has their licences, from the packages that they are of.
foreach(package libfmt9 libgomp1 libhwy1 libnettle8 libpng16-16)
  set(licence /usr/share/doc/${package}/copyright)
  if(EXISTS ${licence})
    install(FILES ${licence} DESTINATION ${SKBUILD_METADATA_DIR}/licenses/${package} COMPONENT wheel)
  endif()
endforeach()
