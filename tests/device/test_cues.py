"""What the lamps and the buzzer say can be told apart by rhythm alone."""

from __future__ import annotations

import itertools

import pytest

from device.cues import PATTERNS, Beep, Cue, Pattern, Sound, beep_at, is_audible, light_at


def light_rhythm(pattern: Pattern) -> tuple[tuple[bool, int], ...]:
    """Lit or dark, and for how long, without the colour."""
    return tuple((step.red or step.green, step.ms) for step in pattern.lights)


def beep_rhythm(pattern: Pattern) -> tuple[tuple[bool, int], ...]:
    return tuple((step.hz > 0, step.ms) for step in pattern.beeps)


def test_every_cue_has_a_pattern_and_a_sentence() -> None:
    assert set(PATTERNS) == set(Cue)
    assert all(ms > 0 for pattern in PATTERNS.values() for _, ms in (*light_rhythm(pattern), *beep_rhythm(pattern)))


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(Cue, 2)), ids=lambda cue: cue.value)
def test_two_cues_never_share_a_rhythm(one: Cue, other: Cue) -> None:
    a, b = PATTERNS[one], PATTERNS[other]
    assert light_rhythm(a) != light_rhythm(b)
    assert beep_rhythm(a) != beep_rhythm(b) or not a.beeps


def test_yes_and_no_differ_in_the_number_of_beeps_not_only_in_length() -> None:
    sounding = {cue: sum(lit for lit, _ in beep_rhythm(PATTERNS[cue])) for cue in (Cue.YES, Cue.NO)}
    assert sounding == {Cue.YES: 1, Cue.NO: 2}


@pytest.mark.parametrize(("level", "audible"), [
    (Sound.OFF, set()),
    (Sound.WRONG, {Cue.NO, Cue.TROUBLE}),
    (Sound.SOME, {Cue.NO, Cue.TROUBLE, Cue.ASK, Cue.RESTORED, Cue.OVER}),
    (Sound.ALL, {Cue.NO, Cue.TROUBLE, Cue.ASK, Cue.RESTORED, Cue.OVER, Cue.YES}),
], ids=lambda value: value.value if isinstance(value, Sound) else "")
def test_a3_sound_levels_off_wrong_some_all(level: Sound, audible: set[Cue]) -> None:
    assert {cue for cue in Cue if is_audible(cue, level)} == audible


@pytest.mark.parametrize(("elapsed_ms", "lit", "left_ms"), [
    (0, True, 250), (249, True, 1), (250, False, 250), (500, True, 250), (10_250, False, 250),
])
def test_a_loop_goes_round(elapsed_ms: int, lit: bool, left_ms: int) -> None:
    step, left = light_at(PATTERNS[Cue.NO], elapsed_ms)
    assert (step.red, left) == (lit, left_ms)


@pytest.mark.parametrize("elapsed_ms", [1500, 2499, 2500, 10**9])
def test_a_pattern_that_does_not_loop_stays_at_its_last_step(elapsed_ms: int) -> None:
    step, left = light_at(PATTERNS[Cue.YES], elapsed_ms)
    assert (step.green, left) == (False, None)


def test_beeps_sound_once_and_then_never_again() -> None:
    no = PATTERNS[Cue.NO]
    assert [beep_at(no, ms) for ms in (0, 350, 500, 850, 10**6)] == [
        (Beep(350, 330), 350), (Beep(150), 150), (Beep(350, 330), 350), (Beep(0), None), (Beep(0), None)]
