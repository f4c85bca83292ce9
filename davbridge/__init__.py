"""davbridge: plain Markdown files, read and edited in Joplin and any editor, over WebDAV."""

__version__ = "0.1.0"
