// Waiters, sorted by the value that they wait for.
#pragma once

#include <cstdint>

namespace pintle::kit {

/// A search tree whose nodes are its elements, so adding and removing need no memory. Random ranks keep it balanced
/// (a treap): in whatever order the values come, an operation takes steps in the logarithm of the number of nodes.
/// Nodes of one value stay in the order in which they came.
class WaiterTree {
 public:
  class Node {
   public:
    Node() = default;
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
    [[nodiscard]] bool is_linked() const noexcept { return is_linked_; }

   protected:
    ~Node() = default;

   private:
    friend class WaiterTree;
    std::uint64_t value_ = 0;
    Node* parent_ = nullptr;
    Node* left_ = nullptr;
    Node* right_ = nullptr;
    std::uint32_t rank_ = 0;  // at most that of each child
    bool is_linked_ = false;
  };

  /// The node with the least value that came first; null in an empty tree.
  [[nodiscard]] Node* first() const noexcept { return first_; }
  /// The node with the greatest value that came last; null in an empty tree.
  [[nodiscard]] Node* last() const noexcept {
    Node* node = root_;
    while (node != nullptr && node->right_ != nullptr) node = node->right_;
    return node;
  }

  void add(Node& node, std::uint64_t value) noexcept {
    Node* parent = nullptr;
    Node** place = &root_;
    while (*place != nullptr) {
      parent = *place;
      place = value < parent->value_ ? &parent->left_ : &parent->right_;
    }
    node.value_ = value;
    node.rank_ = next_rank();
    node.left_ = node.right_ = nullptr;
    node.parent_ = parent;
    node.is_linked_ = true;
    *place = &node;
    if (first_ == nullptr || value < first_->value_) first_ = &node;
    while (node.parent_ != nullptr && node.rank_ < node.parent_->rank_) rise(node);
  }

  /// The node must be in this tree.
  void remove(Node& node) noexcept {
    if (first_ == &node) first_ = behind_first();
    while (Node* const child = lower_child(node)) rise(*child);
    place_of(node) = nullptr;
    node.is_linked_ = false;
  }

 private:
  [[nodiscard]] Node*& place_of(const Node& node) noexcept {
    if (node.parent_ == nullptr) return root_;
    return node.parent_->left_ == &node ? node.parent_->left_ : node.parent_->right_;
  }

  /// The child with the lower rank; null where there is no child.
  [[nodiscard]] static Node* lower_child(const Node& node) noexcept {
    if (node.left_ == nullptr || node.right_ == nullptr) return node.left_ != nullptr ? node.left_ : node.right_;
    return node.left_->rank_ < node.right_->rank_ ? node.left_ : node.right_;
  }

  /// Changes places with the parent. The order stays.
  void rise(Node& node) noexcept {
    Node& parent = *node.parent_;
    const bool is_left = parent.left_ == &node;
    Node*& inner = is_left ? node.right_ : node.left_;
    place_of(parent) = &node;
    (is_left ? parent.left_ : parent.right_) = inner;
    if (inner != nullptr) inner->parent_ = &parent;
    inner = &parent;
    node.parent_ = parent.parent_;
    parent.parent_ = &node;
  }

  /// The node behind the first one, which has nothing to its left.
  [[nodiscard]] Node* behind_first() const noexcept {
    Node* node = first_->right_;
    if (node == nullptr) return first_->parent_;
    while (node->left_ != nullptr) node = node->left_;
    return node;
  }

  [[nodiscard]] std::uint32_t next_rank() noexcept {
    seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(seed_ >> 32);
  }

  Node* root_ = nullptr;
  Node* first_ = nullptr;
  std::uint64_t seed_ = 0;
};

}  // namespace pintle::kit
