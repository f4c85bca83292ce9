"""The executable specification of the contract, and everyone's test double."""

from adapters.memory.repository import MemoryRepository

__all__ = ["MemoryRepository"]
