/* torch::OrderedDict: keys and values in insertion order. */
#pragma once

#include <c10/util/Exception.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace torch {

template <class Key, class Value> class OrderedDict {
  public:
    class Item {
      public:
        Item(Key key, Value value) : pair_(std::move(key), std::move(value)) {}
        const Key &key() const { return pair_.first; }
        Value &value() { return pair_.second; }
        const Value &value() const { return pair_.second; }
        Value &operator*() { return value(); }
        const Value &operator*() const { return value(); }
        Value *operator->() { return &value(); }
        const Value *operator->() const { return &value(); }
        const std::pair<Key, Value> &pair() const { return pair_; }

      private:
        std::pair<Key, Value> pair_;
    };
    using Iterator = typename std::vector<Item>::iterator;
    using ConstIterator = typename std::vector<Item>::const_iterator;

    explicit OrderedDict(std::string what = "Key") : what_(std::move(what)) {}
    OrderedDict(std::initializer_list<Item> items) : OrderedDict() {
        for (const Item &item : items) insert(item.key(), item.value());
    }

    Value &insert(Key key, Value value) {
        TORCH_CHECK(!contains(key), what_, " '", key, "' already defined");
        places_.emplace(key, items_.size());
        items_.emplace_back(std::move(key), std::move(value));
        return items_.back().value();
    }
    void update(const OrderedDict &other) {
        for (const Item &item : other) insert(item.key(), item.value());
    }
    void erase(const Key &key) {
        auto place = places_.find(key);
        TORCH_CHECK(place != places_.end(), what_, " '", key, "' doesn't exist");
        items_.erase(items_.begin() + std::ptrdiff_t(place->second));
        places_.clear();
        for (size_t i = 0; i < items_.size(); i++) places_.emplace(items_[i].key(), i);
    }
    void clear() {
        items_.clear();
        places_.clear();
    }
    void reserve(size_t n) { items_.reserve(n); }

    Value *find(const Key &key) noexcept {
        auto place = places_.find(key);
        return place == places_.end() ? nullptr : &items_[place->second].value();
    }
    const Value *find(const Key &key) const noexcept { return const_cast<OrderedDict *>(this)->find(key); }
    bool contains(const Key &key) const noexcept { return places_.count(key) != 0; }
    Value &operator[](const Key &key) {
        Value *value = find(key);
        TORCH_CHECK(value, what_, " '", key, "' is not defined");
        return *value;
    }
    const Value &operator[](const Key &key) const { return const_cast<OrderedDict &>(*this)[key]; }
    Item &operator[](size_t i) {
        TORCH_CHECK(i < items_.size(), "Index ", i, " is out of bounds");
        return items_[i];
    }
    const Item &operator[](size_t i) const { return const_cast<OrderedDict &>(*this)[i]; }

    Iterator begin() { return items_.begin(); }
    Iterator end() { return items_.end(); }
    ConstIterator begin() const { return items_.begin(); }
    ConstIterator end() const { return items_.end(); }
    Item &front() { return items_.front(); }
    Item &back() { return items_.back(); }
    const Item &front() const { return items_.front(); }
    const Item &back() const { return items_.back(); }
    size_t size() const noexcept { return items_.size(); }
    bool is_empty() const noexcept { return items_.empty(); }
    const std::vector<Item> &items() const noexcept { return items_; }
    std::vector<Key> keys() const {
        std::vector<Key> all;
        for (const Item &item : items_) all.push_back(item.key());
        return all;
    }
    std::vector<Value> values() const {
        std::vector<Value> all;
        for (const Item &item : items_) all.push_back(item.value());
        return all;
    }
    std::vector<std::pair<Key, Value>> pairs() const {
        std::vector<std::pair<Key, Value>> all;
        for (const Item &item : items_) all.push_back(item.pair());
        return all;
    }

  private:
    std::string what_;
    std::vector<Item> items_;
    std::unordered_map<Key, size_t> places_;
};

}  // namespace torch
