/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elfutils' libdw and libelf, loaded when a file is opened for attribution.
 * They bring two more libraries, and loading all at every start cost the other
 * verbs 0.2 ms of CPU time. The static command, which cannot load any, is
 * linked with their archives (libdw_linked.c).
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* Every call that is made of them, in one list. */
#define LIBDW_CALLS(X)                                                         \
	X(dwarf_attr)                                                          \
	X(dwarf_attr_integrate)                                                \
	X(dwarf_child)                                                         \
	X(dwarf_decl_file)                                                     \
	X(dwarf_decl_line)                                                     \
	X(dwarf_diename)                                                       \
	X(dwarf_dieoffset)                                                     \
	X(dwarf_filesrc)                                                       \
	X(dwarf_formstring)                                                    \
	X(dwarf_formudata)                                                     \
	X(dwarf_getsrcfiles)                                                   \
	X(dwarf_haspc)                                                         \
	X(dwarf_offdie)                                                        \
	X(dwarf_ranges)                                                        \
	X(dwarf_siblingof)                                                     \
	X(dwarf_tag)                                                           \
	X(dwfl_attach_state)                                                   \
	X(dwfl_begin)                                                          \
	X(dwfl_build_id_find_elf)                                              \
	X(dwfl_end)                                                            \
	X(dwfl_errmsg)                                                         \
	X(dwfl_frame_pc)                                                       \
	X(dwfl_getthread_frames)                                               \
	X(dwfl_line_comp_dir)                                                  \
	X(dwfl_lineinfo)                                                       \
	X(dwfl_module_addrdie)                                                 \
	X(dwfl_module_address_section)                                         \
	X(dwfl_module_addrinfo)                                                \
	X(dwfl_module_build_id)                                                \
	X(dwfl_module_getdwarf)                                                \
	X(dwfl_module_getelf)                                                  \
	X(dwfl_module_getsrc)                                                  \
	X(dwfl_module_getsym_info)                                             \
	X(dwfl_module_getsymtab)                                               \
	X(dwfl_module_nextcu)                                                  \
	X(dwfl_report_begin)                                                   \
	X(dwfl_report_elf)                                                     \
	X(dwfl_report_end)                                                     \
	X(dwfl_standard_find_debuginfo)                                        \
	X(dwfl_thread_state_register_pc)                                       \
	X(dwfl_thread_state_registers)                                         \
	X(elf_getdata_rawchunk)                                                \
	X(elf_getphdrnum)                                                      \
	X(elf_getshdrstrndx)                                                   \
	X(elf_nextscn)                                                         \
	X(elf_strptr)                                                          \
	X(gelf_getphdr)                                                        \
	X(gelf_getshdr)

#define LIBDW_POINTER(name) __typeof__(&name) call_##name;
struct libdw {
	LIBDW_CALLS(LIBDW_POINTER)
};
extern struct libdw libdw;

/* Whether they are there; calls may be made only then. */
bool libdw_load(void);

#ifndef LIBDW_BY_NAME
#define dwarf_attr                    libdw.call_dwarf_attr
#define dwarf_attr_integrate          libdw.call_dwarf_attr_integrate
#define dwarf_child                   libdw.call_dwarf_child
#define dwarf_decl_file               libdw.call_dwarf_decl_file
#define dwarf_decl_line               libdw.call_dwarf_decl_line
#define dwarf_diename                 libdw.call_dwarf_diename
#define dwarf_dieoffset               libdw.call_dwarf_dieoffset
#define dwarf_filesrc                 libdw.call_dwarf_filesrc
#define dwarf_formstring              libdw.call_dwarf_formstring
#define dwarf_formudata               libdw.call_dwarf_formudata
#define dwarf_getsrcfiles             libdw.call_dwarf_getsrcfiles
#define dwarf_haspc                   libdw.call_dwarf_haspc
#define dwarf_offdie                  libdw.call_dwarf_offdie
#define dwarf_ranges                  libdw.call_dwarf_ranges
#define dwarf_siblingof               libdw.call_dwarf_siblingof
#define dwarf_tag                     libdw.call_dwarf_tag
#define dwfl_attach_state             libdw.call_dwfl_attach_state
#define dwfl_begin                    libdw.call_dwfl_begin
#define dwfl_build_id_find_elf        libdw.call_dwfl_build_id_find_elf
#define dwfl_end                      libdw.call_dwfl_end
#define dwfl_errmsg                   libdw.call_dwfl_errmsg
#define dwfl_frame_pc                 libdw.call_dwfl_frame_pc
#define dwfl_getthread_frames         libdw.call_dwfl_getthread_frames
#define dwfl_line_comp_dir            libdw.call_dwfl_line_comp_dir
#define dwfl_lineinfo                 libdw.call_dwfl_lineinfo
#define dwfl_module_addrdie           libdw.call_dwfl_module_addrdie
#define dwfl_module_address_section   libdw.call_dwfl_module_address_section
#define dwfl_module_addrinfo          libdw.call_dwfl_module_addrinfo
#define dwfl_module_build_id          libdw.call_dwfl_module_build_id
#define dwfl_module_getdwarf          libdw.call_dwfl_module_getdwarf
#define dwfl_module_getelf            libdw.call_dwfl_module_getelf
#define dwfl_module_getsrc            libdw.call_dwfl_module_getsrc
#define dwfl_module_getsym_info       libdw.call_dwfl_module_getsym_info
#define dwfl_module_getsymtab         libdw.call_dwfl_module_getsymtab
#define dwfl_module_nextcu            libdw.call_dwfl_module_nextcu
#define dwfl_report_begin             libdw.call_dwfl_report_begin
#define dwfl_report_elf               libdw.call_dwfl_report_elf
#define dwfl_report_end               libdw.call_dwfl_report_end
#define dwfl_standard_find_debuginfo  libdw.call_dwfl_standard_find_debuginfo
#define dwfl_thread_state_register_pc libdw.call_dwfl_thread_state_register_pc
#define dwfl_thread_state_registers   libdw.call_dwfl_thread_state_registers
#define elf_getdata_rawchunk          libdw.call_elf_getdata_rawchunk
#define elf_getphdrnum                libdw.call_elf_getphdrnum
#define elf_getshdrstrndx             libdw.call_elf_getshdrstrndx
#define elf_nextscn                   libdw.call_elf_nextscn
#define elf_strptr                    libdw.call_elf_strptr
#define gelf_getphdr                  libdw.call_gelf_getphdr
#define gelf_getshdr                  libdw.call_gelf_getshdr
#endif
