"""Knowledge repositories: the contract and every way to fulfil it."""
