"""Korean particles and verb forms."""

from __future__ import annotations

import pytest

from saegim.language.ko.verbs import closing, known_stems, noun_form, past, present, with_part

FORMS = """가 간다 갔다 감
먹 먹는다 먹었다 먹음
마시 마신다 마셨다 마심
만들 만든다 만들었다 만듦
공부하 공부한다 공부했다 공부함
굽 굽는다 구웠다 구움
듣 듣는다 들었다 들음
짓 짓는다 지었다 지음
부르 부른다 불렀다 부름
따르 따른다 따랐다 따름
쓰 쓴다 썼다 씀
담그 담근다 담갔다 담금
보 본다 봤다 봄
배우 배운다 배웠다 배움
쉬 쉰다 쉬었다 쉼
돕 돕는다 도왔다 도움
피곤하 피곤하다 피곤했다 피곤함
춥 춥다 추웠다 추움
아프 아프다 아팠다 아픔""".splitlines()


@pytest.mark.parametrize("line", FORMS)
def test_verbs_take_their_forms(line: str) -> None:
    """간다, 먹는다, 만든다, 춥다: plain present, past and noted."""
    stem, now, then, noted = line.split()
    assert (present(stem), past(stem), noun_form(stem)) == (now, then, noted)


@pytest.mark.parametrize(("word", "forms"), [
    ("카페", "카페는 카페가 카페를 카페와 카페로"),
    ("책", "책은 책이 책을 책과 책으로"),
    ("서울", "서울은 서울이 서울을 서울과 서울로"),
    ("API", "API는 API가 API를 API와 API로"),
    ("SQL", "SQL은 SQL이 SQL을 SQL과 SQL로"),
    ("Tom", "Tom은 Tom이 Tom을 Tom과 Tom으로"),
    ("Minsu", "Minsu는 Minsu가 Minsu를 Minsu와 Minsu로"),
    ("7", "7은 7이 7을 7과 7로"),
    ("2", "2는 2가 2를 2와 2로"),
    ("10", "10은 10이 10을 10과 10으로"),
    ("(팀)", "(팀)은 (팀)이 (팀)을 (팀)과 (팀)으로"),
])  # fmt: skip
def test_particles_fit_the_last_sound(word: str, forms: str) -> None:
    """은/는, 이/가, 을/를, 과/와, 으로/로 after Hangul, Latin letters and digits."""
    assert [with_part(word, part) for part in "는가를와로"] == forms.split()


def test_every_stem_of_the_word_list_can_be_written() -> None:
    """No stem that is read breaks a form, and each form ends as it must."""
    for word in "갔다 먹어 들었어 써요 예뻐 걸었다 나아졌다 잊었다 졸렸어 끓였다".split():
        for stem in known_stems(word):
            assert (present(stem)[-1], past(stem)[-1]) == ("다", "다")
            assert closing(noun_form(stem)) in (10, 16)
