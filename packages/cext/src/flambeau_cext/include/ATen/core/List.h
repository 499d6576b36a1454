/* c10::List<T>: a list that its copies share, as operators take Tensor?[]. */
#pragma once

#include <c10/util/ArrayRef.h>

#include <memory>
#include <vector>

namespace c10 {

template <class T> class List {
  public:
    using value_type = T;
    using size_type = size_t;
    List() : items_(std::make_shared<std::vector<T>>()) {}
    List(std::initializer_list<T> items) : items_(std::make_shared<std::vector<T>>(items)) {}
    explicit List(ArrayRef<T> items) : items_(std::make_shared<std::vector<T>>(items.begin(), items.end())) {}
    explicit List(std::vector<T> items) : items_(std::make_shared<std::vector<T>>(std::move(items))) {}

    size_t size() const { return items_->size(); }
    bool empty() const { return items_->empty(); }
    T get(size_t i) const { return items_->at(i); }
    T operator[](size_t i) const { return items_->at(i); }
    void set(size_t i, T item) const { items_->at(i) = std::move(item); }
    void push_back(T item) const { items_->push_back(std::move(item)); }
    template <class... A> void emplace_back(A &&...arguments) const {
        items_->emplace_back(std::forward<A>(arguments)...);
    }
    void reserve(size_t n) const { items_->reserve(n); }
    void clear() const { items_->clear(); }
    auto begin() const { return items_->begin(); }
    auto end() const { return items_->end(); }
    std::vector<T> vec() const { return *items_; }
    List copy() const { return List(*items_); }

  private:
    std::shared_ptr<std::vector<T>> items_;
};

}  // namespace c10
