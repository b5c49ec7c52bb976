from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from documents import docx, package, paragraph, pdf, relations, xlsx

from signoff.knowledge.convert import Limits, Unreadable, sandbox
from signoff.knowledge.load import load


def read(path: Path, limits: Limits | None = None) -> str:
    source = load(path, key="k", tenant=None, roles=(), trusted=True, limits=limits)
    return "\n".join(b.text for b in source.blocks)


def refused(path: Path, limits: Limits | None = None) -> str:
    with pytest.raises(Unreadable) as problem:
        read(path, limits)
    return str(problem.value)


@pytest.fixture(scope="module")
def large_sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sheet that takes its reader a while."""
    path = tmp_path_factory.mktemp("large") / "a.xlsx"
    return xlsx(path, {"Data": [["id", "text"], *([i, f"row {i} of the table"] for i in range(30_000))]})


def running() -> subprocess.Popen[bytes]:
    assert sandbox._worker is not None
    return sandbox._worker.process


def test_one_process_serves_many_files(tmp_path: Path) -> None:
    first = read(docx(tmp_path / "a.docx", paragraph("one")))
    process = running()
    assert (first, read(docx(tmp_path / "b.docx", paragraph("two")))) == ("one", "two")
    assert running() is process and process.poll() is None


def test_a_file_that_takes_too_long_costs_itself_alone(tmp_path: Path, large_sheet: Path) -> None:
    read(docx(tmp_path / "good.docx", paragraph("good")))
    assert refused(large_sheet, Limits(time_s=0.05)).startswith("took longer than 0.05 s to read")
    assert read(tmp_path / "good.docx") == "good"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
@pytest.mark.parametrize(
    ("number", "why"), [("SIGKILL", "was killed by the system"), ("SIGSEGV", "is damaged: it crashes its reader")]
)
def test_a_crash_costs_the_file_alone(tmp_path: Path, large_sheet: Path, number: str, why: str) -> None:
    read(docx(tmp_path / "good.docx", paragraph("good")))
    threading.Timer(0.1, os.kill, (running().pid, getattr(signal, number))).start()
    assert why in refused(large_sheet)
    assert read(tmp_path / "good.docx") == "good"


def test_a_process_that_has_ended_while_idle_is_replaced(tmp_path: Path) -> None:
    path = docx(tmp_path / "good.docx", paragraph("good"))
    read(path)
    process = running()
    process.kill()
    process.wait()
    assert read(path) == "good" and running() is not process


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
@pytest.mark.parametrize("kind", ["xlsx", "docx", "html"])
def test_a_file_that_swells_costs_itself_alone(tmp_path: Path, kind: str) -> None:
    limits = Limits(memory_mb=24)
    words = [f"word {i} of many" for i in range(120_000)]
    match kind:
        case "xlsx":
            path = xlsx(tmp_path / "a.xlsx", {"Data": [[w] for w in words]})
        case "docx":
            path = docx(tmp_path / "a.docx", *map(paragraph, words))
        case _:
            path = tmp_path / "a.html"
            path.write_text("".join(f"<p>{w}" for w in words))
    assert refused(path, limits) == "needs more than 24 MB to read: split it, or raise SIGNOFF_DOCUMENT_MEMORY_MB"
    assert read(docx(tmp_path / "good.docx", paragraph("good")), limits) == "good"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
def test_memory_that_earlier_files_took_is_not_held_against_a_later_one(tmp_path: Path) -> None:
    limits = Limits(memory_mb=64)
    path = xlsx(tmp_path / "a.xlsx", {"Data": [[f"word {i} of many"] for i in range(10_000)]})
    said = read(path, limits)
    assert all(read(path, limits) == said for _ in range(4))


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_the_process_is_given_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_MODEL_API_KEY", "sk-very-secret")
    sandbox.close()
    read(docx(tmp_path / "a.docx", paragraph("one")))
    there = Path(f"/proc/{running().pid}/environ").read_bytes()
    assert b"PATH=" in there and b"secret" not in there and b"SIGNOFF" not in there


def test_threads_and_children_get_the_answers_to_their_own_questions(tmp_path: Path) -> None:
    paths = [docx(tmp_path / f"{i}.docx", paragraph(f"text {i}")) for i in range(12)]
    said: dict[int, str] = {}
    threads = [threading.Thread(target=lambda i=i: said.update({i: read(paths[i])})) for i in range(12)]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {i: f"text {i}" for i in range(12)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_starts_a_process_of_its_own(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("one"))
    read(path)
    process = running()
    child = os.fork()
    if not child:
        try:
            right = sandbox._worker is None and read(path) == "one" and running() is not process
            sandbox.close()
        except BaseException:
            right = False
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert read(path) == "one" and running() is process


OWNER = """
import sys, time
from pathlib import Path
from signoff.knowledge.convert import sandbox
from signoff.knowledge.load import load
load(Path(sys.argv[1]), key="k", tenant=None, roles=(), trusted=True)
print(sandbox._worker.process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_the_process_does_not_outlive_one_that_was_killed(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("one"))
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(path)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    owner.kill()
    owner.communicate()
    deadline = time.monotonic() + 20
    while _alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def bomb(path: Path, part: str, size: int) -> Path:
    """A part that says nothing at great length."""
    main = f"xl/{part}" if path.suffix == ".xlsx" else f"word/{part}"
    return package(
        path,
        {
            "_rels/.rels": relations(("rId1", "officeDocument", main)),
            main: b"<a>" + b" " * size + b"</a>",
        },
    )


def lying(path: Path) -> Path:
    """A bomb that declares itself to be small, in every header of the zip."""
    bomb(path, "document.xml", 20_000_000)
    data = path.read_bytes()
    size = (20_000_007).to_bytes(4, "little")
    assert data.count(size) == 2
    path.write_bytes(data.replace(size, (1_000).to_bytes(4, "little")))
    return path


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx"])
def test_a_zip_bomb_is_left_packed(tmp_path: Path, name: str) -> None:
    assert refused(bomb(tmp_path / name, "document.xml", 20_000_000)).startswith(
        "looks like a zip bomb: a part would unpack to "
    )


def test_a_zip_bomb_that_lies_about_its_size_is_not_unpacked(tmp_path: Path) -> None:
    assert refused(lying(tmp_path / "a.docx")) == "is damaged: it is not a whole DOCX"


def test_a_zip_of_too_many_or_too_large_parts_is_left_packed(tmp_path: Path) -> None:
    path = package(tmp_path / "a.docx", {f"{i}.xml": "" for i in range(10_001)})
    assert refused(path) == "would unpack to 10001 parts, which is too much"
    data = bomb(tmp_path / "b.docx", "document.xml", 100).read_bytes()
    (tmp_path / "b.docx").write_bytes(data.replace((107).to_bytes(4, "little"), (3_000_000_000).to_bytes(4, "little")))
    assert refused(tmp_path / "b.docx") == "would unpack to 3000 MB, which is too much"


ENTITIES = (
    '<!DOCTYPE a [<!ENTITY a "ha ha ha ha ha ha ha ha ha ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]>"
)
OUTSIDE = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("entities", [ENTITIES, OUTSIDE])
def test_xml_entities_are_never_expanded(tmp_path: Path, entities: str, encoding: str) -> None:
    name = "j" if entities == ENTITIES else "a"
    body = paragraph("before") + f"<w:p><w:r><w:t>&{name};</w:t></w:r></w:p>"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'{entities}<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
    path = docx(tmp_path / "a.docx", word__document_xml=document.encode(encoding))  # type: ignore[arg-type]
    assert refused(path) == "is damaged: it defines XML entities, which no Office file does"


def test_a_page_that_names_a_file_does_not_get_it(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(f'{OUTSIDE}<p>Text &a; <iframe src="file:///etc/passwd"></iframe></p>')
    assert "root:" not in read(path)


def test_the_extra_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "kreuzberg.py").write_text("raise ImportError('No module named kreuzberg')")
    monkeypatch.syspath_prepend(tmp_path / "lib")
    sandbox.close()
    assert refused(pdf(tmp_path / "a.pdf", ["text"])) == "needs an extra to be read: pip install 'signoff[documents]'"
    assert read(docx(tmp_path / "a.docx", paragraph("one"))) == "one"
    sandbox.close()
