import type { MarketStore } from "@tapeline/core/market/store"
import type { Effect } from "effect"

export const wrapMarketStore = (
  store: MarketStore["Service"],
  wrap: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): MarketStore["Service"] => ({
  acquireLeadership: (query) => wrap(store.acquireLeadership(query)),
  resignLeadership: (fence) => wrap(store.resignLeadership(fence)),
  writePoints: (write) => wrap(store.writePoints(write)),
  writeEvents: (write) => wrap(store.writeEvents(write)),
  writeDocuments: (write) => wrap(store.writeDocuments(write)),
  points: (query) => wrap(store.points(query)),
  foldedPoints: (query) => wrap(store.foldedPoints(query)),
  latest: (query) => wrap(store.latest(query)),
  events: (query) => wrap(store.events(query)),
  tallies: (query) => wrap(store.tallies(query)),
  documents: (query) => wrap(store.documents(query)),
  records: (query) => wrap(store.records(query)),
  gaps: (query) => wrap(store.gaps(query)),
  prune: (query) => wrap(store.prune(query))
})
