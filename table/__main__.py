"""`python -m table`: the same as `overboard`."""

from __future__ import annotations

from table.cli import main

if __name__ == "__main__":
    main()
