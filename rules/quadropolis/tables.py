"""The points of the rulebook (Contagem de Pontos) and the neighbourhoods of a city's 16 slots.

A set of slots is a number whose bit i is slot i.
"""

from __future__ import annotations

HEIGHT: tuple[int, ...] = (0, 1, 3, 6, 10)
"""A tower, by floors."""
CUSTOMERS: tuple[int, ...] = (0, 1, 2, 4, 7)
"""A shop, by customers."""
SERVICE_DISTRICTS: tuple[int, ...] = (0, 2, 5, 9, 14)
"""The services together, by districts that have one."""
PARK_TOWERS: tuple[int, ...] = (0, 2, 4, 7, 11)
"""A park, by towers beside it."""
SHOP_BESIDE, HARBOR_BESIDE = 2, 3
"""A factory, for each shop and each harbor beside it."""
HARBOR_LINE: tuple[int, ...] = (0, 0, 3, 7, 12)
"""The harbors' line, by length."""
MOST_CUSTOMERS = 4

DISTRICTS = 4
DISTRICT: tuple[int, ...] = tuple(slot // 8 * 2 + slot % 4 // 2 for slot in range(16))
"""By slot: its district, one of the four quarters of the city (facts 1.5)."""


def _beside(slot: int) -> tuple[int, ...]:
    row, col = divmod(slot, 4)
    around = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
    return tuple(r * 4 + c for r, c in around if 0 <= r < 4 and 0 <= c < 4)


BESIDE_SLOT: tuple[tuple[int, ...], ...] = tuple(_beside(slot) for slot in range(16))
"""By slot: the slots that share an edge with it."""
NEAR: tuple[int, ...] = tuple(sum(1 << other for other in slots) for slots in BESIDE_SLOT)
"""The same as sets."""
ROWS: tuple[tuple[int, ...], ...] = tuple(tuple(range(4 * r, 4 * r + 4)) for r in range(4))
COLUMNS: tuple[tuple[int, ...], ...] = tuple(tuple(range(c, 16, 4)) for c in range(4))


def runs(lines: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Every unbroken run of two slots or more in these lines, in order.

    >>> len(runs(ROWS)), runs(COLUMNS)[0]
    (24, (0, 4))
    """
    return tuple(line[i : j + 1] for line in lines for i in range(4) for j in range(i + 1, 4))


def longest_row(slots: int) -> int:
    """The length of the longest unbroken run of a set in any row.

    >>> longest_row(0b0000_0000_0000_1110), longest_row(0b1_1000), longest_row(0)
    (3, 1, 0)
    """
    two = slots & slots >> 1 & 0x7777
    three = two & two >> 1 & 0x3333
    return bool(slots) + bool(two) + bool(three) + bool(three & three >> 1 & 0x1111)


def longest_column(slots: int) -> int:
    """The length of the longest unbroken run of a set in any column.

    >>> longest_column(0b0001_0001_0001_0001), longest_column(0b11)
    (4, 1)
    """
    two = slots & slots >> 4
    three = two & two >> 4
    return bool(slots) + bool(two) + bool(three) + bool(three & three >> 4)


def line_points(slots: int, both: bool) -> int:
    """What a set of active harbors scores for its longest line; `both`: for its longest row and column (A1)."""
    row, column = longest_row(slots), longest_column(slots)
    return HARBOR_LINE[row] + HARBOR_LINE[column] if both else HARBOR_LINE[max(row, column)]
