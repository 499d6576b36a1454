/* c10::List<T>: a list whose copies share contents; the type of Tensor?[] arguments. */
#pragma once

#include <c10/util/ArrayRef.h>

#include <memory>
#include <vector>

namespace c10 {

template <class T> class List {
  public:
    using value_type = T;
    using size_type = size_t;
    using internal_reference_type = typename std::vector<T>::reference;
    using iterator = typename std::vector<T>::iterator;
    List() : items_(std::make_shared<std::vector<T>>()) {}
    List(std::initializer_list<T> items) : items_(std::make_shared<std::vector<T>>(items)) {}
    explicit List(ArrayRef<T> items) : items_(std::make_shared<std::vector<T>>(items.begin(), items.end())) {}
    explicit List(std::vector<T> items) : items_(std::make_shared<std::vector<T>>(std::move(items))) {}

    size_t size() const { return items_->size(); }
    bool empty() const { return items_->empty(); }
    T get(size_t i) const { return items_->at(i); }
    T extract(size_t i) const { return std::exchange((*items_).at(i), T()); }
    /* A reference to the element, for reading and assignment. */
    internal_reference_type operator[](size_t i) const { return items_->at(i); }
    void set(size_t i, T item) const { items_->at(i) = std::move(item); }
    void push_back(T item) const { items_->push_back(std::move(item)); }
    void append(List other) const { items_->insert(items_->end(), other.begin(), other.end()); }
    template <class... A> void emplace_back(A &&...arguments) const {
        items_->emplace_back(std::forward<A>(arguments)...);
    }
    iterator insert(iterator place, T item) const { return items_->insert(place, std::move(item)); }
    iterator erase(iterator place) const { return items_->erase(place); }
    iterator erase(iterator first, iterator last) const { return items_->erase(first, last); }
    void pop_back() const { items_->pop_back(); }
    void resize(size_t n) const { items_->resize(n); }
    void resize(size_t n, const T &item) const { items_->resize(n, item); }
    void reserve(size_t n) const { items_->reserve(n); }
    void clear() const { items_->clear(); }
    iterator begin() const { return items_->begin(); }
    iterator end() const { return items_->end(); }
    std::vector<T> vec() const { return *items_; }
    List copy() const { return List(*items_); }
    bool is(const List &other) const { return items_ == other.items_; }
    size_t use_count() const { return size_t(items_.use_count()); }
    friend bool operator==(const List &a, const List &b) { return *a.items_ == *b.items_; }
    friend bool operator!=(const List &a, const List &b) { return !(a == b); }

  private:
    std::shared_ptr<std::vector<T>> items_;
};

}  // namespace c10
