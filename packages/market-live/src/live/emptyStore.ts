import type { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"

const nothing = Effect.succeed(new Map<string, never>())
const noWrite = Effect.die(new Error("nothing is written to a store that holds nothing"))

/** A store that is always empty and accepts no writes. */
export const emptyStore: MarketStore["Service"] = {
  lead: () => noWrite,
  resign: () => noWrite,
  writePoints: () => noWrite,
  writeEvents: () => noWrite,
  writeDocuments: () => noWrite,
  prune: () => noWrite,
  points: () => nothing,
  folded: () => nothing,
  latest: () => nothing,
  tallies: () => nothing,
  documents: () => nothing,
  recorded: () => nothing,
  gaps: () => nothing,
  events: () => Effect.succeed({ record: null, gaps: { lost: [], missing: [] }, events: [], tallies: [], sources: [] })
}
