"""Error codes as they may be shown: words, and never what might be a key."""

from __future__ import annotations

import pytest

from signoff.codes import may_be_key, shown_code

CODES = """
invalid_api_key context_length_exceeded insufficient_quota model_not_found string_above_max_length api_error
RESOURCE_EXHAUSTED INVALID_ARGUMENT UNAUTHENTICATED InvalidParameter Arrearage DataInspectionFailed InvalidApiKey
Throttling.RateQuota AuthFailure.SecretIdNotFound DeploymentNotFound exceed_context_size_error 429 1301 http_503
""".split()
KEYS = """
gsk_abcdefABCDEF0123456789abcdefghij AIzaSyA1234567890abcdefghijklmnopqrstuv xai-abcdefghijklmnop1234567890
sk-4f9hunter2 sk_live_abcdef1 AKIAABCDEFGHIJKLMN01 0123456789abcdef0123456789abcdef sk-proj-abcdefABCDEF012345
eyJhbGciOiJIUzI1 hf_abcdef0123456789
""".split()
OTHERS = ["", "sk_live_abcdef", "AKIAABCDEFGHIJKLMNOP", "my-secret-key-123456", "123456", "aBcDeFgHiJkL", "qwrtpsdfgh",
          "two words", "余额不足", "x" * 41, "a", None, 7]  # fmt: skip
NAMES = """
openai:gpt-4o claude-sonnet-4-20250514 ft:gpt-4o-mini-2024-07-18:org::AbCdEf12 ep-20250101123456-abcde xai-grok-2
accounts/fireworks/models/llama-v3p1-405b-instruct qwen2.5-coder-32b-instruct-q4_k_m.gguf deepseek-r1-distill-llama-70b
""".split()


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_shown(code: str) -> None:
    assert shown_code(code) == code


@pytest.mark.parametrize("given", [*KEYS, *OTHERS])
def test_what_may_be_a_key_or_anything_else_is_no_code(given: object) -> None:
    assert shown_code(given) == ""


@pytest.mark.parametrize("code", ["invalid_api_key", "bad_INVALID_api_KEY", "api_key", "1301"])
def test_ones_own_key_and_its_parts_are_no_code_however_they_look(code: str) -> None:
    assert shown_code(code, "invalid_api_key" if code != "1301" else "13011301") == ""


def test_keys_are_told_from_the_names_of_models() -> None:
    assert [k for k in KEYS if not may_be_key(f"openai:{k}")] == []
    assert [n for n in NAMES if may_be_key(n)] == []
