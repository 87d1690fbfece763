import type { Language } from "@tapeline/core/specifications"
import { useMemo } from "react"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"

/** Formats months and days in UTC, because the service counts usage by UTC days. */
export interface Calendar {
  /** Formats a month, such as November 2026. */
  readonly month: (month: string) => string
  /** Formats a day, such as Nov 9. */
  readonly day: (month: string, day: number) => string
  readonly instantDay: (at: number | string) => string
}

export const makeCalendar = (language: Language): Calendar => {
  const month = new Intl.DateTimeFormat(language, { year: "numeric", month: "long", timeZone: "UTC" })
  const day = new Intl.DateTimeFormat(language, { month: "short", day: "numeric", timeZone: "UTC" })
  return {
    month: (text) => month.format(new Date(`${text}-01T00:00:00Z`)),
    day: (text, number) => day.format(new Date(`${text}-${String(number).padStart(2, "0")}T00:00:00Z`)),
    instantDay: (at) => day.format(new Date(at))
  }
}

export const useCalendar = (): Calendar => {
  const { language } = useLanguage()
  return useMemo(() => makeCalendar(language), [language])
}

/** Returns a formatter of shares from 0 to 1 as percent, such as 57.7%. */
export const usePercent = (): (share: number) => string => {
  const { language } = useLanguage()
  return useMemo(() => {
    const percent = new Intl.NumberFormat(language, {
      style: "percent",
      minimumFractionDigits: 1,
      maximumFractionDigits: 1
    })
    return (share) => percent.format(share)
  }, [language])
}
