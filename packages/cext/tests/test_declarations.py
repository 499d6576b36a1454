"""Reading declarations: what the grammar of C and C++ puts around the functions to be bound."""

import pytest

from flambeau_cext.declarations import find_functions, user_text


def shown(text, *names, cxx=False):
    return {name: str(d) for name, d in find_functions(text, names, cxx=cxx).items()}


def test_functions_are_found_between_other_things():
    text = """
    typedef double (*callback)(double);
    typedef struct { int f; } holder;
    struct other { int g(int); };
    static int table[] = {1, 2, 3};
    int counter = 0, *pointer;
    enum { A, B };
    double f(double x) { if (x) { g(1); } return f(x) + '}' + *"}"; }
    int g(int n);
    int h = 3;
    """
    assert shown(text, "f", "g", "h", "table", "callback") == {"f": "double f(double x)", "g": "int g(int n)"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("long unsigned int f(unsigned x)", "unsigned long f(unsigned int x)"),
        ("long long int f(short int a, signed char b)", "long long f(short a, signed char b)"),
        ("const char *f(const char *restrict s, char const *t)", "const char *f(const char *s, const char *t)"),
        ("_Bool f(_Bool a)", "bool f(bool a)"),
        ("const fl_tensor f(const fl_tensor x, volatile int n)", "fl_tensor f(fl_tensor x, int n)"),
        ("void f(void)", "void f(void)"),
        ("void f()", "void f(void)"),
        ("int64_t f(const int64_t)", "int64_t f(int64_t arg0)"),
        ("int f(unsigned, long n)", "int f(unsigned int arg0, long n)"),
        ("double f(double x[3], int n)", "double f(double *x, int n)"),
        ("void f(const float *x)", "void f(const float *x)"),
        ("double f(double (*g)(double), int n)", "double f(double ( * g ) ( double ) arg0, int n)"),
        ("__attribute__((noinline, aligned(8))) extern inline int f(int n)", "int f(int n)"),
        ("int f(int n __attribute__((unused)))", "int f(int n)"),
        ("struct point f(struct point p)", "struct point f(struct point p)"),
    ],
)
def test_types_have_one_spelling(written, read):
    assert shown(written + " { }", "f") == {"f": read}
    assert shown(written + ";", "f") == {"f": read}


def test_the_names_of_a_definition_win_over_those_of_a_declaration():
    assert shown("int f(int);\nint f(int count) { return count; }", "f") == {"f": "int f(int count)"}
    assert shown("int f(int count) { return count; }\nint f(int);", "f") == {"f": "int f(int count)"}


def test_static_functions_are_told_apart():
    found = find_functions("static int f(int n) { return n; } int g(int n) { return n; }", ["f", "g"])
    assert (found["f"].static, found["g"].static) == (True, False)


def test_cxx():
    text = """
    namespace deep { double f(double x) { return x; } }
    template <class T> T twice(T x) { return x + x; }
    class k { int f(int) const; };
    using alias = int;
    [[nodiscard]] auto f(const std::string &name, int n = 3) noexcept -> double { return n; }
    fl::tensor g(const fl::tensor &x, fl::tensor y) { return y; }
    extern "C" int h(int n) { return n; }
    extern "C" {
    int i(int n) { return n; }
    struct { int j; } s = {1};
    }
    int j(int n) { return R"(})" ? n : 0; }
    void outer::f(int) { }
    """
    found = find_functions(text, ["f", "g", "h", "i", "j", "twice"], cxx=True)
    assert {name: str(d) for name, d in found.items()} == {
        "f": "double f(const std::string &name, int n)",
        "g": "fl::tensor g(const fl::tensor &x, fl::tensor y)",
        "h": "int h(int n)",
        "i": "int i(int n)",
        "j": "int j(int n)",
    }
    assert [name for name, d in found.items() if d.c_linkage] == ["h", "i"]


def test_overloads_are_refused():
    with pytest.raises(ValueError, match=r"'f' is overloaded: int f\(int n\) and double f\(double x\)"):
        find_functions("int f(int n) { return n; } double f(double x) { return x; }", ["f"], cxx=True)


def test_only_the_users_text_is_read():
    text = '\n'.join(
        [
            '# 1 "a.c"',
            '# 1 "/usr/include/stdio.h" 1 3 4',
            "int system_function(int n);",
            '# 1 "mine.h" 1',
            "int mine(int n);",
            '# 2 "a.c" 2',
            '# 2 "a.c" 3 4',
            "_Bool",
            '# 2 "a.c"',
            " f(int n) { return n; }",
        ]
    )  # fmt: skip
    kept = user_text(text)
    assert "system_function" not in kept
    assert shown(kept, "mine", "f") == {"mine": "int mine(int n)", "f": "bool f(int n)"}
