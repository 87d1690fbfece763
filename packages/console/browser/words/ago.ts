import type { Language } from "@tapeline/core/specifications"
import { useMemo } from "react"
import { useLanguage } from "./Languages.tsx"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const units = [["day", day], ["hour", hour], ["minute", minute]] as const

/** How long ago something was, or how far ahead it is, in the greatest unit that fits: 3 minutes ago, in 9 days. */
export const agoOf = (language: Language): (at: number | string, now: number) => string => {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" })
  return (at, now) => {
    const distance = new Date(at).getTime() - now
    const [unit, size] = units.find(([, size]) => Math.abs(distance) >= size) ?? ["second", minute]
    return unit === "second" ? format.format(0, "second") : format.format(Math.trunc(distance / size), unit)
  }
}

/** The same in the language that is chosen. */
export const useAgo = (): (at: number | string, now: number) => string => {
  const { language } = useLanguage()
  return useMemo(() => agoOf(language), [language])
}
