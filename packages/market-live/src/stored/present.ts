import { hourMs, type SourceUnavailable } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { asked } from "./asking.ts"
import type { DocumentForm } from "./documents.ts"

/** Older data does not count as present. */
export const presentMs = hourMs
/** The tolerated difference between the clocks of two machines. Data further in the future is omitted. */
const skewMs = 5_000

export interface PresentDocument<A> {
  readonly value: A
  readonly source: string
  readonly time: number
}

/** Reads the documents of the last hour, in the order of their keys. */
export const presentDocuments = Effect.fnUntraced(function*<A>(
  store: MarketStore["Service"],
  form: DocumentForm<A>,
  keys: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<PresentDocument<A>>, SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* asked(store.documents({ kind: form.kind, keys }))
  const present = keys.flatMap((key) => {
    const row = rows.get(key)
    return row === undefined || row.time > now + skewMs || row.time <= now - presentMs ? [] : [row]
  })
  return yield* Effect.forEach(
    present,
    (row) => Effect.map(form.valueOf(row), (value) => ({ value, source: row.source, time: Math.min(row.time, now) }))
  )
})

/** Reads the document of a key; null without a document of the last hour. */
export const presentDocument = <A>(
  store: MarketStore["Service"],
  form: DocumentForm<A>,
  key: string
): Effect.Effect<PresentDocument<A> | null, SourceUnavailable> =>
  Effect.map(presentDocuments(store, form, [key]), ([found]) => found ?? null)

/** Limits the times of a document's parts to the present. */
export const atMostNow = <A extends { readonly time: number }>(all: ReadonlyArray<A>, now: number): ReadonlyArray<A> =>
  all.map((one) => one.time <= now ? one : { ...one, time: now })
