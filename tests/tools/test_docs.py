"""tools/docs: each rule of the pages, the built site and the pictures, with a tree that breaks it."""

import contextlib
import http.server
import io
import re
import socket
import sys
import threading
import unittest
import unittest.mock as mock
import xml.etree.ElementTree as xml

from tree import ROOT, Tree

sys.path.insert(0, str(ROOT / "tools/docs"))
import ask_links  # noqa: E402
import check_pages  # noqa: E402
import check_site  # noqa: E402
import libraries  # noqa: E402
import pages  # noqa: E402
import pictures  # noqa: E402
import rewrite  # noqa: E402
import screenshots  # noqa: E402

NAV = "site_name: x\nnav:\n  - Home: index.md\n  - One: a.md\n"


def problems(**files):
    """What is wrong with a tree of a README, docs/a.md and these; a file's name has `__` for `/`."""
    with Tree() as tree:
        tree["README.md"], tree["docs/a.md"], tree["tools/docs/mkdocs.yml"] = "# Home\n", "# A page\n", NAV
        tree["dev"] = "verb_test() {\n}\n"
        for name, text in files.items():
            tree[name.replace("__", "/") + ("" if "." in name else ".md")] = text
        return list(check_pages.problems(tree.root.resolve()))


class ArchitectureTest(unittest.TestCase):
    def test_the_life_of_a_submission_is_ten_sentences_in_common_words(self):
        page, glossary = (ROOT.joinpath(name).read_text(encoding="utf-8") for name in ("ARCHITECTURE.md", "GLOSSARY.md"))
        life = re.search(r"## The life of a submission\n(.*?)\n\n## ", page, re.DOTALL)[1]
        words = re.sub(r"`[^`]*`|docs/adr/\d+", "", re.sub(r"^\d\. ", "", life, flags=re.MULTILINE))
        self.assertLessEqual(len(re.findall(r"\.(?=\s|$)", words)), 10)
        inside = re.search(r"## Inside the driver\n(.*?)\n## ", glossary, re.DOTALL)[1]
        own = re.findall(r"^\| ([a-z ]+) \| [A-Z]", inside, re.MULTILINE)
        self.assertIn("worklist", own)
        self.assertEqual([word for word in own if re.search(rf"\b{word}s?\b", words)], [])


class PagesTest(unittest.TestCase):
    def assert_problem(self, words, **files):
        found = problems(**files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_good_tree_has_none(self):
        text = "# A page\n\n[home](../README.md), [here](#a-page), [there](https://example.org/x), `docs/a.md`, [made](reference/cpp/index.html)\n"
        self.assertEqual(problems(docs__a=text), [])

    def test_dead_links(self):
        self.assert_problem("docs/a.md:3: dead link b.md: there is no such file.", docs__a="# A\n\n[b](b.md)\n")
        self.assert_problem("dead link #b: the page has no such heading.", docs__a="# A\n\n[b](#b)\n")
        self.assert_problem("dead link a.md#no: the page has no such heading.", docs__a="# A\n\n[`b`](a.md#no)\n")
        self.assert_problem("dead link x.svg", docs__a="# A\n\n![b](x.svg)\n")

    def test_addresses_are_looked_at_and_not_fetched(self):
        self.assert_problem('"nowhere" is no host', docs__a="# A\n\n[b](https://nowhere/x)\n")
        self.assert_problem('the scheme "ftp" is none of a page', docs__a="# A\n\n[b](ftp://example.org)\n")

    def test_what_is_code_is_no_link(self):
        self.assertEqual(problems(docs__a="# A\n\n`[](const auto& x)`\n\n```cpp\nauto f = [](int) {};\n```\n"), [])

    def test_paths_that_are_named_are_there(self):
        self.assert_problem("`docs/gone.md` is not in the tree.", docs__a="# A\n\nSee `docs/gone.md`.\n")

    def test_a_page_that_is_named_without_its_folder_has_a_link(self):
        self.assert_problem("docs/guide/b.md:3: `b.md` is no link on the site", docs__guide__b="# B\n\nSee `b.md`, [`b.md`](b.md), `c.md`.\n",
                            **{"tools__docs__mkdocs.yml": NAV + "  - guide/b.md\n"})

    def test_headings_make_anchors(self):
        text = "# A: `b` and [c](a.md), 2 + 3\n## D {#own}\n```sh\n# no heading\n```\n"
        self.assertEqual(pages.anchors(text), {"a-b-and-c-2-3", "own"})

    def test_a_page_that_nav_lacks(self):
        self.assert_problem("nav lacks b.md.", docs__b="# B\n")
        self.assert_problem("nav has c.md and there is no such page.", **{"tools__docs__mkdocs.yml": NAV + "  - c.md\n"})
        self.assert_problem("nav lacks glossary.md.", GLOSSARY="# G\n")

    def test_decisions_are_in_nav_by_themselves(self):
        self.assertEqual(problems(docs__adr__1="# 1\n"), [])

    def test_a_code_block_has_a_language(self):
        self.assert_problem("docs/a.md:3: a code block without a language.", docs__a="# A\n\n```\nx\n```\n")
        self.assert_problem("docs/a.md:3: a code block without a language: it is indented.", docs__a="# A\n\n    ./dev test\n")
        self.assert_problem('nothing checks code in "rust".', docs__a="# A\n\n```rust\nx\n```\n")

    def test_a_list_begins_after_an_empty_line(self):
        self.assert_problem("docs/a.md:4: a list needs an empty line before it", docs__a="# A\n\nThree:\n- one\n  more\n- two\n")
        self.assertEqual(problems(docs__a="# A\n- one\n\nThree:\n\n1. one\n   more\n2. two\n"), [])

    def test_code_that_does_not_parse(self):
        for language, code in (("sh", "if true; then\n"), ("json", "{\n"), ("python", "def f(\n"), ("cmake", "set(x\n")):
            self.assert_problem("this block does not parse", docs__a=f"# A\n\n```{language}\n{code}```\n")

    def test_a_verb_that_dev_does_not_have(self):
        self.assert_problem("./dev has no verb frobnicate", docs__a="# A\n\n```sh\nX=1 ./dev test && ./dev frobnicate\n```\n")

    def test_a_library_that_nobody_compiles_and_a_sketch_outside_decisions(self):
        self.assert_problem('"Qt" is no library', docs__a='# A\n\n```cpp title="Qt"\nx\n```\n')
        sketch = '# 1\n\n```cpp title="Sketch, never compiled"\nx\n```\n'
        self.assertEqual(problems(docs__adr__1=sketch), [])
        self.assert_problem("is no library", docs__a=sketch)

    def test_a_page_begins_with_its_heading(self):
        self.assert_problem("docs/a.md:1: a page begins with its heading.", docs__a="Words.\n")


class LibrariesTest(unittest.TestCase):
    """The code of other libraries is really compiled, where they are."""

    WRONG = {"CUDA": ("cpp", "void f() { cudaMallok(); }\n"), "OpenCL": ("c", "void f(void) { clFinish(1, 2); }\n"),
             "ggml": ("cpp", "void f() { ggml_new_tensor_1d(); }\n"), "wgpu": ("python", "import wgpu\nwgpu.nothing\n"),
             "IREE": ("python", "import iree.runtime\niree.runtime.nothing\n")}

    def test_wrong_code_is_refused(self):
        self.assertEqual(set(self.WRONG), set(libraries.LIBRARIES))
        for library, (language, code) in self.WRONG.items():
            with self.subTest(library), Tree() as tree:
                if not libraries.is_here(library):
                    self.skipTest(f"{library} is not there")
                tree["docs/a.md"] = f'# A\n\n```{language} title="{library}"\n{code}```\n'
                found = list(libraries.problems(library, tree.root))
                self.assertEqual(len(found), 1)
                self.assertIn(f"docs/a.md:4: {library} refuses this block", found[0])

    def test_a_library_without_a_block_is_said(self):
        with Tree() as tree:
            tree["docs/a.md"] = "# A\n"
            self.assertEqual(list(libraries.problems("OpenCL", tree.root)), ["no page has a block of OpenCL"])


class RewriteTest(unittest.TestCase):
    def rewritten(self, text, page="guide/a.md"):
        with Tree() as tree:
            tree["README.md"], tree["SECURITY.md"], tree["docs/b.md"], tree["docs/guide/c.md"] = "# Home\n", "# Security\n", "# The `b`\n", "# C\n"
            tree["bench/README.md"], tree["docs/x.svg"] = "# Bench\n", "<svg/>"
            return rewrite.rewritten(text, page, tree.root)

    def test_links_lead_to_where_pages_are_in_the_site(self):
        self.assertEqual(self.rewritten("[s](../../SECURITY.md#a), [c](c.md)"), "[s](../security.md#a), [c](c.md)")
        self.assertEqual(self.rewritten("[b](docs/b.md) ![x](docs/x.svg) [r](docs/reference/cpp/index.html)", "index.md"),
                         "[b](b.md) ![x](x.svg) [r](reference/cpp/index.html)")
        self.assertEqual(self.rewritten("[x](#here) [y](https://example.org)"), "[x](#here) [y](https://example.org)")

    def test_a_page_that_is_named_becomes_a_link_with_its_title(self):
        self.assertEqual(self.rewritten("see `docs/b.md`, `README.md`, `docs/guide/a.md`"), "see [The `b`](../b.md), [Home](../index.md), `docs/guide/a.md`")

    def test_what_is_no_page_stays_as_words(self):
        self.assertEqual(self.rewritten("`bench/README.md` [raw](../../bench)"), "`bench/README.md` raw")

    def test_code_is_left_alone(self):
        text = "# `docs/b.md`\n```text\n[c](../../SECURITY.md)\n```\n"
        self.assertEqual(self.rewritten(text), text)

    def test_a_bar_in_code_of_a_table_needs_no_backslash_on_the_site(self):
        self.assertEqual(self.rewritten("| `a \\| b` | c \\| d |"), "| `a | b` | c \\| d |")

    def test_a_date_and_a_number_with_its_unit_are_not_broken_in_a_table(self):
        self.assertEqual(self.rewritten("| 207 µs (353 µs), 4 servers | 2026-11-24 | `3 s 2026-11-24` | a/2026-11-24.json |"),
                         '| 207\u00a0µs (353\u00a0µs), 4 servers | <span class="date">2026-11-24</span> | `3 s 2026-11-24` | a/2026-11-24.json |')
        self.assertEqual(self.rewritten("On 2026-11-24, 3 s."), "On 2026-11-24, 3 s.")

    def test_a_block_that_is_not_compiled_here_is_called_so(self):
        text = '```cpp title="CUDA"\nx\n```'
        for here, expected in ((True, text), (False, text.replace("CUDA", "CUDA, not compiled here"))):
            with mock.patch.object(libraries, "is_here", lambda library, here=here: here):
                self.assertEqual(self.rewritten(text), expected)


class SiteTest(unittest.TestCase):
    def problems(self, page, **files):
        with Tree() as tree:
            tree["index.html"], tree["a/b.html"] = page, '<h1 id="top">B</h1><a name="old"></a>'
            for name, text in files.items():
                tree[name.replace("_", ".")] = text
            return list(check_site.problems(tree.root))

    def test_good_links(self):
        good = '<a href="a/b.html#top">x</a> <a href="a/b.html#old">x</a> <a href="#me" id="me">x</a> <a href="a/../index.html?q=1">x</a>'
        self.assertEqual(self.problems(f'{good} <a href="https://example.org/y">x</a> <a href="javascript:void(0)">x</a> <img src="data:image/png;base64,">'), [])

    def test_dead_links(self):
        for link, words in (("c.html", "no such file"), ("a/b.html#no", "no such anchor"), ("../x.html", "no such file"), ("../a/b.html", "no such file"),
                            ("https://nowhere", "no host")):
            found = self.problems(f'<p>\n<a href="{link}">x</a>')
            self.assertEqual(len(found), 1, link)
            self.assertRegex(found[0], rf"^index.html:2: {link}: .*{words}")

    def test_nothing_comes_from_a_network(self):
        for tag in ('<script src="https://example.org/x.js"></script>', '<link rel="stylesheet" href="//example.org/x.css">',
                    '<img src="http://example.org/x.png">', '<p style="background: url(https://example.org/x.png)">'):
            found = self.problems(tag)
            self.assertEqual(len(found), 1, tag)
            self.assertIn("a browser would fetch it from a network", found[0])
        self.assertIn("from a network", self.problems("", s_css="@font-face { src: url('https://example.org/x.woff') }")[0])
        self.assertIn("no such file", self.problems("", s_css="p { background: url(x.png) }")[0])

    def test_an_empty_site_is_none(self):
        with Tree() as tree:
            self.assertIn("there is no page", list(check_site.problems(tree.root))[0])


class PicturesTest(unittest.TestCase):
    LAYERS = """{"layers": {"base": {"headers": "values", "folders": []}, "seam": {"headers": "seam", "folders": ["base"]},
                 "kit": {"headers": "seam", "folders": ["base", "seam"]}, "backends": {"headers": "seam", "folders": ["base", "seam", "kit"]},
                 "core": {"headers": "public", "folders": ["base", "seam", "kit"]}, "cli": {"headers": "public", "folders": ["base"]}}}"""

    def words(self, text):
        root = xml.fromstring(text)
        return [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]

    def test_the_architecture_has_each_layer_and_follows_the_file(self):
        with Tree() as tree:
            tree["tools/layers.json"] = self.LAYERS
            before = pictures.architecture(tree.root)
            tree["tools/layers.json"] = self.LAYERS.replace('"cli": {"headers": "public", "folders": ["base"]}', '"web": {"headers": "public", "folders": []}')
            after = self.words(pictures.architecture(tree.root))
        words = self.words(before)
        for layer in ("base", "seam", "kit", "backends", "core", "cli"):
            self.assertIn(layer, words)
        self.assertEqual(words.count("→ base"), 2)  # cli and seam; the others include base through what they stand on
        self.assertTrue("web" in after and "cli" not in after)

    def test_an_include_that_a_longer_way_says_is_left_out(self):
        self.assertEqual(pictures.reduced({"a": ["b", "c"], "b": ["c"], "c": []}), {"a": ["b"], "b": ["c"], "c": []})

    def test_a_line_past_a_row_has_a_place_in_it(self):
        layers = {name: {"headers": "values", "folders": below} for name, below in (("a", []), ("b", ["a"]), ("c", ["b"]), ("d", ["c", "x"]), ("x", []))}
        rows, lines = pictures.rows_of(layers, {name: row["folders"] for name, row in layers.items()})
        self.assertEqual([len(names) for _, names in rows], [1, 2, 2, 2])
        self.assertEqual(lines["d"], ["c", "d>x>2"])
        self.assertEqual(lines["d>x>1"], ["x"])

    def test_layers_of_this_tree_each_have_a_box(self):
        words = self.words(pictures.architecture(ROOT))
        self.assertLessEqual({"core", "backends", "base", "capi", "include/pintle/backend: the seam"}, set(words))

    def test_words_that_are_wider_than_a_box_go_on_in_a_second_line(self):
        drawn = "\n".join(pictures.box(200, 50, "backends", ["amdgcn", "opencl_c", "vendor"]))
        self.assertEqual(re.findall(r">([^<>\n]+)</text>", drawn), ["backends", "→ amdgcn, opencl_c,", "vendor"])
        self.assertTrue(all(27 <= int(y) <= 72 for y in re.findall(r"<text x='200' y='(\d+)'", drawn)), drawn)

    def test_words_that_a_box_has_no_room_for_are_refused(self):
        for name, others in (("a_name_of_seventeen", []), ("backends", ["amdgcn", "opencl_c", "vendor", "stablehlo", "inference"]), ("a", ["b" * 23])):
            with self.assertRaisesRegex(ValueError, r"a box has no room for .*\d lines of \d+ letters"):
                pictures.box(200, 50, name, others)

    def test_a_plot_has_a_bar_for_each_number_of_the_table(self):
        table = "| x |\n\n| peer | launch, µs | chain of 100, µs | saxpy 1 Mi, GB/s | cold start, cached, ms |\n| --- | --: | --: | --: | --: |\n" \
                "| **pintle cpu** | **0.24 ★** | **1** | **2** | **3** |\n| numpy | – | 10 | 20 | 30 |\n\n| a | b |\n"
        with Tree() as tree:
            tree["docs/figures.md"] = table
            drawn = pictures.peers(tree.root)
        self.assertEqual(len(drawn), 4)
        self.assertEqual(self.words(drawn["peers_0.svg"]), ["launch, µs (less is better, logarithmic)", "pintle cpu", "0.24"])
        self.assertEqual(self.words(drawn["peers_2.svg"])[0], "saxpy 1 Mi, GB/s (more is better, logarithmic)")
        self.assertIn("numpy", self.words(drawn["peers_1.svg"]))


class AskedLinksTest(unittest.TestCase):
    """Links to other sites, asked of a server of ours."""

    def setUp(self):
        class Answers(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(int(self.path[1:]))
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.here = f"http://127.0.0.1:{server.server_port}"
        with socket.create_server(("127.0.0.1", 0)) as closed:
            self.gone = f"http://127.0.0.1:{closed.getsockname()[1]}/x"

    def asked(self, *links):
        words = io.StringIO()
        with Tree() as tree:
            tree["docs/a.md"] = "# A\n\n" + " ".join(f"[x]({link})" for link in links) + "\n\n```text\n[x](http://127.0.0.1:1/in_code)\n```\n"
            with mock.patch.object(sys, "argv", ["ask_links.py", "--root", str(tree.root)]), contextlib.redirect_stdout(words), \
                    mock.patch.dict("os.environ", {"no_proxy": "127.0.0.1"}):
                return ask_links.main(), words.getvalue()

    def test_a_site_that_answers_is_there_even_if_it_refuses_programs(self):
        self.assertEqual(self.asked(f"{self.here}/200#part", f"{self.here}/403", "b.md"), (0, "links: 2 addresses of other sites, 0 problems\n"))

    def test_a_page_that_is_gone_fails(self):
        status, words = self.asked(f"{self.here}/404")
        self.assertEqual((status, words.splitlines()[0]), (1, f"docs/a.md: {self.here}/404 answers 404 Not Found."))

    def test_a_site_that_cannot_be_reached_fails_where_another_can(self):
        status, words = self.asked(f"{self.here}/200", self.gone)
        self.assertEqual(status, 1)
        self.assertIn(f"docs/a.md: {self.gone} could not be reached within 20 s: ", words)

    def test_without_a_network_it_is_said_and_nothing_fails(self):
        status, words = self.asked(self.gone)
        self.assertEqual((status, words.splitlines()[-1]), (0, "links: 1 addresses of other sites, 1 problems: there is no network"))


class ScreenshotsTest(unittest.TestCase):
    """What needs no browser; a program that copies a page plays it."""

    BROWSER = """#!/usr/bin/python3
import os
import sys
import urllib.request
os.environ["no_proxy"] = "127.0.0.1"
out = next(word.split("=")[1] for word in sys.argv if word.startswith("--screenshot="))
if "b_390" in out:
    sys.exit("no memory")
urllib.request.urlretrieve(sys.argv[-1], out)
"""

    @contextlib.contextmanager
    def tree(self):
        with Tree() as tree:
            tree["tools/docs/mkdocs.yml"] = NAV + "  - Guides:\n      - Two words, b: guide/b.md  # a comment\n      - Decisions: adr  # every page\n"
            tree["docs/adr/2.md"], tree["docs/adr/1.md"], tree["browser"] = "# 2\n", "# 1\n", self.BROWSER
            (tree.root / "browser").chmod(0o755)
            for page in ("index", "a", "guide/b", "adr/1"):
                tree[f"site/{page}.html"] = page
            yield tree.root.resolve()

    def test_the_pages_are_those_of_nav_and_of_its_folders(self):
        with self.tree() as root:
            self.assertEqual(list(screenshots.listed(root)), ["index.html", "a.html", "guide/b.html", "adr/1.html", "adr/2.html"])
        listed = list(screenshots.listed(ROOT))
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual({page.removesuffix(".html") for page in listed} - {"reference"},
                         {pages.site_of(str(path.relative_to(ROOT))).removesuffix(".md") for path in pages.pages(ROOT)})

    def test_each_page_has_a_picture_of_each_width_and_old_ones_go(self):
        with self.tree() as root:
            out = root / "out"
            out.mkdir()
            (out / "old_390.png").write_text("")
            self.assertEqual(screenshots.take(str(root / "browser"), root / "site", out, ["index.html", "adr/1.html"]), [])
            self.assertEqual(sorted(path.name for path in out.iterdir()), ["adr_1_1440.png", "adr_1_390.png", "index.html", "index_1440.png", "index_390.png"])
            self.assertEqual((out / "adr_1_390.png").read_text(), "adr/1")
            self.assertEqual(re.findall(r'src="([^"]+)"', (out / "index.html").read_text()),
                             ["index_390.png", "index_1440.png", "adr_1_390.png", "adr_1_1440.png"])

    def test_a_page_without_a_picture_is_a_problem_with_what_the_browser_said(self):
        with self.tree() as root:
            found = screenshots.take(str(root / "browser"), root / "site", root / "out", ["guide/b.html", "adr/2.html"])
        self.assertEqual(found, ["guide/b.html at 390 pixels: no picture: no memory", f"{root}/site has no adr/2.html"])

    def test_a_browser_that_does_not_end_is_a_problem(self):
        with self.tree() as root, mock.patch.object(screenshots, "SECONDS", 0.2):
            (root / "browser").write_text("#!/bin/bash\nexec sleep 60\n")
            found = screenshots.take(str(root / "browser"), root / "site", root / "out", ["a.html"])
        self.assertEqual(found[0], "a.html at 390 pixels: no picture within 0.2 s")


if __name__ == "__main__":
    unittest.main()
