import { useSyncExternalStore } from "react"

/** The parts of a coin's page that are loaded when they are opened. */
export const parts = ["funding", "positioning", "liquidations", "score", "volatility"] as const
export type Part = (typeof parts)[number]

/** The overlays of the candles. */
export const overlays = ["volume", "levels", "signals", "ended"] as const
export type Overlay = (typeof overlays)[number]

/** `coins` is the list of all coins next to a coin. */
export type Openable = Part | Overlay | "coins"

// The open parts, until the page is reloaded. They stay open for the next coin. A reload or a link opens nothing that
// costs credits.
let open: ReadonlySet<Openable> = new Set<Openable>(["volume"])
const listeners = new Set<() => void>()

const subscribe = (listener: () => void): () => void => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Opens or closes some parts. */
export const setOpen = (names: ReadonlyArray<Openable>, isOpen: boolean): void => {
  const next = new Set(open)
  for (const name of names) {
    if (isOpen) next.add(name)
    else next.delete(name)
  }
  open = next
  for (const listener of listeners) listener()
}

export const useOpened = (): ReadonlySet<Openable> => useSyncExternalStore(subscribe, () => open)
