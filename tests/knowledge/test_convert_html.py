from __future__ import annotations

from pathlib import Path

import pytest

from signoff.knowledge.load import Source, load

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>退货 &amp; 退款</title><style>p{}</style></head><body>
<nav><a href="/">Home</a></nav>
<h1>Returns</h1><p>Within <b>7</b>&nbsp;days,
you may return&#x20;it.<br>Keep the box.</p>
<script>alert("no")</script><!-- a comment --><div hidden>hidden</div><p style="display: none">unseen</p>
<span aria-hidden="true">decoration</span>
<h2>Steps</h2><ol><li>Ask<ul><li>by <i>mail</i></li></ul></li><li><p>Send</p></li></ol>
<table><caption>Limits</caption><tr><th>City</th><th>Grade</th><th>Limit</th></tr>
<tr><td rowspan="2">北京</td><td>A|B</td><td>600</td></tr><tr><td>C</td><td>450</td></tr></table>
<pre>code
  kept</pre><dl><dt>SLA</dt><dd>two days</dd></dl><blockquote>Quoted.</blockquote>
<button>Send</button><textarea>typed</textarea>
</body></html>"""


def read(path: Path) -> Source:
    return load(path, key="k", tenant=None, roles=(), trusted=True)


def test_what_a_reader_sees_is_read_under_its_headings(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(PAGE, encoding="utf-8")
    source = read(path)
    assert source.title == "退货 & 退款"
    assert [(b.headings, b.kind, b.text) for b in source.blocks] == [
        (("Returns",), "text", "Within 7 days, you may return it.\nKeep the box."),
        (("Returns", "Steps"), "list", "1. Ask\n  - by mail\n2. Send"),
        (("Returns", "Steps"), "text", "Limits"),
        (
            ("Returns", "Steps"),
            "table",
            "| City | Grade | Limit |\n|---|---|---|\n| 北京 | A\\|B | 600 |\n| 北京 | C | 450 |",
        ),
        (("Returns", "Steps"), "code", "```\ncode\n  kept\n```"),
        (("Returns", "Steps"), "text", "SLA: two days"),
        (("Returns", "Steps"), "text", "Quoted."),
    ]


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("utf-8", '<meta charset="utf-8">'),
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("gb18030", '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'),
        ("gb18030", "<meta charset=gbk>"),
        ("gb18030", ""),
        ("big5", "<meta charset='big5'>"),
        ("utf-8", '<?xml version="1.0" encoding="UTF-8"?>'),
    ],
)
def test_the_encoding_is_that_of_the_mark_the_page_or_the_text(tmp_path: Path, encoding: str, head: str) -> None:
    text = "公司制度文件" if encoding == "big5" else "退货政策自签收之日起七天"
    path = tmp_path / "a.htm"
    path.write_bytes(f"{head}<title>{text}</title><p>{text}</p>".encode(encoding))
    source = read(path)
    assert (source.title, source.blocks[0].text) == (text, text)


@pytest.mark.parametrize(
    ("mark", "seen"),
    [
        ('style="font-size: 0.9em; opacity: 0.8; display: block"', True),
        ('style="font-size:0"', False),
        ('style="color:red;font-size: 0px;"', False),
        ('style="opacity:0"', False),
        ('style="VISIBILITY: hidden !important"', False),
        ("hidden", False),
        ('aria-hidden="true"', False),
        ('aria-hidden="false"', True),
        ('role="navigation"', False),
        ('role="main"', True),
    ],
)
@pytest.mark.parametrize(
    "page",
    [
        "<p {}>mark<p>rest",
        "<ul><li {}>mark<li>rest</ul>",
        "<table><tr {}><td>mark<td>x<tr><td>rest<td>y</table>",
        "<dl><div {}><dt>mark</div><dt>rest</dl>",
    ],
)
def test_what_no_reader_sees_is_left_out(tmp_path: Path, page: str, mark: str, seen: bool) -> None:
    path = tmp_path / "a.html"
    path.write_text(page.format(mark))
    said = " ".join(b.text for b in read(path).blocks)
    assert ("mark" in said) == seen and "rest" in said


def test_a_page_that_is_broken_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>one<div>two<table><tr><td>a<td>b</table></p></b><li>three" + "<div>" * 500 + "deep")
    said = " ".join(b.text for b in read(path).blocks)
    assert all(word in said for word in ("one", "two", "a", "b", "three"))


def test_a_table_that_only_arranges_the_page_is_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<table><tr><td><h1>Title</h1><p>First.</p></td><td><p>Second.</p></td></tr></table>")
    assert [(b.headings, b.text) for b in read(path).blocks] == [(("Title",), "First."), (("Title",), "Second.")]
