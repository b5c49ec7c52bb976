from __future__ import annotations

from pathlib import Path

import pytest
from documents import docx, paragraph

from signoff.knowledge.convert import sandbox
from signoff.knowledge.load import Source, Unreadable, Withheld, fingerprint, load

TEXT = "# Parking\n\nParking costs 5 yuan.\n"


def read(path: Path, **given: object) -> Source:
    return load(path, **{"key": "k", "tenant": None, "roles": (), "trusted": True} | given)  # type: ignore[arg-type]


def write(path: Path, text: str = TEXT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


GRANTS: tuple[tuple[str, dict[str, object], str | tuple[str, tuple[str, ...], str, tuple[str, ...], bool]], ...] = (
    ("", {}, ("*", (), "", (), True)),
    ("tenant: acme", {}, ("acme", (), "", (), True)),
    ("tenant: acme", {"tenant": "globex"}, "belongs to tenant acme, not globex"),
    ("tenant: '*'", {"tenant": "acme"}, ("acme", (), "", (), True)),
    ("roles: [hr, finance]", {"roles": ["hr", "legal"]}, ("*", ("hr",), "", (), True)),
    ("roles: hr", {"roles": "legal"}, "is restricted to hr, not legal"),
    ("owner: u-17", {"tenant": "acme"}, ("acme", (), "u-17", (), True)),
    ("", {"tenant": "acme", "owner": "u-17"}, ("acme", (), "u-17", (), True)),
    ("owner: u-17", {"tenant": "acme", "owner": "u-17"}, ("acme", (), "u-17", (), True)),
    ("owner: u-17", {"tenant": "acme", "owner": "u-18"}, "belongs to u-17, not u-18"),
    ("owner: u-17", {}, "has the owner u-17 but no tenant: name the tenant too"),
    ("owner: a b", {"tenant": "acme"}, "names the owner 'a b', which is not a user's name"),
    ("owner: [a, b]", {"tenant": "acme"}, "has front matter where owner is not one value"),
    ("tags: [差旅, travel]", {"tags": ["2026", "travel"]}, ("*", (), "", ("2026", "travel", "差旅"), True)),
    ("tags: 差旅、travel", {"tags": "x"}, ("*", (), "", ("travel", "x", "差旅"), True)),
    ("tags: [a;b]", {}, "has the tag 'a;b'"),
    ("tags: {a: b}", {}, "has front matter where tags is not a list of values"),
    ("trusted: true", {"trusted": False}, ("*", (), "", (), False)),
    ("trusted: no", {}, ("*", (), "", (), False)),
)


@pytest.mark.parametrize("beside", [False, True], ids=["front matter", "sidecar"])
@pytest.mark.parametrize(("front", "given", "expected"), GRANTS)
def test_a_file_narrows_whom_it_is_for_and_never_widens(
    tmp_path: Path, beside: bool, front: str, given: dict[str, object], expected: object
) -> None:
    if beside:
        path = docx(tmp_path / "a.docx", paragraph("Parking costs 5 yuan."))
        write(tmp_path / "a.docx.meta.yaml", front + "\n" if front else "version: 1\n")
    else:
        path = write(tmp_path / "a.md", f"---\n{front}\n---\n{TEXT}" if front else TEXT)
    if isinstance(expected, str):
        with pytest.raises(Unreadable) as problem:
            read(path, **given)
        assert str(problem.value).startswith(expected)
        assert isinstance(problem.value, Withheld) == (
            " not " in expected and "which" not in expected and "where" not in expected
        )
    else:
        source = read(path, **given)
        assert (source.tenant, source.roles, source.owner, source.tags, source.trusted) == expected


SIDECARS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("a.docx.meta.yaml",), "roles: [hr", "has a.docx.meta.yaml that is not YAML"),
    (("a.docx.meta.yaml",), "author: me", "has a.docx.meta.yaml with 'author'"),
    (("a.docx.meta.yaml",), "just words", "has a.docx.meta.yaml, which does not hold fields"),
    (("a.docx.meta.yaml", "a.meta.yml"), "roles: hr", "has two files that speak for it"),
    (("a.docx.meta.yaml/x",), "roles: hr", "has a.docx.meta.yaml, which is not a regular file"),
    (("a.docx.meta.yaml",), "x: " + "y" * 70_000, "has a.docx.meta.yaml, which is larger than 64 KB"),
)


@pytest.mark.parametrize(("names", "text", "why"), SIDECARS)
def test_a_wrong_sidecar_keeps_its_file_out(tmp_path: Path, names: tuple[str, ...], text: str, why: str) -> None:
    path = docx(tmp_path / "a.docx", paragraph("Text."))
    for name in names:
        write(tmp_path / name, text)
    with pytest.raises(Unreadable) as problem:
        read(path)
    assert str(problem.value).startswith(why)


@pytest.mark.parametrize("name", ["a.docx.meta.yaml", "a.docx.meta.yml", "a.meta.yaml", "a.meta.yml"])
def test_a_sidecar_may_be_named_after_the_file_or_its_stem(tmp_path: Path, name: str) -> None:
    path = docx(tmp_path / "a.docx", paragraph("文字。"))
    write(tmp_path / name, "title: Handbook\nroles: [hr]\nversion: 1.10\nvalid_from: 2026-01-02\nlanguage: en\n")
    source = read(path)
    assert (source.title, source.roles, source.version, source.language) == ("Handbook", ("hr",), "1.10", "en")


def test_a_broken_link_as_sidecar_is_not_taken_for_none(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("Text."))
    (tmp_path / "a.docx.meta.yaml").symlink_to(tmp_path / "nothing")
    with pytest.raises(Unreadable, match="which is not a regular file"):
        read(path)


@pytest.mark.parametrize(
    "front", ["roles: hr\n", "# note\n\nowner: u-1\n", "tenant: acme\n" + "# more\n" * 20_000 + "---\n"]
)
def test_front_matter_that_does_not_end_keeps_the_file_out(tmp_path: Path, front: str) -> None:
    with pytest.raises(Unreadable, match="has front matter that does not end"):
        read(write(tmp_path / "a.md", f"---\n{front}{TEXT}"))


def test_a_line_at_the_top_is_no_front_matter(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.md", f"---\n\nA paragraph: with a colon.\n\n{TEXT}")).title == "Parking"


def test_front_matter_and_a_sidecar_are_one_too_many(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", f"---\nroles: hr\n---\n{TEXT}")
    write(tmp_path / "a.meta.yaml", "roles: it\n")
    with pytest.raises(Unreadable, match=r"has both front matter and a\.meta\.yaml"):
        read(path)


def test_a_fingerprint_changes_with_content_kind_and_sidecar_and_needs_no_reader(tmp_path: Path) -> None:
    sandbox.close()
    path = tmp_path / "a.pdf"
    path.write_bytes(b"not a PDF at all" * 1_000)
    seen = {fingerprint(path)}
    assert fingerprint(path) in seen
    path.write_bytes(path.read_bytes() + b".")
    seen.add(fingerprint(path))
    write(tmp_path / "a.pdf.meta.yaml", "roles: hr\n")
    seen.add(fingerprint(path))
    write(tmp_path / "a.pdf.meta.yaml", "roles: it\n")
    seen.add(fingerprint(path))
    path.rename(tmp_path / "b.docx")
    seen.add(fingerprint(tmp_path / "b.docx"))
    assert len(seen) == 5 and sandbox._worker is None


def test_a_digest_changes_with_whom_the_document_is_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md")
    given: tuple[dict[str, object], ...] = (
        {}, {"tenant": "acme"}, {"tenant": "globex"}, {"roles": "hr"}, {"trusted": False}, {"tags": "x"},
        {"tenant": "acme", "owner": "u-17"},
    )  # fmt: skip
    assert len({read(path, **g).digest for g in given}) == len(given)


def test_text_from_outside_acts_on_no_terminal(tmp_path: Path) -> None:
    evil = "safe\x1b[31m\x1b]0;title\x07 \u202eabc\u200b"
    paths = [
        write(tmp_path / "a.txt", evil),
        write(tmp_path / "a.csv", f"a,b\n{evil},1\n"),
        write(tmp_path / "a.html", f"<title>{evil}</title><h1>{evil}</h1><p>{evil}</p>"),
        write(tmp_path / "a.md", f"# {evil}\n\n{evil}\n"),
    ]
    for path in paths:
        source = read(path)
        said = source.title + "".join("".join(b.headings) + b.text for b in source.blocks)
        assert "safe abc" in said and not any(c in said for c in "\x1b\x07\u202e\u200b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The office is in 解放路, Chengdu, and opens at nine every working day of the year.", "en"),
        ("员工 VPN 使用 OpenVPN 客户端连接。", "zh"),
        ("1 2 3", "en"),
    ],
)
def test_the_language_is_that_of_most_of_the_text(tmp_path: Path, text: str, expected: str) -> None:
    assert read(write(tmp_path / "a.txt", text)).language == expected


def test_a_file_that_changes_while_it_is_read_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.md")
    from signoff.knowledge import load as loading

    def slowly(*arguments: object, **named: object) -> object:
        reading = original(*arguments, **named)  # type: ignore[arg-type]
        write(path, TEXT + "More.\n")
        return reading

    original = loading.read
    monkeypatch.setattr(loading, "read", slowly)
    with pytest.raises(Unreadable, match="changed while it was read"):
        read(path)
