# cython: language_level=3
"""Loading the library of a program, and locating addresses in loaded libraries."""

cdef extern from *:
    """
    #if defined(_WIN32)
    #include <windows.h>
    static void* fl_open(const char* path) { return (void*)LoadLibraryA(path); }
    static void* fl_find(void* library, const char* name) { return (void*)GetProcAddress((HMODULE)library, name); }
    static const char* fl_file_of(void* address, char** base) { (void)address; (void)base; return 0; }
    static void* fl_loaded(const char* path) { (void)path; return 0; }
    #else
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE
    #endif
    #include <dlfcn.h>
    static void* fl_open(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
    static void* fl_find(void* library, const char* name) { return dlsym(library, name); }
    static const char* fl_file_of(void* address, char** base) {
        Dl_info info;
        if (!dladdr(address, &info)) return 0;
        *base = (char*)info.dli_fbase;
        return info.dli_fname;
    }
    static void* fl_loaded(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); }
    #endif
    """
    void* fl_open(const char* path)
    void* fl_find(void* library, const char* name)
    const char* fl_file_of(void* address, char** base)
    void* fl_loaded(const char* path)


def open_library(str path not None):
    """Load a compiled program and return the address of its function.

    Raises:
        OSError: the file cannot be loaded.
    """
    cdef void* library = fl_open(<bytes>path.encode())
    cdef void* found = NULL if library == NULL else fl_find(library, b"fl_run")
    if found == NULL:
        raise OSError(f"cannot load {path}")
    return <size_t>found


def place_of(size_t address):
    """Return (file, offset) of an address in a loaded extension module, or None."""
    cdef char* base = NULL
    cdef const char* name = fl_file_of(<void*>address, &base)
    if name == NULL:
        return None
    path = (<bytes>name).decode("utf-8", "surrogateescape")
    return (path, <object>(address - <size_t>base)) if _base(path) == <size_t>base else None


def address_of(str path not None, size_t offset):
    """Return the address at an offset of an extension module, or None if it is not loaded."""
    base = _base(path)
    return None if base is None else base + offset


cdef dict _bases = {}


cdef object _base(str path):
    """Return the base address of a loaded extension module, or None."""
    cdef char* base = NULL
    cdef void* library
    cdef void* entry
    if path in _bases:
        return _bases[path]
    library = fl_loaded(path.encode("utf-8", "surrogateescape"))
    module = path.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    entry = NULL if library == NULL else fl_find(library, f"PyInit_{module}".encode())
    found = None if entry == NULL or fl_file_of(entry, &base) == NULL else <size_t>base
    if found is not None:
        _bases[path] = found
    return found
