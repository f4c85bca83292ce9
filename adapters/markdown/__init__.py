"""Where headings, links and front matter stand in a Markdown text: str in, offsets out; pure."""

from adapters.markdown.document import find_html_links, find_links, parse
from adapters.markdown.model import Document, Heading, Link, LinkForm
from adapters.markdown.rewrite import rewrite_links
from adapters.markdown.slugs import github_slugs
from adapters.markdown.spelling import Verbatim, encode_path, spell_destination, spelling_of

__all__ = [
    "Document",
    "Heading",
    "Link",
    "LinkForm",
    "Verbatim",
    "encode_path",
    "find_html_links",
    "find_links",
    "github_slugs",
    "parse",
    "rewrite_links",
    "spell_destination",
    "spelling_of",
]
