import { hourMs, type SourceUnavailable } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { asked } from "./asking.ts"
import type { DocumentForm } from "./documents.ts"

/** What is older is nothing of the present. */
export const presentMs = hourMs
/** Clocks of two machines differ; what lies farther ahead is not told, since it is not of the present either. */
const skewMs = 5_000

export interface PresentDocument<A> {
  readonly value: A
  readonly source: string
  readonly time: number
}

/** What a document says of the present; null without one of the last hour. */
export const presentDocument = Effect.fnUntraced(function*<A>(
  store: MarketStore["Service"],
  form: DocumentForm<A>,
  key: string
): Effect.fn.Return<PresentDocument<A> | null, SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const row = (yield* asked(store.documents({ kind: form.kind, keys: [key] }))).get(key)
  if (row === undefined || row.time > now + skewMs || row.time <= now - presentMs) return null
  return { value: yield* form.valueOf(row), source: row.source, time: Math.min(row.time, now) }
})

/** Parts of a document with their times, none of which lies after the present. */
export const atMostNow = <A extends { readonly time: number }>(all: ReadonlyArray<A>, now: number): ReadonlyArray<A> =>
  all.map((one) => one.time <= now ? one : { ...one, time: now })
