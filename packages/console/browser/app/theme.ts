import { useState } from "react"
import { remembered } from "../asking/remembered.ts"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const stored = remembered("theme")

const chosen = (): Theme => themes.find((theme) => theme === stored.read()) ?? "system"

/** The selected theme, and how to select another. `public/theme.js` reads the same setting before the first paint. */
export const useTheme = (): readonly [theme: Theme, choose: (theme: Theme) => void] => {
  const [theme, setTheme] = useState(chosen)
  const choose = (next: Theme) => {
    stored.write(next === "system" ? null : next)
    if (next === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = next
    setTheme(next)
  }
  return [theme, choose]
}
