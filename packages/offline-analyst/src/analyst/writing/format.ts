import type { Language } from "@tapeline/core/engine"

/** Formats numbers and times in the language of an answer, and returns null for null. */
export interface Format {
  readonly fixed: (value: number | null, digits: number) => string | null
  /** Formats a number with more digits the smaller the number is. */
  readonly number: (value: number | null) => string | null
  /** Formats a number with up to six significant digits. */
  readonly plain: (value: number | null) => string | null
  readonly count: (value: number | null) => string | null
  readonly usd: (price: number | null) => string | null
  readonly gainUsd: (sum: number | null) => string | null
  readonly krw: (price: number | null) => string | null
  readonly big: (value: number | null) => string | null
  readonly bigUsd: (sum: number | null) => string | null
  readonly bigKrw: (sum: number | null) => string | null
  readonly change: (percent: number | null) => string | null
  readonly percent: (percent: number | null) => string | null
  readonly share: (fraction: number | null) => string | null
  /** Formats a probability, and never rounds an uncertain probability to 0 % or 100 %. */
  readonly odds: (fraction: number | null) => string | null
  readonly gain: (fraction: number | null) => string | null
  /** Formats a funding rate in percent with four digits. */
  readonly rate: (percent: number | null) => string | null
  readonly signed: (value: number | null) => string | null
  readonly signed2: (value: number | null) => string | null
  /** Formats the length of a candle, in Korean without the word `봉`. */
  readonly frame: (tf: string | null) => string | null
  readonly days: (window: string | null) => string | null
  readonly time: (instant: string | null) => string | null
  readonly date: (instant: string | null) => string | null
  readonly list: (items: ReadonlyArray<string>) => string | null
}

interface Scale {
  readonly from: number
  readonly unit: string
}

const scales: Readonly<Record<Language, ReadonlyArray<Scale>>> = {
  en: [{ from: 1e12, unit: "T" }, { from: 1e9, unit: "B" }, { from: 1e6, unit: "M" }, { from: 1e3, unit: "K" }],
  ko: [{ from: 1e12, unit: "조" }, { from: 1e8, unit: "억" }, { from: 1e4, unit: "만" }],
  ru: [
    { from: 1e12, unit: " трлн" },
    { from: 1e9, unit: " млрд" },
    { from: 1e6, unit: " млн" },
    { from: 1e3, unit: " тыс." }
  ]
}

const frames: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {},
  ko: { "5m": "5분", "15m": "15분", "1h": "1시간", "4h": "4시간", "1d": "일", "1w": "주" },
  ru: { "5m": "5м", "15m": "15м", "1h": "1ч", "4h": "4ч", "1d": "1д", "1w": "1н" }
}

const space = "\u00a0"

/** Converts a fraction of 1 to percent without binary rounding noise. */
export const inPercent = (fraction: number): number => Number((fraction * 100).toPrecision(12))

const written = (lang: Language, value: number, digits: number): string => {
  const [whole = "", part] = Math.abs(value).toFixed(digits).split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, lang === "ru" ? space : ",")
  const text = part === undefined ? grouped : `${grouped}${lang === "ru" ? "," : "."}${part}`
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text
}

const priceDigits = (value: number): number => {
  const size = Math.abs(value)
  if (size >= 100 && Number.isInteger(value)) return 0
  if (size >= 10_000) return 0
  if (size >= 1_000) return 1
  if (size >= 1) return 2
  return size === 0 ? 0 : Math.min(12, 3 - Math.floor(Math.log10(size)))
}

const percentDigits = (value: number): number => {
  const size = Math.abs(value)
  return size >= 10 ? 1 : size >= 0.005 || size === 0 ? 2 : 4
}

const plus = (value: number, text: string): string => value > 0 ? `+${text}` : text

export const formatOf = (lang: Language): Format => {
  const of = (write: (value: number) => string) => (value: number | null): string | null =>
    value === null ? null : write(value)
  const price = (value: number) => written(lang, value, priceDigits(value))
  const dollars = (text: string) => text.startsWith("-") ? `-$${text.slice(1)}` : `$${text}`
  const big = (value: number): string => {
    const scale = scales[lang].find(({ from }) => Math.abs(value) >= from)
    if (scale === undefined) return price(value)
    const scaled = value / scale.from
    const size = Math.abs(scaled)
    return `${written(lang, scaled, size >= 1000 || Number.isInteger(scaled) ? 0 : size >= 100 ? 1 : 2)}${scale.unit}`
  }
  const percentOf = (value: number) => `${written(lang, value, percentDigits(value))}%`
  const share = (value: number): string => {
    const rounded = Number(inPercent(value).toFixed(1))
    return `${written(lang, rounded, Number.isInteger(rounded) ? 0 : 1)}%`
  }
  const won = (text: string): string => {
    if (lang === "ko") return `${text}원`
    if (lang === "ru") return `${text}${space}₩`
    return text.startsWith("-") ? `-₩${text.slice(1)}` : `₩${text}`
  }
  const sum = (text: string): string =>
    lang === "en" ? dollars(text) : lang === "ko" ? `${text} 달러` : `${text}${space}$`
  return {
    fixed: (value, digits) => value === null ? null : written(lang, value, digits),
    number: of(price),
    plain: of((value) => written(lang, value, (String(Number(value.toPrecision(6))).split(".")[1] ?? "").length)),
    count: of((value) => written(lang, value, 0)),
    usd: of((value) => dollars(price(value))),
    gainUsd: of((value) => plus(value, dollars(written(lang, value, Math.abs(value) >= 10_000 ? 0 : 2)))),
    krw: of((value) => won(Math.abs(value) >= 1000 ? written(lang, value, 0) : price(value))),
    big: of(big),
    bigUsd: of((value) => sum(big(value))),
    bigKrw: of((value) => lang === "ko" ? `${big(value)} 원` : won(big(value))),
    change: of((value) => plus(value, percentOf(value))),
    percent: of(percentOf),
    share: of(share),
    odds: of((value) =>
      value < 0.0005
        ? `<${written(lang, 0.1, 1)}%`
        : value > 0.9995
        ? `>${written(lang, 99.9, 1)}%`
        : share(value)
    ),
    gain: of((value) => plus(value, percentOf(inPercent(value)))),
    rate: of((value) => plus(value, `${written(lang, value, 4)}%`)),
    signed2: of((value) => plus(value, written(lang, value, 2))),
    signed: of((value) => plus(value, price(value))),
    frame: (tf) => tf === null ? null : frames[lang][tf] ?? tf,
    days: (window) => window?.replace(/d$/, { en: "d", ko: "일", ru: " дн." }[lang]) ?? null,
    time: (instant) => instant === null ? null : `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`,
    date: (instant) => instant === null ? null : instant.slice(0, 10),
    list: (items) => items.length === 0 ? null : items.join(", ")
  }
}
