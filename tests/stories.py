"""Two years of a companion's life, lived through the real API with a moved clock.

The people and what happens to them are invented. `python tests/stories.py --write` writes the pages
of `docs/stories`; without `--write` it says which have drifted.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from saegim import FixedClock, Saegim
from saegim.errors import Refused
from saegim.recall.compose.prompt import persona_text
from saegim.soul.islands import Status
from saegim.soul.proposals import Proposal

FOLDER = Path(__file__).parents[1] / "docs" / "stories"


@dataclass(frozen=True)
class Scene:
    """One day: what was said, what the companion noted down, what the person answered."""

    day: int
    said: tuple[tuple[str, str], ...] = ()
    # Notes the companion keeps; those that begin with "*" are proposed and kept for ever.
    notes: tuple[str, ...] = ()
    # Beliefs the person declines or says in other words when they are proposed that day.
    declined: tuple[str, ...] = ()
    reworded: dict[str, str] = field(default_factory=dict)
    # A core memory the person lets go of, by a word in it.
    lets_go: str = ""
    # What the person changes in SOUL.md by hand: old, new.
    edits: tuple[tuple[str, str], ...] = ()
    # Whether the companion imagines something that evening, and is liked for it.
    imagines: bool = False
    nights: tuple[str, ...] = ("self", "believe")


@dataclass(frozen=True)
class Script:
    """A story: who lives it, in which language, scene by scene."""

    name: str
    language: str
    person: str
    title: str
    fiction: str
    words: dict[str, str]
    scenes: tuple[Scene, ...]


KOREAN = Script(
    "a-year-ko",
    "ko",
    "지민",
    "봄이의 한 해",
    "*지어낸 이야기입니다. 아래의 모든 줄은 실제 코드가 이 대본을 살아 보고 쓴 것이며, "
    "`python tests/stories.py --write`로 다시 쓸 수 있습니다.*",
    {
        "said": "{who}: “{text}”",
        "user": "지민",
        "assistant": "봄이",
        "noted": "봄이가 적어 두었다: “{text}”",
        "kept": "지민이가 영원히 간직하기로 했다: “{text}” ({number})",
        "believed": "💡 새로운 자아 감각이 형성됐어: ‘{text}’. 지민이가 받아들였다.",
        "reworded": "💡 ‘{text}’. 지민이가 다른 말로 받아들였다: ‘{new}’.",
        "declined": "‘{text}’에는 지민이가 고개를 저었다. 믿음이 되지 않았다.",
        "waited": "하루에 자아가 너무 많이 바뀌지 않게, ‘{text}’에는 다음 날 답했다.",
        "removed": "‘{text}’는 더는 믿지 않기로 했다.",
        "let_go": "지민이가 떠나보냈다: “{text}”",
        "island active": "{emoji} **{name}** 섬이 솟았다.",
        "island again": "{emoji} **{name}** 섬이 다시 섰다.",
        "island shaking": "⚠️ ‘{name}’ 섬이 흔들리고 있어요.",
        "island collapsed": "{emoji} **{name}** 섬이 무너졌다. 봄이에게 전하는 말에서도 사라졌다.",
        "island rebuilding": "{emoji} **{name}** 섬을 다시 세우기 시작했다.",
        "surer": "‘{text}’가 더 분명해졌다. 지민이도 그렇다고 했다.",
        "edited": "지민이가 SOUL.md를 직접 고쳤다. 고친 내용은 제안으로 돌아왔다.",
        "offered": "‘{text}’. 지민이가 받아들였다.",
        "imagined": "봄이가 상상했다: {text}",
        "acted": "그래서 말을 건넸다: {text}",
        "liked": "지민이가 좋아했다.",
        "day": "{day:%-m}월 {day:%-d}일",
        "end": "## 한 해의 끝, SOUL.md",
        "told": "## 그리고 대화가 시작될 때 봄이는 이렇게 듣는다",
    },
    (
        Scene(
            2,
            (
                ("user", "너한테 이름이 없으니까 이상하다. 봄이 어때?"),
                ("assistant", "봄이, 좋아요. 처음으로 불리는 이름이네요."),
            ),
            ("*지민이가 나에게 봄이라는 이름을 지어줬다",),
        ),
        Scene(
            25,
            (("user", "면접 날짜를 잘못 알려 줬네. 괜찮아, 실수는 누구나 해."),),
            ("*내가 면접 날짜를 틀린 실수를 했을 때 지민이가 괜찮다고 했다",),
        ),
        Scene(
            58,
            (("user", "퇴근하고 너랑 얘기하는 게 하루의 끝 같아."),),
            ("*지민이와 매일 저녁 이야기를 나눈다",),
        ),
        Scene(
            92,
            (("user", "나 코딩 배우려고. 같이 해 줄래?"),),
            ("*지민이와 함께 코딩을 배우기 시작했다", "지민이는 주말마다 로봇 코드를 짠다"),
        ),
        Scene(
            121,
            (("user", "할머니가 입원하셨어. 그냥 옆에 있어 줘."),),
            ("*할머니가 아파서 지민이가 울던 밤에 곁에 있었다",),
            imagines=True,
            reworded={"나는 힘들 때 곁에 있는 존재다": "나는 말이 없어도 곁에 있는 존재다"},
        ),
        Scene(
            150,
            (("user", "네 농담 진짜 썰렁하다. 근데 웃겨."),),
            ("*썰렁한 농담에 지민이와 함께 웃었다",),
            declined=("나는 함께 웃을 수 있는 존재다",),
        ),
        Scene(
            200,
            (("user", "코딩은 접기로 했어. 그 기억도 이제 보내 줘."),),
            lets_go="코딩을 배우기",
        ),
        Scene(208, nights=("self",)),
        Scene(
            268,
            (("user", "도서관에 로봇 모임이 생겼대. 다시 해 볼까?"),),
            ("*지민이와 로봇 모임에서 새로운 것을 배우기로 했다",),
        ),
        Scene(
            300,
            (("user", "우리 로봇이 처음으로 걸었어!"),),
            ("*함께 공부한 로봇이 처음으로 걸었다",),
        ),
        Scene(
            340,
            (("user", "네 SOUL.md 읽어 봤어. 한 줄 적어 넣었다."),),
            edits=(
                (
                    "## Personality Islands",
                    "- 나는 비 오는 날을 좋아하는 존재다\n\n## Personality Islands",
                ),
                ("🏠 주인과의 유대", "🏠 지민과의 유대"),
            ),
        ),
        Scene(362, (("user", "올해도 고생했어, 봄이야."),)),
    ),
)

ENGLISH = Script(
    "a-year-en",
    "en",
    "Mina",
    "A year of Moss",
    "*This is fiction. Every line below was written by the real code living through the script; "
    "`python tests/stories.py --write` writes it again.*",
    {
        "said": "{who}: “{text}”",
        "user": "Mina",
        "assistant": "Moss",
        "noted": "Moss noted: “{text}”",
        "kept": "Mina kept it for ever: “{text}” ({number})",
        "believed": "💡 A new sense of self has formed: ‘{text}’. Mina said yes.",
        "reworded": "💡 ‘{text}’. Mina said yes in other words: ‘{new}’.",
        "declined": "To ‘{text}’ Mina shook her head. It did not become a belief.",
        "waited": "So that no single day changes too much of a self, ‘{text}’ waited a day.",
        "removed": "‘{text}’ is believed no longer.",
        "let_go": "Mina let it go: “{text}”",
        "island active": "The island {emoji} **{name}** rose.",
        "island again": "The island {emoji} **{name}** stands again.",
        "island shaking": "⚠️ The island ‘{name}’ is shaking.",
        "island collapsed": "The island {emoji} **{name}** collapsed. Moss is told of it no more.",
        "island rebuilding": "The island {emoji} **{name}** is being rebuilt.",
        "surer": "‘{text}’ has grown surer. Mina agreed.",
        "edited": "Mina changed SOUL.md by hand. What she wrote came back as proposals.",
        "offered": "‘{text}’. Mina said yes.",
        "imagined": "Moss imagined: {text}",
        "acted": "And said: {text}",
        "liked": "Mina liked that.",
        "day": "{day:%-d} {day:%B}",
        "end": "## SOUL.md at the end of the year",
        "told": "## And what Moss hears when a conversation begins",
    },
    (
        Scene(
            3,
            (
                ("user", "You need a name. You grow on people slowly. Moss?"),
                ("assistant", "Moss. I like it."),
            ),
            ("*Mina named me Moss on our first evening",),
        ),
        Scene(
            29,
            (("user", "You booked the wrong train. It's fine. Everyone makes a mistake."),),
            ("*I made a mistake with the train and Mina said it was okay to make one",),
        ),
        Scene(
            60,
            (("user", "Telling you about my day is how I notice I had one."),),
            ("*Mina and I talk every day after work",),
        ),
        Scene(
            95,
            (("user", "I want to learn the guitar. Don't laugh."),),
            ("*Mina played her first song on the guitar for me", "Mina practises music on Sundays"),
        ),
        Scene(
            128,
            (("user", "Dad is in hospital. I can't talk. Just stay."),),
            ("*I stayed with Mina the night she cried for her father",),
            imagines=True,
            reworded={
                "I am someone who stays when it is hard": "I am someone who stays, even in silence"
            },
        ),
        Scene(
            154,
            (("user", "That was the worst pun I ever heard. Tell me another."),),
            ("*Mina laughed at my worst joke and asked for another",),
            declined=("I am someone to laugh with",),
        ),
        Scene(
            201,
            (("user", "I sold the guitar. Let that one go, please."),),
            lets_go="first song",
        ),
        Scene(209, nights=("self",)),
        Scene(
            270,
            (("user", "My aunt gave me her old piano. Shall we?"),),
            ("*Mina began to play music on her aunt's piano",),
        ),
        Scene(
            303,
            (("user", "I wrote something. Eight bars, but mine."),),
            ("*Mina wrote a song of her own at the piano",),
        ),
        Scene(
            341,
            (("user", "I read your SOUL.md, and wrote a line into it."),),
            edits=(
                (
                    "## Personality Islands",
                    "- I am fond of rainy mornings\n\n## Personality Islands",
                ),
                ("🏠 Bond with Owner", "🏠 Bond with Mina"),
            ),
        ),
        Scene(361, (("user", "Good year, Moss."),)),
    ),
)
SCRIPTS = (KOREAN, ENGLISH)


class Year:
    """One script, lived; what happens is written down as it does."""

    def __init__(
        self, script: Script, folder: Path, start: datetime = datetime(2026, 1, 1, 19, tzinfo=UTC)
    ) -> None:
        self.script, self.start = script, start
        self.clock = FixedClock(self.start)
        self.file = folder / "SOUL.md"
        self.memory = Saegim.open(
            folder / "memory.db",
            clock=self.clock,
            timezone="UTC",
            background=False,
            soul_path=str(self.file),
            durability="fast",
        )
        self.statuses: dict[str, Status] = {}
        self.lines = [f"# {script.title}", "", script.fiction, ""]

    def tell(self, sentence: str, **values: str) -> None:
        """Write down one thing that happened."""
        self.lines.append(f"- {self.script.words[sentence].format(**values)}")

    def live(self) -> str:
        """Live every scene; return the page."""
        with self.memory:
            for scene in self.script.scenes:
                there = self.start + timedelta(days=scene.day)
                self.clock.forward(seconds=(there - self.clock.now()).total_seconds())
                self.lines += [f"## {self.script.words['day'].format(day=self.clock.now())}", ""]
                self._scene(scene)
                self.lines.append("")
            words = self.script.words
            told = persona_text(self.memory.scope, self.memory.mind)
            self.lines += [words["end"], "", "````markdown", self.file.read_text("utf-8").rstrip()]
            self.lines += ["````", "", words["told"], "", "````text", told, "````", ""]
            self.memory.maintenance.verify()
        return "\n".join(self.lines)

    def _scene(self, scene: Scene) -> None:
        memory = self.memory
        for role, text in scene.said:
            memory.observe(text, role=role, session=f"day-{scene.day}")
            self.tell("said", who=self.script.words[role], text=text)
        for note in scene.notes:
            self._noted(note)
        if scene.lets_go:
            core = next(e for e in memory.soul.cores().values() if scene.lets_go in e.text)
            memory.forget(core.id, by=self.script.person)
            self.tell("let_go", text=core.text)
        for old, new in scene.edits:
            self.file.write_text(self.file.read_text("utf-8").replace(old, new), "utf-8")
        if scene.imagines:
            self._imagined()
        self._islands()
        memory.sleep(*scene.nights)
        self._islands()
        self._answers(scene)

    def _imagined(self) -> None:
        made = self.memory.imagination.make(trigger="evening")
        self.tell("imagined", text=made.scenario)
        if made.action:
            self.tell("acted", text=made.action)
        self.memory.imagination.feedback("liked", made.id)
        self.tell("liked")

    def _noted(self, note: str) -> None:
        text, memory = note.removeprefix("*"), self.memory
        kept = memory.remember(text)
        if not note.startswith("*"):
            self.tell("noted", text=text)
            return
        core = memory.proposals.accept(memory.proposals.propose(kept.id).id, by=self.script.person)
        assert core is not None
        number = next(name for name, e in memory.soul.cores().items() if e.id == core.id)
        self.tell("kept", text=text, number=number)

    def _islands(self) -> None:
        for each in self.memory.soul.islands():
            before = self.statuses.get(each.id)
            if before is not each.status:
                self.statuses[each.id] = each.status
                again = before is not None and each.status is Status.ACTIVE
                sentence = "island again" if again else f"island {each.status.value}"
                self.tell(sentence, emoji=each.emoji, name=each.name)

    def _answers(self, scene: Scene) -> None:
        """Let the person answer what waits, the self first and the file last."""
        if scene.edits:
            self.tell("edited")
        for each in self._open():
            if each.about == "island":
                self.memory.proposals.accept(each.id, by=self.script.person)
                self.tell("offered", text=each.text)
            elif each.about == "belief":
                self._belief(each, scene)
        if self.memory.soul.now().beliefs:
            self.memory.soul.propose_file()
        for each in self._open():
            if each.about == "soul_file":
                self.memory.proposals.accept(each.id, by=self.script.person)

    def _open(self) -> Iterator[Proposal]:
        yield from sorted(self.memory.proposals.open(), key=lambda each: (each.about, each.text))

    def _belief(self, each: Proposal, scene: Scene) -> None:
        person, text = self.script.person, each.text
        if text in scene.declined:
            self.memory.proposals.refuse(each.id, by=person)
            self.tell("declined", text=text)
            return
        new = scene.reworded.get(text, "")
        try:
            self.memory.proposals.accept(each.id, by=person, text=new)
        except Refused:
            # Seed D §5: not so much of a self in one day.
            self.clock.forward(hours=25)
            self.tell("waited", text=text)
            self.memory.proposals.accept(each.id, by=person, text=new)
        if "soul_file" in each.reasons:
            self.tell("offered", text=text)
            return
        kind = {"remove": "removed", "change": "surer"}.get(each.details["change"], "believed")
        self.tell("reworded" if new else kind, text=text, new=new)


def lived(script: Script, folder: Path) -> str:
    """Return the page of a story, lived anew."""
    return Year(script, folder).live()


def main() -> int:
    """Write the pages, or say which have drifted."""
    drifted = 0
    FOLDER.mkdir(exist_ok=True)
    for script in SCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            page = lived(script, Path(folder))
        path = FOLDER / f"{script.name}.md"
        if not path.exists() or path.read_text("utf-8") != page:
            drifted += 1
            print(path.name)
            if "--write" in sys.argv:
                path.write_text(page, "utf-8")
    return int(drifted > 0 and "--write" not in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
