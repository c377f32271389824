"""Claims are read out of the person's own words, once, bounded, and go with the memories."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

import saegim.mind
from readonly import read_only
from saegim import FixedClock, Saegim
from saegim.engines.brain.claim_reader import ClaimReader
from saegim.engines.brain.model import read, write
from saegim.errors import BadInput, NotFound
from saegim.profile.read_claims import catch_up

NOW = datetime(2026, 5, 20, 3, 0, tzinfo=UTC)
HOME = "저는 부산에 살아요"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Saegim]:
    """An empty store."""
    with Saegim.open(path, clock=FixedClock(NOW), busy_seconds=0.2) as opened:
        yield opened


def rows(memory: Saegim) -> list[tuple[str, str, str]]:
    """Return everything in the index."""
    found = memory.mind.store.database.rows(
        "SELECT subject, slot, value FROM profile ORDER BY 1, 2, 3"
    )
    return [(subject, slot, value) for subject, slot, value in found]


def values(memory: Saegim, name: str | None = None) -> list[str]:
    """Return what is told of someone now."""
    told = memory.entities.about(name).current
    return [trait.value for traits in told.values() for trait in traits]


def test_what_a_person_says_of_themselves_is_told(memory: Saegim) -> None:
    """`about()` reads what is unread first; every trait names the memory that says it."""
    kept = memory.remember(HOME)
    about = memory.entities.about()
    [home] = about.current["home"]
    assert (home.value, home.text, home.memory) == ("부산", HOME, kept.memory.id)
    assert about.is_self
    assert about.unread == 0


def test_a_name_that_is_told_outright_is_a_name(memory: Saegim) -> None:
    """The rules say what it is where the reader takes it for a relative's."""
    memory.remember("My name is Tessa and I'm 34.")
    about = memory.entities.about()
    assert (about.name, [each.value for each in about.current["age"]]) == ("Tessa", ["34"])
    assert "family" not in about.current


def test_someone_they_speak_of_has_a_portrait_too(memory: Saegim) -> None:
    """By name, and by what they are: 엄마 is the mother, under any word for her."""
    memory.remember("엄마는 당뇨가 있으셔")
    memory.remember("my wife Hana is a nurse")
    assert values(memory, "엄마") == ["당뇨"] == values(memory, "mum")
    assert "nurse" in values(memory, "Hana")
    assert values(memory) == ["Hana"]


@pytest.mark.parametrize(
    ("text", "name"), [("우리 고양이 이름은 두부야", "두부"), ("my cat is called Mochi", "Mochi")]
)
def test_what_an_animal_is_called_is_told_of_whom_it_lives_with(
    memory: Saegim, text: str, name: str
) -> None:
    """Rules read the name as the cat's; who asks for their own portrait finds the cat in it."""
    memory.remember(text)
    assert values(memory) == [name]


def test_whom_the_reader_does_not_name_the_rules_may_know(memory: Saegim) -> None:
    """A sister with her name in the middle of a sentence."""
    memory.remember("제 동생 지우는 부산에서 간호사로 일해요")
    assert "간호사" in values(memory, "지우")


def test_what_a_pet_likes_is_not_what_its_person_likes(memory: Saegim) -> None:
    """Whom the rules read as the subject is believed over a reader that takes the speaker."""
    for text in ("우리 강아지 이름은 보리다", "보리는 산책을 좋아한다", "나는 커피를 좋아해"):
        memory.remember(text)
    assert values(memory) == ["보리", "커피"]
    assert "산책" in values(memory, "보리")


def test_what_rules_and_reader_agree_on_is_told(memory: Saegim) -> None:
    """Where I work, as the rules read it too, stands in the portrait; alone the reader doubts."""
    memory.remember("3월부터 네이버에서 일해")
    assert values(memory) == ["네이버"]


def test_decomposed_letters_say_the_same(memory: Saegim) -> None:
    """NFD, as some file systems write it, is read as NFC is."""
    memory.remember(unicodedata.normalize("NFD", HOME))
    assert values(memory) == ["부산"]


def test_what_somebody_else_says_of_themselves_is_theirs(memory: Saegim) -> None:
    """Where another person speaks, "I" is they."""
    memory.observe("I live in Leeds and I'm allergic to peanuts.", speaker="Dana")
    assert values(memory) == []
    assert "Leeds" in values(memory, "Dana")


def test_a_portrait_waits_for_no_writer(memory: Saegim, path: Path) -> None:
    """Whoever looks takes no lock where nothing is to be read; a busy store tells what it knows."""
    memory.remember(HOME)
    catch_up(memory.mind, 9)
    writer = apsw.Connection(str(path))
    writer.execute("BEGIN IMMEDIATE")
    assert values(memory) == ["부산"]
    writer.execute("ROLLBACK")
    writer.close()


def test_what_came_back_from_the_archive_is_read(memory: Saegim) -> None:
    """Archived before anybody read it, then called back: it is told all the same."""
    clock = memory.mind.clock
    assert isinstance(clock, FixedClock)
    kept = memory.remember(HOME).memory.id
    memory.forget(kept)
    clock.forward(days=8)
    memory.sleep("forget")
    assert [each.id for each in memory.forgetting.archive()] == [kept]
    memory.remember("ㅎㅇ")
    assert catch_up(memory.mind, 9) == 0
    memory.restore(kept)
    assert values(memory) == ["부산"]


def test_what_is_unread_is_said_where_nothing_can_be_written(memory: Saegim, path: Path) -> None:
    """Somebody holds the store: what was read is told, and what was not is counted."""
    memory.remember(HOME)
    catch_up(memory.mind, 9)
    memory.remember("I'm allergic to peanuts")
    writer = apsw.Connection(str(path))
    writer.execute("BEGIN IMMEDIATE")
    busy = memory.entities.about()
    writer.execute("ROLLBACK")
    writer.close()
    assert (list(busy.current), busy.unread) == (["home"], 1)
    assert list(memory.entities.about().current) == ["home", "health"]


def test_only_ones_own_are_read_while_one_waits(path: Path) -> None:
    """Another user's unread memories are neither read for me nor counted to me."""
    with Saegim.open(path, user="other", clock=FixedClock(NOW)) as other:
        for at in range(5):
            other.remember(f"memory number {at} of somebody else")
    with Saegim.open(path, user="me", clock=FixedClock(NOW)) as mine:
        mine.remember(HOME)
        about = mine.entities.about()
        assert about.unread == 0
        assert [trait.value for trait in about.current["home"]] == ["부산"]
        assert mine.mind.store.profiles.waiting(ClaimReader().name) == 5


@pytest.mark.parametrize("name", ["", "   "])
def test_an_empty_name_is_refused(memory: Saegim, name: str) -> None:
    """Nobody is called nothing."""
    with pytest.raises(BadInput, match="name is needed"):
        memory.entities.about(name)


def test_nobody_is_made_up(memory: Saegim) -> None:
    """Whom no memory names is not known, and the error says how to see who is."""
    with pytest.raises(NotFound, match="Nobody called 없는이"):
        memory.entities.about("없는이")


@pytest.mark.parametrize(
    "about",
    [
        {"origin": "web"},
        {"origin": "tool_output"},
        {"origin": "agent_inferred"},
        {"role": "assistant"},
    ],
)
def test_only_the_persons_own_words_count(memory: Saegim, about: dict[str, str]) -> None:
    """What a page, a tool or the agent says makes nobody who they are; the same words do."""
    memory.remember(HOME, **about)  # type: ignore[arg-type]
    assert values(memory) == []
    memory.remember(f"{HOME}.")
    assert values(memory) == ["부산"]


def test_what_is_only_quoted_is_not_the_persons(memory: Saegim) -> None:
    """A message of someone else says where they live, not where the person does."""
    memory.remember("이 문자 번역해줘\n> 저는 부산에 살아요")
    assert ("me:", "home", "부산") not in rows(memory)
    assert values(memory) == []


def test_each_is_read_once_and_never_more_than_asked(memory: Saegim) -> None:
    """The newest first; what is left is counted; nothing is read twice."""
    for city in ("부산", "대구", "강릉"):
        memory.remember(f"저는 {city}에 살아요")
    assert catch_up(memory.mind, 2) == 1
    assert {value for _, _, value in rows(memory)} == {"대구", "강릉"}
    before = memory.mind.store.database.rows("SELECT count(*) FROM profile_read")
    assert catch_up(memory.mind, 50) == 0
    assert before == [(2,)]
    assert memory.mind.store.database.rows("SELECT count(*) FROM profile_read") == [(3,)]


def test_what_another_reader_read_is_read_again(
    memory: Saegim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New numbers have a new name: everything is unread for them."""
    memory.remember(HOME)
    assert catch_up(memory.mind, 9) == 0
    shipped = read(ClaimReader()._tensors.path)
    notes = {name: value for name, value in shipped.notes.items() if name != "checksum"}
    write(tmp_path / "other.safetensors", shipped.arrays(), {**notes, "model": "claims-2"})
    other = ClaimReader(tmp_path / "other.safetensors")
    monkeypatch.setattr(saegim.mind, "_claim_reader", lambda: other)
    assert memory.mind.store.profiles.waiting(other.name) == 1
    assert catch_up(memory.mind, 9) == 0
    assert len(rows(memory)) == 1


def test_what_is_erased_leaves_the_portrait_and_the_file(memory: Saegim, path: Path) -> None:
    """Nothing of an erased memory stays in the index; what is forgotten comes back with it."""
    kept = memory.remember("저는 무지개섬에 살아요").memory.id
    assert "무지개섬" in values(memory)[0]
    memory.forget(kept)
    assert values(memory) == []
    memory.restore(kept)
    assert values(memory) != []
    memory.forgetting.erase(kept, confirm=True)
    assert rows(memory) == []
    assert values(memory) == []
    memory.close()
    assert "무지개섬".encode() not in path.read_bytes()


def test_a_correction_is_read_anew(memory: Saegim) -> None:
    """The words of a memory changed: so does what is told."""
    kept = memory.remember(HOME).memory.id
    assert values(memory) == ["부산"]
    memory.update(kept, "저는 대구에 살아요")
    assert values(memory) == ["대구"]


def test_a_rebuild_reads_everything_anew(memory: Saegim) -> None:
    """The index is derived: emptied and filled again it is the same."""
    memory.remember(HOME)
    assert catch_up(memory.mind, 9) == 0
    before = rows(memory)
    for _ in memory.maintenance.rebuild():
        pass
    assert rows(memory) == []
    assert catch_up(memory.mind, 9) == 0
    assert rows(memory) == before != []


def test_users_and_projects_are_walled(path: Path) -> None:
    """Nobody is told of another user, nor of what belongs to another project."""
    with Saegim.open(path, user="one", clock=FixedClock(NOW)) as one:
        one.remember(HOME)
        one.within(project="x").remember("I'm allergic to peanuts", project="x")
        assert "peanuts" in values(one.within(project="x"))
        assert values(one.within(project="y")) == ["부산"]
    with Saegim.open(path, user="two", clock=FixedClock(NOW)) as other:
        assert other.entities.about().traits == ()
        with pytest.raises(NotFound):
            other.entities.about("부산")


def test_a_store_that_only_reads_says_what_it_has_not_read(path: Path) -> None:
    """Nothing is written where nothing may be; the portrait says how much is unread."""
    with Saegim.open(path, clock=FixedClock(NOW)) as memory:
        memory.remember(HOME)
    with (
        read_only(path.parent) as folder,
        Saegim.open(folder / path.name, clock=FixedClock(NOW)) as memory,
    ):
        about = memory.entities.about()
        assert about.traits == ()
        assert about.unread == 1


def test_without_a_reader_everything_else_goes_on(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged file costs the portrait, and no memory: turns are judged by the other reader."""
    monkeypatch.setattr(saegim.mind, "_claim_reader", lambda: None)
    assert memory.observe("저는 왼손잡이예요").kept
    assert memory.entities.about().traits == ()
    assert memory.recall("왼손잡이").hits


def test_an_end_hides_no_memory(memory: Saegim) -> None:
    """A claim that ended another changes the portrait alone: both sentences are still found."""
    old = memory.remember("우리 강아지 이름은 보리야").memory.id
    memory.remember("보리는 이제 우리 강아지가 아니야, 다른 집으로 갔어")
    memory.entities.about()
    assert old in {hit.memory.id for hit in memory.recall("강아지 이름").hits}


def test_a_night_reads_what_the_day_left(memory: Saegim) -> None:
    """By the next morning the portrait needs no reading."""
    memory.remember(HOME)
    memory.sleep("renew")
    assert memory.mind.store.profiles.waiting(ClaimReader().name) == 0
    assert ("me:", "home", "부산") in rows(memory)


@pytest.mark.parametrize(
    ("text", "who", "value"),
    [
        ("Minho gave up coffee and drinks barley tea now", "minho", "barley tea"),
        ("민수는 서울에 살아", "민수", "서울"),
        ("민지는 커피를 끊고 보리차를 마셔", "민지", "보리차"),
        ("참고로 내 동생 이름은 수진이야", "kin:sibling", "수진"),
    ],
)
def test_whom_a_sentence_names_first_is_whom_it_tells_of(
    memory: Saegim, text: str, who: str, value: str
) -> None:
    """What is said of someone else is not told of the person; nobody is said of themselves."""
    memory.remember(text)
    catch_up(memory.mind, 10)
    told = rows(memory)
    assert (who, value) in {(subject, said) for subject, _, said in told}
    assert not any(subject == "me:" or said in (subject, who) for subject, _, said in told)
