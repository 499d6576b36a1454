// A custom class with every way to define something, and operators that take and return its objects.
#include <torch/custom_class.h>
#include <torch/script.h>

#include <string>
#include <vector>

struct Stack : torch::CustomClassHolder {
  std::vector<int64_t> items;
  int64_t limit = 8;
  explicit Stack(std::vector<int64_t> given) : items(std::move(given)) {}
  void push(int64_t item) {
    TORCH_CHECK(int64_t(items.size()) < limit, "a Stack holds at most ", limit, " items");
    items.push_back(item);
  }
  int64_t pop() {
    TORCH_CHECK_INDEX(!items.empty(), "pop from an empty Stack");
    auto item = items.back();
    items.pop_back();
    return item;
  }
  c10::intrusive_ptr<Stack> clone() const { return c10::make_intrusive<Stack>(items); }
  void merge(const c10::intrusive_ptr<Stack>& other) {
    for (auto item : other->items) push(item);
  }
};

struct Scaled : torch::CustomClassHolder {
  at::Tensor weight;
  std::string name;
  Scaled(at::Tensor w, std::string n) : weight(std::move(w)), name(std::move(n)) {}
  at::Tensor apply(const at::Tensor& x, double factor) { return x * weight * factor; }
};

int64_t total(const c10::intrusive_ptr<Stack>& stack) {
  int64_t sum = 0;
  for (auto item : stack->items) sum += item;
  return sum;
}
c10::intrusive_ptr<Stack> reversed(const c10::intrusive_ptr<Stack>& stack) {
  return c10::make_intrusive<Stack>(std::vector<int64_t>(stack->items.rbegin(), stack->items.rend()));
}

TORCH_LIBRARY(wild_classes, m) {
  m.class_<Stack>("Stack")
      .def(torch::init<std::vector<int64_t>>())
      .def("push", &Stack::push)
      .def("pop", &Stack::pop)
      .def("clone", &Stack::clone)
      .def("merge", &Stack::merge)
      .def("__len__", [](const c10::intrusive_ptr<Stack>& self) { return int64_t(self->items.size()); })
      .def("top", [](const c10::intrusive_ptr<Stack>& self, int64_t n, bool last) {
             return std::vector<int64_t>(self->items.end() - n, self->items.end() - (last ? 0 : 1));
           }, "The last n items.", {torch::arg("n"), torch::arg("last") = true})
      .def_readwrite("limit", &Stack::limit)
      .def_property("items", [](const c10::intrusive_ptr<Stack>& self) { return self->items; })
      .def_static("of_range", [](int64_t n) {
        auto made = c10::make_intrusive<Stack>(std::vector<int64_t>());
        for (int64_t i = 0; i < n; i++) made->push(i);
        return made;
      })
      .def_pickle(
          [](const c10::intrusive_ptr<Stack>& self) -> std::vector<int64_t> { return self->items; },
          [](std::vector<int64_t> state) -> c10::intrusive_ptr<Stack> {
            return c10::make_intrusive<Stack>(std::move(state));
          });
  m.def("total", &total);
  m.def("reversed(__torch__.torch.classes.wild_classes.Stack stack) -> __torch__.torch.classes.wild_classes.Stack");
}
TORCH_LIBRARY_IMPL(wild_classes, CompositeExplicitAutograd, m) { m.impl("reversed", &reversed); }

static auto scaled = torch::class_<Scaled>("wild_classes", "Scaled")
                         .def(torch::init([](at::Tensor w) { return c10::make_intrusive<Scaled>(w, "plain"); }))
                         .def_readonly("name", &Scaled::name)
                         .def("apply", &Scaled::apply);
