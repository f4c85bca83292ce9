"""Sign-in: HTTP Basic against Argon2id hashes, cheap for who is known, dear for who guesses.

Clients send their password with every request. One that was accepted is remembered as a keyed
digest in memory, so that a further request costs microseconds; the hash it was checked against
is compared again once a second, so that a new password counts at once while the server runs.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import logging
import secrets
import threading
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from davbridge.dav.errors import Application, Environ, Refusal, StartResponse, respond
from davbridge.dav.methods import METHODS

CHALLENGE: Final = 'Basic realm="davbridge", charset="UTF-8"'
REFUSAL: Final = "The user name or the password is not right."

_RECHECK: Final = 1.0
_REMEMBERED: Final = 256
_VERIFYING: Final = 2
_WAITING: Final = 4
_FIRST_DELAY: Final = 0.1
_MAX_DELAY: Final = 1.5
_FORGIVEN: Final = 300.0
_ADDRESSES: Final = 1024

# 19 MiB, two passes, one lane: enough against guessing (OWASP, Password Storage Cheat Sheet)
# and light enough for the small machines people keep notes on.
_hasher: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

_logger = logging.getLogger(__name__)


class Users(Protocol):
    """Where password hashes are kept."""

    def get(self, name: str, /) -> str | None:
        """Return the hash of a user's password."""


def hash_password(password: str) -> str:
    """Return the Argon2id hash of `password`, with its own salt."""
    return _hasher.hash(_composed(password))


def is_password(password: str, password_hash: str) -> bool:
    """Tell whether `password` is the one `password_hash` was made of."""
    try:
        return _hasher.verify(password_hash, _composed(password))
    except (Argon2Error, InvalidHashError):
        return False


def _composed(password: str) -> str:
    return unicodedata.normalize("NFC", password)  # RFC 7617, 2.1: keyboards differ


def new_password() -> str:
    """Return a random password of 20 letters and digits, none easily taken for another."""
    letters = "abcdefghijkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(4))


@dataclass(slots=True)
class _Accepted:
    user: str
    password_hash: str
    checked: float


class Gatekeeper:
    """Decides who may in; `clock` gives seconds, `sleep` waits for them.

    Every method may be called from any thread.
    """

    def __init__(
        self,
        users: Users,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._users = users
        self._clock = clock
        self._sleep = sleep
        self._key = secrets.token_bytes(32)
        self._nobody = hash_password(secrets.token_urlsafe())
        self._accepted: OrderedDict[bytes, _Accepted] = OrderedDict()
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()
        self._verifying = threading.BoundedSemaphore(_VERIFYING)
        self._waiting = threading.BoundedSemaphore(_WAITING)

    def admit(self, credentials: bytes, address: str) -> str | None:
        """Return the name of the user whose `name:password` this is; `None` for anybody else.

        Refused: 503 when too many unknown credentials wait to be checked already; known ones
        are never held up by these.
        """
        digest = hashlib.blake2b(credentials, key=self._key).digest()
        known = self._recall(digest)
        if known is not None:
            return known
        if not self._waiting.acquire(blocking=False):
            raise Refusal(503, "Too many sign-ins at once; please try again.", retry_after=1)
        with _released(self._waiting):
            for text in _readings(credentials):
                user, colon, password = text.partition(":")
                if colon and self._verify(digest, user, password):
                    self._forgive(address)
                    return user
            self._punish(address)
            return None

    def _recall(self, digest: bytes) -> str | None:
        with self._lock:
            entry = self._accepted.get(digest)
        if entry is None:
            return None
        now = self._clock()
        if now - entry.checked >= _RECHECK:
            if self._users.get(entry.user) != entry.password_hash:
                with self._lock:
                    self._accepted.pop(digest, None)
                return None
            entry.checked = now
        return entry.user

    def _verify(self, digest: bytes, user: str, password: str) -> bool:
        stored = self._users.get(user)
        with self._verifying:
            try:
                # An unknown user takes as long as a known one with another password.
                _hasher.verify(stored or self._nobody, _composed(password))
            except InvalidHashError:
                _logger.error("the password hash of user %r is damaged", user)
                return False
            except Argon2Error:
                return False
        if stored is None:
            return False
        with self._lock:
            self._accepted[digest] = _Accepted(user, stored, self._clock())
            while len(self._accepted) > _REMEMBERED:
                self._accepted.popitem(last=False)
        return True

    def _punish(self, address: str) -> None:
        now = self._clock()
        with self._lock:
            count, last = self._failures.pop(address, (0, now))
            count = 1 if now - last > _FORGIVEN else count + 1
            self._failures[address] = (count, now)
            while len(self._failures) > _ADDRESSES:
                self._failures.popitem(last=False)
        _logger.warning("sign-in failed from %s (%d in a row)", address, count)
        self._sleep(min(_MAX_DELAY, _FIRST_DELAY * 2 ** min(count - 1, 10)))

    def _forgive(self, address: str) -> None:
        with self._lock:
            self._failures.pop(address, None)


class SignIn:
    """WSGI middleware: nobody passes without a user name and a password.

    The body of a request is not read before. OPTIONS without credentials is answered, the same
    for every address, because programs ask what the server can do before they sign in (C061).
    """

    def __init__(self, application: Application, gatekeeper: Gatekeeper) -> None:
        self._application = application
        self._gatekeeper = gatekeeper

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        header = environ.pop("HTTP_AUTHORIZATION", None)
        if header is None and environ["REQUEST_METHOD"] == "OPTIONS":
            allowed = [("DAV", "1, 2"), ("MS-Author-Via", "DAV"), ("Allow", ", ".join(METHODS))]
            start_response("200 OK", [*allowed, ("Content-Length", "0")])
            return [b""]
        try:
            user = self._user(header, environ.get("REMOTE_ADDR", ""))
        except Refusal as refusal:
            return respond(environ, start_response, refusal)
        environ["wsgidav.auth.user_name"] = user
        environ["wsgidav.auth.realm"] = "davbridge"
        return self._application(environ, start_response)

    def _user(self, header: str | None, address: str) -> str:
        challenge = [("WWW-Authenticate", CHALLENGE)]
        if not header:
            raise Refusal(401, headers=challenge)
        credentials = _parse_basic(header)
        user = None if credentials is None else self._gatekeeper.admit(credentials, address)
        if user is None:
            raise Refusal(401, REFUSAL, headers=challenge)
        return user


def _parse_basic(header: str) -> bytes | None:
    """Return `name:password` of a Basic header; `None` for any other or a malformed one."""
    scheme, _, token = header.strip().partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        credentials = base64.b64decode(token.strip().encode("latin-1"), validate=True)
    except (binascii.Error, ValueError):
        return None
    return credentials if b":" in credentials else None


def _readings(credentials: bytes) -> Iterator[str]:
    """Yield what the bytes can mean: UTF-8 as asked for, else Latin-1 as Joplin sends it."""
    with contextlib.suppress(UnicodeDecodeError):
        yield credentials.decode("utf-8")
    if not credentials.isascii():
        yield credentials.decode("latin-1")


@contextlib.contextmanager
def _released(semaphore: threading.Semaphore) -> Iterator[None]:
    try:
        yield
    finally:
        semaphore.release()
