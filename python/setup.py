"""The wheel's tag: any Python 3, and the oldest C library that the extension runs with.

`make wheel` puts the extension into the package before it calls this. The rest is in pyproject.toml.
"""

import pathlib
import platform
import re

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

EXTENSION = pathlib.Path(__file__).parent / "src" / "hbscore" / "lib" / "hbscore.so"


def platform_tag():
    """manylinux_2_27_x86_64, where the newest symbol that is asked of the C library is of glibc 2.27."""
    versions = re.findall(rb"\0GLIBC_(\d+)\.(\d+)", EXTENSION.read_bytes())
    if not versions:  # another C library: this machine's own
        return f"linux_{platform.machine()}"
    major, minor = max((int(a), int(b)) for a, b in versions)
    return f"manylinux_{major}_{minor}_{platform.machine()}"


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    def run(self):
        if not EXTENSION.is_file():
            raise SystemExit(
                "the package lacks the extension (src/hbscore/lib/hbscore.so): use `make wheel`"
            )
        super().run()

    def get_tag(self):
        return "py3", "none", platform_tag()


setup(cmdclass={"bdist_wheel": Wheel}, distclass=PlatformDistribution)
