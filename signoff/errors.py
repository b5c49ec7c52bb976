"""The one error tree. Each class says who should act, and carries the exit code the CLI ends with.

    SignoffError
    ├── UserError              the person asking: change the request
    │   ├── UsageError         the command or call was put wrongly (exit 64)
    │   ├── NotFound           no such thread, approval, checkpoint or passage for this caller
    │   ├── Forbidden          this caller may not do that
    │   ├── DecisionRefused    this approval cannot be decided so: used, expired, withdrawn, wrong person
    │   ├── ThreadBusy         another turn is running on the thread: wait and try again
    │   └── Cancelled          the run was cancelled: the thread is at its last checkpoint, and can go on
    ├── ConfigError            the operator: a setting, the home or a file is wrong
    ├── StoreError             the operator: a database is locked, damaged or of another version
    ├── ProviderError          the model's provider: the message names the setting to look at
    │   ├── ProviderUnavailable    it did not answer in time, or answered 429 or 5xx to the last try
    │   └── ProviderRejected       it refused the request: key, model name, content or size
    └── ToolError              raised inside a tool; the gateway turns it into an envelope for the model

Every message is one sentence that says what is wrong and what to do. None holds a secret.
"""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar


class SignoffError(Exception):
    """Base of every error Signoff raises on purpose; `str(error)` is fit to show to a person."""

    exit_code: ClassVar[int] = 1


class UserError(SignoffError):
    """The request cannot be served as it was put."""


class UsageError(UserError):
    """The command line or a call's arguments are wrong."""

    exit_code: ClassVar[int] = 64


class NotFound(UserError):
    """No such thing for this caller. The same answer is given for what belongs to somebody else."""


class Forbidden(UserError):
    """This caller may not do that."""


class DecisionRefused(UserError):
    """The approval exists but cannot be decided in this way by this person now."""


class ThreadBusy(UserError):
    """Another turn holds the thread and did not end within the stated wait."""


class Cancelled(UserError):
    """Somebody cancelled the run. The thread stays at its last checkpoint."""


class ConfigError(SignoffError):
    """A setting, the home folder or a file the operator owns is wrong."""


class StoreError(SignoffError):
    """A database cannot be used: locked beyond the wait, damaged, or of another version."""


class ProviderError(SignoffError):
    """The model's provider failed; the turn ends with a sentence, never with a traceback."""

    wasted_tokens: int = 0
    """Tokens that the tries took, as far as anything came of them."""
    cost_yuan: Decimal = Decimal(0)
    """What those tokens cost, by the profiles' prices."""


class ProviderUnavailable(ProviderError):
    """The provider did not answer, or answered 429 or 5xx until the last try."""


class ProviderRejected(ProviderError):
    """The provider refused the request: bad key, unknown model, content filter, context too long."""


class ToolError(SignoffError):
    """What a tool raises to answer with an error envelope instead of data.

    `code` is one of `signoff.tools.contract.Code`; `hint` tells the model what to do next;
    `retryable` says whether the same call may succeed later; `zh` is the message for those who asked in Chinese.
    """

    def __init__(self, code: str, message: str, *, zh: str = "", hint: str = "", retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.message_zh = zh or message
        self.hint = hint
        self.retryable = retryable
