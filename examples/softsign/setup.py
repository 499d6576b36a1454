"""The part of the build that pyproject.toml has no words for: the extension."""

from setuptools import setup

from flambeau_cext import BuildExtension, CExtension

kernels = CExtension(
    "softsign._kernels",
    ["src/softsign/kernels.c"],
    functions={"forward": "x / (1 + |x|)", "backward": "The gradient of x from that of the result."},
    py_limited_api=True,
)
setup(ext_modules=[kernels], cmdclass={"build_ext": BuildExtension})
