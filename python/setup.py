"""With the shared library inside, a wheel is for one platform, and for every version of Python."""
import pathlib

from setuptools import Distribution, setup


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


options = {}
if list((pathlib.Path(__file__).parent / "biela").glob("libbiela.so.*")):
    from wheel.bdist_wheel import bdist_wheel

    class PlatformWheel(bdist_wheel):
        def get_tag(self):
            return ("py3", "none", super().get_tag()[2])

    options = {"cmdclass": {"bdist_wheel": PlatformWheel}, "distclass": WithLibrary}
setup(**options)
