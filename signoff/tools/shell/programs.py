"""The programs that are known to do more than read, and how each is called on the card."""

from __future__ import annotations

from signoff.tools.shell.verdict import Finding, Kind, ask, deny

SHELLS = frozenset("sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell osh elvish nu".split())
"""Programs that run text as commands."""

INTERPRETERS = frozenset(
    "python python2 python3 pypy pypy3 ipython perl ruby irb node nodejs deno bun php lua luajit tclsh wish expect "
    "Rscript R julia octave guile racket sbcl clisp ghci groovy scala jshell java jrunscript erl elixir iex swift "
    "ocaml gforth m4 bc dc ed ex vi vim nvim view vimdiff rvim nano emacs pico joe gdb lldb strace ltrace sqlite3 "
    "psql mysql mongo mongosh redis-cli ipython3 bpython osascript busybox toybox eval source . exec trap "
    "cobc gcc g++ cc c++ clang rustc go tcc ld as make gmake cmake ninja meson bazel gradle mvn ant rake tox nox "
    "pytest invoke just cargo npm npx yarn pnpm pip pip3 pipx uv uvx poetry conda gem bundle bundler composer "
    "less more most pg man info vimtutor pager watch script screen tmux dialog whiptail zgrep zcat zless bzgrep xzgrep "
    "docker podman nerdctl ctr runc buildah vagrant ansible ansible-playbook terraform puppet salt ansible-test "
    "systemd-run ld.so facter run-parts start-stop-daemon logsave rpm dpkg snap flatpak yum dnf apt apt-get "
    "aptitude brew pacman apk zypper crontab at batch".split()
)
"""Programs that run what they are given, or something out of a file: GTFOBins' "shell" and "command" lists."""

WRAPPERS = frozenset(
    "xargs parallel env timeout nice nohup time stdbuf setsid ionice chrt taskset flock command builtin exec unbuffer "
    "rlwrap catchsegv valgrind perf faketime unshare nsenter chroot proot fakeroot firejail bwrap systemd-inhibit "
    "setarch linux32 linux64 prlimit numactl torsocks proxychains choom cpulimit softlimit coproc sudo doas su pkexec "
    "runuser setpriv capsh sg newgrp gosu su-exec busybox toybox find eval watch entr strace ltrace gdb script "
    "dbus-run-session xvfb-run ssh-agent timelimit trap".split()
)
"""Programs whose arguments hold another command."""

PRIVILEGE = frozenset(
    "sudo sudoedit doas su pkexec runuser setpriv capsh sg newgrp gosu su-exec visudo passwd chpasswd chsh chfn vipw "
    "useradd usermod userdel groupadd groupmod groupdel adduser deluser addgroup gpasswd chroot nsenter unshare "
    "setcap mount umount pivot_root losetup cryptsetup insmod modprobe rmmod kmod sysctl iptables ip6tables nft ufw "
    "firewall-cmd setenforce auditctl systemctl service initctl launchctl loginctl hostnamectl timedatectl "
    "nmcli ifconfig shutdown reboot halt poweroff init telinit kexec swapon swapoff update-rc.d chkconfig".split()
)
DISKS = frozenset(
    "mkfs mke2fs mkswap fdisk sfdisk cfdisk parted gdisk sgdisk wipefs blkdiscard hdparm badblocks debugfs tune2fs "
    "resize2fs fsck e2fsck dmsetup lvremove vgremove pvremove zpool zfs btrfs mdadm flashrom".split()
)
EGRESS = frozenset(
    "curl wget nc ncat netcat nc.openbsd nc.traditional socat telnet ssh scp sftp rsync ftp tftp lftp ftpget ftpput "
    "aria2c axel httpie http https xh wrk ab siege lynx w3m links elinks dig nslookup host drill ping ping6 fping "
    "traceroute tracepath mtr arp arping nmap masscan zmap tcpdump tshark openssl whois finger mail mailx mutt "
    "sendmail msmtp swaks rclone aws gcloud gsutil az kubectl helm oc doctl heroku flyctl gh glab hub svn hg bzr cvs "
    "rlogin rsh rexec rdesktop xfreerdp vncviewer smbclient mount.nfs showmount ldapsearch snmpwalk nbtscan mosh "
    "cloudflared ngrok chisel ssh-copy-id ssh-keyscan sshfs iperf iperf3 websocat mosquitto_pub whatweb sqlmap hydra "
    "youtube-dl yt-dlp transmission-cli ipfs torify croc magic-wormhole wormhole xdg-open open gio kinit getent".split()
)
DESTRUCTIVE = frozenset("rm rmdir unlink shred srm wipe dd truncate kill pkill killall skill xkill fuser".split())
WRITES = frozenset(
    "mv cp install ln link mkdir mkfifo mknod touch chmod chown chgrp chattr setfacl setfattr tee split csplit patch "
    "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 lzma compress uncompress zip 7z 7za 7zr rar unrar ar cpio "
    "sponge rename mmv dos2unix unix2dos iconv gpg gpg2 ssh-keygen ctags etags indent clang-format black ruff "
    "prettier eslint gofmt rustfmt mktemp tempfile fallocate sync xattr convert magick ffmpeg pandoc pdftk "
    "alias unalias export declare typeset readonly local unset set shopt ulimit umask enable hash bind complete "
    "compopt mapfile readarray read let history fc logout exit return wait jobs fg bg disown suspend pushd popd dirs "
    "logger wall write mesg stty reset tput clear ldconfig update-alternatives git git-lfs jj locale-gen".split()
)
ENVIRONMENT = frozenset(
    "env printenv set export declare typeset ps pstree pgrep lsof history who w last netstat ss".split()
)
"""They show what other programs were given, keys among it."""


def known_program(program: str) -> list[Finding]:
    """Why a program that is no reader is not run unasked; empty when it is not known at all."""
    name = program.lower()
    stem = name.rstrip("0123456789.-") or name
    found: list[Finding] = []
    if name in PRIVILEGE:
        found.append(
            deny(Kind.PRIVILEGE, f"{program} changes the system or who acts", f"{program} 会改变系统或身份权限")
        )
    if name in DISKS or name.startswith("mkfs."):
        found.append(deny(Kind.DESTRUCTIVE, f"{program} works on disks", f"{program} 直接操作磁盘"))
    if name in EGRESS:
        found.append(ask(Kind.EGRESS, f"{program} talks to other machines", f"{program} 会与其他机器通信"))
    if name in DESTRUCTIVE:
        found.append(ask(Kind.DESTRUCTIVE, f"{program} destroys or stops something", f"{program} 会删除或终止内容"))
    if name in SHELLS or name in INTERPRETERS or stem in INTERPRETERS or stem in SHELLS:
        found.append(ask(Kind.CODE, f"{program} runs code", f"{program} 会运行代码"))
    elif name in WRAPPERS:
        found.append(ask(Kind.CODE, f"{program} runs another program", f"{program} 会运行别的程序"))
    if name in WRITES:
        found.append(ask(Kind.WRITE, f"{program} can change files or the session", f"{program} 会改动文件或会话"))
    if name in ENVIRONMENT:
        found.append(
            ask(Kind.SECRET, f"{program} shows what other programs were given", f"{program} 会显示其他程序的环境或参数")
        )
    return found
