import type { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"

const emptyResult = Effect.succeed(new Map<string, never>())
const rejectWrite = Effect.die(new Error("an empty store accepts no writes"))

export const emptyStore: MarketStore["Service"] = {
  acquireLeadership: () => rejectWrite,
  resignLeadership: () => rejectWrite,
  writePoints: () => rejectWrite,
  writeEvents: () => rejectWrite,
  writeDocuments: () => rejectWrite,
  prune: () => rejectWrite,
  points: () => emptyResult,
  foldedPoints: () => emptyResult,
  latest: () => emptyResult,
  tallies: () => emptyResult,
  documents: () => emptyResult,
  records: () => emptyResult,
  gaps: () => emptyResult,
  events: () => Effect.succeed({ record: null, gaps: { lost: [], missing: [] }, events: [], tallies: [], sources: [] })
}
