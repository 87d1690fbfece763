import type { Language } from "@tapeline/core/engine"

/** Returns a generator of numbers from 0 to 1 that depends only on its seed (mulberry32). */
export const makeRandom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

const parse = (digits: string, lang: Language): string =>
  lang === "ru" ? digits.replaceAll(/[\u00a0 ]/g, "").replace(",", ".") : digits.replaceAll(",", "")

const format = (number: string, lang: Language): string => {
  const [whole = "", decimals] = number.split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, lang === "ru" ? "\u00a0" : ",")
  return decimals === undefined ? grouped : `${grouped}${lang === "ru" ? "," : "."}${decimals}`
}

/**
 * Changes the digits of a figure by 5 to 20 %. The result has as many decimals as the figure, or more if rounding would
 * leave that range. Returns null for 0.
 *
 * @param random two numbers from 0 to 1: for the direction, and for the size of the change
 */
export const perturbDigits = (
  digits: string,
  lang: Language,
  [direction, size]: readonly [number, number]
): string | null => {
  const form = parse(digits, lang)
  const value = Number(form)
  if (value === 0) return null
  const changed = value * (1 + (direction < 0.5 ? -1 : 1) * (0.05 + 0.15 * size))
  for (let decimals = form.split(".")[1]?.length ?? 0;; decimals++) {
    const text = changed.toFixed(decimals)
    const change = Math.abs(Number(text) / value - 1)
    if (change > 0.0499 && change < 0.2001) return format(text, lang)
  }
}
