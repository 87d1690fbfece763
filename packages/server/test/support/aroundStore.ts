import type { MarketStore } from "@tapeline/core/market/store"
import type { Effect } from "effect"

/** Wraps a store: each read and each write runs within `within`. */
export const aroundStore = (
  store: MarketStore["Service"],
  within: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): MarketStore["Service"] => ({
  lead: (query) => within(store.lead(query)),
  resign: (fence) => within(store.resign(fence)),
  writePoints: (write) => within(store.writePoints(write)),
  writeEvents: (write) => within(store.writeEvents(write)),
  writeDocuments: (write) => within(store.writeDocuments(write)),
  points: (query) => within(store.points(query)),
  folded: (query) => within(store.folded(query)),
  latest: (query) => within(store.latest(query)),
  events: (query) => within(store.events(query)),
  tallies: (query) => within(store.tallies(query)),
  documents: (query) => within(store.documents(query)),
  recorded: (query) => within(store.recorded(query)),
  gaps: (query) => within(store.gaps(query)),
  prune: (query) => within(store.prune(query))
})
