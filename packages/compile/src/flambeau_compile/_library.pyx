# cython: language_level=3
"""Loading the library of a program."""

cdef extern from *:
    """
    #if defined(_WIN32)
    #include <windows.h>
    static void* fl_open(const char* path) { return (void*)LoadLibraryA(path); }
    static void* fl_find(void* library, const char* name) { return (void*)GetProcAddress((HMODULE)library, name); }
    #else
    #include <dlfcn.h>
    static void* fl_open(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
    static void* fl_find(void* library, const char* name) { return dlsym(library, name); }
    #endif
    """
    void* fl_open(const char* path)
    void* fl_find(void* library, const char* name)


def open_library(str path not None):
    """The address of a built program's function.

    Raises:
        OSError: the file cannot be loaded.
    """
    cdef void* library = fl_open(<bytes>path.encode())
    cdef void* found = NULL if library == NULL else fl_find(library, b"fl_run")
    if found == NULL:
        raise OSError(f"cannot load {path}")
    return <size_t>found
