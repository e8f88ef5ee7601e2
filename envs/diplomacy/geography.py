"""The standard board of Diplomacy as facts: provinces, borders, supply centres, starting units.

Provinces are numbered 0-74 as in DeepMind's public environment: 14 of land, 19 of sea, 42 of coast,
of which the last three have two coasts. An *area* is where a unit stands: a province, or a named
coast of it for a fleet. There are 81; each province is followed by its coasts.

Source: the board of the rule book (2023), with the abbreviations that most programs use.
"""

from __future__ import annotations

from typing import NamedTuple

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
"""In the order of seats."""
ADJECTIVES = ("Austrian", "English", "French", "German", "Italian", "Russian", "Turkish")

LAND, SEA, COAST = range(3)

_LAND = """
BOH Bohemia
BUR Burgundy
GAL Galicia
RUH Ruhr
SIL Silesia
TYR Tyrolia
UKR Ukraine
BUD Budapest | AUSTRIA
MOS Moscow | RUSSIA
MUN Munich | GERMANY
PAR Paris | FRANCE
SER Serbia | centre
VIE Vienna | AUSTRIA
WAR Warsaw | RUSSIA
"""

_SEA = """
ADR Adriatic Sea
AEG Aegean Sea
BAL Baltic Sea
BAR Barents Sea
BLA Black Sea
EAS Eastern Mediterranean
ENG English Channel
BOT Gulf of Bothnia
LYO Gulf of Lyon
HEL Helgoland Bight
ION Ionian Sea
IRI Irish Sea
MAO Mid-Atlantic Ocean
NAO North Atlantic Ocean
NTH North Sea
NWG Norwegian Sea
SKA Skagerrak
TYS Tyrrhenian Sea
WES Western Mediterranean
"""

_COAST = """
ALB Albania
APU Apulia
ARM Armenia
CLY Clyde
FIN Finland
GAS Gascony
LVN Livonia
NAF North Africa
PIC Picardy
PIE Piedmont
PRU Prussia
SYR Syria
TUS Tuscany
WAL Wales
YOR Yorkshire
ANK Ankara | TURKEY
BEL Belgium | centre
BER Berlin | GERMANY
BRE Brest | FRANCE
CON Constantinople | TURKEY
DEN Denmark | centre
EDI Edinburgh | ENGLAND
GRE Greece | centre
HOL Holland | centre
KIE Kiel | GERMANY
LON London | ENGLAND
LVP Liverpool | ENGLAND
MAR Marseilles | FRANCE
NAP Naples | ITALY
NWY Norway | centre
POR Portugal | centre
ROM Rome | ITALY
RUM Rumania | centre
SEV Sevastopol | RUSSIA
SMY Smyrna | TURKEY
SWE Sweden | centre
TRI Trieste | AUSTRIA
TUN Tunis | centre
VEN Venice | ITALY
BUL Bulgaria | centre
SPA Spain | centre
STP St Petersburg | RUSSIA
"""

_ARMIES = """
BOH: GAL SIL TYR MUN VIE; BUR: RUH MUN PAR GAS PIC BEL MAR; GAL: SIL UKR BUD VIE WAR RUM; RUH: MUN
BEL HOL KIE; SIL: MUN WAR PRU BER; TYR: MUN VIE PIE TRI VEN; UKR: MOS WAR RUM SEV; BUD: SER VIE
RUM TRI; MOS: WAR LVN SEV STP; MUN: BER KIE; PAR: GAS PIC BRE; SER: ALB GRE RUM TRI BUL; VIE: TRI;
WAR: LVN PRU; ALB: GRE TRI; APU: NAP ROM VEN; ARM: SYR ANK SEV SMY; CLY: EDI LVP; FIN: NWY SWE
STP; GAS: BRE MAR SPA; LVN: PRU STP; NAF: TUN; PIC: BEL BRE; PIE: TUS MAR VEN; PRU: BER; SYR: SMY;
TUS: ROM VEN; WAL: YOR LON LVP; YOR: EDI LON LVP; ANK: CON SMY; BEL: HOL; BER: KIE; CON: SMY BUL;
DEN: KIE SWE; EDI: LVP; GRE: BUL; HOL: KIE; MAR: SPA; NAP: ROM; NWY: SWE STP; POR: SPA; ROM: VEN;
RUM: SEV BUL; TRI: VEN
"""
"""Borders that armies cross, each once: a province, and those of higher numbers beside it."""

_FLEETS = """
ADR: ION ALB APU TRI VEN; AEG: EAS ION CON GRE SMY BUL/SC; BAL: BOT LVN PRU BER DEN KIE SWE; BAR:
NWG NWY STP/NC; BLA: ARM ANK CON RUM SEV BUL/EC; EAS: ION SYR SMY; ENG: IRI MAO NTH PIC WAL BEL
BRE LON; BOT: FIN LVN SWE STP/SC; LYO: TYS WES PIE TUS MAR SPA/SC; HEL: NTH DEN HOL KIE; ION: TYS
ALB APU GRE NAP TUN; IRI: MAO NAO WAL LVP; MAO: NAO WES GAS NAF BRE POR SPA/NC SPA/SC; NAO: NWG
CLY LVP; NTH: NWG SKA YOR BEL DEN EDI HOL LON NWY; NWG: CLY EDI NWY; SKA: DEN NWY SWE; TYS: WES
TUS NAP ROM TUN; WES: NAF TUN SPA/SC; ALB: GRE TRI; APU: NAP VEN; ARM: ANK SEV; CLY: EDI LVP; FIN:
SWE STP/SC; GAS: BRE SPA/NC; LVN: PRU STP/SC; NAF: TUN; PIC: BEL BRE; PIE: TUS MAR; PRU: BER; SYR:
SMY; TUS: ROM; WAL: LON LVP; YOR: EDI LON; ANK: CON; BEL: HOL; BER: KIE; CON: SMY BUL/EC BUL/SC;
DEN: KIE SWE; GRE: BUL/SC; HOL: KIE; MAR: SPA/SC; NAP: ROM; NWY: SWE STP/NC; POR: SPA/NC SPA/SC;
RUM: SEV BUL/EC; TRI: VEN
"""
"""The same for fleets, between areas."""

_START = """
A BUD, A VIE, F TRI
A LVP, F EDI, F LON
A MAR, A PAR, F BRE
A BER, A MUN, F KIE
A ROM, A VEN, F NAP
A MOS, A WAR, F SEV, F STP/SC
A CON, A SMY, F ANK
"""
"""Units in 1901, a line for each power."""

_MILA = """
YOR EDI LON LVP NTH WAL CLY NWG ENG IRI NAO BEL DEN HEL HOL NWY SKA BAR BRE MAO PIC BUR RUH BAL
KIE SWE FIN STP STP/NC GAS PAR NAF POR SPA SPA/NC SPA/SC WES MAR MUN BER BOT LVN PRU STP/SC MOS
TUN LYO TYS PIE BOH SIL TYR WAR SEV UKR ION TUS NAP ROM VEN GAL VIE TRI ARM BLA RUM ADR AEG ALB
APU EAS GRE BUD SER ANK SMY SYR BUL BUL/EC CON BUL/SC
"""


class Province(NamedTuple):
    """A province: its abbreviation, its English name, ``LAND``, ``SEA`` or ``COAST``.

    ``centre`` tells whether it is a supply centre, ``home`` the power whose home centre it is, or
    -1. ``coasts`` are its named coasts, the northern or eastern one first.
    """

    short: str
    name: str
    kind: int
    centre: bool
    home: int
    coasts: tuple[str, ...]


_COASTS = {"BUL": ("EC", "SC"), "SPA": ("NC", "SC"), "STP": ("NC", "SC")}


def _province(line: str, kind: int) -> Province:
    named, _, centre = line.partition(" | ")
    short, _, name = named.partition(" ")
    home = POWERS.index(centre) if centre in POWERS else -1
    return Province(short, name, kind, bool(centre), home, _COASTS.get(short, ()))


PROVINCES = tuple(
    _province(line, kind)
    for kind, lines in ((LAND, _LAND), (SEA, _SEA), (COAST, _COAST))
    for line in lines.strip().splitlines()
)
"""By number."""
SHORT = {province.short: number for number, province in enumerate(PROVINCES)}
"""Numbers of provinces by abbreviation."""
_areas = [(number, coast) for number, one in enumerate(PROVINCES) for coast in ("", *one.coasts)]
AREAS = tuple(PROVINCES[number].short + ("/" + coast if coast else "") for number, coast in _areas)
"""Names of areas by number, such as ``BUL/SC``."""
AREA = {name: number for number, name in enumerate(AREAS)}
AREA_PROVINCE = tuple(number for number, _ in _areas)
"""The province of each area."""
MAIN_AREA = tuple(AREA[one.short] for one in PROVINCES)
"""The area of each province that is no named coast of it."""
SOUTH = tuple(AREA[name] for name in ("BUL/SC", "SPA/SC", "STP/SC"))
"""The second coasts of the provinces that have two."""
CENTRES = tuple(number for number, one in enumerate(PROVINCES) if one.centre)
"""The provinces that are supply centres."""
MILA_ORDER = tuple(AREA[name] for name in _MILA.split())
"""The areas in the order in which DeepMind's published networks were trained to give orders."""


def _borders(text: str) -> tuple[tuple[int, ...], ...]:
    """The areas beside each area, ascending."""
    beside: list[set[int]] = [set() for _ in AREAS]
    for row in " ".join(text.split()).split("; "):
        area, others = row.split(": ")
        for other in others.split():
            beside[AREA[area]].add(AREA[other])
            beside[AREA[other]].add(AREA[area])
    return tuple(tuple(sorted(areas)) for areas in beside)


ARMY_TO, FLEET_TO = _borders(_ARMIES), _borders(_FLEETS)
"""By area: the areas that an army and a fleet there can move to, ascending."""


def parse_unit(text: str) -> tuple[int, int]:
    """(1 for an army or 2 for a fleet, area) of a unit such as ``F STP/SC``."""
    kind, area = text.split()
    return "AF".index(kind) + 1, AREA[area]


def areas_of(province: int) -> list[int]:
    """The area of a province and those of its coasts."""
    return [area for area, of in enumerate(AREA_PROVINCE) if of == province]


START = tuple(
    tuple(parse_unit(unit) for unit in line.split(", ")) for line in _START.strip().splitlines()
)
"""Each power's units at the start: (1 army or 2 fleet, area)."""
