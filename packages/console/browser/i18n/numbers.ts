import type { Language } from "@tapeline/core/specifications"
import { useMemo } from "react"
import { useLanguage } from "./LanguageProvider.tsx"

export interface Numbers {
  /** Formats a number with group separators, and with more decimals for smaller numbers: 63,120.5 and 0.000123. */
  readonly figure: (value: number) => string
  readonly integer: (value: number) => string
  /** Formats a change in percent with a sign, except for zero: +1.25%. */
  readonly percentChange: (value: number) => string
  readonly usd: (value: number) => string
  /** Formats the date and the time of day in the user's time zone. */
  readonly time: (at: number | string | Date) => string
  readonly day: (at: number | string | Date) => string
}

const maxDigits = (value: number): number => {
  const size = Math.abs(value)
  return size >= 1000 ? 2 : size >= 1 ? 4 : 8
}

export const makeNumbers = (language: Language): Numbers => {
  const formats = new Map<string, Intl.NumberFormat>()
  const numberFormat = (name: string, options: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const format = formats.get(name) ?? new Intl.NumberFormat(language, options)
    formats.set(name, format)
    return format
  }
  const time = new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "short",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  })
  const day = new Intl.DateTimeFormat(language, { year: "numeric", month: "short", day: "2-digit" })
  return {
    figure: (value) =>
      numberFormat(`figure ${maxDigits(value)}`, { maximumFractionDigits: maxDigits(value) }).format(value),
    integer: (value) => numberFormat("whole", { maximumFractionDigits: 0 }).format(value),
    percentChange: (value) =>
      `${
        numberFormat("change", { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" })
          .format(value)
      }%`,
    usd: (value) =>
      numberFormat(`usd ${maxDigits(value)}`, {
        style: "currency",
        currency: "USD",
        currencyDisplay: "narrowSymbol",
        maximumFractionDigits: maxDigits(value)
      })
        .format(value),
    time: (at) => time.format(new Date(at)),
    day: (at) => day.format(new Date(at))
  }
}

export const useNumbers = (): Numbers => {
  const { language } = useLanguage()
  return useMemo(() => makeNumbers(language), [language])
}
