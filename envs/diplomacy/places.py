"""Where the provinces lie in pictures: points set by hand, not taken from any drawn map.

x goes to the right from 0 to 100 and y down from 0 to 82. A province is the land or sea that is
nearest to one of its points; the first is where its unit stands. ``-`` is what nobody can enter.
"""

from __future__ import annotations

from stratagym.envs.diplomacy.geography import AREA, SHORT

WIDTH, HEIGHT = 100.0, 82.0

_POINTS = """
NAO 8,12 3,6 10,4 4,18 4,25 9,20; NWG 34,8 22,5 28,12 42,4 34,2 40,10; BAR 68,3 58,1.5 76,2
84,2 94,3; NTH 33,25 33,18 37,21 31,31 30,26 36,28; SKA 44.5,23.5; HEL 39.5,30; BAL 54,30 50.5,32
58,27 61,31; BOT 58.5,19 59,13 61,24 57,23; IRI 12,36 8,33 14,39 17,31; ENG 21.5,40.5 16,43 27,39
12,44; MAO 6,55 3,42 6,48 11,50 15,52 3,64 4,74 9,70; WES 23,70 29,66.5 19,71.5 32,71; LYO 31,60
35,57.5 27,61.5 35,62; TYS 41.5,66 40,70 39,62 45,70; ION 51,74 46,75.5 56,74 54,69 52,80 61,76
42,80.5; ADR 50.5,60 48,57 53,63; AEG 67,71 65.5,67 70,74 65,76 69.5,67.5; EAS 79,78 73,79 86,78
68,80; BLA 80,57 74,56.5 87,57 74,60 82,53 77,52

CLY 22,18.5 20,15; EDI 26.5,20 26,16.5; LVP 22.5,25 21.5,29; YOR 27,28 26.5,24.5; WAL 19.5,34.5
17.5,36; LON 26,34 28.5,32.5; - 12,28 14,24 9,30

NWY 45.5,15 47,9 51,5 56,4 43.5,19; SWE 52.5,20 53.5,12 50,26 55,8.5; FIN 65,13 63,8 66,18; STP
77,13 70,9 84,8 92,9 72,18 84,16 93,16; LVN 65.5,27 68,23 64.5,30.5; MOS 82,27 75,25 90,25 96,23
72,31 80,33 88,33 96,33; DEN 43.5,28.5 47,30 44,32

BEL 31.5,38.5; HOL 35.5,34; KIE 41.5,36 41,33.5 42.5,38.5; BER 48,36 46.5,38.5; PRU 56,34.5 60,33;
RUH 36.5,39.5; MUN 42.5,43 41,41 45.5,41; SIL 53,39.5 50.5,37.5; BOH 49.5,43 51.5,44.5; WAR 62,38
58,38.5 65.5,36; GAL 63,44.5 57.5,43 67.5,46; UKR 73,41 69.5,37.5 76,37.5 72,46 78,44; TYR 46,48
43,47.5; VIE 53,47 51.5,49.5; BUD 60.5,50 57,48 63.5,52 66,50; TRI 52,53.5 50.5,51.5 55,56.5
53.5,58.5; - 38.5,48

PIC 27,42.5; BRE 19.5,46.5 22.5,44.5 21,49; PAR 26.5,47; BUR 32.5,46.5 33.5,43 31,50; GAS 22,53.5
25,52; MAR 30.5,54.5 33,53 28,56; SPA 17,61 22,59.5 16,57 20,65 14,66.5 24,63; POR 9,61 9.5,57
9,65; PIE 37,52.5 38,55; VEN 43,53 46,54; TUS 41,57.5; ROM 43.5,61; NAP 48,68 46.5,64.5 49.5,71;
APU 49.5,65 47.5,61.5; NAF 15,77 9,79 22,78.5 28,78 5,81; TUN 36,77.5 33,80 37,74.5

SER 60,57.5 58.5,55; ALB 57,63 56.5,60.5; GRE 61.5,67.5 60,65 62.5,72 66,63.5; BUL 66.5,60 64,58
70,60.5; RUM 69,54 72,52.5 66,54.5; SEV 84,45 89,41 95,42 83,49.5 93,48 80,40; CON 73.5,65.5 71,63
75,63; ANK 84,64 80,63.5 88,63; SMY 79,71 74,71 84,71 86,69; ARM 94,61 92,56 97,66; SYR 92,73
97,78 91,78 97,71
"""

_COASTS = """
BUL/EC 71.5,58; BUL/SC 69,62; SPA/NC 15.5,55.5; SPA/SC 20.5,66.5; STP/NC 72,7; STP/SC 70.5,19.5
"""


def _read(text: str) -> list[tuple[str, list[tuple[float, float]]]]:
    rows = [row for block in text.split("\n\n") for row in " ".join(block.split()).split("; ")]
    found = []
    for row in rows:
        name, *points = row.split()
        found.append((name, [(float(x), float(y)) for x, y in (p.split(",") for p in points)]))
    return found


POINTS = [(x, y, SHORT.get(name, -1)) for name, points in _read(_POINTS) for x, y in points]
"""(x, y, province or -1): what lies where."""
PLACE = {SHORT[name]: points[0] for name, points in _read(_POINTS) if name in SHORT}
"""By province: where its unit stands."""
AREA_PLACE = {AREA[name]: points[0] for name, points in _read(_COASTS)}
"""By area, of the named coasts: where a fleet stands."""
