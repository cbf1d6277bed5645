#pragma once

#include "core/base/rooms.h"

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace stagecraft::base {

/// A list like std::vector whose copies share what they have in common: entries are kept in chunks, and one
/// that several lists share is copied before one of them changes it. A copy takes a pointer for each chunk,
/// and two lists are compared where they do not share. A chunk of which a reference that can be written
/// through was given is copied with its list, so that what is written later changes no copy: lists that are
/// only read are read as const.
template <class T>
class SharedList {
    struct Chunk {
        std::vector<T> entries;
        std::atomic<int> owners = 1;
        bool isLent = false;  ///< somebody may hold a reference to write through; then there is one owner
    };

    /// Of one owner of a chunk.
    class Hold {
    public:
        Hold() : chunk_(new Chunk) {}
        explicit Hold(std::vector<T> entries) : chunk_(new Chunk{std::move(entries)}) {}
        Hold(const Hold& other)
            : chunk_(other.chunk_->isLent ? new Chunk{other.chunk_->entries} : other.chunk_) {
            if (chunk_ == other.chunk_) chunk_->owners.fetch_add(1, std::memory_order_relaxed);
        }
        Hold(Hold&& other) noexcept : chunk_(std::exchange(other.chunk_, nullptr)) {}
        Hold& operator=(Hold other) noexcept {
            std::swap(chunk_, other.chunk_);
            return *this;
        }
        ~Hold() {
            if (chunk_ && chunk_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete chunk_;
        }
        const std::vector<T>& read() const { return chunk_->entries; }
        std::vector<T>& write() {
            if (chunk_->owners.load(std::memory_order_acquire) > 1) *this = Hold(chunk_->entries);
            return chunk_->entries;
        }
        std::vector<T>& lend() {
            std::vector<T>& entries = write();
            chunk_->isLent = true;
            return entries;
        }
        bool isOf(const Hold& other) const { return chunk_ == other.chunk_; }

    private:
        Chunk* chunk_;
    };

    template <class List, class Entry>
    class Iterator {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = Entry*;
        using reference = Entry&;

        Iterator() = default;
        Iterator(List* list, std::ptrdiff_t at) : list_(list), at_(at) {}
        /// One that may write is one that reads.
        operator Iterator<const SharedList, const T>() const requires(!std::is_const_v<Entry>) {
            return {list_, at_};
        }

        reference operator*() const { return (*list_)[static_cast<std::size_t>(at_)]; }
        pointer operator->() const { return &**this; }
        reference operator[](difference_type by) const { return *(*this + by); }
        Iterator& operator++() { return *this += 1; }
        Iterator& operator--() { return *this -= 1; }
        Iterator operator++(int) { return std::exchange(*this, *this + 1); }
        Iterator operator--(int) { return std::exchange(*this, *this - 1); }
        Iterator& operator+=(difference_type by) {
            at_ += by;
            return *this;
        }
        Iterator& operator-=(difference_type by) { return *this += -by; }
        friend Iterator operator+(Iterator from, difference_type by) { return from += by; }
        friend Iterator operator+(difference_type by, Iterator from) { return from += by; }
        friend Iterator operator-(Iterator from, difference_type by) { return from -= by; }
        friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
        friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

    private:
        List* list_ = nullptr;
        std::ptrdiff_t at_ = 0;
    };

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using iterator = Iterator<SharedList, T>;
    using const_iterator = Iterator<const SharedList, const T>;

    SharedList() = default;
    SharedList(std::initializer_list<T> entries) : SharedList(entries.begin(), entries.end()) {}
    SharedList(const std::vector<T>& entries) : SharedList(entries.begin(), entries.end()) {}
    template <std::input_iterator It>
    SharedList(It first, It last) {
        for (; first != last; ++first) push_back(*first);
    }
    operator std::vector<T>() const { return {begin(), end()}; }

    bool empty() const { return chunks_.empty(); }
    std::size_t size() const {
        return empty() ? 0 : (chunks_.size() - 1) * chunkSize + chunks_.back().read().size();
    }
    const T& operator[](std::size_t at) const { return chunks_[at / chunkSize].read()[at % chunkSize]; }
    T& operator[](std::size_t at) { return chunks_[at / chunkSize].lend()[at % chunkSize]; }
    const T& at(std::size_t at) const {
        if (at >= size()) throw std::out_of_range("no entry of a list");
        return (*this)[at];
    }
    T& at(std::size_t at) {
        (void)std::as_const(*this).at(at);
        return (*this)[at];
    }
    const T& front() const { return (*this)[0]; }
    T& front() { return (*this)[0]; }
    const T& back() const { return (*this)[size() - 1]; }
    T& back() { return (*this)[size() - 1]; }
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, std::ssize(*this)}; }
    iterator begin() { return {this, 0}; }
    iterator end() { return {this, std::ssize(*this)}; }
    auto rbegin() const { return std::reverse_iterator(end()); }
    auto rend() const { return std::reverse_iterator(begin()); }
    auto rbegin() { return std::reverse_iterator(end()); }
    auto rend() { return std::reverse_iterator(begin()); }

    void reserve(std::size_t size) { chunks_.reserve((size + chunkSize - 1) / chunkSize); }
    void clear() { chunks_.clear(); }
    template <std::input_iterator It>
    void assign(It first, It last) {
        *this = SharedList(first, last);
    }
    void swap(SharedList& other) noexcept { chunks_.swap(other.chunks_); }
    void push_back(T entry) {
        if (empty() || chunks_.back().read().size() == chunkSize) chunks_.emplace_back();
        chunks_.back().write().push_back(std::move(entry));
    }
    template <class... Parts>
    T& emplace_back(Parts&&... parts) {
        push_back(T(std::forward<Parts>(parts)...));
        return back();
    }
    void pop_back() {
        std::vector<T>& last = chunks_.back().write();
        last.pop_back();
        if (last.empty()) chunks_.pop_back();
    }
    void resize(std::size_t size, const T& filler = {}) {
        while (this->size() > size) pop_back();
        while (this->size() < size) push_back(filler);
    }
    iterator insert(const_iterator at, T entry) { return insert(at, &entry, &entry + 1); }
    template <std::input_iterator It>
    iterator insert(const_iterator at, It first, It last) {
        const std::ptrdiff_t place = at - std::as_const(*this).begin();
        std::vector<T> after(at, std::as_const(*this).end());
        std::vector<T> entries(first, last);
        resizeDown(place);
        for (std::vector<T>* part : {&entries, &after})
            for (T& entry : *part) push_back(std::move(entry));
        return begin() + place;
    }
    iterator erase(const_iterator at) { return erase(at, at + 1); }
    iterator erase(const_iterator first, const_iterator last) {
        const std::ptrdiff_t place = first - std::as_const(*this).begin();
        std::vector<T> after(last, std::as_const(*this).end());
        resizeDown(place);
        for (T& entry : after) push_back(std::move(entry));
        return begin() + place;
    }
    /// `condition` is asked once of each entry, in order. @return how many it held of
    template <class Condition>
    std::size_t eraseIf(Condition condition) {
        const SharedList before = *this;
        std::size_t kept = 0;
        while (kept < before.size() && !condition(before[kept])) ++kept;
        if (kept == before.size()) return 0;
        resizeDown(static_cast<std::ptrdiff_t>(kept));
        for (std::size_t i = kept + 1; i < before.size(); ++i)
            if (!condition(before[i])) push_back(before[i]);
        return before.size() - size();
    }
    void set(std::size_t at, T entry) { chunks_[at / chunkSize].write()[at % chunkSize] = std::move(entry); }

    /// Calls act(first, last) for each run of indices whose entries two lists of one size do not share.
    template <class Act>
    void forEachUnshared(const SharedList& other, Act act) const {
        for (std::size_t i = 0; i < chunks_.size(); ++i)
            if (!chunks_[i].isOf(other.chunks_[i]))
                act(i * chunkSize, i * chunkSize + chunks_[i].read().size());
    }
    /// Whether two lists are of one size and `alike` holds of each pair of entries that they do not share.
    template <class Alike>
    bool isAlike(const SharedList& other, Alike alike) const {
        bool result = size() == other.size();
        if (!result) return false;
        forEachUnshared(other, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; result && i < last; ++i) result = alike((*this)[i], other[i]);
        });
        return result;
    }
    /// How many entries at their beginning two lists have in common.
    std::size_t commonBeginning(const SharedList& other) const {
        std::size_t chunk = 0;
        const std::size_t chunks = std::min(chunks_.size(), other.chunks_.size());
        while (chunk < chunks && chunks_[chunk].isOf(other.chunks_[chunk])) ++chunk;
        const std::size_t least = std::min(size(), other.size());
        std::size_t count = std::min(chunk * chunkSize, least);
        while (count < least && (*this)[count] == other[count]) ++count;
        return count;
    }
    /// How many at their end, no more than `most`, which is no more than either has.
    std::size_t commonEnd(const SharedList& other, std::size_t most) const {
        std::size_t count = 0;
        if (size() == other.size())
            for (std::size_t chunk = chunks_.size();
                 chunk-- > 0 && chunks_[chunk].isOf(other.chunks_[chunk]);)
                count = std::min(size() - chunk * chunkSize, most);
        while (count < most && (*this)[size() - 1 - count] == other[other.size() - 1 - count]) ++count;
        return count;
    }
    bool operator==(const SharedList& other) const {
        return isAlike(other, [](const T& a, const T& b) { return a == b; });
    }

private:
    static constexpr std::size_t chunkSize = 256;  ///< all but the last chunk have as many, that at least 1

    void resizeDown(std::ptrdiff_t size) {
        const auto rest = static_cast<std::size_t>(size);
        chunks_.resize((rest + chunkSize - 1) / chunkSize);
        if (rest % chunkSize == 0) return;
        std::vector<T>& last = chunks_.back().write();
        last.erase(last.begin() + size % static_cast<std::ptrdiff_t>(chunkSize), last.end());
    }

    std::vector<Hold> chunks_;
};

}  // namespace stagecraft::base
