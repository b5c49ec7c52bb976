"""The programs that only read when they are given these options, and nothing else.

Sources: the manuals of GNU coreutils, findutils, diffutils and grep, of ripgrep and of util-linux. Left out on purpose
are options that write (`sort -o`), start programs (`rg --pre`, `sort --compress-program`, `file -z`), or read the names
of further files out of a file (`--files0-from`).
"""

from __future__ import annotations

from signoff.tools.shell.options import Spec

_HELP = " --help --version"
_GREP = (
    "-E -F -G -P -e=s -f=p -i -y -v -w -x -z -s -c -l -L -m=n -o -q -b -H -h -n -T -u -Z -A=n -B=n -C=n -# -r -R -a -I "
    "-U -d=w -D=w --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp=s --file=p --ignore-case "
    "--no-ignore-case --invert-match --word-regexp --line-regexp --null-data --no-messages --count --color?=w "
    "--colour?=w --files-with-matches --files-without-match --max-count=n --only-matching --quiet --silent "
    "--byte-offset --with-filename --no-filename --label=s --line-number --initial-tab --null --after-context=n "
    "--before-context=n --context=n --text --binary-files=w --devices=w --directories=w --exclude=s --exclude-from=p "
    "--exclude-dir=s --include=s --recursive --dereference-recursive --line-buffered --binary -V"
)
_SUM = "-b -t -z --binary --tag --text --zero" + _HELP
_grep = Spec(_GREP + _HELP, "pattern", follow="-R --dereference-recursive")

READERS: dict[str, Spec] = {
    "ls": Spec(
        "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I=s -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T=n -u -U -v "
        "-w=n -x -X -Z -1 --all --almost-all --author --escape --block-size=w --ignore-backups --color?=w --directory "
        "--classify?=w --file-type --format=w --full-time --group-directories-first --no-group --human-readable --si "
        "--dereference --dereference-command-line --hide=s --hyperlink?=w --indicator-style=w --inode --ignore=s "
        "--kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name "
        "--quoting-style=w --reverse --recursive --size --sort=w --time=w --time-style=w --tabsize=n --width=n "
        "--context --zero" + _HELP,
        follow="-L --dereference",
    ),
    "cat": Spec(
        "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs "
        "--show-nonprinting" + _HELP
    ),
    "head": Spec("-n=n -c=n -q -v -z -# --lines=n --bytes=n --quiet --silent --verbose --zero-terminated" + _HELP),
    "tail": Spec(
        "-n=n -c=n -q -v -z -f -F -s=n -# --lines=n --bytes=n --quiet --silent --verbose --zero-terminated "
        "--follow?=w --retry --sleep-interval=n --pid=n" + _HELP
    ),
    "wc": Spec("-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=w" + _HELP),
    "sort": Spec(
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -k=w -m -s -S=w -t=s -u -z --ignore-leading-blanks --dictionary-order "
        "--ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort "
        "--random-sort --reverse --sort=w --version-sort --check?=w --key=w --merge --stable --buffer-size=w "
        "--field-separator=s --unique --zero-terminated --parallel=n --batch-size=n --debug" + _HELP
    ),
    "uniq": Spec(
        "-c -d -D -f=n -i -s=n -u -z -w=n --count --repeated --all-repeated?=w --skip-fields=n --group?=w "
        "--ignore-case --skip-chars=n --unique --zero-terminated --check-chars=n" + _HELP,
        most=1,
        globs=False,
    ),
    "cut": Spec(
        "-b=l -c=l -d=s -f=l -n -s -z --bytes=l --characters=l --delimiter=s --fields=l --complement "
        "--only-delimited --output-delimiter=s --zero-terminated" + _HELP
    ),
    "tr": Spec("-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1" + _HELP, "text"),
    "grep": _grep,
    "egrep": _grep,
    "fgrep": _grep,
    "rg": Spec(
        "-A=n -B=n -C=n -c -i -s -S -v -w -x -l -L -n -N -o -q -u -H -I -e=s -f=p -F -g=s -t=w -T=w -m=n -M=n -j=n -P "
        "-U -a -0 -p -r=s -d=n -b -. -V --after-context=n --before-context=n --context=n --count --count-matches "
        "--ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --files-with-matches "
        "--files-without-match --line-number --no-line-number --only-matching --quiet --unrestricted --with-filename "
        "--no-filename --regexp=s --file=p --fixed-strings --glob=s --iglob=s --type=w --type-not=w --max-count=n "
        "--max-columns=n --max-columns-preview --threads=n --pcre2 --multiline --multiline-dotall --text --null "
        "--pretty --replace=s --max-depth=n --maxdepth=n --max-filesize=w --byte-offset --color=w --colors=w --column "
        "--heading --no-heading --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-messages "
        "--no-config --files --type-list --json --stats --sort=w --sortr=w --trim --vimgrep --passthru --crlf "
        "--engine=w --follow --one-file-system --glob-case-insensitive --line-buffered --block-buffered --mmap "
        "--no-mmap --no-unicode --field-match-separator=s --context-separator=s --path-separator=s "
        "--include-zero --pcre2-version" + _HELP,
        "pattern",
        "-e -f --regexp --file --files --type-list",
        follow="-L --follow",
    ),
    "ag": Spec(
        "-A=n -B=n -C=n -c -i -s -S -v -w -l -L -Q -F -H -G=s -m=n -o -n -r -R -u -U -a -t --count --ignore-case "
        "--case-sensitive --smart-case --invert-match --word-regexp --files-with-matches --files-without-matches "
        "--literal --hidden --nocolor --color --nogroup --group --column --depth=n --ignore=s --ignore-dir=s "
        "--numbers --nonumbers --stats --python --js --cc --java" + _HELP,
        "pattern",
        "-g",
    ),
    "fd": Spec(
        "-e=w -t=w -d=n -H -I -a -s -i -g -F -p -0 -E=s -S=w -u -1 -q -j=n -c=w --extension=w --type=w --max-depth=n "
        "--min-depth=n --exact-depth=n --hidden --no-ignore --absolute-path --case-sensitive --ignore-case --glob "
        "--fixed-strings --full-path --print0 --exclude=s --size=w --unrestricted --max-results=n --color=w "
        "--changed-within=w --changed-before=w" + _HELP,
        "pattern",
        "",
    ),
    "tree": Spec(
        "-a -d -f -i -l -x -L=n -P=s -I=s -p -u -g -s -h -D -F -q -N -Q -r -t -c -U -v -J -X -C -n -A -S --dirsfirst "
        "--filesfirst --du --si --noreport --gitignore --prune --matchdirs --ignore-case --inodes --device "
        "--filelimit=n --charset=w --sort=w --timefmt=s" + _HELP,
        follow="-l",
    ),
    "stat": Spec("-L -f -c=s -t --dereference --file-system --format=s --printf=s --terse --cached=w" + _HELP),
    "file": Spec(
        "-b -i -L -h -k -n -N -p -r -v -0 -F=s --brief --mime --mime-type --mime-encoding --dereference "
        "--no-dereference --keep-going --no-buffer --no-pad --raw --extension --apple --separator=s --print0" + _HELP
    ),
    "du": Spec(
        "-a -b -c -d=n -h -H -D -k -l -L -m -P -s -S -t=n -x -0 -B=w -X=p --all --apparent-size --block-size=w --bytes "
        "--total --max-depth=n --human-readable --inodes --kilobytes --megabytes --count-links --dereference "
        "--no-dereference --dereference-args --separate-dirs --si --summarize --threshold=n --time?=w --time-style=w "
        "--one-file-system --exclude=s --exclude-from=p --null" + _HELP,
        follow="-L --dereference",
    ),
    "df": Spec(
        "-a -B=w -h -H -i -k -l -P -t=w -T -x=w --all --block-size=w --human-readable --si --inodes --local "
        "--output?=w --portability --total --type=w --print-type --exclude-type=w" + _HELP
    ),
    "pwd": Spec("-L -P --logical --physical" + _HELP, "none"),
    "basename": Spec("-a -s=s -z --multiple --suffix=s --zero" + _HELP, "text"),
    "dirname": Spec("-z --zero" + _HELP, "text"),
    "realpath": Spec("-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --relative-to=p" + _HELP),
    "readlink": Spec("-f -e -m -n -q -s -v -z --canonicalize --no-newline" + _HELP),
    "nl": Spec(
        "-b=s -d=s -f=s -h=s -i=n -l=n -n=w -p -s=s -v=n -w=n --body-numbering=s --header-numbering=s "
        "--footer-numbering=s --line-increment=n --number-format=w --number-separator=s --number-width=n "
        "--starting-line-number=n --no-renumber" + _HELP
    ),
    "tac": Spec("-b -r -s=s --before --regex --separator=s" + _HELP),
    "rev": Spec("-0 -h -V" + _HELP),
    "paste": Spec("-d=s -s -z --delimiters=s --serial --zero-terminated" + _HELP),
    "join": Spec("-a=n -e=s -i -j=n -o=s -t=s -v=n -1=n -2=n -z --ignore-case --header --check-order" + _HELP),
    "comm": Spec("-1 -2 -3 -z --check-order --nocheck-order --output-delimiter=s --total --zero-terminated" + _HELP),
    "fold": Spec("-b -s -w=n --bytes --spaces --width=n" + _HELP),
    "fmt": Spec("-c -s -t -u -w=n -g=n -p=s --width=n --goal=n --split-only --uniform-spacing" + _HELP),
    "expand": Spec("-i -t=l --initial --tabs=l" + _HELP),
    "unexpand": Spec("-a -t=l --all --first-only --tabs=l" + _HELP),
    "column": Spec("-t -s=s -o=s -c=n -x -n=w -N=s -R=w -J -e -L --table --separator=s --output-separator=s" + _HELP),
    "cmp": Spec("-b -i=w -l -n=n -s --print-bytes --ignore-initial=w --verbose --bytes=n --quiet --silent" + _HELP),
    "diff": Spec(
        "-q -s -c -C=n -u -U=n -e -n -y -W=n -l -p -F=s -t -T -r -N -P -x=s -i -E -Z -b -w -B -I=s -a -d -# --brief "
        "--report-identical-files --context?=n --unified?=n --side-by-side --width=n --left-column "
        "--suppress-common-lines --show-c-function --recursive --new-file --exclude=s --ignore-case "
        "--ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines "
        "--ignore-matching-lines=s --text --strip-trailing-cr --minimal --color?=w --label=s --normal "
        "--no-dereference" + _HELP
    ),
    "od": Spec("-A=w -j=w -N=w -S=w -t=w -v -w=n -a -b -c -d -f -i -l -o -s -x --address-radix=w --format=w" + _HELP),
    "hexdump": Spec("-b -c -C -d -o -x -n=w -s=w -v -e=s"),
    "strings": Spec("-a -f -n=n -t=w -e=w -w -o -# --all --print-file-name --bytes=n --radix=w --encoding=w" + _HELP),
    "md5sum": Spec(_SUM),
    "sha1sum": Spec(_SUM),
    "sha224sum": Spec(_SUM),
    "sha256sum": Spec(_SUM),
    "sha384sum": Spec(_SUM),
    "sha512sum": Spec(_SUM),
    "b2sum": Spec("-l=n " + _SUM),
    "cksum": Spec("-a=w --algorithm=w" + _HELP),
    "sum": Spec("-r -s" + _HELP),
    "base64": Spec("-d -i -w=n --decode --ignore-garbage --wrap=n" + _HELP, most=1),
    "base32": Spec("-d -i -w=n --decode --ignore-garbage --wrap=n" + _HELP, most=1),
    "seq": Spec("-f=s -s=s -w -# --format=s --separator=s --equal-width" + _HELP, "text"),
    "factor": Spec("-h --exponents" + _HELP, "text"),
    "numfmt": Spec(
        "-d=s --delimiter=s --field=l --format=s --from=w --from-unit=w --grouping --header?=n --invalid=w "
        "--padding=n --round=w --suffix=s --to=w --to-unit=w -z" + _HELP,
        "text",
    ),
    "true": Spec("", "text"),
    "false": Spec("", "text"),
    ":": Spec("", "text"),
    "cal": Spec("-1 -3 -s -m -j -y -Y -w -n=n", "text"),
    "uname": Spec("-a -s -n -r -v -m -p -i -o --all --kernel-name --machine --operating-system" + _HELP, "none"),
    "arch": Spec(_HELP, "none"),
    "nproc": Spec("--all --ignore=n" + _HELP, "none"),
    "hostname": Spec("-f -s -i -I -d --fqdn --short --ip-address --all-ip-addresses --domain" + _HELP, "none"),
    "whoami": Spec(_HELP, "none"),
    "id": Spec("-u -g -G -n -r -z --user --group --groups --name --real" + _HELP, "text"),
    "groups": Spec(_HELP, "text"),
    "tty": Spec("-s" + _HELP, "none"),
    "uptime": Spec("-p -s --pretty --since" + _HELP, "none"),
    "free": Spec("-b -k -m -g -h -w -t -l --human --mega --giga --total --wide" + _HELP, "none"),
    "which": Spec("-a -s --all", "text"),
    "whereis": Spec("-b -m -s", "text"),
    "type": Spec("-a -f -p -P -t", "text"),
    "lscpu": Spec("-a -b -c -e?=w -p?=w -x -J -y --all --online --json" + _HELP, "none"),
    "lsmem": Spec("-a -b -J -n -P -r --all --bytes --json --summary?=w" + _HELP, "none"),
    "zipinfo": Spec("-1 -2 -s -m -l -v -h -t"),
}

READERS["dir"] = READERS["vdir"] = READERS["ls"]

BUILTINS = frozenset({"type", "command"})
"""Readers that are part of the shell, so that a shell is needed for them."""

GLOB_SAFE = frozenset(
    "ls cat head tail wc grep egrep fgrep du stat basename dirname cut nl tac rev md5sum sha1sum sha256sum sha512sum "
    "cmp echo".split()
)
"""Programs that write nothing even when a wildcard puts a file name that looks like an option among their operands."""
