import type { Language } from "@tapeline/core/specifications"
import { useMemo } from "react"
import { useLanguage } from "./LanguageProvider.tsx"

export interface Formats {
  /** Formats a compact number: 12.35K in English, 123.5만 in Korean, 12,35 тыс. in Russian. */
  readonly compact: (value: number) => string
  readonly compactUsd: (value: number) => string
  readonly usd: (value: number) => string
  readonly signedUsd: (value: number) => string
  /** Formats a value in percent with `digits` decimals, and with a sign only if negative. */
  readonly percent: (value: number, digits?: number) => string
  /** Formats a value in percent with `digits` decimals, and with a sign except for zero. */
  readonly signedPercent: (value: number, digits?: number) => string
  readonly decimal: (value: number, digits?: number) => string
  /** Formats a multiple, such as +1.50, with a sign except for zero. */
  readonly signedMultiple: (value: number) => string
  readonly timeOfDay: (at: number | string) => string
  /** Formats the day and the time of day in the user's time zone, without the year. */
  readonly dayTime: (at: number | string) => string
  readonly utcDay: (at: number) => string
  readonly axisTick: (at: number, of: "year" | "month" | "day" | "time", isUtc: boolean) => string
}

export const makeFormats = (language: Language): Formats => {
  const dateFormats = new Map<string, Intl.DateTimeFormat>()
  const numberFormats = new Map<string, Intl.NumberFormat>()
  const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
    const name = JSON.stringify(options)
    const format = dateFormats.get(name) ?? new Intl.DateTimeFormat(language, options)
    dateFormats.set(name, format)
    return format
  }
  const numberFormat = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const name = JSON.stringify(options)
    const format = numberFormats.get(name) ?? new Intl.NumberFormat(language, options)
    numberFormats.set(name, format)
    return format
  }
  const fixedDigits = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits })
  // In Korean texts, "narrowSymbol" formats dollars as $, and the default format as US$.
  const usd = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const
  // Numbers of up to four digits, in Korean up to six, are not shortened: 27,790 rather than 2.779만.
  const maxUnshortened = language === "ko" ? 1_000_000 : 10_000
  const compactOptions = (value: number) => {
    const size = Math.abs(value)
    if (size >= maxUnshortened) return { notation: "compact", maximumSignificantDigits: 4 } as const
    return size >= 10_000 ? fixedDigits(0) : { maximumSignificantDigits: 4 }
  }
  return {
    compact: (value) => numberFormat(compactOptions(value)).format(value),
    compactUsd: (value) => numberFormat({ ...compactOptions(value), ...usd }).format(value),
    usd: (value) => numberFormat({ ...usd, ...fixedDigits(2) }).format(value),
    signedUsd: (value) => numberFormat({ ...usd, ...fixedDigits(2), signDisplay: "exceptZero" }).format(value),
    percent: (value, digits = 2) => `${numberFormat(fixedDigits(digits)).format(value)}%`,
    signedPercent: (value, digits = 2) =>
      `${numberFormat({ ...fixedDigits(digits), signDisplay: "exceptZero" }).format(value)}%`,
    decimal: (value, digits = 2) => numberFormat(fixedDigits(digits)).format(value),
    signedMultiple: (value) => numberFormat({ ...fixedDigits(2), signDisplay: "exceptZero" }).format(value),
    timeOfDay: (at) => dateFormat(time).format(new Date(at)),
    dayTime: (at) => dateFormat({ month: "short", day: "numeric", ...time }).format(new Date(at)),
    utcDay: (at) =>
      dateFormat({ year: "numeric", month: "short", day: "numeric", timeZone: "UTC" }).format(new Date(at)),
    axisTick: (at, of, isUtc) => {
      const zone = isUtc ? { timeZone: "UTC" } : {}
      const options = {
        year: { year: "numeric" },
        month: { month: "short" },
        day: { month: "short", day: "numeric" },
        time
      } as const
      return dateFormat({ ...options[of], ...zone }).format(new Date(at))
    }
  }
}

export const useFormats = (): Formats => {
  const { language } = useLanguage()
  return useMemo(() => makeFormats(language), [language])
}
