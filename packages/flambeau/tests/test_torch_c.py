def test_what_torch_is_built_with():
    """Test suites skip what a build lacks."""
    assert torch._C.has_lapack and torch._C.has_spectral and not torch._C.has_mkl and not torch._C.has_openmp
