# What `cmake --install` puts where, and the Debian package that `cpack -G DEB` makes of it.
include(GNUInstallDirs)

install(TARGETS kw kw-worker RUNTIME)
# Where `kw trace` looks for it.
install(TARGETS kw_trace_library LIBRARY DESTINATION lib/kernelwright)
# Where `kw run` looks for it.
install(TARGETS kw_cudart LIBRARY DESTINATION lib/kernelwright/simulated-cuda)
install(DIRECTORY samples DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelwright)
install(DIRECTORY resources/tasks resources/lessons DESTINATION ${CMAKE_INSTALL_DATADIR}/kernelwright)
install(FILES README.md docs/design.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
if(KW_BUILD_DESKTOP)
  set(id io.github.kernelwright.Kernelwright)
  install(TARGETS kernelwright RUNTIME)
  install(FILES packaging/linux/${id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES packaging/linux/${id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
  install(FILES packaging/linux/${id}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
  install(FILES packaging/linux/kernelwright-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME kernelwright.xml)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kernelwright)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Kernelwright project <noreply@kernelwright.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# NVIDIA's compiler and profiler are opened at run time, and everything else works without them.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit, clangd, libsecret-tools")
include(CPack)
