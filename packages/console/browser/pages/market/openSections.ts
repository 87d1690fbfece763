import { useSyncExternalStore } from "react"

/** The parts of a coin's page that are loaded when they are opened. */
export const sections = ["funding", "positioning", "liquidations", "score", "volatility"] as const
export type Section = (typeof sections)[number]

/** The overlays of the candles. */
export const overlays = ["volume", "levels", "signals", "ended"] as const
export type Overlay = (typeof overlays)[number]

/** `coins` is the list of all coins next to a coin. */
export type OpenableSection = Section | Overlay | "coins"

// The open parts, until the page is reloaded. They stay open for the next coin. A reload or a link opens nothing that
// costs credits.
let openSections: ReadonlySet<OpenableSection> = new Set<OpenableSection>(["volume"])
const listeners = new Set<() => void>()

const subscribe = (listener: () => void): () => void => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Opens or closes some parts. */
export const setSectionsOpen = (names: ReadonlyArray<OpenableSection>, isOpen: boolean): void => {
  const next = new Set(openSections)
  for (const name of names) {
    if (isOpen) next.add(name)
    else next.delete(name)
  }
  openSections = next
  for (const listener of listeners) listener()
}

export const useOpenSections = (): ReadonlySet<OpenableSection> => useSyncExternalStore(subscribe, () => openSections)
