"""What two halves of a sentence say together that neither says alone.

Someone who leaves and is kind in leaving makes one glad and sad at once, and deeply (seed D §2:
"삐돌이가 떠나기 전에 칭찬해줬다"). A fault that was forgiven is a relief, and no anger.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from saegim.language.senses import UNREAL, Found, Sense, Way
from saegim.memory.emotion import Feeling
from saegim.memory.late import late

_BITTERSWEET: Final = Sense(((Feeling.JOY, 1.55), (Feeling.SADNESS, 1.55)), 0.1, Way.INNER)
_FORGIVEN: Final = Sense(
    ((Feeling.JOY, 0.65),),
    0.6,
    Way.VIEW,
    eases=(
        Feeling.ANGER,
        Feeling.SADNESS,
        Feeling.ANXIETY,
        Feeling.FEAR,
        Feeling.DISGUST,
        Feeling.ENNUI,
    ),
)
# Going away for good, or so that it counts as a farewell: not to work, on holiday, off the phone.
_GOING_KO: Final = (
    r"(?<!여행 )(?<!여행을 )(?<!출장 )(?<!출장을 )(?<!휴가 )(?<!휴가를 )"
    r"(?:떠나(?:기 ?(?:바로 ?)?전|면서|며|던 ?날|는 ?날|시기 ?전|시면서|시며|시던 ?날)"
    r"|헤어지(?:기 ?전|면서|던 ?날)|작별(?: ?인사)?(?:하면서|하며|할 ?때)"
    r"|돌아가시(?:기 ?(?:바로 ?)?전|면서|며)|눈을 ?감(?:기 ?전|으면서|으며)"
    r"|마지막 ?(?:날|인사)(?:에|로))"
)
_KIND_KO: Final = (
    r"(?:칭찬(?:을 ?)?(?:해|하|받|들)|고맙다고|고마웠다고|감사하다고|사랑한다고|자랑스럽다고"
    r"|수고했다고|잘했다고|보고 ?싶을 ?거라고|행복했다고|최고였다고|안아"
    r"|손을 ?(?:꼭 ?)?잡아|편지를 ?(?:써|남|건네|줬|주))"
)
_GOING_EN: Final = (
    r"(?:(?:before|when|as) (?:he|she|they|\w+|my \w+) (?:left|moved away|passed away|died"
    r"|went away|said goodbye|passed)(?! (?:for|to) (?:work|the|school|lunch|a|my|his|her|their)\b)"
    r"|on (?:his|her|their|our|my|the) last day|saying goodbye|as a farewell)"
)
_KIND_EN: Final = (
    r"(?:praised me|thanked me|hugged me|held my hand|told me (?:\w+ ){0,4}(?:loved me|proud of me)"
    r"|said (?:\w+ ){0,4}(?:loved me|proud of me|would miss me)|kissed me|complimented me)"
)
_FAULT_KO: Final = (
    r"(?:실수|잘못|망쳤|망친|깨뜨|깨먹|늦었|늦은|틀렸|잊어버렸|까먹었|미안하다고|죄송하다고)"
)
_PARDON_KO: Final = (
    r"(?:괜찮다(?:고|며|면서)|괜찮대|용서해 ?[주줬준]|용서받|탓하지 ?않|나무라지 ?않"
    r"|그럴 ?수(?:도)? ?있다(?:고|며)|화(?:를)? ?(?:내지|안 ?[내냈]))"
)
_FAULT_EN: Final = (
    r"(?:mistakes?|messed up|screwed up|my fault|i broke|i forgot|i was late|apologi[sz]ed|sorry)"
)
_PARDON_EN: Final = (
    r"(?:(?:said|told me|says) (?:that )?(?:it|that)(?:'s| was| is) "
    r"(?:okay|ok|fine|all right|alright)"
    r"|told me not to worry|forgave me|forgiven|did(?:n't| not) (?:blame|scold) me"
    r"|was(?:n't| not) (?:angry|mad|upset))"
)
_NEAR: Final = r"[^.!?\n]{0,60}?"


def _either(first: str, then: str) -> str:
    """Return a pattern of two things in one sentence, in either order; the second is its word."""
    return f"{first}{_NEAR}({then})|({then}){_NEAR}{first}"


_SCENES: Final = (
    (late(_either(_GOING_KO, _KIND_KO)), _BITTERSWEET),
    (late(_either(_GOING_EN, _KIND_EN)), _BITTERSWEET),
    (late(_either(_FAULT_KO, _PARDON_KO)), _FORGIVEN),
    (late(_either(_FAULT_EN, _PARDON_EN)), _FORGIVEN),
)
_ASKED: Final = late(r"[^.!\n]*\?")
_SUPPOSED: Final = late(r"만약|만일|혹시|\bif\b|\bwould\b|[가-힣](?:다면|으면) ")


def found(text: str) -> Iterator[Found]:
    """Yield the scenes of a text, each as one thing felt."""
    low = text.lower().replace("’", "'")
    if len(low) != len(text):
        return
    for pattern, sense in _SCENES:
        for each in pattern.finditer(low):
            end = each.end()
            unreal = bool(_ASKED.match(low, end) or _SUPPOSED.search(low, 0, end))
            weight = UNREAL if unreal else 1.0
            begin, until = each.span(each.lastindex or 0)
            yield Found(sense, text[begin:until], each.start(), weight, elsewhere=unreal)
