import { useSyncExternalStore } from "react"

/** Parts of a coin's page that are asked for when somebody opens them. */
export const parts = ["funding", "positioning", "liquidations", "score", "volatility"] as const
export type Part = (typeof parts)[number]

/** What is drawn over the candles. */
export const overlays = ["volume", "levels", "signals", "ended"] as const
export type Overlay = (typeof overlays)[number]

/** `coins` is the list of all, beside a coin. */
export type Openable = Part | Overlay | "coins"

// Which stand open, for as long as this page is there: another coin is shown as the one before, and a reload or a link
// opens nothing that costs.
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
