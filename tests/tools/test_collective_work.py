"""tools/collective_work.py: counts against schedules written out rank by rank."""

import re
import unittest

from tree import ROOT

import collective_work as work_of


def slices(size, count, element):
    """Bytes of each, the first ones one element longer."""
    each, longer = divmod(size // element, count)
    return [(each + (i < longer)) * element for i in range(count)]


class Ranks:
    """Counts what every rank does, item by item, as the library's executor does."""

    def __init__(self, ranks, piece):
        self.ranks, self.piece = ranks, piece
        self.messages, self.copied, self.folded, self.sent = ([0] * ranks for _ in range(4))
        self.received = 0

    def pieces(self, size):
        count, left = 0, size
        while True:  # an empty item is one message as well
            count += 1
            left -= self.piece
            if left <= 0:
                return count

    def send(self, rank, size):
        self.messages[rank] += self.pieces(size)
        self.copied[rank] += size
        self.sent[rank] += size

    def take(self, rank, size):
        self.messages[rank] += self.pieces(size)
        self.received += size

    def receive(self, rank, size):
        self.take(rank, size)
        self.copied[rank] += size

    def fold(self, rank, size, others=1):
        for _ in range(others):
            self.take(rank, size)
            self.folded[rank] += size


def ring_fold(ranks, parts):
    for step in range(ranks.ranks - 1):
        for rank in range(ranks.ranks):
            sent = (rank - step - 1) % ranks.ranks
            ranks.send(rank, parts[sent])
            ranks.fold(rank, parts[(sent - 1) % ranks.ranks])


def ring_gather(ranks, parts):
    for step in range(ranks.ranks - 1):
        for rank in range(ranks.ranks):
            ranks.send(rank, parts[(rank - step) % ranks.ranks])
            ranks.receive(rank, parts[(rank - step - 1) % ranks.ranks])


def doubling_gather(ranks, members, parts):
    distance = 1
    while distance < len(members):
        for place, rank in enumerate(members):
            mine = place // distance * distance
            for i in range(distance):
                ranks.send(rank, parts[mine + i])
                ranks.receive(rank, parts[(mine ^ distance) + i])
        distance *= 2


def all_to_owners(ranks, parts):
    for rank in range(ranks.ranks):
        for other in range(ranks.ranks):
            if other != rank:
                ranks.send(rank, parts[other])
        ranks.fold(rank, parts[rank], ranks.ranks - 1)


def owners_to_all(ranks, parts):
    for rank in range(ranks.ranks):
        for other in range(ranks.ranks):
            if other != rank:
                ranks.send(rank, parts[rank])
                ranks.receive(rank, parts[other])


def ring(ranks, size, element):
    parts = slices(size, ranks.ranks, element)
    ring_fold(ranks, parts)
    ring_gather(ranks, parts)


def halving_doubling(ranks, size, element):
    fleet = max(2 ** i for i in range(12) if 2 ** i <= ranks.ranks)
    guests = ranks.ranks - fleet
    members = [2 * i for i in range(guests)] + list(range(2 * guests, ranks.ranks))
    parts = slices(size, fleet, element)
    for host in members[:guests]:
        ranks.send(host + 1, size)
        ranks.fold(host, size)
    distance = fleet // 2
    while distance:
        for place, rank in enumerate(members):
            kept = place // distance * distance
            given = kept ^ distance
            ranks.send(rank, sum(parts[given:given + distance]))
            ranks.fold(rank, sum(parts[kept:kept + distance]))
        distance //= 2
    doubling_gather(ranks, members, parts)
    for host in members[:guests]:
        for part in parts:
            ranks.send(host, part)
            ranks.receive(host + 1, part)


def binomial(ranks, size, _element):
    for rank in range(1, ranks.ranks):  # one edge up and down for each rank but the root
        parent = rank & (rank - 1)
        ranks.send(rank, size)
        ranks.fold(parent, size)
        ranks.send(parent, size)
        ranks.receive(rank, size)


def direct(ranks, size, element):
    if size <= 4096 and ranks.ranks <= 16:
        for rank in range(ranks.ranks):
            for _ in range(ranks.ranks - 1):
                ranks.send(rank, size)
            ranks.fold(rank, size, ranks.ranks - 1)
        return
    parts = slices(size, ranks.ranks, element)
    all_to_owners(ranks, parts)
    owners_to_all(ranks, parts)


ALL_REDUCE = {"ring": ring, "halving_doubling": halving_doubling, "tree": binomial, "direct": direct}


def gather(ranks, size, way):
    parts = [size // ranks.ranks] * ranks.ranks
    if way == "ring":
        ring_gather(ranks, parts)
    elif way == "halving_doubling" and ranks.ranks in (2, 4, 8, 16, 32, 64):
        doubling_gather(ranks, list(range(ranks.ranks)), parts)
    else:
        owners_to_all(ranks, parts)
    for rank in range(ranks.ranks):
        ranks.copied[rank] += parts[rank]  # the own one


def scatter(ranks, size, way):
    parts = [size // ranks.ranks] * ranks.ranks
    ring_fold(ranks, parts) if way == "ring" else all_to_owners(ranks, parts)


def enumerated(operation, way, count, size, element=4):
    ranks = Ranks(count, work_of.payload(count) // element * element)
    if operation == "all_reduce":
        ALL_REDUCE[way](ranks, size, element)
    else:
        {"all_gather": gather, "reduce_scatter": scatter}[operation](ranks, size, way)
    return ranks


class CountTest(unittest.TestCase):
    def assert_counts(self, operation, way, count, size):
        ranks, load = enumerated(operation, way, count, size), work_of.load(operation, way, count, size, 4)
        where = (operation, way, count, size)
        self.assertEqual(sum(ranks.sent), ranks.received, where)  # or the enumeration itself is wrong
        self.assertEqual(load.total.messages, sum(ranks.messages), where)
        self.assertEqual(load.total.copied, sum(ranks.copied), where)
        self.assertEqual(load.total.folded, sum(ranks.folded), where)
        self.assertEqual(load.total.wire, sum(ranks.sent), where)
        return ranks, load

    def assert_busiest(self, operation, way, count, size):
        ranks, load = self.assert_counts(operation, way, count, size)
        self.assertEqual(load.path.messages, max(ranks.messages))
        self.assertEqual(load.path.copied, max(ranks.copied))
        self.assertEqual(load.path.folded, max(ranks.folded))
        self.assertEqual(load.path.wire, max(ranks.sent))

    def test_all_reduce_of_whole_slices(self):
        for count in (2, 4, 8, 16, 64):
            for size in (count * 4, count * 1024, count * 3 * 65536):
                for way in ("ring", "halving_doubling", "direct"):
                    self.assert_busiest("all_reduce", way, count, size)

    def test_all_reduce_of_other_numbers_of_ranks(self):
        for count in (3, 6, 7):
            for way in ("ring", "direct"):
                self.assert_busiest("all_reduce", way, count, count * 4096)
            self.assert_busiest("all_reduce", "halving_doubling", count, 32768 * 5)

    def test_tree_over_all_ranks(self):
        for count in (2, 3, 7, 8, 64):
            for size in (8, 4096, 1 << 20):
                self.assert_counts("all_reduce", "tree", count, size)

    def test_tree_that_is_long_is_its_root(self):
        ranks, load = self.assert_counts("all_reduce", "tree", 8, 1 << 20)
        self.assertEqual(load.path.folded, ranks.folded[0])
        self.assertEqual(load.path.messages, ranks.messages[0])
        self.assertEqual(load.path.copied, ranks.copied[0])

    def test_tree_that_is_short_is_a_chain(self):
        work = work_of.load("all_reduce", "tree", 8, 8, 4).path
        self.assertEqual((work.messages, work.rounds, work.copied), (12, 6, 3 * 3 * 8))

    def test_gathers_and_scatters(self):
        for count in (2, 3, 4, 8, 32):
            for size in (count * 4, count * 4096, count << 18):
                for way in work_of.ALGORITHMS:
                    self.assert_busiest("all_gather", way, count, size)
                    self.assert_busiest("reduce_scatter", way, count, size)

    def test_ring_of_four_by_hand(self):
        work = work_of.load("all_reduce", "ring", 4, 4096, 4).path
        # Three rounds that fold 1024 bytes, three that receive them; a message out and a message in in each.
        self.assertEqual((work.messages, work.rounds, work.folded), (12, 6, 3 * 1024))
        self.assertEqual((work.copied, work.wire), (3 * 1024 + 3 * 2048, 6 * 1024))

    def test_ring_sends_what_a_ring_must(self):
        for count in (2, 8, 64):
            size = count * 4096
            self.assertEqual(work_of.load("all_reduce", "ring", count, size, 4).path.wire, 2 * (count - 1) * size // count)

    def test_rounds_and_waits(self):
        expected = {("all_reduce", "ring"): (14, 14), ("all_reduce", "halving_doubling"): (6, 6), ("all_reduce", "tree"): (6, 6),
                    ("all_reduce", "direct"): (2, 14), ("all_reduce", "reach"): (2, 14), ("all_gather", "ring"): (7, 7),
                    ("all_gather", "halving_doubling"): (3, 3), ("all_gather", "tree"): (1, 7), ("reduce_scatter", "direct"): (1, 7),
                    ("reduce_scatter", "ring"): (7, 7)}
        for (operation, way), rounds_and_waits in expected.items():
            work = work_of.load(operation, way, 8, 1 << 20, 4).path
            self.assertEqual((work.rounds, work.waits), rounds_and_waits, (operation, way))
        self.assertEqual(work_of.load("all_reduce", "direct", 8, 8, 4).path.rounds, 1)
        self.assertEqual(work_of.load("all_reduce", "halving_doubling", 7, 4096, 4).path.rounds, 2 * 2 + 2)

    def test_slices_that_are_not_equal_count_as_the_longest(self):
        for way in ("ring", "halving_doubling", "direct"):
            for count, size in ((4, 8), (4, 4100), (8, 1 << 20 | 4), (64, 8)):
                ranks, work = enumerated("all_reduce", way, count, size), work_of.load("all_reduce", way, count, size, 4).path
                items = 4 * count  # each may need one message more for its last element
                self.assertTrue(max(ranks.messages) <= work.messages <= max(ranks.messages) + items, (way, count, size))
                for counted, found in ((work.copied, max(ranks.copied)), (work.folded, max(ranks.folded))):
                    self.assertGreaterEqual(counted, found)
                    self.assertLessEqual(counted, found + 4 * 3 * count)

    def test_direct_goes_by_blocks(self):
        size = 2 * 300 * 128 * 1024  # 300 messages are more than 256 blocks
        ranks, work = enumerated("all_reduce", "direct", 2, size), work_of.load("all_reduce", "direct", 2, size, 4).path
        self.assertEqual(work.copied, max(ranks.copied))
        self.assertGreater(work.messages, max(ranks.messages))  # a block is cut into a whole message and a rest

    def test_threads_in_each_others_memory(self):
        work = work_of.load("all_reduce", "reach", 4, 1 << 20, 4).path
        self.assertEqual((work.messages, work.copied, work.folded), (12, 3 << 18, 3 << 18))
        self.assertEqual(work_of.load("all_gather", "reach", 4, 1 << 20, 4).path.copied, 1 << 20)
        self.assertEqual(work_of.load("all_gather", "reach", 4, 1 << 20, 4).path.folded, 0)
        self.assertEqual(work_of.load("reduce_scatter", "reach", 4, 1 << 20, 4).path.copied, 0)

    def test_processors_are_shared(self):
        load = work_of.load("all_reduce", "ring", 8, 8192, 4)
        self.assertEqual(load.on(8), load.path)
        self.assertEqual(load.on(64), load.path)
        self.assertEqual(load.on(2).folded, 4 * load.path.folded)


class ChoiceTest(unittest.TestCase):
    def test_payload_of_the_layout(self):
        sizes = {2: 128 << 10, 3: 64 << 10, 4: 32 << 10, 9: 16 << 10, 16: 8192, 33: 4096, 64: 2048, 1024: 2048}
        self.assertEqual({ranks: work_of.payload(ranks) for ranks in sizes}, sizes)

    def test_automatic(self):
        self.assertEqual(work_of.choose("all_reduce", 1 << 30, 8), "direct")
        self.assertEqual(work_of.choose("all_reduce", (64 << 10) - 4, 9), "halving_doubling")
        self.assertEqual(work_of.choose("all_reduce", 8, 9), "tree")
        self.assertEqual(work_of.choose("all_reduce", 64 << 10, 9), "ring")
        self.assertEqual(work_of.choose("all_reduce", (64 << 10) - 4, 512, is_far=True), "tree")
        self.assertEqual(work_of.choose("all_reduce", 64 << 10, 512, is_far=True), "halving_doubling")
        self.assertEqual(work_of.choose("all_gather", 64 << 10, 9), "ring")
        self.assertEqual(work_of.choose("reduce_scatter", 8, 64), "direct")

    def test_what_a_transport_does_itself(self):
        self.assertEqual(work_of.way_of("threads", "all_reduce", "direct", 64 << 10, 4), "reach")
        self.assertEqual(work_of.way_of("threads", "all_reduce", "automatic", 64 << 10, 64), "reach")
        self.assertEqual(work_of.way_of("threads", "all_reduce", "direct", (64 << 10) - 4, 4), "direct")
        self.assertEqual(work_of.way_of("threads", "all_reduce", "ring", 1 << 20, 4), "ring")
        self.assertEqual(work_of.way_of("shm", "all_reduce", "automatic", 1 << 20, 4), "direct")
        self.assertEqual(work_of.way_of("mpi", "all_reduce", "automatic", 64 << 10, 4), "native")

class SourceTest(unittest.TestCase):
    """The numbers that the library has as well."""

    def assert_same(self, file, **expected):
        text = (ROOT / "src/collective" / file).read_text(encoding="utf-8")
        for name, value in expected.items():
            found = re.search(rf"constexpr [\w:]+ {name} = (\d+)(?:ull)?(?: << (\d+))?;", text)
            self.assertIsNotNone(found, f"{file} has no {name}")
            self.assertEqual(int(found[1]) << int(found[2] or 0), value, f"{name} of {file}")

    def test_numbers(self):
        self.assert_same("group/operate.cpp", least_to_reach=work_of.LEAST_TO_REACH, small=work_of.SMALL, few=work_of.FEW,
                         tiny=work_of.TINY, tiny_far_share=work_of.TINY_FAR_SHARE)
        self.assert_same("fold/schedule_fold.cpp", small_bytes=work_of.SMALL_DIRECT, few_ranks=work_of.FEW_DIRECT, most_blocks=work_of.MOST_BLOCKS)
        self.assert_same("group/layout.h", inbox=work_of.INBOX, slots=work_of.SLOTS)
        self.assert_same("mpi/mpi_native.cpp", least=work_of.NATIVE)
        self.assert_same("transport.h", most_ranks=work_of.MOST_RANKS)


if __name__ == "__main__":
    unittest.main()
