"""What both shares need of WsgiDAV: methods, uploads, ready listings, errors as HTTP."""

from davbridge.dav.errors import STATUS, ErrorSentences, Refusal, refuse, translate
from davbridge.dav.provider import (
    MAX_BODY,
    PropertyRequest,
    ReadyListing,
    ShareProvider,
    StoredUpload,
)
from davbridge.dav.spool import SpooledBody, clear_spool, receive

__all__ = [
    "MAX_BODY",
    "STATUS",
    "ErrorSentences",
    "PropertyRequest",
    "ReadyListing",
    "Refusal",
    "ShareProvider",
    "SpooledBody",
    "StoredUpload",
    "clear_spool",
    "receive",
    "refuse",
    "translate",
]
