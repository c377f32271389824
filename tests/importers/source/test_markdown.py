"""Notes in Markdown: sections, links, tags and dates; nothing outside the folder."""

from __future__ import annotations

import os
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from elsewhere import ORDER, SECRET, entities, everything, memories, problems, texts, twice_the_same
from saegim import Saegim
from saegim.importers.source import markdown
from saegim.importers.source.markdown import read, sections
from saegim.memory.memory import Origin

TEA = """---
date: 2024-03-05T09:30:00+09:00
tags: [drinks, 차]
aliases: [Black tea]
---
# 홍차

향이 좋다. #favourite [[Water|물]]이 중요하다.

## Brewing

Three minutes; see [the pot](../things/Tea%20pot.md#use) and [[Tea pot]]. `#not-a-tag` #42

```
# not a heading [[not a link]]
```
"""


def vault(root: Path, **files: str) -> Path:
    """A folder of notes; a name has __ for a slash."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def found(path: Path, form: str = "markdown") -> list[Any]:
    """Read notes."""
    return everything(read, path, form)


def test_each_section_is_a_memory_placed_by_its_note(tmp_path: Path) -> None:
    """Folder, file, headings, tags and date of a note are kept with each section (U24.3)."""
    every = found(vault(tmp_path / "v", drinks__Tea=TEA))
    one, two = (each.value for each in memories(every))
    assert one.text == "# 홍차\n\n향이 좋다. #favourite [[Water|물]]이 중요하다."
    assert two.text.startswith("## Brewing\n\nThree minutes")
    assert two.text.endswith("# not a heading [[not a link]]\n```")
    assert (one.space.domain, one.space.files) == ("drinks", ("drinks/Tea.md",))
    assert one.content.tags == ("drinks", "차", "favourite")
    assert two.content.tags == ("drinks", "차")
    assert two.content.keywords == ("Tea", "홍차", "Brewing")
    assert one.time.happened_at == datetime(2024, 3, 5, 0, 30, tzinfo=UTC)
    assert one.id.startswith("mem_20240305_003000_")
    assert one.provenance.origin is Origin.IMPORT


def test_links_between_notes_are_ties_to_what_the_notes_are_about(tmp_path: Path) -> None:
    """Both kinds of link lead to the other note's entity, once, by name or alias (U24.3)."""
    every = found(vault(tmp_path / "v", drinks__Tea=TEA, things__Water="[[black tea]] [[Tea]]"))
    tea, water = entities(every)
    assert (tea.key, tea.aliases) == ("entity:markdown:tea", ("Black tea",))
    first, second, third = memories(every)
    assert [tie.target for tie in first.ties] == [tea.key, water.key]
    assert [tie.target for tie in second.ties] == [tea.key, "entity:markdown:tea pot"]
    assert [tie.target for tie in third.ties] == [
        water.key,
        "entity:markdown:black tea",
        tea.key,
    ]


@pytest.mark.parametrize(
    ("stem", "front", "day"),
    [
        ("2024-03-05", "", "2024-03-05"),
        ("2024-03-05 회의", "", "2024-03-05"),
        ("20240305", "", "2024-03-05"),
        ("회의 2024_03_05", "", "2024-03-05"),
        ("x", "created: 2023/1/7 9:05", "2023-01-07"),
        ("x", "date: 2023.12.24", "2023-12-24"),
        ("2024-03-05", "date: 2020-01-01", "2020-01-01"),
        ("2024-13-45", "date: soon", "2025-06-01"),
        ("123456789012", "", "2025-06-01"),
    ],
)
def test_a_note_is_dated_by_what_it_says_then_by_its_name_then_by_its_file(
    tmp_path: Path, stem: str, front: str, day: str
) -> None:
    """A date that cannot be read is no date, never a guess (U24.3)."""
    path = tmp_path / f"{stem}.md"
    path.write_text(f"---\n{front}\n---\nhello\n" if front else "hello\n", encoding="utf-8")
    at = datetime(2025, 6, 1, tzinfo=UTC).timestamp()
    os.utime(path, (at, at))
    [only] = memories(found(path))
    assert f"{only.value.time.happened_at:%Y-%m-%d}" == day
    # The age of a file changes when it is copied; the id of what it says does not.
    os.utime(path, (at + 1e6, at + 1e6))
    assert memories(found(path))[0].value.id == only.value.id


def test_a_long_section_is_cut_where_a_paragraph_ends() -> None:
    """No part is longer than a memory should be, and no word is lost (U24.3)."""
    text = "\n\n".join(f"## Part {n}\n\n" + f"Sentence {n} of many. " * 150 for n in range(3))
    cut = list(sections(text))
    assert max(len(each.text) for each in cut) <= markdown.MAX_SECTION
    assert len(cut) == 6
    assert "".join("".join(each.text for each in cut).split()) == "".join(text.split())
    assert [each.under for each in cut][::2] == [("Part 0",), ("Part 1",), ("Part 2",)]


def test_headings_without_words_belong_to_what_follows() -> None:
    """A heading alone is no memory (U24.3)."""
    assert [each.text for each in sections("# A\n\n## B\n\ntext\n\n## C\n\nmore\n# D\n")] == [
        "# A\n\n## B\n\ntext",
        "## C\n\nmore",
        "# D",
    ]
    assert [each.under for each in sections("# A #\n\n## B\n\ntext\n### C\nmore\n# D\nx")] == [
        ("A", "B"),
        ("A", "B", "C"),
        ("D",),
    ]
    assert list(sections("\n \n")) == []


def test_hidden_folders_and_other_files_are_left_alone(tmp_path: Path) -> None:
    """What Obsidian, git and the bin keep is not the user's (U24.3)."""
    root = vault(tmp_path / "v", note="yes", _obsidian="no", sub__deep__more="yes too")
    for folder in (".obsidian", ".git", ".trash", "sub/.hidden"):
        vault(root / folder, inside="no")
    (root / ".secret.md").write_text("no", encoding="utf-8")
    (root / "_obsidian.md").unlink()
    (root / "image.png").write_bytes(b"no")
    (root / "empty.md").write_text("", encoding="utf-8")
    assert texts(found(root)) == ["yes", "yes too"]
    assert problems(found(root)) == []


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    """Neither a file nor a folder elsewhere is read through a link (attack 60)."""
    outside = vault(tmp_path / "outside", private="private")
    root = vault(tmp_path / "v", note="mine")
    (root / "a.md").symlink_to(outside / "private.md")
    (root / "b").symlink_to(outside)
    (root / "c.md").symlink_to(root / "note.md")
    (root / "d").symlink_to(root)
    every = found(root)
    assert texts(every) == ["mine"]
    assert problems(every) == [
        "a.md: It is a link that leads out.",
        "b: It is a link that leads out.",
    ]


def test_notes_that_cannot_be_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another encoding, a NUL, or a note beyond all measure costs no other note (U24.3)."""
    root = vault(tmp_path / "v", z="fine", nul="a\x00b")
    (root / "cp949.md").write_bytes("홍차".encode("cp949"))
    (root / "long.md").write_text("x" * 2000, encoding="utf-8")
    monkeypatch.setattr(markdown, "MAX_NOTE", 1000)
    every = found(root)
    assert texts(every) == ["fine"]
    assert problems(every) == [
        "cp949.md: It is not UTF-8: byte 3 is 0xc2.",
        "long.md: The note is longer than 1,000 bytes.",
        "nul.md section 1: The text contains a NUL character at position 1.",
    ]


def test_names_of_files_are_the_same_on_every_system(tmp_path: Path) -> None:
    """A Korean name that a Mac wrote in pieces is the same name (U24.3)."""
    root = tmp_path / "v"
    root.mkdir()
    (root / f"{unicodedata.normalize('NFD', '홍차')}.md").write_text("a", encoding="utf-8")
    (root / "b.md").write_text("[[홍차]]", encoding="utf-8")
    one, two = entities(found(root))
    assert {one.name, two.name} == {"b", "홍차"}
    assert memories(found(root))[-1].value.space.files == ("홍차.md",)
    linked = next(each for each in memories(found(root)) if each.value.text == "[[홍차]]")
    assert linked.ties[-1].target == "entity:markdown:홍차"


def test_a_folder_comes_in_once_and_a_changed_section_is_new(
    memory: Saegim, tmp_path: Path
) -> None:
    """The second time nothing; a change brings its own section only (U24.3)."""
    root = vault(tmp_path / "v", Tea=TEA, Water="# Water\n\nSoft.")
    twice_the_same(memory, root, "markdown", 3)
    vault(root, Tea=TEA.replace("Three", "Four"))
    report = memory.import_from(root)
    assert (report.added, report.known, report.conflicts) == (1, 2, ())
    named = memory.mind.store.entities.named(memory.scope, ["black tea"])
    assert [each.name for each in named["black tea"]] == ["Tea"]


def test_the_memory_of_claude_code_is_read_and_nothing_else(tmp_path: Path) -> None:
    """Its own files are taken, those of the project are not (U24.3)."""
    root = vault(
        tmp_path / "project",
        CLAUDE="Use tabs.",
        README="A project.",
        docs__guide="A guide.",
        memory__tests="Run them.",
        **{".claude__CLAUDE": "Be short."},
    )
    every = found(root, "claude-code")
    assert sorted(texts(every)) == ["Be short.", "Run them.", "Use tabs."]
    assert {each.value.space.domain for each in memories(every)} == {"claude-code"}
    # The folder in which it keeps its memory, under whatever name.
    inner = vault(tmp_path / "copied", MEMORY="Index.", debugging="Ask twice.")
    assert sorted(texts(found(inner, "claude-code"))) == ["Ask twice.", "Index."]


def test_a_secret_is_masked_whole_though_the_cut_goes_through_it(
    memory: Saegim, tmp_path: Path
) -> None:
    """A key block longer than a section is masked before it is cut (M4)."""
    lines = "\n".join("MIIEowIBAAKCAQEA" + f"{n:048d}" for n in range(60))
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----"
    root = vault(tmp_path / "v", keys=f"# Key\n\n{block}\n\nafter\n", order=ORDER)
    vault(root, other=f"key {SECRET}")
    assert len(block) > markdown.MAX_SECTION
    report = memory.import_from(root)
    assert (report.masked, report.quarantined) == (2, 1)
    memory.export_to(tmp_path / "out.jsonl")
    written = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert "MIIEowIBAAKCAQEA" not in written
    assert SECRET not in written
    assert "after" in written


def test_a_note_of_one_endless_line_is_read_quickly() -> None:
    """No pattern goes over a text again and again (attack 58)."""
    for bad in ("# " + " " * 200_000 + "x", "[[" * 100_000, "#" * 200_000, "](" * 100_000):
        assert len(list(sections(bad))) >= 1
        markdown._linked(bad, "markdown")
        markdown._tags(bad)
