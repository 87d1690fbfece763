import { useSyncExternalStore } from "react"

export const sections = ["funding", "positioning", "liquidations", "score", "volatility"] as const
export type Section = (typeof sections)[number]

export const overlays = ["volume", "levels", "signals", "ended"] as const
export type Overlay = (typeof overlays)[number]

/** The name of anything that the user can open on a coin's page: a section, a chart overlay, or the coin list. */
export type OpenableSection = Section | Overlay | "coins"

// When the user opens another coin, the same sections stay open. After a reload, all sections that cost credits are
// closed.
let openSections: ReadonlySet<OpenableSection> = new Set<OpenableSection>(["volume"])
const listeners = new Set<() => void>()

const subscribe = (listener: () => void): () => void => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const setSectionsOpen = (names: ReadonlyArray<OpenableSection>, isOpen: boolean): void => {
  const next = new Set(openSections)
  for (const name of names) {
    if (isOpen) next.add(name)
    else next.delete(name)
  }
  openSections = next
  for (const listener of listeners) listener()
}

const getOpenSections = (): ReadonlySet<OpenableSection> => openSections

export const useOpenSections = (): ReadonlySet<OpenableSection> =>
  useSyncExternalStore(subscribe, getOpenSections, getOpenSections)
