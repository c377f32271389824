"""Projects on the command line: which one is at hand, what others hold, moving and merging."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from saying import Say, kept
from terminals import on_a_terminal, plain

from projects.repos import sketched

Stand = Callable[[str], Path]


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    """Stand in the folder of a project, made when one first comes there."""

    def standing(name: str) -> Path:
        folder = tmp_path / "work" / name
        monkeypatch.chdir(folder if folder.exists() else sketched(folder))
        return folder

    return standing


def test_a_command_is_in_the_project_of_its_folder(say: Say, stand: Stand) -> None:
    """U13.1, U13.2: what is kept here is found here, not there; every answer shows the scope."""
    stand("오로라 (1)")
    told = say("remember", "배포는 make ship으로 한다")
    assert "Where: project 오로라 (1). To have it in every project: saegim move m1" in told.out
    assert say("recall", "배포").out.endswith("Project: 오로라 (1)\n")
    for words in (
        ("remember", "창고 열쇠는 서랍에 있다"),
        ("observe", "우리 배포는 화요일에 한다고 기억해줘"),
        ("recall", "배포"),
        ("context", "배포"),
        ("search", "배포"),
        ("recent",),
    ):
        assert say("--json", *words).json["scope"]["project"] == "오로라 (1)", words
    stand("등대")
    assert say("--json", "recall", "배포").json["hits"] == []
    assert say("--json", "recent").json["total"] == 0
    assert say("--json", "--project", "오로라 (1)", "recent").json["total"] >= 3


def test_where_something_was_kept_is_said_and_how_to_move_it(say: Say, stand: Stand) -> None:
    """DESIGN 4b: who I am is no project's secret; what the project runs on is the project's."""
    stand("aurora")
    mine = say("observe", "나는 땅콩 알레르기가 있어")
    assert "Where: yours, in every project. To keep it in aurora alone: saegim move " in mine.out
    ours = say("observe", "The kettle service listens on port 8080, we decided that today.")
    assert "Where: project aurora. To have it in every project: saegim move " in ours.out
    stand("harbour")
    assert len(say("--json", "search", "땅콩").json["memories"]) == 1
    assert say("--json", "search", "kettle").json["memories"] == []
    line = ours.out.split("saegim move ", 1)[1].splitlines()[0]
    assert say("move", *shlex.split(line)).code == 0
    assert len(say("--json", "search", "kettle").json["memories"]) == 1


def test_a_turn_that_asks_to_forget_says_what_left(say: Say) -> None:
    """And how it is called back; where nothing was meant, that is said too."""
    say("observe", "내 동생 수민이는 작년부터 우울증 약을 먹고 있어")
    told = say("observe", "수민이 약 먹는다고 한 말은 잊어 주세요")
    assert "Let go m1" in told.out
    assert "To call it back: saegim restore m1" in told.out
    again = say("observe", "수민이 약 먹는다고 한 말은 잊어 주세요")
    assert "Nothing was found that was surely meant" in again.out


def test_without_a_project_nothing_is_said_of_one(say: Say, stand: Stand, tmp_path: Path) -> None:
    """U13.1: in a plain folder, or where none is wanted, a memory is for all projects."""
    told = say("remember", "plain note of the harbour")
    assert "Project" not in told.out
    stand("aurora")
    assert "Project" not in say("--project", "", "recall", "harbour").out
    assert say("--json", "--project", "", "remember", "for all").json["scope"]["project"] == ""
    assert say("--json", "search", "harbour", "--everywhere").json["scope"]["project"] == ""
    assert say("--json", "search", "harbour").json["scope"]["project"] == "aurora"


def test_settings_and_the_environment_come_before_the_folder(
    say: Say, stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13.1: who has set a project meant it for every folder."""
    stand("aurora")
    begun = sketched(tmp_path / "begun")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(begun))
    kept(say, "a first memory")
    assert say("--json", "recent").json["scope"]["project"] == "begun"
    (tmp_path / "home" / "settings.toml").write_text('project = "settled"\n', encoding="utf-8")
    assert say("--json", "recent").json["scope"]["project"] == "settled"
    monkeypatch.setenv("SAEGIM_PROJECT", "named")
    assert say("--json", "recent").json["scope"]["project"] == "named"


def test_a_renamed_folder_finds_its_memories(
    say: Say, stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13.1: what was kept before a rename is found after it."""
    folder = stand("aurora")
    id = kept(say, "the harbour lamp is green")
    monkeypatch.chdir(tmp_path)
    monkeypatch.chdir(folder.rename(tmp_path / "work" / "borealis"))
    found = say("--json", "recall", "harbour lamp").json
    assert found["hits"][0]["memory"]["id"] == id
    assert found["scope"]["project"] == "aurora"


def test_a_silent_project_tells_of_the_others(say: Say, stand: Stand) -> None:
    """U13.2: nothing here, so many elsewhere; `--everywhere` shows them with their project."""
    for name in ("aurora", "lighthouse"):
        stand(name)
        kept(say, f"the {name} deploys with make ship")
    stand("empty")
    for command in ("recall", "search"):
        told = say("--json", command, "deploys").json
        assert told["elsewhere"] == {"memories": 2, "projects": {"lighthouse": 1, "aurora": 1}}
        said = say(command, "deploys").out
        assert "Other projects hold 2 that match (aurora, lighthouse)" in said
        assert "empty" in said
        wide = say(command, "deploys", "--everywhere").out
        assert " · aurora" in wide
        assert "Other projects" not in wide
        assert say("--json", command, "nowhere").json["elsewhere"]["memories"] == 0
    korean = say("--language", "ko", "search", "deploys").out
    assert "다른 프로젝트에 맞는 기억이 2개 있습니다(aurora, lighthouse)" in korean


def test_a_block_for_a_prompt_stays_alone_on_standard_output(say: Say, stand: Stand) -> None:
    """U13.1: the project is told beside the block, never inside what a prompt is given."""
    stand("aurora")
    kept(say, "민지는 보리차를 마신다")
    made = say("context", "민지는 뭘 마셔?")
    assert made.out.startswith("<saegim")
    assert "Project" not in made.out
    assert made.err == "Project: aurora\n"


def test_a_day_of_ones_own_is_no_projects(say: Say, stand: Stand) -> None:
    """DESIGN 4b: an appointment is the person's in any folder; a deadline is not."""
    stand("aurora")
    kept(say, "4월 18일에 치과 예약했어")
    kept(say, "제안서 마감은 5월 30일")
    kept(say, "저는 서버 개발자예요")
    kept(say, "배포 서버는 서울 리전에 있어")
    stand("lighthouse")
    found = say("--json", "recent").json["memories"]
    assert {each["text"] for each in found} == {"4월 18일에 치과 예약했어", "저는 서버 개발자예요"}


def test_forgetting_by_words_stays_in_the_project(say: Say, stand: Stand) -> None:
    """U13.2: what another project holds does not leave with it."""
    stand("aurora")
    kept(say, "the old harbour plan")
    stand("lighthouse")
    kept(say, "an old harbour map")
    gone = say("--json", "forget", "--matching", "harbour", "--yes").json
    assert [each["text"] for each in gone["memories"]] == ["an old harbour map"]


def test_what_is_brought_from_elsewhere_is_not_put_into_the_project(
    say: Say, stand: Stand, tmp_path: Path
) -> None:
    """U13.1: an import belongs to no project because of the folder one happens to stand in."""
    stand("aurora")
    (tmp_path / "notes.md").write_text("# Notes\n\nThe harbour opens at six.\n", encoding="utf-8")
    assert say("import", str(tmp_path / "notes.md"), "--form", "markdown").code == 0
    found = say("--json", "recent").json["memories"]
    assert found
    assert {each["project"] for each in found} == {""}


# -- moving and merging ---------------------------------------------------------------------------


def test_projects_are_listed_with_the_one_at_hand(say: Say, stand: Stand) -> None:
    """U13.3: every project, how much it holds, and which one is here."""
    kept(say, "for all of them")
    stand("lighthouse")
    stand("aurora")
    kept(say, "the harbour lamp is green")
    told = say("--json", "projects").json
    held = [(each["project"], each["memories"], each["here"]) for each in told["projects"]]
    assert held == [("", 1, False), ("aurora", 1, True)]
    shown = say("projects").out
    assert "(for all projects)" in shown
    assert next(line for line in shown.splitlines() if "here" in line).startswith("aurora")


def test_a_memory_moves_and_is_taken_back(say: Say, stand: Stand) -> None:
    """U13.3: a preview, the move, and the name under which it is undone."""
    stand("aurora")
    id = kept(say, "the harbour lamp is green")
    would = say("move", id, "--to", "lighthouse", "--dry-run")
    assert would.out == "Would move to lighthouse: 1 memory\n  from aurora: 1\n"
    done = say("--json", "move", id, "--to", "lighthouse").json
    assert (done["done"], done["count"], done["memories"]) == (True, 1, {"aurora": 1})
    assert say("--json", "get", id).json["project"] == "lighthouse"
    assert say("move", id, "--to", "lighthouse").out == "They are in lighthouse already.\n"
    back = say("undo", done["undo"])
    assert "moved to a project 1" in back.out
    assert say("--json", "get", id).json["project"] == "aurora"
    everyone = say("--language", "ko", "move", id, "--to", "").out
    assert everyone.startswith("(모든 프로젝트)로 옮긴 기억: 기억 1개\n  aurora에서: 1\n")


def test_a_merge_needs_a_yes(say: Say, stand: Stand, head: Callable[[], tuple[int, str]]) -> None:
    """U13.3: it is shown first; without a yes nothing is changed; then the folder is the other."""
    stand("aurora")
    kept(say, "the harbour lamp is green")
    before = head()
    told = say("merge", "aurora", "--into", "lighthouse")
    assert (told.code, told.out.splitlines()[0]) == (2, "Would move to lighthouse: 1 memory")
    assert "needs a yes" in told.err
    told = say("--json", "merge", "aurora", "--into", "lighthouse")
    assert (told.code, told.json["error"]["kind"], told.json["count"]) == (2, "BadInput", 1)
    assert say("merge", "aurora", "--into", "lighthouse", "--dry-run").code == 0
    assert head() == before
    done = say("--json", "merge", "aurora", "--into", "lighthouse", "--yes").json
    assert (done["count"], done["places"]) == (1, 2)
    assert say("--json", "recent").json["scope"]["project"] == "lighthouse"
    say("undo", done["undo"])
    assert say("--json", "recent").json["scope"]["project"] == "aurora"
    missing = say("--language", "ko", "merge", "nowhere", "--into", "x", "--yes")
    assert (missing.code, "'nowhere' 프로젝트가 없습니다." in missing.err) == (2, True)


def test_a_person_is_asked_before_a_merge(say: Say, stand: Stand) -> None:
    """U13.3: at a terminal what would move is shown, and a yes merges."""
    stand("aurora")
    kept(say, "the harbour lamp is green")
    code, seen = on_a_terminal("merge", "aurora", "--into", "lighthouse", answer="y")
    asked, _, after = plain(seen).partition("Merge aurora into lighthouse? [y/N]")
    assert "Would move to lighthouse: 1 memory" in asked
    assert (code, "Moved to lighthouse: 1 memory" in after) == (0, True)


# -- a folder that only names an origin ------------------------------------------------------------

ORIGIN = "git@github.com:me/private.git"


@pytest.fixture
def archive(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An unpacked archive that names the origin of a project with a memory."""
    monkeypatch.chdir(sketched(tmp_path / "private", ORIGIN, "first"))
    kept(say, "the harbour lamp is green")
    made = sketched(tmp_path / "unpacked", ORIGIN, "other")
    monkeypatch.chdir(made)
    return made


def test_an_archive_that_names_a_known_origin_sees_nothing_of_it(say: Say, archive: Path) -> None:
    """Without a person it is a project of its own, and every command says how to change that."""
    told = say("recall", "harbour lamp")
    assert "the harbour lamp is green" not in told.out
    assert "If it is the same: saegim merge private-2 --into private" in told.err
    assert "같은 프로젝트라면: saegim merge private-2" in say("--language", "ko", "recent").err
    assert say("merge", "private-2", "--into", "private", "--yes").code == 0
    told = say("recall", "harbour lamp")
    assert ("the harbour lamp is green" in told.out, told.err) == (True, "")


def test_an_agent_is_not_asked_whether_a_folder_is_a_project(say: Say, archive: Path) -> None:
    """A made terminal answers no question about whose memories may be seen."""
    code, seen = on_a_terminal("recent", environment={"CLAUDECODE": "1"})
    assert (code, "a project of its own: private-2" in plain(seen).replace("\n", " ")) == (0, True)
    assert "the harbour lamp is green" not in seen


@pytest.mark.parametrize(("answer", "sees"), [("y", True), ("n", False)])
def test_a_person_is_asked_once_whether_it_is_the_same_project(
    say: Say, archive: Path, answer: str, sees: bool
) -> None:
    """A yes lets it see those memories, a no keeps it apart; neither is asked again."""
    code, seen = on_a_terminal("recall", "harbour lamp", answer=answer)
    assert (code, "the harbour lamp is green" in plain(seen)) == (0, sees)
    assert "may it see those memories? [y/N]" in plain(seen)
    later = say("recall", "harbour lamp")
    assert ("the harbour lamp is green" in later.out, later.err) == (sees, "")
