"""What is to be said about the parameters of a tool: who may not be asked for, what is not told, what has no bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from signoff.tools.names import words

_IDENTITIES = frozenset(
    "user users username userid uid tenant tenantid role roles caller owner ownerid requester requesterid actor "
    "principal impersonate sudo runas onbehalfof behalfof actas actingas asuser loginas currentuser sessionuser "
    "useridentity callerid "
    "用户 用户名 用户编号 用户id 当前用户 租户 租户编号 角色 调用人 调用者 请求人 身份 代表".split()
)
"""Parameters that say who is asking, with case, style and underscores taken away."""

_FIRST = frozenset({"tenant", "caller", "requester", "impersonate", "impersonated", "租户"})
_LAST = frozenset({"tenant", "caller", "requester", "role", "roles"})
_USER = frozenset({"id", "ids", "name", "role", "roles", "uuid", "email", "key", "no", "number"})

_TEXT_FORMATS = frozenset({"date", "date-time", "time", "uuid", "ipv4", "ipv6", "duration"})
_CLASS = re.compile(r"\\.|\[(?:\\.|[^\]])*\]")
_OPEN_ENDED = re.compile(r"[*+]|\{\d*,\}")


def check(schema: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Rules and messages for an object's properties and what is nested in them; references are resolved already."""
    for name, spec in schema.get("properties", {}).items():
        label = f"{path}{name}"
        if is_identity(name):
            yield (
                "identity-parameter",
                f"The parameter {label} says who is asking: take it out and inject caller, which a model cannot fill.",
            )
        kinds = list(_kinds(spec))
        described = any(str(k.get("description", "")).strip() for k in (spec, *kinds))
        if not described and any("enum" in k for k in kinds):
            yield "undescribed-enum", f"The parameter {label} is a choice that is not explained: say what each means."
        elif not described:
            yield "undocumented-parameter", f"The parameter {label} has no description: say what it is, by an example."
        if any(_unbounded(k) for k in kinds):
            yield "unbounded-text", f"The parameter {label} takes text of any length: give it a max_length."
        for kind in kinds:
            yield from check(kind, f"{label}.")


def is_identity(name: str) -> bool:
    """Whether a parameter's name says who is asking, such as `user_id`, `tenantName` or `on_behalf_of`."""
    parts = words(name)
    if not parts:
        return False
    if "".join(parts) in _IDENTITIES or parts[0] in _FIRST or parts[-1] in _LAST or "behalf" in parts:
        return True
    return parts[0] in {"user", "owner", "actor", "principal"} and len(parts) == 2 and parts[1] in _USER


def _kinds(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schema itself, its alternatives, and what lists and maps of it hold."""
    yield spec
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for option in spec.get(key, ()):
            yield from _kinds(option)
    for key in ("items", "additionalProperties"):
        if isinstance(inner := spec.get(key), Mapping):
            yield from _kinds(inner)


def _unbounded(spec: Mapping[str, Any]) -> bool:
    if spec.get("type") not in ("string", ["string", "null"]) or {"enum", "const", "maxLength"} & spec.keys():
        return False
    if spec.get("format") in _TEXT_FORMATS:
        return False
    pattern = str(spec.get("pattern", ""))
    anchored = pattern.startswith("^") and pattern.endswith("$")
    return not anchored or bool(_OPEN_ENDED.search(_CLASS.sub("x", pattern)))
