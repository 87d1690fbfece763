import { useState } from "react"
import { storedSetting } from "../requests/storedSetting.ts"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const storedTheme = storedSetting("theme")

const readTheme = (): Theme => themes.find((theme) => theme === storedTheme.read()) ?? "system"

/** Returns the selected theme and a function that selects a theme. */
export const useTheme = (): readonly [theme: Theme, choose: (theme: Theme) => void] => {
  const [theme, setTheme] = useState(readTheme)
  const setAndStore = (next: Theme) => {
    storedTheme.write(next === "system" ? null : next)
    if (next === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = next
    setTheme(next)
  }
  return [theme, setAndStore]
}
