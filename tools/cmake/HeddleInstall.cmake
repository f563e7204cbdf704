# What `cmake --install` puts where. The runtime installs itself (component heddle-runtime); here is the compiler: tools, libraries, headers,
# and a CMake package for passes and tools outside the tree.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
# Headers of dialects and passes keep their paths, in a folder of their own: "dialects/StableHlo/StableHlo.h".
set(compiler_headers ${CMAKE_INSTALL_INCLUDEDIR}/heddle-compiler)

set(tools heddle heddle-parse heddle-opt heddle-translate heddle-reduce heddle-lsp-server)
get_property(libraries GLOBAL PROPERTY HEDDLE_LIBRARIES)
# The driver is used through the compiler's C interface.
list(FILTER libraries EXCLUDE REGEX "^Heddle(Artifact|Commands|Driver|Testing)$")

install(TARGETS ${tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT heddle-compiler)
install(TARGETS heddle-compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT heddle-compiler)
install(TARGETS ${libraries} EXPORT HeddleTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT heddle-compiler)
install(EXPORT HeddleTargets NAMESPACE heddle:: DESTINATION ${package} COMPONENT heddle-compiler)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT heddle-compiler
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
foreach(folder dialects passes)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/${folder} DESTINATION ${compiler_headers} COMPONENT heddle-compiler
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
endforeach()
set(licenses ${CMAKE_INSTALL_DATADIR}/licenses/heddle)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${licenses} COMPONENT heddle-compiler)
# What the binaries hold of others, static libraries and headers, asks for its notice beside them. Debian's packages bring it.
foreach(package_inside libjemalloc-dev liblld-22-dev libflatbuffers-dev libcli11-dev libprotozero-dev nlohmann-json3-dev)
  set(notice /usr/share/doc/${package_inside}/copyright)
  if(EXISTS ${notice})
    install(FILES ${notice} DESTINATION ${licenses} RENAME ${package_inside} COMPONENT heddle-compiler)
  else()
    message(WARNING "${notice} is not here: an installed heddle will lack the notice of ${package_inside}, which its licence asks for")
  endif()
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/HeddleConfig.cmake.in ${CMAKE_BINARY_DIR}/HeddleConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR compiler_headers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/HeddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_CURRENT_LIST_DIR}/heddle-compiler.pc.in ${CMAKE_BINARY_DIR}/heddle-compiler.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/HeddleConfig.cmake ${CMAKE_BINARY_DIR}/HeddleConfigVersion.cmake DESTINATION ${package}
  COMPONENT heddle-compiler)
install(FILES ${CMAKE_BINARY_DIR}/heddle-compiler.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT heddle-compiler)
