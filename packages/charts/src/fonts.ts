import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The package's own font, and common system fonts for viewers of an SVG elsewhere. */
export const fontFamily =
  "'Tapeline Sans', Pretendard, Inter, 'Noto Sans KR', 'Apple SD Gothic Neo', 'Malgun Gothic', 'Segoe UI', 'Noto Sans', sans-serif"

const folder = new URL(import.meta.url.endsWith(".ts") ? "../fonts/" : "./fonts/", import.meta.url)

/** The font files for PNGs. Hangul has its own file, which is read only for texts with Hangul. */
export const fontFiles: ReadonlyArray<string> = [
  "TapelineSans-Medium.otf",
  "TapelineSans-SemiBold.otf",
  "TapelineSansHangul-Medium.otf"
].map((name) => fileURLToPath(new URL(name, folder)))

type Advances = readonly [syllable: number, byWidth: ReadonlyArray<readonly [width: number, codes: Array<number>]>]

let known: { readonly syllable: number; readonly widths: ReadonlyMap<number, number> } | undefined

const advances = () => {
  if (known !== undefined) return known
  // The script that makes the fonts also makes this file.
  const [syllable, byWidth] = JSON.parse(readFileSync(new URL("advances.json", folder), "utf8")) as Advances
  known = {
    syllable,
    widths: new Map(byWidth.flatMap(([width, codes]) => codes.map((code) => [code, width] as const)))
  }
  return known
}

/**
 * Returns the width of a text in pixels, from the font's advance widths. Characters that the font lacks count as a
 * square.
 */
export const textWidth = (text: string, size: number): number => {
  const { syllable, widths } = advances()
  let sum = 0
  for (const sign of text) {
    const code = sign.codePointAt(0)!
    sum += code >= 0xac00 && code <= 0xd7a3 ? syllable : widths.get(code) ?? 1_000
  }
  return sum * size / 1_000
}

/** Shortens a text to the available width. */
export const fitted = (text: string, size: number, room: number): string => {
  if (textWidth(text, size) <= room) return text
  const signs = Array.from(text)
  while (signs.length > 0 && textWidth(`${signs.join("")}…`, size) > room) signs.pop()
  return `${signs.join("").trimEnd()}…`
}
