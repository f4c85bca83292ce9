"""What a document's bytes say: text, digest, where links point, anchors of headings."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from adapters.filebased.links import read_destination
from adapters.filebased.sections import Text, plain_text, read_text
from adapters.filebased.snapshot import Facts, Reference

LARGEST: Final = 16 * 1024 * 1024
"""Bytes of a document that may be changed; a larger one is read-only (MODEL 2.12)."""

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The text of bytes; `is_editable` if encoding it again gives the same bytes."""

    text: str
    has_mark: bool
    is_editable: bool


def decode(content: bytes) -> Decoded:
    """Return the text of a document's bytes, with replacement characters if need be (R-F-27)."""
    has_mark = content.startswith(codecs.BOM_UTF8)
    body = content[len(codecs.BOM_UTF8) :] if has_mark else content
    try:
        text = body.decode()
    except UnicodeDecodeError:
        coding = "utf-16" if content.startswith(_UTF16) else "utf-8"
        return Decoded(text=body.decode(coding, "replace"), has_mark=has_mark, is_editable=False)
    return Decoded(text=text, has_mark=has_mark, is_editable=len(content) <= LARGEST)


def encode(text: str, *, has_mark: bool) -> bytes:
    """Return the bytes of a text, with the mark it had."""
    return (codecs.BOM_UTF8 if has_mark else b"") + text.encode()


def digest_of(content: bytes) -> str:
    """Return what stands for the very bytes of a document."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def look_into(content: bytes) -> tuple[Decoded, Text]:
    """Decode a document and find everything in it; one too large is only decoded."""
    decoded = decode(content)
    look = read_text if len(content) <= LARGEST else plain_text
    return decoded, look(decoded.text)


def learn(content: bytes) -> Facts:
    """Return the facts of a document with these bytes."""
    decoded, text = look_into(content)
    references = (read_destination(link.destination) for link in text.document.links)
    return Facts(
        digest=digest_of(content),
        references=tuple(dict.fromkeys(reference for reference in references if reference)),
        anchors=text.anchors(),
        is_editable=decoded.is_editable,
    )


def learn_again(content: bytes, known: Facts | None) -> Facts:
    """Return the facts of a document that may still have the bytes of `known`."""
    if known is not None and known.digest == digest_of(content):
        return known
    return learn(content)


def dump(facts: Facts) -> bytes:
    """Return facts as bytes for an index store."""
    value = [facts.digest, facts.references, facts.anchors, facts.is_editable]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def load(value: bytes) -> Facts:
    """Return the facts that `dump` made bytes of. Raises `ValueError`."""
    try:
        digest, references, anchors, is_editable = json.loads(value)
        return Facts(
            digest=str(digest),
            references=tuple(_reference(pair) for pair in references),
            anchors=tuple((str(slug), str(path)) for slug, path in anchors),
            is_editable=bool(is_editable),
        )
    except (TypeError, KeyError) as error:
        raise ValueError("not facts of a document") from error


def _reference(pair: Iterable[str | None]) -> Reference:
    path, fragment = pair
    return Reference(str(path), fragment)
