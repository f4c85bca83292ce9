"""The Joplin sync target: items, their identity, and what keeps them in step with areas."""
