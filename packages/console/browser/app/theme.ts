import { useState } from "react"
import { storedSetting } from "../requests/storedSetting.ts"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const storedTheme = storedSetting("theme")

const readTheme = (): Theme => themes.find((theme) => theme === storedTheme.read()) ?? "system"

/** The selected theme, and how to select another. `public/theme.js` reads the same setting before the first paint. */
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
