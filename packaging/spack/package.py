# SPDX-License-Identifier: BSD-3-Clause
"""assay for Spack: put this directory into a repository as packages/assay.

Spack has no scdoc: man pages are made only if the machine has it.
"""
from spack.package import *


class Assay(MesonPackage):
    """Count what a program does to the hardware, also where there is no PMU."""

    homepage = "https://assay.invalid"
    git = "https://assay.invalid/assay.git"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("simulator", default=True, description="the simulated PMU (x86-64)")
    variant("http", default=True, description="pages served to a browser")
    variant("mpi", default=False, description="one performance file for all ranks")

    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("libpfm4")
    depends_on("expat")
    depends_on("elfutils")
    depends_on("zlib-api")
    depends_on("valgrind@3.19:", when="+simulator target=x86_64:", type="build")
    depends_on("libmicrohttpd", when="+http")
    depends_on("mpi", when="+mpi")

    def meson_args(self):
        def feature(name):
            return f"-D{name}={'enabled' if f'+{name}' in self.spec else 'disabled'}"

        mpi = "auto" if "+mpi" in self.spec else "disabled"
        return [feature("http"), f"-Dmpi={mpi}", "-Dtests=false"]
