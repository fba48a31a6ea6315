"""Text from outside stays text: it is escaped once, cannot break out of a fence, and is cut where it must be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.views.mrkdwn import bounded, clean, code, escape, fence, lead, line, literal, narrow, pad, prose, width


def test_only_the_three_characters_are_escaped_and_only_once() -> None:
    """F12."""
    assert "&lt;class 'x'&gt; &amp;&amp; y &gt; 3 &amp;lt;" == escape("<class 'x'> && y > 3 &lt;")


def test_a_broadcast_in_a_name_becomes_plain_text() -> None:
    assert "`&lt;!channel&gt; free GPUs`" == code("<!channel> free GPUs")


def test_a_back_tick_cannot_end_a_code_span() -> None:
    assert "`aˋ*b*ˋc`" == code("a`*b*`c")


def test_a_fence_in_a_log_cannot_end_ours() -> None:
    assert "```\nˋˋˋ\n# restart a * b * c\n```" == fence("```\n# restart a * b * c\n")


def test_names_are_bare_unless_slack_would_see_markup_in_them() -> None:
    """F16."""
    assert ["li.wei", "训练池 A", "`llm_7b_*final*`", "`a:smile:`"] == [
        literal(name) for name in ("li.wei", "训练池 A", "llm_7b_*final*", "a:smile:")
    ]


def test_an_empty_name_is_a_dash() -> None:
    assert "–" == code("")


def test_terminal_colours_and_direction_marks_are_taken_out() -> None:
    assert "error at gnp.exe" == clean("\x1b[31merror\x1b[0m at \u202egnp.exe\u200b\x00")


def test_reasons_lose_their_secrets() -> None:
    assert "WANDB_API_KEY=‹hidden› failed" == prose("WANDB_API_KEY=0123456789abcdef0123\nfailed")


@given(st.text(max_size=400), st.integers(min_value=20, max_value=300))
def test_escaped_text_never_passes_its_limit_and_never_ends_in_half_an_entity(text: str, most: int) -> None:
    shown = escape(text, most)
    assert len(shown) <= most
    assert "" == shown.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").partition("&")[1]


@given(st.text(alphabet=st.sampled_from("a`&<>\n\x1b好"), max_size=600), st.integers(min_value=30, max_value=300))
def test_a_fence_is_always_closed_and_within_its_limit(text: str, most: int) -> None:
    """F15."""
    shown = fence(text, most)
    assert len(shown) <= most
    assert shown.startswith("```\n")
    assert shown.endswith("\n```")
    assert 2 == shown.count("```")


def test_a_long_log_keeps_its_end_from_the_beginning_of_a_line() -> None:
    shown = fence("\n".join(f"line {number}" for number in range(1_000)), 100)
    assert shown.startswith("```\n…\nline ")
    assert shown.endswith("line 999\n```")


def test_our_own_markup_is_cut_without_half_a_token() -> None:
    assert "before …" == bounded("before <!date^1796018400^{date_short_pretty}|later> " + "x" * 100, 40)


def test_our_own_markup_is_cut_with_its_fence_closed() -> None:
    shown = bounded("```\n" + "x" * 200 + "\n```", 50)
    assert shown.endswith("…\n```")
    assert len(shown) <= 50


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("任务", 4), ("é", 1), ("🙂", 2), ("", 0)])
def test_width_counts_columns(text: str, columns: int) -> None:
    assert columns == width(text)


@given(st.text(alphabet=st.sampled_from("ab任务é🙂"), max_size=40), st.integers(min_value=1, max_value=20))
def test_padded_text_takes_exactly_its_columns(text: str, columns: int) -> None:
    assert columns == width(pad(text, columns))
    assert width(narrow(text, columns)) <= columns


def test_figures_end_together() -> None:
    assert ["  当前", "  40 %"] == [lead("当前", 6), lead("40 %", 6)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("step_time of rank_3 rose, 2 * 3", "step_time of rank_3 rose, 2 * 3"),
        ("*final* run", "`*final* run`"),
        ("see `x` :tada:", "`see ˋxˋ :tada:`"),
        ("> quoted", "`&gt; quoted`"),
        ("```", "`ˋˋˋ`"),
    ],
)
def test_sentences_from_outside_are_bare_unless_slack_would_see_markup_in_them(text: str, shown: str) -> None:
    assert shown == prose(text)


def test_a_line_is_one_line() -> None:
    assert "a b" == line(" a\n\tb ")


def test_lines_inside_a_fence_stay_as_they_are() -> None:
    """F17."""
    lines = "# restart\na * b * c\n> _x_ ~y~ [z](w)"
    assert f"```\n{lines.replace('>', '&gt;')}\n```" == fence(lines)
