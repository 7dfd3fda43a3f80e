# SPDX-License-Identifier: BSD-3-Clause
# find_package(assay) gives assay::assay (PAPI's interface) and assay::hpm
# (sections), and both as archives: assay::assay_static and assay::hpm_static.
# The files are found from where this one lies, so that an installation can be
# moved.
get_filename_component(_assay_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_path(assay_INCLUDE_DIR assay/assay.h
  HINTS "${_assay_lib}/../include" "${_assay_lib}/../../include"
  PATH_SUFFIXES assay-0 NO_DEFAULT_PATH)
find_library(assay_LIBRARY assay HINTS "${_assay_lib}" NO_DEFAULT_PATH)
find_library(assay_HPM_LIBRARY hpm HINTS "${_assay_lib}" NO_DEFAULT_PATH)
# Who names components gets those there are, and is told of others.
set(assay_assay_FOUND TRUE)
set(assay_hpm_FOUND TRUE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(assay HANDLE_COMPONENTS
  REQUIRED_VARS assay_LIBRARY assay_HPM_LIBRARY assay_INCLUDE_DIR
  VERSION_VAR assay_VERSION)
mark_as_advanced(assay_INCLUDE_DIR assay_LIBRARY assay_HPM_LIBRARY)

if(assay_FOUND AND NOT TARGET assay::assay)
  add_library(assay::assay SHARED IMPORTED)
  set_target_properties(assay::assay PROPERTIES
    IMPORTED_LOCATION "${assay_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${assay_INCLUDE_DIR}")
  add_library(assay::hpm SHARED IMPORTED)
  set_target_properties(assay::hpm PROPERTIES
    IMPORTED_LOCATION "${assay_HPM_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${assay_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES assay::assay)
  add_library(assay::assay_static STATIC IMPORTED)
  set_target_properties(assay::assay_static PROPERTIES
    IMPORTED_LOCATION "${_assay_lib}/libassay.a"
    INTERFACE_INCLUDE_DIRECTORIES "${assay_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "pfm;m;pthread")
  add_library(assay::hpm_static STATIC IMPORTED)
  set_target_properties(assay::hpm_static PROPERTIES
    IMPORTED_LOCATION "${_assay_lib}/libhpm.a"
    INTERFACE_INCLUDE_DIRECTORIES "${assay_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES assay::assay_static)
endif()
unset(_assay_lib)
