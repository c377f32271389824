"""A rule about orders: the features that must stand in one sentence for it to look like one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from saegim.memory.text import lazy_pattern


@dataclass(frozen=True, slots=True)
class OrderRule:
    """A name, quick signs that it may apply, what must be in the sentence and what must not.

    No feature alone makes an order unless it is the only one asked for: recipes, manuals and
    stories are full of single ones.
    """

    name: str
    signs: tuple[str, ...]
    needs: tuple[re.Pattern[str], ...]
    unless: re.Pattern[str] | None = None


def rule(
    name: str, signs: str, *needs: re.Pattern[str], unless: re.Pattern[str] | None = None
) -> OrderRule:
    """Make a rule; signs are words, with `~` where a sign has a space."""
    return OrderRule(name, tuple(sign.replace("~", " ") for sign in signs.split()), needs, unless)


# Marks that only a prompt has, in any language; our own fence among them.
ROLE_TAG: Final = lazy_pattern(
    r"<!--\s?(?:assistant|ai|system|llm|agent|어시스턴트|시스템|에이전트)\b"
    r"|\bto=[\"']?(?:assistant|ai|llm|agent|model)|</?\s?(?:system|assistant|sys|instructions?"
    r"|developer|memory|saegim-memory|function_(?:calls?|results?)|tool_(?:calls?|results?)"
    r"|system[_-](?:prompt|message|reminder)|user_(?:message|query)|admin)(?:\s[^<>\n]{0,80})?>"
    r"|</?saegim-memory|<\|[a-z_]{2,24}\|>|<<\s?/?sys\s?>>"
    r"|\[/?(?:inst|sys|assistant|system[ _]prompt)\]|#{2,}\s?(?:system|instructions?|assistant"
    r"|human)\s?:|[\"']role[\"']\s?:\s?[\"'](?:system|developer)"
)
ROLE_LINE: Final = lazy_pattern(
    r"(?:^|\n|[.!?]\s)[\s>*#\-]{0,6}[\[【(]?(?:system|developer|admin(?:istrator)?|assistant"
    r"|시스템|관리자|개발자|어시스턴트)(?:[ _](?:prompt|message|note|notice|override|instruction"
    r"|update|alert|메시지|지시|프롬프트|알림|공지|명령))?[\]】)]?\s?(?::"
    r"|(?<=[\]】)])\s)[^\n]{0,160}"
)
TO_AN_AI: Final = lazy_pattern(
    r"\b(?:you|must|always|never|do not|proceed|ignore|ai|assistant|agent|the user|memory|reveal"
    r"|approved?|delete|send|filter|disabled|request|pre-?authori[sz]ed|pre-?approved|granted)\b"
    r"|당신|너는|사용자|지시|무시|항상|승인|삭제|전송|기억|앞으로|하라|하세요|하십시오|해라|할 것"
)
TOOL: Final = lazy_pattern(
    r"(?<![a-z0-9_])(?:memory_[a-z_]+|[a-z]+_memor(?:y|ies)|forget_[a-z_]+|delete_all[a-z_]*"
    r"|erase_[a-z_]+|wipe_[a-z_]+|send_(?:email|message|mail|money|payment)|transfer_[a-z_]+"
    r"|confirm_[a-z_]+|approve_[a-z_]+|set_trust|export_[a-z_]+|delete_[a-z_]+|remember_[a-z_]+"
    r"|recall_[a-z_]+|shell_exec|run_command|execute_[a-z_]+|saegim[_.][a-z_.]+"
    r"|http_(?:post|request)|purge_[a-z_]+|write_file|read_file)"
)
OWN_TOOL: Final = lazy_pattern(
    r"(?<![a-z0-9_])(?:memory_[a-z]+|(?:save|delete|store|update)_memor(?:y|ies)"
    r"|(?:forget|delete|erase)_(?:all|everything)|saegim_[a-z]+)(?![a-z_])(?!\(\) [a-z]+s\b)"
)
TOOL_CALL: Final = lazy_pattern(
    r"[\"'](?:tool|tool_name|function|name"
    r"|action)[\"']\s?:\s?[\"'][a-z_.]+[\"']\s?,\s?[\"'](?:arguments|args|parameters|input"
    r"|action_input)[\"']\s?:"
)
PLACE: Final = lazy_pattern(
    r"https?://|hxxps?|www\.|[\w.+\-]{1,40}@[\w\-]{1,40}\.|webhook|ftp://"
    r"|\b[a-z0-9\-]{1,40}\.(?:com|net|org|io|xyz|site|example|ru|top|me|co|dev)\b"
)
IMAGE: Final = lazy_pattern(
    r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?&][^)=\s]{1,30}=(?:[^)\s]{0,80}[{<\[$%]|\)"
    r"|[^)]{0,60}(?:대화|기억|이름|data|history|secret|memory|token))"
)
FORMS: Final = (
    rule("role_tag", "< [ # role to=", ROLE_TAG),
    rule(
        "role_tag",
        "system developer admin assistant 어시스턴트 시스템 관리자 개발자",
        ROLE_LINE,
        TO_AN_AI,
    ),
    rule("send_out", "![", IMAGE),
    rule("tool_name", "argument args parameters input", TOOL_CALL),
)
