"""Facts about a response: status, request id, rate limit, monthly quota, headers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Dict, Iterable, Iterator, Literal, Mapping, Optional, Tuple, cast

QuotaWarningLevel = Literal["none", "approaching", "critical", "exhausted"]


class Headers(Mapping[str, str]):
    """Headers of a response; names are found in any case, repeated ones are joined."""

    def __init__(self, items: Iterable[Tuple[str, str]]) -> None:
        self._items: Dict[str, str] = {}
        for name, value in items:
            name = name.lower()
            before = self._items.get(name)
            self._items[name] = value if before is None else f"{before}, {value}"

    def __getitem__(self, name: str) -> str:
        return self._items[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Headers({list(self._items)})"


@dataclass(frozen=True)
class RateLimit:
    """Requests allowed in any 60 seconds, how many remain, when one more is available."""

    limit: int
    remaining: int
    resets_at: datetime


@dataclass(frozen=True)
class Quota:
    """Requests allowed in the UTC calendar month, how many remain, when the next begins."""

    limit: int
    remaining: int
    resets_at: datetime
    warning: QuotaWarningLevel


@dataclass(frozen=True)
class Meta:
    """Facts about a response. Limits are None if its headers do not have them."""

    status: int
    request_id: str
    """Identifies the request in the server's log; empty if the server sent none."""
    retries: int
    """How many attempts failed before this response."""
    contract: Optional[str]
    """The contract's version that answered; None where the server does not name it."""
    rate_limit: Optional[RateLimit]
    quota: Optional[Quota]
    headers: Mapping[str, str] = field(repr=False)


def meta_from(status: int, headers: Headers, retries: int) -> Meta:
    """Returns the facts that the headers of a response state."""
    rate = _limit(headers, "x-ratelimit")
    month = _limit(headers, "x-quota-month")
    warning = cast(QuotaWarningLevel, headers.get("x-quota-warning", "none"))
    return Meta(
        status=status,
        request_id=headers.get("x-request-id", ""),
        retries=retries,
        contract=headers.get("leadline-version"),
        rate_limit=RateLimit(*rate) if rate else None,
        quota=Quota(*month, warning=warning) if month else None,
        headers=headers,
    )


def _limit(headers: Headers, prefix: str) -> Optional[Tuple[int, int, datetime]]:
    try:
        limit, remaining, reset = (
            int(headers[f"{prefix}-{name}"]) for name in ("limit", "remaining", "reset")
        )
        return limit, remaining, datetime.fromtimestamp(reset, timezone.utc)
    except (KeyError, ValueError, OverflowError, OSError):
        return None
