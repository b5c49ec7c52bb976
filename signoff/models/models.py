"""The models of a desk, by what they are used for."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

from signoff.models.endpoint import Endpoint
from signoff.models.gateway import ModelGateway
from signoff.models.known import known
from signoff.models.profile import ModelProfile, Role
from signoff.models.profiles import ROLES, Profiles, check_key
from signoff.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class Models:
    """A gateway for each role; roles with the same profile share one. Safe to share between threads."""

    def __init__(self, settings: Settings, *, model: BaseChatModel | None = None) -> None:
        """`model` stands in for the agent's own; roles to which `models.toml` gives another keep that.

        Raises `ConfigError` when `models.toml` is wrong, or SIGNOFF_MODEL names no profile of it.
        """
        self.profiles = Profiles.load(settings)
        self._settings = settings
        self._model = model
        self._lock = RLock()
        self._endpoints: dict[str, Endpoint] = {}
        self._gateways: dict[str, ModelGateway] = {}

    def gateway(self, role: Role) -> ModelGateway:
        """The gateway of a role: its profile, then its fallbacks.

        Raises `ConfigError` when one of them cannot be used: address, key or package.
        """
        profile = self.profiles.role(role)
        with self._lock:
            if profile.name not in self._gateways:
                self._gateways[profile.name] = self._gateway(profile)
            return self._gateways[profile.name]

    def beside(self, role: Role) -> ModelGateway | None:
        """The gateway of a role that has another model than the agent. Raises `ConfigError`."""
        own, agent = self.profiles.role(role), self.profiles.role("agent")
        return None if own.name == agent.name else self.gateway(role)

    def check(self) -> None:
        """Raises `ConfigError` when the model of a role cannot be used."""
        for role in ROLES:
            self.gateway(role)

    def _gateway(self, profile: ModelProfile) -> ModelGateway:
        if self._model is not None and profile.name == self.profiles.role("agent").name:
            return ModelGateway(self._model, self._settings)
        return ModelGateway([self._endpoint(p) for p in self.profiles.chain(profile.name)], self._settings)

    def _endpoint(self, profile: ModelProfile) -> Endpoint:
        if profile.name not in self._endpoints:
            check_key(profile)
            endpoint = Endpoint(known(profile, self._settings.home).profile, self._settings)
            endpoint.check()
            self._endpoints[profile.name] = endpoint
        return self._endpoints[profile.name]
