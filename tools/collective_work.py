"""What a collective operation makes each rank do: messages, bytes copied and folded.

Counted as src/collective does it: operate.cpp, schedule_fold.cpp, schedule_move.cpp, reach.cpp, layout.h. What changes there
changes here. For collective_model.py.
"""

import collections

ALGORITHMS = ("ring", "halving_doubling", "tree", "direct")
LEAST_TO_REACH = SMALL = NATIVE = 64 << 10
FEW = 8
TINY = 8 << 10
TINY_FAR_SHARE = 128
SMALL_DIRECT, FEW_DIRECT = 4096, 16
MOST_BLOCKS = 256
INBOX, SLOTS, LEAST_PAYLOAD, MOST_PAYLOAD = 2 << 20, 16, 2048, 128 << 10
MOST_RANKS = 1024


class Work(collections.namedtuple("Work", "messages waits rounds copied folded wire")):
    """`waits`: arrivals that it may have to sleep for, pieces of one part being one. `rounds`: messages that follow from each other.
    `wire`: bytes through the busiest link, one way."""

    def plus(self, other):
        return Work(*(a + b for a, b in zip(self, other)))

    def times(self, factor):
        return Work(*(a * factor for a in self))

    def at_least(self, other):
        return Work(*map(max, self, other))


class Load(collections.namedtuple("Load", "path total")):
    """The work of the rank that is busy longest, and of all ranks together."""

    def on(self, processors):
        return self.path.at_least(self.total.times(1 / processors))


def balanced(ranks, work):
    return Load(work, work.times(ranks))


# Messages

def floor_power(value):
    return 1 << (value.bit_length() - 1)


def rounds_of(ranks):
    return (ranks - 1).bit_length()


def payload(ranks):
    """The most bytes of one message."""
    share = INBOX // SLOTS // max(1, ranks - 1)
    return min(max(floor_power(max(share, 1)), LEAST_PAYLOAD), MOST_PAYLOAD)


def pieces(size, piece):
    """What is empty is a message as well."""
    return max(1, -(-size // piece))


def largest_slice(size, slices, element):
    return -(-(size // element) // slices) * element


# Algorithms. `piece` is the most whole elements of a message, in bytes.

def all_reduce_ring(ranks, size, element, piece):
    part = largest_slice(size, ranks, element)
    others = ranks - 1
    return balanced(ranks, Work(4 * others * pieces(part, piece), 2 * others, 2 * others, 3 * others * part, others * part,
                                2 * others * part))


def all_reduce_halving(ranks, size, element, piece):
    """The ranks beyond a power of two are guests of others. A leaf is a message of its own on the way back."""
    fleet = floor_power(ranks)
    guests, rounds = ranks - fleet, rounds_of(fleet)
    leaf = largest_slice(size, fleet, element)
    halving = 2 * sum(pieces(leaf << i, piece) for i in range(rounds))
    leaves, others = fleet * pieces(leaf, piece), fleet - 1
    member = Work(halving + 2 * others * pieces(leaf, piece), 2 * rounds, 2 * rounds, 3 * others * leaf, others * leaf, 2 * others * leaf)
    if guests == 0:
        return balanced(ranks, member)
    host = Work(pieces(size, piece) + leaves, 1, 2, size, size, size)
    guest = Work(pieces(size, piece) + leaves, 1, 2, 2 * size, 0, size)
    return Load(member.plus(host), member.times(fleet).plus(host.plus(guest).times(guests)))


def all_reduce_tree(ranks, size, _element, piece):
    """The root is busiest with what is long; what is short waits for a chain of messages to the root and back."""
    rounds, count, first = rounds_of(ranks), pieces(size, piece), min(size, piece)
    root = Work(2 * rounds * count, 2 * rounds, 2 * rounds, rounds * size, rounds * size, rounds * size)
    chain = Work(4 * rounds, 2 * rounds, 2 * rounds, 3 * rounds * first, rounds * first, 2 * rounds * first)
    return Load(root.at_least(chain), Work(4 * count, 2, 2, 3 * size, size, 2 * size).times(ranks - 1))


def all_reduce_direct(ranks, size, element, piece):
    others = ranks - 1
    if size <= SMALL_DIRECT and ranks <= FEW_DIRECT:
        return balanced(ranks, Work(2 * others * pieces(size, piece), others, 1, others * size, others * size, others * size))
    part = largest_slice(size, ranks, element)
    block = max(piece, (part // MOST_BLOCKS + element) // element * element)
    whole, rest = divmod(part, block)
    count = max(1, whole * pieces(block, piece) + (pieces(rest, piece) if rest else 0))
    return balanced(ranks, Work(4 * others * count, 2 * others, 2, 3 * others * part, others * part, 2 * others * part))


def all_gather(ranks, size, piece, way):
    """The own part is copied as well."""
    part, others = size // ranks, ranks - 1
    doubles = way == "halving_doubling" and ranks == floor_power(ranks)
    waits = rounds_of(ranks) if doubles else others
    rounds = waits if doubles or way == "ring" else 1
    return balanced(ranks, Work(2 * others * pieces(part, piece), waits, rounds, (2 * others + 1) * part, 0, others * part))


def reduce_scatter(ranks, size, piece, way):
    part, others = size // ranks, ranks - 1
    rounds = others if way == "ring" else 1
    return balanced(ranks, Work(2 * others * pieces(part, piece), others, rounds, others * part, others * part, others * part))


def reach(operation, ranks, size, element):
    """Threads work in each other's memory, between two messages to everybody."""
    others, part = ranks - 1, largest_slice(size, ranks, element)
    copied = {"all_reduce": others * part, "all_gather": ranks * part, "reduce_scatter": 0}[operation]
    folded = 0 if operation == "all_gather" else others * part
    return balanced(ranks, Work(4 * others, 2 * others, 2, copied, folded, others * part))


ALL_REDUCE = {"ring": all_reduce_ring, "halving_doubling": all_reduce_halving, "tree": all_reduce_tree, "direct": all_reduce_direct}
OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter")


def load(operation, way, ranks, size, element):
    """The Load of an operation done in this way: an algorithm, or "reach"."""
    piece = payload(ranks) // element * element
    if way == "reach":
        return reach(operation, ranks, size, element)
    if operation == "all_reduce":
        return ALL_REDUCE[way](ranks, size, element, piece)
    return {"all_gather": all_gather, "reduce_scatter": reduce_scatter}[operation](ranks, size, piece, way)


def choose(operation, size, ranks, is_far=False):
    """As src/collective/group/operate.cpp does; `is_far`: across a network."""
    if operation != "all_reduce":
        return "direct" if size < SMALL or ranks <= FEW else "ring"
    if ranks <= FEW:
        return "direct"
    if is_far:
        return "tree" if size < max(TINY, ranks * TINY_FAR_SHARE) else "halving_doubling"
    if size < TINY:
        return "tree"
    return "halving_doubling" if size < SMALL else "ring"


def way_of(transport, operation, algorithm, size, ranks):
    if algorithm == "automatic" and transport == "mpi" and size >= NATIVE:
        return "native"
    if algorithm in ("automatic", "direct") and transport == "threads" and size >= LEAST_TO_REACH:
        return "reach"
    return choose(operation, size, ranks) if algorithm == "automatic" else algorithm
