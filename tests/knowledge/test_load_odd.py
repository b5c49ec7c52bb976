from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from documents import docx, package, paragraph, pdf, png, pptx, relations, slide_shape, xlsx

from signoff.knowledge.files import admit, files_below, shown
from signoff.knowledge.load import Limits, Source, Unreadable, fingerprint, load

TEXT = "# Parking\n\nParking costs 5 yuan.\n"


def read(path: Path, **given: object) -> Source:
    return load(path, **{"key": "k", "tenant": None, "roles": (), "trusted": True} | given)  # type: ignore[arg-type]


def write(path: Path, text: str = TEXT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


CFB = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def odd_files(folder: Path) -> dict[str, str]:
    """Files that cannot be read, each with the line that says why."""
    folder.mkdir()
    whole = docx(folder / "whole.docx", paragraph("Text " * 500)).read_bytes()
    sheet = xlsx(folder / "whole.xlsx", {"A": [["a", "b"], [1, 2]]}).read_bytes()
    print_out = pdf(folder / "whole.pdf", ["Text of the page."]).read_bytes()
    for name in ("whole.docx", "whole.xlsx", "whole.pdf"):
        (folder / name).unlink()
    content: dict[str, tuple[bytes, str]] = {
        "empty.pdf": (b"", "is empty"),
        "empty.docx": (b"", "is empty"),
        "empty.csv": (b"", "is empty"),
        "blank.html": (b" \n", "is empty"),
        "broken.csv": (b"a,b\n1,\xff\xfe\n", "is not UTF-8 (line 2)"),
        "latin.txt": ("Café de la Gare, très bientôt, où ça\n".encode("latin-1"), "is not UTF-8 (line 1)"),
        "japanese.txt": ("お問い合わせは窓口まで".encode("shift-jis"), "is not UTF-8 (line 1)"),
        "big5.txt": ("這是一份關於退貨政策的說明文件".encode("big5"), "is not UTF-8 (line 1)"),
        "late.md": (b"fine\n" * 300_000 + b"\xff", "is not UTF-8 (line 300001)"),
        "half.txt": (b"\xff\xfea", "is not UTF-16 (line 1)"),
        "nul.md": (b"# A\n\nText\0more\n", "is binary or not UTF-8"),
        "nul.csv": (b"a,b\n\0,1\n", "is binary or not UTF-8"),
        "cell.csv": (b'a,b\n"' + b"x" * 200_000 + b'",1\n', "is not readable as CSV at line 2"),
        "only-tags.html": (b"<html><script>1</script></html>", "holds no text"),
        "half.docx": (whole[: len(whole) // 2], "is damaged: it is not a whole DOCX"),
        "half.xlsx": (sheet[: len(sheet) // 2], "is damaged: it is not a whole XLSX"),
        "half.pdf": (print_out[: len(print_out) // 3], "is damaged: it is not a whole PDF"),
        "noise.pptx": (bytes(range(256)) * 20, "is not a PPTX, whatever its name says"),
        "pdf.docx": (print_out, "is not a DOCX but a PDF, whatever its name says"),
        "docx.pdf": (whole, "is not a PDF but a zip or Office file, whatever its name says"),
        "old.docx": (CFB + bytes(2_000), "is an Office file of the old format: save it as .docx"),
        "locked.xlsx": (CFB + "EncryptedPackage".encode("utf-16-le") + bytes(512), "is encrypted: save it without"),
        "flipped.docx": (bytes(b ^ (0x55 if 200 < i < 260 else 0) for i, b in enumerate(whole)), "is damaged"),
    }  # fmt: skip
    for name, (data, _) in content.items():
        (folder / name).write_bytes(data)
    png(folder / "png.pdf")
    pdf(folder / "locked.pdf", ["secret"], encrypted=True)
    pdf(folder / "scan.pdf", [], [])
    package(folder / "other.docx", {"readme.txt": "just a zip"})
    package(folder / "sheet.docx", {"_rels/.rels": relations(("r", "officeDocument", "x.xml")), "x.xml": "<a><b></a>"})
    docx(folder / "nothing.docx", paragraph(""))
    pptx(folder / "nothing.pptx", slide_shape())
    xlsx(folder / "nothing.xlsx", {"A": []})
    return {name: why for name, (_, why) in content.items()} | {
        "png.pdf": "is not a PDF but a PNG picture, whatever its name says",
        "locked.pdf": "is encrypted: save it without a password",
        "scan.pdf": "has no text: it is a scan; run OCR first",
        "other.docx": "is damaged: it is not a whole DOCX",
        "sheet.docx": "is damaged: it is not a whole DOCX",
        "nothing.docx": "holds no text",
        "nothing.pptx": "holds no text",
        "nothing.xlsx": "holds no text",
    }


def test_each_odd_file_gets_one_clear_line(tmp_path: Path) -> None:
    pytest.importorskip("kreuzberg")
    wanted = odd_files(tmp_path / "docs")
    said: dict[str, str] = {}
    for path in files_below(tmp_path / "docs"):
        with pytest.raises(Unreadable) as problem:
            admit(path, tmp_path / "docs", alone=False)
            read(path)
        said[path.name] = str(problem.value)
    assert said.keys() == wanted.keys()
    assert {name: line for name, line in said.items() if not line.startswith(wanted[name])} == {}
    assert all("\n" not in line and line.isprintable() and not line.endswith(".") for line in said.values())


NAMES: tuple[tuple[str, str], ...] = (
    ("a.docm", "may hold macros: save it as .docx"),
    ("a.xlsm", "may hold macros: save it as .xlsx"),
    ("a.doc", "is of a format that is not read: save it as .docx"),
    ("a.XLS", "is of a format that is not read: save it as .xlsx"),
    ("a.ppt", "is of a format that is not read: save it as .pptx"),
    ("a.wps", "is of a format that is not read: save it as .docx"),
    ("a.png", "is not a kind of file that is read (.csv, .docx, "),
    ("README", "is not a kind of file that is read"),
    ("nobody.docx.meta.yaml", "speaks for no file"),
)


@pytest.mark.parametrize(("name", "why"), NAMES)
def test_other_kinds_of_files_are_named_with_what_to_do(tmp_path: Path, name: str, why: str) -> None:
    path = write(tmp_path / name)
    assert list(files_below(tmp_path)) == [path]
    with pytest.raises(Unreadable) as problem:
        admit(path, tmp_path, alone=False)
    assert str(problem.value).startswith(why)


def test_what_office_programs_leave_beside_documents_is_no_document(tmp_path: Path) -> None:
    names = [
        "a.docx",
        "b.md",
        "~$a.docx",
        ".~lock.a.docx#",
        ".hidden.md",
        "a.docx.meta.yaml",
        "b.meta.yml",
        ".git/c.md",
    ]
    for name in names:
        write(tmp_path / name)
    assert [p.name for p in files_below(tmp_path)] == ["a.docx", "b.md"]
    alone = [p.name for name in names for p in files_below(tmp_path / name)]
    assert alone == ["a.docx", "b.md", ".~lock.a.docx#", ".hidden.md", "c.md"]


@pytest.mark.parametrize(
    "name", ['it\'s "quoted".docx', "two\nlines.docx", "空 格.docx", "%s{0}.docx", "\u202exod.docx", "\x1b[31mred.docx"]
)
def test_a_file_with_an_odd_name_is_read_and_its_name_shown_safely(tmp_path: Path, name: str) -> None:
    path = docx(tmp_path / name, paragraph("Text."))
    assert list(files_below(tmp_path)) == [path]
    admit(path, tmp_path, alone=False)
    assert read(path).blocks[0].text == "Text."
    assert shown(name).isprintable()


def test_a_name_that_is_not_utf8_reaches_the_reader(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.docx"))
    try:
        docx(path, paragraph("Text."))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert read(path).blocks[0].text == "Text."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_what_is_no_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.md")
    (tmp_path / "folder.md").mkdir()
    write(tmp_path / "folder.md" / "inside.md")
    (tmp_path / "device.md").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("plug.md")
        found = {}
        for path in files_below(tmp_path):
            try:
                admit(path, tmp_path, alone=False)
                found[path.name] = ""
            except Unreadable as problem:
                found[path.name] = str(problem)
    assert found == {
        "device.md": "is a link out of the folder",
        "inside.md": "",
        "pipe.md": "is not a regular file",
        "plug.md": "is not a regular file",
    }


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", ["a.md", "a.docx"])
def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, name: str) -> None:
    path = docx(tmp_path / name, paragraph("Text."))
    path.chmod(0)
    with pytest.raises(Unreadable, match="cannot be read: Permission denied"):
        read(path)


def test_a_file_that_is_not_there_any_more_says_so(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="cannot be read: No such file"):
        read(tmp_path / "gone.docx")


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    for work in (read, fingerprint):
        with pytest.raises(Unreadable) as problem:
            work(path)
        assert str(problem.value) == "is larger than 50 MB: split it, or raise SIGNOFF_DOCUMENT_BYTES"


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html"])
def test_a_file_with_more_text_than_is_taken_is_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, "one, two\n\n" * 1_000)
    with pytest.raises(Unreadable, match=r"holds more than 0\.005 million characters: split it"):
        read(path, limits=Limits(characters=5_000))
