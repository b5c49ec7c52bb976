"""The models there are and what each is used for: `models.toml` in the home, beside the settings `SIGNOFF_MODEL…`."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args
from urllib.parse import parse_qsl, urlsplit

from pydantic import ValidationError

from signoff.codes import may_be_key
from signoff.errors import ConfigError
from signoff.models.known import known
from signoff.models.options import refused
from signoff.models.profile import Capabilities, ModelProfile, Role
from signoff.models.provider import default_profile
from signoff.models.wording import DEFAULT
from signoff.settings import Settings

FILE = "models.toml"
PROVIDERS = ("openai", "anthropic", "google")
ROLES: tuple[Role, ...] = get_args(Role)

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_KEY_FIELD = re.compile(r"(?:api|access|secret)?[_-]?(?:key|token|secret|password)|authorization", re.IGNORECASE)
_KEY_IN_QUERY = re.compile(
    r"key|token|secret|passw|pwd|auth|credential|signature|^(?:sig|code|ak|sk|pass)$", re.IGNORECASE
)
_TAKEN = (DEFAULT, "rehearsal")
"""Names that SIGNOFF_MODEL gives a meaning of their own."""


@dataclass(frozen=True)
class Profiles:
    """Every profile, and which of them each role has."""

    all: Mapping[str, ModelProfile]
    """By name, in the file's order; `default` first when SIGNOFF_MODEL is a model and not a profile's name."""
    roles: Mapping[Role, str]
    """The profile of each role that has one; the others use the agent's."""

    @classmethod
    def load(cls, settings: Settings) -> Profiles:
        """Read them. A SIGNOFF_MODEL that was set decides the agent's, else `[roles]` does.

        Raises `ConfigError`, one sentence, for the first mistake in the file, or when SIGNOFF_MODEL names no profile.
        """
        path = settings.home / FILE
        tables, roles = _read(path)
        found = {name: _profile(name, table, path) for name, table in tables.items()}
        if settings.model == "rehearsal" or ":" in settings.model:
            found = {DEFAULT: default_profile(settings), **found}
            default = DEFAULT
        elif (default := settings.model) not in found:
            if may_be_key(default):
                raise ConfigError(f"SIGNOFF_MODEL looks like a key: {_NAME_THE_MODEL}")
            raise ConfigError(_no_such(f"SIGNOFF_MODEL is {default!r}, which", default, found, path))
        chosen: dict[Role, str] = {}
        for role, name in roles.items():
            chosen[_role(role, path)] = _named(role, name, default, found, path)
        if "model" in settings.model_fields_set or "agent" not in chosen:
            chosen["agent"] = default
        for profile in found.values():
            _check_fallbacks(profile, found, path)
        return cls(found, chosen)

    def named(self, name: str) -> ModelProfile:
        """The profile of this name. Raises `ConfigError` with the names there are."""
        if name not in self.all:
            raise ConfigError(_no_such(f"{name!r}", name, self.all, None))
        return self.all[name]

    def role(self, role: Role) -> ModelProfile:
        """The profile of a role: the agent's where it has none of its own."""
        return self.all[self.roles.get(role, self.roles["agent"])]

    def chain(self, name: str) -> tuple[ModelProfile, ...]:
        """A profile and those that are asked when it cannot be: its own fallbacks in their order, then theirs."""
        names = [name]
        for n in names:
            names += [f for f in self.named(n).fallback if f not in names]
        return tuple(self.all[n] for n in names)


def check_key(profile: ModelProfile) -> None:
    """Raises `ConfigError` when a profile that is to be used names a variable for its key that is not set."""
    if profile.key_env and not os.environ.get(profile.key_env):
        raise ConfigError(
            f"[models.{profile.name}] in {FILE} has its key in {profile.key_env}, which is not set: set it, or take "
            "key_env out for an endpoint that needs no key."
        )


def _read(path: Path) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}, {}
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text: save it as that.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        content = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        # What it says of a line is never the line itself.
        raise ConfigError(f"{path} is not TOML: {error}.") from None
    for name in content:
        if name not in ("models", "roles"):
            raise ConfigError(f"{path}: {name} is unknown there: it has tables [models.NAME] and [roles].")
    models, roles = content.get("models", {}), content.get("roles", {})
    for name, table in (("models", models), ("roles", roles)):
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: {name} is no table: write [models.NAME] for each model, and [roles].")
    for name, table in models.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: models.{name} is no table: write [models.{name}] with its fields under it.")
    return models, roles


def _profile(name: str, table: dict[str, Any], path: Path) -> ModelProfile:
    where = f"{path}, [models.{name}]"
    if name in _TAKEN:
        raise ConfigError(f"{where}: {name!r} is what SIGNOFF_MODEL means by that word: give it another name.")
    for field in table:
        _check_field(field, table, name, where)
    _check_model(table.get("model"), where)
    _check_values(table, where)
    try:
        profile = ModelProfile.model_validate({**table, "name": name})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        if field == "name":
            raise ConfigError(
                f"{where}: a profile's name is made of small letters, digits, - and _ (and . in quotes), 64 at most."
            ) from None
        if first["type"] == "extra_forbidden" and first["loc"][0] == "can":
            raise ConfigError(f"{where}: {field} is unknown{_meant(str(first['loc'][-1]), _CAN)}") from None
        raise ConfigError(f"{where}: {field}: {first['msg'].rstrip('.')}.") from None
    _check_room(profile, path, where)
    return profile


_CONTEXTS = {
    "models.toml": "context_tokens", "probe": "the context that `signoff models probe` found",
    "preset": "the context that the provider gives that model", "default": "context_tokens, which is not set",
}  # fmt: skip


def _check_room(profile: ModelProfile, path: Path, where: str) -> None:
    """Raises `ConfigError` when answers may be as long as all of the context."""
    if profile.output_tokens is None:
        return
    held = known(profile, path.parent)
    if profile.output_tokens >= held.profile.context_tokens:
        raise ConfigError(
            f"{where}: output_tokens is {profile.output_tokens}, which leaves no room for a prompt in "
            f"{_CONTEXTS[held.context_from]}, {held.profile.context_tokens}: lower output_tokens, or set "
            "context_tokens to what the model takes."
        )


_FIELDS = tuple(f for f in ModelProfile.model_fields if f != "name")
_CAN = tuple(Capabilities.model_fields)


def _check_field(field: str, table: Mapping[str, Any], name: str, where: str) -> None:
    if field in _FIELDS:
        return
    if field == "name":
        raise ConfigError(f"{where}: the table's own name is the profile's: leave name out.")
    if _KEY_FIELD.fullmatch(field):
        raise ConfigError(f"{where}: {field}: {_NO_KEYS}")
    if isinstance(table[field], dict):
        whole = f"{name}.{field}"
        raise ConfigError(f'{where}: {field} is unknown: a name with a dot is written [models."{whole}"].')
    raise ConfigError(f"{where}: {field} is unknown{_meant(field, _FIELDS)}")


_NAME_THE_MODEL = "name a model there, such as openai:gpt-4o, and set the key as SIGNOFF_MODEL_API_KEY."
_NO_KEYS = "a key is never kept in this file: put it in an environment variable and name that in key_env."


def _check_model(model: Any, where: str) -> None:
    if not isinstance(model, str):
        raise ConfigError(f'{where}: model is missing: write such as model = "openai:gpt-4o".')
    if may_be_key(model):
        raise ConfigError(f"{where}: model looks like a key: write such as openai:gpt-4o; {_NO_KEYS}")
    provider, colon, name = model.partition(":")
    if model == "rehearsal" or (provider in PROVIDERS and name.strip()):
        return
    if provider in PROVIDERS:
        raise ConfigError(f"{where}: model: {model!r} lacks the model's name: write {provider}:<name>.")
    near = get_close_matches(provider.lower(), (*PROVIDERS, "rehearsal"), 1)
    meant = f"did you mean {near[0]}{colon}{name}?" if near else f"an OpenAI-compatible endpoint's is openai:{model}."
    raise ConfigError(
        f"{where}: model: {model!r} is of no known provider (openai, anthropic, google; or rehearsal): {meant}"
    )


def _check_values(table: Mapping[str, Any], where: str) -> None:
    """What a wrong value would say best in words of its own. None of them repeats what may be a key."""
    key_env, base_url, fallback = table.get("key_env"), table.get("base_url"), table.get("fallback", [])
    if isinstance(key_env, str) and not _VARIABLE.fullmatch(key_env):
        raise ConfigError(
            f"{where}: key_env is the name of an environment variable, in capitals, such as DEEPSEEK_API_KEY; "
            "a key is never kept in this file."
        )
    if isinstance(base_url, str):
        _check_url(base_url, where)
    if not isinstance(fallback, list):
        raise ConfigError(f'{where}: fallback is a list of profiles: write such as fallback = ["backup"].')
    if (held := _key_within(table.get("options"))) is not None:
        raise ConfigError(f"{where}: options.{held}: {_NO_KEYS}")
    if (why := refused(table.get("options"))) is not None:
        raise ConfigError(f"{where}: {why}")


def _check_url(base_url: str, where: str) -> None:
    try:
        url = urlsplit(base_url.strip())
        host, _ = url.hostname, url.port
    except ValueError:
        host, url = None, urlsplit("")
    if url.scheme not in ("http", "https") or not host:
        raise ConfigError(f"{where}: base_url is no address: write it like http://localhost:8000/v1, with the scheme.")
    if url.username or url.password:
        raise ConfigError(f"{where}: base_url holds a user or a password: {_NO_KEYS}")
    for name, value in parse_qsl(url.query, keep_blank_values=True):
        if _KEY_IN_QUERY.search(name) or may_be_key(value):
            raise ConfigError(f"{where}: base_url holds a key behind its ?: {_NO_KEYS}")


def _key_within(options: Any, before: str = "") -> str | None:
    """Where in `options` a field has the name of a key."""
    if not isinstance(options, dict):
        return None
    for name, value in options.items():
        if _KEY_FIELD.fullmatch(name) or name.lower() == "x-api-key":
            return f"{before}{name}"
        if (held := _key_within(value, f"{before}{name}.")) is not None:
            return held
    return None


def _role(role: str, path: Path) -> Role:
    for one in ROLES:
        if role == one:
            return one
    raise ConfigError(f"{path}, [roles]: {role} is unknown{_meant(role, ROLES)}")


def _named(role: str, name: Any, default: str, found: Mapping[str, ModelProfile], path: Path) -> str:
    if not isinstance(name, str):
        raise ConfigError(f'{path}, [roles]: {role} names a profile: write such as {role} = "fast".')
    if name == DEFAULT:
        return default
    if name not in found:
        raise ConfigError(_no_such(f"{path}, [roles]: {role} is {name!r}, which", name, found, None))
    return name


def _check_fallbacks(profile: ModelProfile, found: Mapping[str, ModelProfile], path: Path) -> None:
    """Raises `ConfigError` when a fallback names no profile, or leads back to the profile itself."""
    where = f"{path}, [models.{profile.name}]"
    for name in profile.fallback:
        if name not in found:
            raise ConfigError(_no_such(f"{where}: the fallback {name!r}", name, found, None))
    seen: set[str] = set()
    ahead: list[tuple[str, tuple[str, ...]]] = [(name, (profile.name, name)) for name in profile.fallback]
    while ahead:
        name, way = ahead.pop(0)
        if name == profile.name:
            raise ConfigError(f"{where}: its fallbacks lead back to itself: {' → '.join(way)}.")
        if name in seen or name not in found:
            continue
        seen.add(name)
        ahead += [(n, (*way, n)) for n in found[name].fallback]


def _no_such(subject: str, name: str, found: Mapping[str, Any], path: Path | None) -> str:
    there = f"there are {', '.join(found)}" if found else "there are none"
    more = ", or write openai:<name>, anthropic:<name>, google:<name> or rehearsal" if path is not None else ""
    near = get_close_matches(name, found, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    file = f" of {path}" if path is not None else f" of {FILE}"
    return f"{subject} is no profile{file}{meant}: {there}{more}."


def _meant(word: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(word, known, 1)
    return f": did you mean {near[0]}?" if near else f": there are {', '.join(known)}."
