"""The registry of voices: the given ones, a file of one's own, and what is wrong in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.llm_server import PROTOCOLS
from personas.speakers import QUESTION, Speakers, opened
from saegim import FixedClock, Saegim
from saegim.errors import BadInput, SettingsError
from saegim.personas.registry import open_registry, read_registry

FILE = """order = ["optimist", "sceptic"]

[[persona]]
id = "sceptic"
name = "의심이"
role = "반론자"
system_prompt = "You doubt."

[[persona]]
id = "optimist"
system_prompt = "You hope."
"""


def written(folder: Path, text: str) -> Path:
    """Write a file of voices."""
    file = folder / "personas.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(("language", "last"), [("en", "Fractal Synthesiser"), ("ko", "합")])
def test_three_voices_are_given_in_the_language_of_the_question(
    memory: Saegim, language: str, last: str
) -> None:
    """Seed A §7.1: thesis, antithesis, synthesis speak, in this order, without any file."""
    cycle = open_registry(memory.mind, language).personas_in_cycle()
    assert [each.identifier for each in cycle] == ["thesis", "antithesis", "synthesis"]
    assert cycle[-1].name == last
    assert all(each.system_prompt and each.role for each in cycle)


def test_a_file_of_ones_own_names_any_voices_and_their_order(tmp_path: Path) -> None:
    """The order is the file's; a name is the id where none is given; any may be chosen."""
    made = read_registry(written(tmp_path, FILE))
    assert [each.identifier for each in made.personas_in_cycle()] == ["optimist", "sceptic"]
    assert made.voices["optimist"].name == "optimist"
    assert [each.name for each in made.personas_in_cycle(["sceptic"])] == ["의심이"]


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('[[persona]]\nid = "a"\n', 1, "system_prompt"),
        ('\n[[persona]]\nsystem_prompt = "x"\n', 2, "id"),
        ('[[persona]]\nid = "a b"\nsystem_prompt = "x"\n', 1, "id"),
        (FILE.replace('"optimist"\nsystem', '"sceptic"\nsystem'), 9, "id"),
        (FILE.replace("role", "rolle"), 3, "rolle"),
        (FILE.replace('"You hope."', "3"), 9, "system_prompt"),
        (FILE.replace('"You hope."', f'"{"x" * 9000}"'), 9, "system_prompt"),
        (FILE.replace('"sceptic"]', '"cynic"]'), 1, "order"),
        (FILE.replace('"sceptic"]', '"optimist"]'), 1, "order"),
        (FILE.replace('["optimist", "sceptic"]', '"optimist"'), 1, "order"),
        (FILE + 'model_key = "k"\n', 9, "model_key"),
        ("personas = 1\n" + FILE, 1, "personas"),
    ],
)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_bad_file_is_refused_by_line_and_key(
    tmp_path: Path, text: str, line: int, key: str, language: str
) -> None:
    """Whoever wrote the file is told where it is wrong and what to write."""
    file = written(tmp_path, text)
    with pytest.raises(SettingsError) as refused:
        read_registry(file)
    said, step = refused.value.told(language)
    assert str(line) in said.replace(str(file), "")
    assert key in said
    assert step


def test_what_is_no_toml_no_file_or_empty_is_refused(tmp_path: Path) -> None:
    """A broken line is named by its number, a missing file by its path."""
    with pytest.raises(SettingsError, match="line 2"):
        read_registry(written(tmp_path, "order = []\n[[persona\n"))
    with pytest.raises(SettingsError, match="nowhere"):
        read_registry(tmp_path / "nowhere.toml")
    with pytest.raises(SettingsError, match="no voice"):
        read_registry(written(tmp_path, ""))


def test_a_crowd_is_no_debate(tmp_path: Path) -> None:
    """Thirteen voices are more than may speak; each is a call at every depth."""
    one = '[[persona]]\nid = "v{0}"\nsystem_prompt = "x"\n'
    crowd = read_registry(written(tmp_path, "".join(one.format(n) for n in range(13))))
    with pytest.raises(BadInput, match="too many"):
        crowd.personas_in_cycle()
    assert len(crowd.personas_in_cycle(list(crowd.voices)[:12])) == 12


def test_unknown_voices_doubled_ones_and_odd_depths_are_refused(memory: Saegim) -> None:
    """A misspelt voice is answered with the nearest one."""
    with pytest.raises(BadInput, match="thesis"):
        memory.debates.rehearse(QUESTION, personas=["thesiss"])
    with pytest.raises(BadInput, match="twice"):
        memory.debates.rehearse(QUESTION, personas=["thesis", "thesis"])
    for depth in (0, 7, True):
        with pytest.raises(BadInput, match="depth"):
            memory.debates.rehearse(QUESTION, depth=depth)


def test_each_voice_may_have_a_model_of_its_own(
    tmp_path: Path, clock: FixedClock, server: Speakers
) -> None:
    """Three servers' protocols in one debate; every call is counted by purpose and model."""
    models = {"a": ("ollama:one", server.url), "b": ("openai:two", f"{server.url}/v1"),
              "c": ("anthropic:three", server.url)}  # fmt: skip
    text = "".join(
        f'[[persona]]\nid = "{id}"\nsystem_prompt = "You are {id}."\nmodel = "{model}"\n'
        f'model_url = "{url}"\nmodel_key = "key-of-{id}"\n'
        for id, (model, url) in models.items()
    )
    written(tmp_path, text)
    with opened(tmp_path, clock, server, model="", personas_path="personas.toml") as memory:
        record = memory.debates.run(QUESTION, depth=1)
        spent = memory.mind.store.usage.spent()
        assert [each.backend for each in record.debate.steps] == [
            "ollama:one",
            "openai-compatible:two",
            "anthropic:three",
        ]
        assert {(each.purpose, each.calls) for each in spent} == {("debate", 1)}
        assert "key-of" not in repr(open_registry(memory.mind, "en"))
    assert [each.path for each in server.seen] == list(PROTOCOLS)
    assert server.seen[1].headers["authorization"].endswith("key-of-b")
    # The keys of others are not told.
    assert "key-of-b" not in str(server.seen[2].headers)
