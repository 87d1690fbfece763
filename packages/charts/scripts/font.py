"""Makes the fonts of charts: what `fonts/README.md` says, of the release of Pretendard at hand.

Usage: python3 font.py <folder of the unpacked npm package pretendard> <folder for the fonts>
"""
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

LATIN = set(range(0x20, 0x7F)) | set(range(0xA0, 0x180))
CYRILLIC = set(range(0x400, 0x460))
HANGUL = set(range(0x3131, 0x318F)) | set(range(0xAC00, 0xD7A4))
SIGNS = {ord(sign) for sign in "−–—·…‘’“”₩€▲▼σ±→×√≈Δ"}

FAMILY = "Tapeline Sans"


def with_equal_digits(font: TTFont) -> None:
    """Digits of one width in place of the usual ones, so that columns of numbers stand."""
    table = font["GSUB"].table
    lookups = {
        index
        for record in table.FeatureList.FeatureRecord
        if record.FeatureTag == "tnum"
        for index in record.Feature.LookupListIndex
    }
    other = {}
    for index in lookups:
        for part in table.LookupList.Lookup[index].SubTable:
            other.update(getattr(part, "ExtSubTable", part).mapping)
    for cmap in font["cmap"].tables:
        if cmap.isUnicode():
            for code, glyph in cmap.cmap.items():
                cmap.cmap[code] = other.get(glyph, glyph)


def renamed(font: TTFont, family: str, weight: str) -> None:
    """The licence reserves the name Pretendard for the original."""
    names = font["name"]
    names.names = [name for name in names.names if name.nameID in (0, 8, 9, 13, 14) and name.platformID == 3]
    full = f"{family} {weight}"
    for number, text in {
        1: full, 2: "Regular", 3: f"1.0;{full}", 4: full, 5: "Version 1.0", 6: full.replace(" ", ""),
        16: family, 17: weight,
    }.items():
        names.setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames = [full.replace(" ", "")]
        cff.topDictIndex[0].FullName = full
        cff.topDictIndex[0].FamilyName = family


def make(source: Path, target: Path, weight: str, codes: set, family: str = FAMILY) -> Path:
    options = subset.Options()
    options.layout_features = ["kern"]
    options.hinting = False
    options.name_IDs = ["*"]
    options.notdef_outline = True
    font = subset.load_font(str(source / f"dist/public/static/Pretendard-{weight}.otf"), options)
    with_equal_digits(font)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    renamed(font, family, weight)
    made = target / f"{family.replace(' ', '')}-{weight}.otf"
    subset.save_font(font, str(made), options)
    return made


def advances(fonts: list) -> str:
    """How wide each sign but the syllables is, of which all are equal, in thousandths of the font's size."""
    by_width: dict = {}
    syllable = 0
    for font in map(TTFont, fonts):
        widths, per_em = font["hmtx"], font["head"].unitsPerEm
        for code, glyph in sorted(font.getBestCmap().items()):
            width = round(1000 * widths[glyph][0] / per_em)
            if 0xAC00 <= code <= 0xD7A3:
                syllable = width
            else:
                by_width.setdefault(width, []).append(code)
    lines = [f"  [{width}, {sorted(codes)}]" for width, codes in sorted(by_width.items())]
    return f"[{syllable}, [\n" + ",\n".join(lines) + "\n]]\n"


source, target = Path(sys.argv[1]), Path(sys.argv[2])
medium = make(source, target, "Medium", LATIN | CYRILLIC | SIGNS)
make(source, target, "SemiBold", LATIN | CYRILLIC | SIGNS)
hangul = make(source, target, "Medium", HANGUL, f"{FAMILY} Hangul")
(target / "advances.json").write_text(advances([medium, hangul]))
