import type { Language } from "@tapeline/core/specifications"
import { useMemo } from "react"
import { useLanguage } from "./LanguageProvider.tsx"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const units = [["day", day], ["hour", hour], ["minute", minute]] as const

/** Returns a formatter of the time from now in the largest fitting unit, such as "3 minutes ago" or "in 9 days". */
export const makeRelativeTime = (language: Language): (at: number | string, now: number) => string => {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" })
  return (at, now) => {
    const distance = new Date(at).getTime() - now
    const [unit, size] = units.find(([, size]) => Math.abs(distance) >= size) ?? ["second", minute]
    return unit === "second" ? format.format(0, "second") : format.format(Math.trunc(distance / size), unit)
  }
}

export const useRelativeTime = (): (at: number | string, now: number) => string => {
  const { language } = useLanguage()
  return useMemo(() => makeRelativeTime(language), [language])
}
