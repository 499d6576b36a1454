/* c10::Dict<K, V>: a dictionary in insertion order whose copies share contents; the type of Dict(str, Tensor)
 * arguments. */
#pragma once

#include <c10/util/Exception.h>

#include <list>
#include <memory>
#include <unordered_map>

namespace c10 {

template <class K, class V> class Dict {
  public:
    class Entry {
      public:
        Entry(K key, V value) : key_(std::move(key)), value_(std::move(value)) {}
        const K &key() const { return key_; }
        const V &value() const { return value_; }
        template <class U> void setValue(U &&value) const { value_ = V(std::forward<U>(value)); }

      private:
        K key_;
        mutable V value_;
    };
    using key_type = K;
    using mapped_type = V;
    using size_type = size_t;
    using iterator = typename std::list<Entry>::const_iterator;

    Dict() : entries_(std::make_shared<Entries>()) {}

    iterator begin() const { return entries_->order.begin(); }
    iterator end() const { return entries_->order.end(); }
    bool empty() const { return entries_->order.empty(); }
    size_t size() const { return entries_->order.size(); }
    void clear() const {
        entries_->places.clear();
        entries_->order.clear();
    }
    iterator find(const K &key) const {
        auto place = entries_->places.find(key);
        return place == entries_->places.end() ? end() : place->second;
    }
    bool contains(const K &key) const { return entries_->places.count(key) != 0; }
    const V &at(const K &key) const {
        iterator found = find(key);
        TORCH_CHECK_INDEX(found != end(), "Argument passed to at() was not in the map.");
        return found->value();
    }
    /* Keeps the value of an existing key. */
    std::pair<iterator, bool> insert(K key, V value) const {
        iterator found = find(key);
        if (found != end()) return {found, false};
        entries_->order.emplace_back(key, std::move(value));
        found = std::prev(end());
        entries_->places.emplace(std::move(key), found);
        return {found, true};
    }
    std::pair<iterator, bool> insert_or_assign(K key, V value) const {
        iterator found = find(key);
        if (found == end()) return insert(std::move(key), std::move(value));
        found->setValue(std::move(value));
        return {found, false};
    }
    void erase(iterator place) const {
        entries_->places.erase(place->key());
        entries_->order.erase(place);
    }
    size_t erase(const K &key) const {
        iterator found = find(key);
        if (found == end()) return 0;
        erase(found);
        return 1;
    }
    void reserve(size_t) const {}
    Dict copy() const {
        Dict other;
        for (const Entry &entry : *this) other.insert(entry.key(), entry.value());
        return other;
    }
    bool is(const Dict &other) const { return entries_ == other.entries_; }
    size_t use_count() const { return size_t(entries_.use_count()); }

  private:
    struct Entries {
        std::list<Entry> order;
        std::unordered_map<K, iterator> places;
    };
    std::shared_ptr<Entries> entries_;
};

}  // namespace c10
