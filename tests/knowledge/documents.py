"""Real files of every kind that is read, small enough to be seen through: made here, byte by byte."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
_W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{_OFFICE}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_A = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="{_OFFICE}"'
)
_S = f'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{_OFFICE}"'
_STYLES = (
    f"<w:styles {_W}>"
    '<w:style w:type="paragraph" w:styleId="a3"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="mine"><w:name w:val="My heading"/><w:basedOn w:val="2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="toc1"><w:name w:val="toc 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="dots"><w:name w:val="List Bullet"/>'
    '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>'
)
_NUMBERING = (
    f"<w:numbering {_W}>"
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
    '<w:abstractNum w:abstractNumId="1">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="9"/>'
    '<w:numFmt w:val="chineseCountingThousand"/><w:lvlText w:val="第%1条"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num></w:numbering>'
)


def package(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    """A zip of parts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return path


def relations(*targets: tuple[str, str, str]) -> str:
    """Id, the last word of the type, and the target."""
    inner = "".join(f'<Relationship Id="{i}" Type="{_OFFICE}/{k}" Target="{t}"/>' for i, k, t in targets)
    return f'<Relationships xmlns="{_RELATIONS}">{inner}</Relationships>'


def paragraph(text: str = "", style: str = "", *, numbered: tuple[int, int] | None = None, inner: str = "") -> str:
    """A paragraph of WordprocessingML; `numbered` is the list and the level."""
    mark = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered:
        mark += f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>'
    return f"<w:p><w:pPr>{mark}</w:pPr>{inner or run(text)}</w:p>"


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def word_table(rows: Iterable[Sequence[str]]) -> str:
    """A table; a cell that begins with `<` is taken as it is."""
    cells = ("".join(c if c.startswith("<") else f"<w:tc>{paragraph(c)}</w:tc>" for c in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def docx(path: Path, *body: str, title: str = "", notes: Mapping[int, str] | None = None, **parts: str) -> Path:
    """A DOCX of paragraphs and tables; `parts` replaces parts, `__` standing for `/` and `_xml` for `.xml`."""
    marks = "".join(f'<w:footnote w:id="{i}">{paragraph(t)}</w:footnote>' for i, t in (notes or {}).items())
    content: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations(
            ("rId1", "officeDocument", "word/document.xml"), ("rId2", "core-properties", "docProps/core.xml")
        ),
        "docProps/core.xml": _properties(title),
        "word/document.xml": f"<w:document {_W}><w:body>{''.join(body)}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(
            ("rId1", "styles", "styles.xml"), ("rId2", "numbering", "/word/numbering.xml"),
            ("rId3", "footnotes", "footnotes.xml"),
        ),
        "word/styles.xml": _STYLES,
        "word/numbering.xml": _NUMBERING,
        "word/footnotes.xml": f"<w:footnotes {_W}>{marks}</w:footnotes>",
    }  # fmt: skip
    for name, part in parts.items():
        content[name.replace("__", "/").replace("_xml", ".xml")] = part
    return package(path, content)


def slide_shape(*lines: str, role: str = "", level: Mapping[int, int] | None = None) -> str:
    """A shape of a slide; `role` is what the layout has it for, `level` the depth of some of its lines."""
    mark = f'<p:nvPr><p:ph type="{role}"/></p:nvPr>' if role else "<p:nvPr/>"
    deep = level or {}
    inner = "".join(
        f'<a:p><a:pPr lvl="{deep.get(i, 0)}"/><a:r><a:t>{escape(t)}</a:t></a:r></a:p>' for i, t in enumerate(lines)
    )
    return f"<p:sp><p:nvSpPr>{mark}</p:nvSpPr><p:txBody>{inner}</p:txBody></p:sp>"


def slide_table(rows: Iterable[Sequence[str]]) -> str:
    """A table on a slide."""
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    inner = "".join(f"<a:tr>{''.join(cell.format(escape(c)) for c in row)}</a:tr>" for row in rows)
    return (
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{inner}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )


def pptx(path: Path, *slides: str, notes: Mapping[int, str] | None = None, title: str = "") -> Path:
    """A PPTX; each slide is its shapes, `notes` are by the slide's number from 1."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations(
            ("rId1", "officeDocument", "ppt/presentation.xml"), ("rId2", "core-properties", "docProps/core.xml")
        ),
        "docProps/core.xml": _properties(title),
    }
    order = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    parts["ppt/presentation.xml"] = f"<p:presentation {_A}><p:sldIdLst>{order}</p:sldIdLst></p:presentation>"
    # File names are not in the order of the slides.
    names = {n: f"slides/slide{len(slides) + 1 - n}.xml" for n in range(1, len(slides) + 1)}
    parts["ppt/_rels/presentation.xml.rels"] = relations(*((f"rId{n}", "slide", names[n]) for n in names))
    for n, shapes in enumerate(slides, 1):
        parts[f"ppt/{names[n]}"] = f"<p:sld {_A}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        if notes and n in notes:
            shape = slide_shape(*notes[n].split("\n"), role="body") + slide_shape(str(n), role="sldNum")
            parts[f"ppt/notesSlides/n{n}.xml"] = (
                f"<p:notes {_A}><p:cSld><p:spTree>{shape}</p:spTree></p:cSld></p:notes>"
            )
            parts[f"ppt/slides/_rels/{names[n].rpartition('/')[2]}.rels"] = relations(
                ("rId1", "notesSlide", f"../notesSlides/n{n}.xml")
            )
    return package(path, parts)


def xlsx(
    path: Path,
    sheets: Mapping[str, Sequence[Sequence[object]]],
    *,
    formats: Sequence[str] = (),
    hidden: Iterable[str] = (),
    merged: Iterable[str] = (),
) -> Path:
    """An XLSX. A cell is text, a number, True or False, None, or (number, i): shown in the i-th of `formats`.

    `merged` are ranges such as A2:A4, in every sheet.
    """
    strings: list[str] = []
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations(("rId1", "officeDocument", "xl/workbook.xml")),
    }
    listed = ""
    targets = [("rIdS", "sharedStrings", "sharedStrings.xml"), ("rIdT", "styles", "styles.xml")]
    for n, (name, rows) in enumerate(sheets.items(), 1):
        state = ' state="hidden"' if name in hidden else ""
        listed += f'<sheet name="{escape(name)}" sheetId="{n}"{state} r:id="rId{n}"/>'
        targets.append((f"rId{n}", "worksheet", f"worksheets/sheet{n}.xml"))
        inner = "".join(
            f'<row r="{y}">{"".join(_cell(_column(x) + str(y), value, strings) for x, value in enumerate(row))}</row>'
            for y, row in enumerate(rows, 1)
        )
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f"<worksheet {_S}><sheetData>{inner}</sheetData><mergeCells>"
            + "".join(f'<mergeCell ref="{m}"/>' for m in merged)
            + "</mergeCells></worksheet>"
        )
    parts["xl/workbook.xml"] = f"<workbook {_S}><sheets>{listed}</sheets></workbook>"
    parts["xl/_rels/workbook.xml.rels"] = relations(*targets)
    shared = "".join(f"<si><t>{escape(s)}</t></si>" for s in strings)
    parts["xl/sharedStrings.xml"] = f"<sst {_S}>{shared}</sst>"
    own = "".join(
        f'<numFmt numFmtId="{164 + i}" formatCode="{escape(f, {chr(34): "&quot;"})}"/>' for i, f in enumerate(formats)
    )
    used = "".join(f'<xf numFmtId="{164 + i}"/>' for i in range(len(formats)))
    parts["xl/styles.xml"] = (
        f'<styleSheet {_S}><numFmts>{own}</numFmts><cellXfs><xf numFmtId="0"/>{used}</cellXfs></styleSheet>'
    )
    return package(path, parts)


def pdf(path: Path, *pages: Sequence[str | tuple[str, int]], title: str = "", encrypted: bool = False) -> Path:
    """A PDF of lines, each a text or (text, size in points); no page has a picture."""
    kids = " ".join(f"{10 + 2 * n} 0 R" for n in range(len(pages)))
    font = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Sans /Encoding /Identity-H /DescendantFonts [4 0 R]"
        b" /ToUnicode 6 0 R >>"
    )
    descendant = (
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Sans /FontDescriptor 5 0 R /DW 1000 /W [0 255 500]"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    )
    descriptor = (
        b"<< /Type /FontDescriptor /FontName /Sans /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900"
        b" /Descent -200 /CapHeight 700 /StemV 80 >>"
    )
    unicode = (
        b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange"
        b" 1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap"
    )
    objects: dict[int, bytes] = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        3: font,
        4: descendant,
        5: descriptor,
        6: _stream(unicode),
        7: b"<< /Title <feff" + title.encode("utf-16-be").hex().encode() + b"> >>",
        8: b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + b"1f" * 32 + b"> /U <" + b"2e" * 32 + b"> >>",
    }
    for n, lines in enumerate(pages):
        drawn, y = [], 800
        for line in lines:
            text, size = line if isinstance(line, tuple) else (line, 11)
            y -= int(size * 1.5)
            drawn.append(f"BT /F1 {size} Tf 60 {y} Td <{text.encode('utf-16-be').hex()}> Tj ET")
        objects[10 + 2 * n] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {11 + 2 * n} 0 R"
            f" /Resources << /Font << /F1 3 0 R >> >> >>"
        ).encode()
        objects[11 + 2 * n] = _stream("\n".join(drawn).encode())
    data = b"%PDF-1.4\n"
    places = {}
    for number, content in objects.items():
        places[number] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(data)
    data += b"xref\n0 1\n0000000000 65535 f \n"
    for number, place in places.items():
        data += b"%d 1\n%010d 00000 n \n" % (number, place)
    secret = b" /Encrypt 8 0 R /ID [<00> <00>]" if encrypted else b""
    data += b"trailer << /Size %d /Root 1 0 R /Info 7 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (
        max(objects) + 1,
        secret,
        start,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def png(path: Path) -> Path:
    """A picture of one white point."""
    path.parent.mkdir(parents=True, exist_ok=True)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\xff")),
        (b"IEND", b""),
    )
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + b"".join(struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)
    )
    return path


def _properties(title: str) -> str:
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></cp:coreProperties>'
    )


def _cell(place: str, value: object, strings: list[str]) -> str:
    match value:
        case None:
            return ""
        case bool():
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        case (number, style):
            return f'<c r="{place}" s="{style + 1}"><v>{number}</v></c>'
        case str():
            strings.append(value)
            return f'<c r="{place}" t="s"><v>{len(strings) - 1}</v></c>'
        case _:
            return f'<c r="{place}"><v>{value}</v></c>'


def _column(at: int) -> str:
    return (_column(at // 26 - 1) if at >= 26 else "") + chr(65 + at % 26)


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)
