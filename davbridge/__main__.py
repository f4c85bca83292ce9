"""`python -m davbridge` is the same as `davbridge`."""

from davbridge.cli import main

main()
