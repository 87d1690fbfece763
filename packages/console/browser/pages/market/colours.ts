import { useEffect, useState } from "react"

/** The colours of the page for drawing on a canvas, which cannot read CSS variables. */
export interface Colours {
  readonly panel: string
  readonly line: string
  readonly grid: string
  readonly label: string
  readonly textSoft: string
  readonly up: string
  readonly down: string
  readonly upSoft: string
  readonly downSoft: string
  readonly entry: string
  readonly font: string
}

/** Adds an opacity from 0 to 1 to a colour such as `rgb(1, 2, 3)`. */
export const withOpacity = (colour: string, opacity: number): string => {
  const parts = colour.match(/[\d.]+/g)?.slice(0, 3)
  return parts?.length === 3 ? `rgba(${parts.join(", ")}, ${opacity})` : colour
}

const readColours = (): Colours => {
  const probe = document.createElement("span")
  document.body.append(probe)
  const resolve = (name: string): string => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const [up, down, line] = [resolve("--up"), resolve("--down"), resolve("--line")]
  const colours = {
    panel: resolve("--panel"),
    line,
    grid: withOpacity(line, 0.5),
    label: resolve("--line-strong"),
    textSoft: resolve("--text-soft"),
    up,
    down,
    upSoft: withOpacity(up, 0.4),
    downSoft: withOpacity(down, 0.6),
    entry: resolve("--tape"),
    font: getComputedStyle(document.body).fontFamily
  }
  probe.remove()
  return colours
}

/** Returns the current colours of the page, which change with the theme and the language. */
export const useColours = (): Colours => {
  const [colours, setColours] = useState(readColours)
  useEffect(() => {
    const update = () => setColours(readColours())
    const dark = matchMedia("(prefers-color-scheme: dark)")
    const observer = new MutationObserver(update)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "lang"] })
    dark.addEventListener("change", update)
    return () => {
      observer.disconnect()
      dark.removeEventListener("change", update)
    }
  }, [])
  return colours
}
