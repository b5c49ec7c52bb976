"""Whatever the text, the guard answers; and no construct carries a command past it."""

from __future__ import annotations

import shlex

from hypothesis import example, given, settings
from hypothesis import strategies as st

from signoff.tools.shell import judge
from signoff.tools.shell.plan import plan
from signoff.tools.shell.words import read_word

PIECES = st.sampled_from(
    "ls cat grep sort find rm sh -o -la | && || ; & ( ) { } $( ` ' \" < > >> << <<< <( EOF $x ${ } \\ # ! [ ] [[ ]] if "
    "then fi for in do done case esac ;; * ? ~ = A=1 2>&1 |& $' 中 \n \t".split(" ")
)
NOT_READS = st.sampled_from(
    [
        "rm x", "mv a b", "touch x", "sh -c ls", "python3 x.py", "curl http://x", "git push", "sort -o x y", "tee x",
        "sed -i s/a/b/ f", "find . -delete", "rg --pre sh x", "echo x > f", "LD_PRELOAD=x ls", "cat /etc/passwd",
        "cat .env", "nosuchprogram", "ls --nosuch", "tar xf a", "awk 'BEGIN{system(1)}'", "cat ../x", "xargs cat",
    ]
)  # fmt: skip
READS = st.sampled_from(["ls", "cat a.txt", "grep -n x f", "pwd", "echo 'a b'", "wc -l f", "sort -u f", "true"])


def _around(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    forms = st.sampled_from(
        [
            "{0} | {1}", "{1} | {0}", "{0} && {1}", "{1} && {0}", "{1} || {0}", "{1}; {0}", "{0}; {1}", "{1}\n{0}",
            "({0})", "{{ {0}; }}", "! {0}", "if {1}; then {0}; fi", "if {0}; then {1}; fi",
            "if {1}; then {1}; else {0}; fi", "while {1}; do {0}; done", "for i in a b; do {0}; done",
            "f() {{ {0}; }}; f", "echo $({0})", "echo \"$({0})\"", "cat <({0})", "{1} & {0}", "{0} &", "{1} |& {0}",
            "case a in a) {0};; esac", "echo `{0}`", "cat << E\n$({0})\nE", "cat << 'E'\ntext\nE\n{0}", "time {0}",
            "[ -n \"$({0})\" ]", "x=$({0})", "echo ${{x:-$({0})}}", "{1} 2>/dev/null && {0}", "cd src && {0}",
            "{1} # comment\n{0}", "until {0}; do {1}; done", "({1}; {{ {0}; }})", "cat <<< \"$({0})\"",
        ]
    )  # fmt: skip
    return st.builds(lambda form, a, b: form.format(a, b), forms, inside, READS)


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=20).map(" ".join), st.lists(PIECES).map("".join)))
@example("")
@example("\u00b9<")
@example("\ud800")
@example("((((" * 500)
@example("$(" * 300)
@example("'" * 999)
@example("if " * 300)
@example("<<a " * 50 + "\n")
@settings(max_examples=300, deadline=None)
def test_any_text_gets_an_answer(command: str) -> None:
    verdict = judge(command)
    assert verdict.decision in ("allow", "ask", "deny")
    assert bool(verdict.reasons) == (verdict.decision != "allow")
    assert not any("could not be judged" in r for r in verdict.reasons)


@given(st.recursive(NOT_READS, _around, max_leaves=4))
@settings(max_examples=400, deadline=None)
def test_a_command_that_does_more_is_never_allowed_wherever_it_is_nested(command: str) -> None:
    assert judge(command).decision != "allow"


@given(st.recursive(READS, _around, max_leaves=3))
@example('echo "$((cat a.txt))"')
@settings(max_examples=200, deadline=None)
def test_a_denial_is_never_lost_in_a_construct(command: str) -> None:
    assert judge(f"{command}\nrm -rf /").decision == "deny"


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=300, deadline=None)
def test_a_quoted_word_is_read_as_what_was_quoted(text: str) -> None:
    word = read_word(shlex.quote(text))
    assert word.text == text and word.exact


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=6
    )
)
@settings(max_examples=200, deadline=None)
def test_quoted_words_come_back_as_one_command(words: list[str]) -> None:
    (pipeline,) = plan(shlex.join(["echo", *words]))
    assert [w.text for w in pipeline.commands[0].words] == ["echo", *words]
