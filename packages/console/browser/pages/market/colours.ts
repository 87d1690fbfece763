import { useEffect, useState } from "react"

/** Colours for a canvas, which cannot read custom properties. */
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

/** Adds opacity, from 0 to 1, to a colour such as `rgb(1, 2, 3)`. */
export const seeThrough = (colour: string, share: number): string => {
  const parts = colour.match(/[\d.]+/g)?.slice(0, 3)
  return parts?.length === 3 ? `rgba(${parts.join(", ")}, ${share})` : colour
}

const readColours = (): Colours => {
  const probe = document.createElement("span")
  document.body.append(probe)
  const of = (name: string): string => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const [up, down, line] = [of("--up"), of("--down"), of("--line")]
  const colours = {
    panel: of("--panel"),
    line,
    grid: seeThrough(line, 0.5),
    label: of("--line-strong"),
    textSoft: of("--text-soft"),
    up,
    down,
    upSoft: seeThrough(up, 0.4),
    downSoft: seeThrough(down, 0.6),
    entry: of("--tape"),
    font: getComputedStyle(document.body).fontFamily
  }
  probe.remove()
  return colours
}

/** The present colours of the page. They change with the theme and with the language. */
export const useColours = (): Colours => {
  const [colours, setColours] = useState(readColours)
  useEffect(() => {
    const look = () => setColours(readColours())
    const dark = matchMedia("(prefers-color-scheme: dark)")
    const watch = new MutationObserver(look)
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "lang"] })
    dark.addEventListener("change", look)
    return () => {
      watch.disconnect()
      dark.removeEventListener("change", look)
    }
  }, [])
  return colours
}
