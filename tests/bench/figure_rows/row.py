# SPDX-License-Identifier: GPL-3.0-or-later
"""What a row is, and how numbers are written."""
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Callable, Union


@dataclass
class Row:
    what: str
    figure: Callable  # of a Use, which notes the lines that are read
    leaves: Union[str, Callable]  # what the figure leaves out
    command: Union[str, Callable]  # makes the record again; {cases} are those of the lines that were read


@dataclass
class Section:
    title: str
    rows: list
    prose: Callable = None


def rows_of(into):
    """A decorator: the function below it is a row's figure."""
    def row(what, leaves, again):
        def take(figure):
            into.append(Row(what, figure, leaves, again))
            return figure
        return take
    return row


def met(is_met):
    """What a bar comes to."""
    return "met" if is_met else "missed"


def fix(x, decimals=2):
    """So many decimals, halves up as the record writes the number; no minus before a zero."""
    text = str(Decimal(repr(x)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    return text.lstrip("-") if float(text) == 0 else text


def sig(x, digits=3):
    """So many significant digits, without an exponent where there need not be one."""
    if x == 0:
        return "0"
    at = Decimal(repr(x)).adjusted()
    rounded = Decimal(repr(x)).quantize(Decimal(1).scaleb(at - digits + 1), ROUND_HALF_UP)
    at = rounded.adjusted()
    if at < -4 or at > 7:
        return f"{fix(float(rounded.scaleb(-at)), digits - 1)}e{at}"
    return fix(float(rounded), max(digits - 1 - at, 0))


def spaced(n):
    """1018705 is 1 018 705."""
    return f"{n:,}".replace(",", " ")


def commas(values, write=sig, *more):
    return ", ".join(write(v, *more) for v in values)


def span(values, write=sig, *more):
    """'from to', or the one number where both are written the same."""
    low, high = write(min(values), *more), write(max(values), *more)
    return low if low == high else f"{low} to {high}"


def thousands(n):
    """4411 is 4.4 thousand, 1819087 is 1.8 million."""
    return f"{sig(n / 1e6, 2 if n < 1e7 else 3)} million" if n >= 1e6 else f"{sig(n / 1e3, 2 if n < 1e5 else 3)} thousand"
