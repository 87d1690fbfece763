import type { Language } from "@tapeline/core/specifications"
import { useMemo } from "react"
import { useLanguage } from "./Languages.tsx"

/** Compact formats, and formats of amounts, percentages and times. */
export interface Formats {
  /** 12.35K, 1.235만, 12,35 тыс. */
  readonly compact: (value: number) => string
  /** The same in USD. */
  readonly compactUsd: (value: number) => string
  /** An amount in USD, to the cent. */
  readonly amount: (value: number) => string
  /** A profit or loss in USD, always with its sign. */
  readonly made: (value: number) => string
  /** A value in percent with `digits` decimals, and a sign only if it is negative. */
  readonly percent: (value: number, digits?: number) => string
  /** The same, always with its sign. */
  readonly signed: (value: number, digits?: number) => string
  readonly plain: (value: number, digits?: number) => string
  /** A multiple, always with its sign: +1.50. */
  readonly times: (value: number) => string
  /** Hour and minute in the user's time zone. */
  readonly clock: (at: number | string) => string
  /** Day and hour, without the year. */
  readonly moment: (at: number | string) => string
  /** A UTC day, as that of a daily candle. */
  readonly utcDay: (at: number) => string
  readonly tick: (at: number, of: "year" | "month" | "day" | "time", isUtc: boolean) => string
}

export const formatsOf = (language: Language): Formats => {
  const dates = new Map<string, Intl.DateTimeFormat>()
  const numbers = new Map<string, Intl.NumberFormat>()
  const date = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
    const name = JSON.stringify(options)
    const found = dates.get(name) ?? new Intl.DateTimeFormat(language, options)
    dates.set(name, found)
    return found
  }
  const number = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const name = JSON.stringify(options)
    const found = numbers.get(name) ?? new Intl.NumberFormat(language, options)
    numbers.set(name, found)
    return found
  }
  const digitsOf = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits })
  const usd = { style: "currency", currency: "USD" } as const
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const
  // Numbers up to four digits are not shortened: Korean would write 2.574천.
  const short = (value: number) => ({
    ...(Math.abs(value) < 10_000 ? {} : { notation: "compact" } as const),
    maximumSignificantDigits: 4
  })
  return {
    compact: (value) => number(short(value)).format(value),
    compactUsd: (value) => number({ ...short(value), ...usd }).format(value),
    amount: (value) => number({ ...usd, ...digitsOf(2) }).format(value),
    made: (value) => number({ ...usd, ...digitsOf(2), signDisplay: "exceptZero" }).format(value),
    percent: (value, digits = 2) => `${number(digitsOf(digits)).format(value)}%`,
    signed: (value, digits = 2) => `${number({ ...digitsOf(digits), signDisplay: "exceptZero" }).format(value)}%`,
    plain: (value, digits = 2) => number(digitsOf(digits)).format(value),
    times: (value) => number({ ...digitsOf(2), signDisplay: "exceptZero" }).format(value),
    clock: (at) => date(time).format(new Date(at)),
    moment: (at) => date({ month: "short", day: "numeric", ...time }).format(new Date(at)),
    utcDay: (at) => date({ year: "numeric", month: "short", day: "numeric", timeZone: "UTC" }).format(new Date(at)),
    tick: (at, of, isUtc) => {
      const zone = isUtc ? { timeZone: "UTC" } : {}
      const options = {
        year: { year: "numeric" },
        month: { month: "short" },
        day: { month: "short", day: "numeric" },
        time
      } as const
      return date({ ...options[of], ...zone }).format(new Date(at))
    }
  }
}

/** The formats in the selected language. */
export const useFormats = (): Formats => {
  const { language } = useLanguage()
  return useMemo(() => formatsOf(language), [language])
}
