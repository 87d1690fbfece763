import { hourMs, type SourceUnavailable } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { DocumentCodec } from "./documents.ts"
import { withReadErrors } from "./storeReads.ts"

/** The maximum age of data that counts as current. */
export const maxPresentAgeMs = hourMs
/** The maximum difference between the clocks of two machines, above which data from the future is omitted. */
const maxClockSkewMs = 5_000

export interface PresentDocument<A> {
  readonly value: A
  readonly source: string
  readonly time: number
}

/**
 * Reads the documents with the given keys, in the order of the keys. Documents that are older than one hour are
 * omitted.
 */
export const readPresentDocuments = Effect.fnUntraced(function*<A>(
  store: MarketStore["Service"],
  form: DocumentCodec<A>,
  keys: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<PresentDocument<A>>, SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* withReadErrors(store.documents({ kind: form.kind, keys }))
  const present = keys.flatMap((key) => {
    const row = rows.get(key)
    return row === undefined || row.time > now + maxClockSkewMs || row.time <= now - maxPresentAgeMs ? [] : [row]
  })
  return yield* Effect.forEach(
    present,
    (row) => Effect.map(form.decodeRow(row), (value) => ({ value, source: row.source, time: Math.min(row.time, now) }))
  )
})

/** Reads the document of a key, or returns null if the key has no document of the last hour. */
export const readPresentDocument = <A>(
  store: MarketStore["Service"],
  form: DocumentCodec<A>,
  key: string
): Effect.Effect<PresentDocument<A> | null, SourceUnavailable> =>
  Effect.map(readPresentDocuments(store, form, [key]), ([found]) => found ?? null)

/** Replaces future times in the parts of a document by the current time. */
export const clampTimesToNow = <A extends { readonly time: number }>(
  all: ReadonlyArray<A>,
  now: number
): ReadonlyArray<A> => all.map((one) => one.time <= now ? one : { ...one, time: now })
