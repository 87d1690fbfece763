import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The font stack of charts. Viewers that lack Tapeline Sans use common system fonts. */
export const fontFamily =
  "'Tapeline Sans', Pretendard, Inter, 'Noto Sans KR', 'Apple SD Gothic Neo', 'Malgun Gothic', 'Segoe UI', 'Noto Sans', sans-serif"

const fontFolder = new URL(import.meta.url.endsWith(".ts") ? "../fonts/" : "./fonts/", import.meta.url)

/** The font files for PNG charts. The last font contains the glyphs of Hangul. */
export const fontFiles: ReadonlyArray<string> = [
  "TapelineSans-Medium.otf",
  "TapelineSans-SemiBold.otf",
  "TapelineSansHangul-Medium.otf"
].map((name) => fileURLToPath(new URL(name, fontFolder)))

type AdvanceWidths = readonly [syllable: number, byWidth: ReadonlyArray<readonly [width: number, codes: Array<number>]>]

let loadedAdvances: { readonly syllable: number; readonly widths: ReadonlyMap<number, number> } | undefined

const loadAdvances = () => {
  if (loadedAdvances !== undefined) return loadedAdvances
  // The cast is safe, because `scripts/font.py` generates `advances.json` together with the fonts.
  const [syllable, byWidth] = JSON.parse(readFileSync(new URL("advances.json", fontFolder), "utf8")) as AdvanceWidths
  loadedAdvances = {
    syllable,
    widths: new Map(byWidth.flatMap(([width, codes]) => codes.map((code) => [code, width] as const)))
  }
  return loadedAdvances
}

/** Returns the width of a text in pixels, where a character that the font lacks is as wide as the font size. */
export const measureTextWidth = (text: string, size: number): number => {
  const { syllable, widths } = loadAdvances()
  let sum = 0
  for (const character of text) {
    const code = character.codePointAt(0)!
    sum += code >= 0xac00 && code <= 0xd7a3 ? syllable : widths.get(code) ?? 1_000
  }
  return sum * size / 1_000
}

/** Shortens a text with an ellipsis to the available width. */
export const truncateToWidth = (text: string, size: number, maxWidth: number): string => {
  if (measureTextWidth(text, size) <= maxWidth) return text
  const characters = Array.from(text)
  while (characters.length > 0 && measureTextWidth(`${characters.join("")}…`, size) > maxWidth) characters.pop()
  return `${characters.join("").trimEnd()}…`
}
