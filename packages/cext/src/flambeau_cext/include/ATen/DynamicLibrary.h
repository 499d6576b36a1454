/* at::DynamicLibrary: a shared library that is loaded by name. */
#pragma once

#include <c10/util/Exception.h>

#include <dlfcn.h>

namespace at {

class DynamicLibrary {
  public:
    /* If there is no library `name`, load `alternative`; `leak` keeps the library loaded. */
    explicit DynamicLibrary(const char *name, const char *alternative = nullptr, bool leak = false) : leak_(leak) {
        handle_ = dlopen(name, RTLD_LOCAL | RTLD_NOW);
        if (!handle_ && alternative) handle_ = dlopen(alternative, RTLD_LOCAL | RTLD_NOW);
        TORCH_CHECK(handle_, "Error in dlopen: ", dlerror());
    }
    DynamicLibrary(const DynamicLibrary &) = delete;
    DynamicLibrary &operator=(const DynamicLibrary &) = delete;
    ~DynamicLibrary() {
        if (!leak_) dlclose(handle_);
    }
    void *sym(const char *name) {
        void *found = dlsym(handle_, name);
        TORCH_CHECK(found, "Error in dlsym: ", dlerror());
        return found;
    }

  private:
    bool leak_;
    void *handle_;
};

}  // namespace at
