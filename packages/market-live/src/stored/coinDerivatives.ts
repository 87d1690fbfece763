import {
  CoinDerivatives,
  type DatedFuture,
  type MarketRead,
  NoData,
  type PerpetualPoint,
  SourceUnavailable,
  type TakerFlow
} from "@tapeline/core/market"
import { MarketStore, type Point, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { afterDelistingError, findListedCoin, noDataError, noneRecordedError, readCoins } from "./coins.ts"
import {
  type DocumentCodec,
  futuresDocument,
  venueFundingDocument,
  venueKey,
  venueOpenInterestDocument
} from "./documents.ts"
import {
  clampToNow,
  maxBucketDelayMs,
  maxRecordDelayMs,
  selectBuckets,
  splitGaps,
  wholeIntervalMissing
} from "./gaps.ts"
import { type CompleteTapes, makeLiquidationsRead } from "./liquidations.ts"
import { clampTimesToNow, maxPresentAgeMs, readPresentDocuments } from "./presentDocuments.ts"
import { makeRecordedRead } from "./recordedRead.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]
type Service = CoinDerivatives["Service"]

const { fundingPrints, perpetuals, takerFlow } = pointsKinds

/** Finds a coin that can have a perpetual, and fails for a stablecoin. */
const findDerivativesCoin = (store: Store, name: string) =>
  Effect.filterOrFail(
    findListedCoin(store, name),
    ({ coin }) => !coin.isStablecoin,
    () => new NoData({ subject: `${name} derivatives`, reason: { key: "none_perpetual", params: { coin: name } } })
  )

const findTradingCoin = (store: Store, name: string) =>
  Effect.tap(
    findDerivativesCoin(store, name),
    ({ coin }) => coin.delistedAt === null ? Effect.void : Effect.fail(afterDelistingError(name, coin.delistedAt))
  )

type PerpetualRow = Point<keyof typeof perpetuals.columns>

const toPoint = ({ source: _, ...point }: PerpetualRow): PerpetualPoint => point

/**
 * Returns whether a record was polled and not backfilled. A backfilled record has neither a mark price nor a funding
 * rate.
 */
const isPolled = ({ fundingRate, markPrice }: PerpetualRow): boolean => markPrice !== null || fundingRate !== null

/**
 * Reads each coin's newest polled record of the last hour. For a coin with only backfilled records, the polled record
 * is null.
 */
const readPolled = Effect.fnUntraced(function*(store: Store, at: number, subjects?: ReadonlyArray<string>) {
  const named = subjects === undefined ? {} : { subjects }
  const newest = yield* withReadErrors(store.latest({ kind: perpetuals, ...named, at, withinMs: maxPresentAgeMs }))
  const backfilled = [...newest].flatMap(([name, { point }]) => point === null || isPolled(point) ? [] : [name])
  const before = backfilled.length === 0
    ? new Map<string, never>()
    : yield* withReadErrors(
      store.points({ kind: perpetuals, subjects: backfilled, from: at - maxPresentAgeMs + 1, to: at + 1 })
    )
  return new Map(
    [...newest].flatMap(([name, { point }]): ReadonlyArray<readonly [string, PolledRecord]> => {
      if (point === null) return []
      const polled = isPolled(point) ? point : before.get(name)?.points.findLast(isPolled) ?? null
      return [[name, { polled, source: point.source }]]
    })
  )
})

interface PolledRecord {
  readonly polled: PerpetualRow | null
  /** The source of a coin's newest perpetual record, whether polled or backfilled. */
  readonly source: string
}

/** Returns the error for data that has past values from a backfill, but no current value yet. */
const onlyBackfilled = (of: string, source: string) =>
  new SourceUnavailable({
    source,
    failure: "filling",
    reason: `only past data of ${of} has arrived so far, and no current value`,
    retryable: true
  })

const makePerpetualRead = (store: Store): Service["perpetual"] =>
  Effect.fnUntraced(function*(name) {
    const at = yield* Clock.currentTimeMillis
    const [, read] = yield* inParallel(findTradingCoin(store, name), readPolled(store, at, [name]))
    const found = read.get(name)
    if (found === undefined) return yield* noneRecordedError(name, "perpetual")
    const { polled, source } = found
    if (polled !== null) {
      // All fields of a record are from one venue.
      const ofVenue = { fundingVenue: polled.source, openInterestVenues: [polled.source] }
      return makeStoredReading({ ...toPoint(polled), ...ofVenue }, [polled.source], polled.time)
    }
    return yield* onlyBackfilled(`${name}'s perpetual`, source)
  })

const makePerpetualsRead = (store: Store): Service["perpetuals"] =>
  Effect.gen(function*() {
    const at = yield* Clock.currentTimeMillis
    const [coins, read] = yield* inParallel(readCoins(store), readPolled(store, at))
    const found = [...read].flatMap(([name, { polled }]) => {
      const coin = coins.get(name)
      return polled === null || coin === undefined || coin.isStablecoin || coin.delistedAt !== null
        ? []
        : [{ source: polled.source, value: { coin: name, ...toPoint(polled) } }]
    }).sort((a, b) => a.value.coin < b.value.coin ? -1 : 1)
    const onlyPast = [...read.values()].find(({ polled }) => polled === null)
    if (found.length === 0 && onlyPast !== undefined) return yield* onlyBackfilled("perpetuals", onlyPast.source)
    return makeStoredReading(
      found.map(({ value }) => value),
      found.map(({ source }) => source),
      found.length === 0 ? at : Math.max(...found.map(({ value }) => value.time))
    )
  })

const makePerpetualHistoryRead = (store: Store): Service["perpetualHistory"] =>
  Effect.fnUntraced(function*(query) {
    const interval = clampToNow(query, yield* Clock.currentTimeMillis)
    const [{ coin, now }, all] = yield* inParallel(
      findDerivativesCoin(store, query.coin),
      withReadErrors(store.points({ kind: perpetuals, subjects: [query.coin], everyMs: query.stepMs, ...interval }))
    )
    const read = all.get(query.coin)
    const rows = (read?.points ?? []).filter(({ time }) => time < (coin.delistedAt ?? Infinity))
    const last = rows.at(-1)
    if (read === undefined || last === undefined) return yield* noDataError(coin, "derivatives", query)
    const { gaps } = splitGaps(read.gaps, interval, coin, now, maxRecordDelayMs)
    return makeStoredReading({ points: rows.map(toPoint), gaps }, rows.map(({ source }) => source), last.time)
  })

const makeFundingPrintsRead = (store: Store): Service["fundingPayments"] =>
  Effect.fnUntraced(function*(query) {
    const interval = clampToNow(query, yield* Clock.currentTimeMillis)
    const [{ coin }, all] = yield* inParallel(
      findDerivativesCoin(store, query.coin),
      withReadErrors(store.points({ kind: fundingPrints, subjects: [query.coin], ...interval }))
    )
    const prints = (all.get(query.coin)?.points ?? []).flatMap(({ fundingRate, intervalHours, source, time }) =>
      fundingRate === null || intervalHours === null ? [] : [{ source, print: { time, fundingRate, intervalHours } }]
    )
    const last = prints.at(-1)
    if (last === undefined) return yield* noDataError(coin, "funding", query)
    return makeStoredReading(prints.map(({ print }) => print), prints.map(({ source }) => source), last.print.time)
  })

const makeTakerFlowRead = (store: Store): Service["takerFlow"] =>
  Effect.fnUntraced(function*(query) {
    const { stepMs } = query
    const at = yield* Clock.currentTimeMillis
    const from = Math.floor(query.from / stepMs) * stepMs
    const to = Math.max(from, Math.min(Math.ceil(query.to / stepMs), Math.floor(at / stepMs)) * stepMs)
    const [{ coin, now }, all] = yield* inParallel(
      findDerivativesCoin(store, query.coin),
      withReadErrors(store.foldedPoints({ kind: takerFlow, subjects: [query.coin], from, to, stepMs }))
    )
    const read = all.get(query.coin)
    const requested = { from: query.from, to: Math.min(query.to, to), stepMs }
    const holes = splitGaps(read?.gaps ?? wholeIntervalMissing({ from, to }), requested, coin, now, maxBucketDelayMs)
    const sums = new Map((read?.points ?? []).map((point) => [point.time, point]))
    const points = selectBuckets(requested, holes, coin, now, "completed").flatMap(
      (time): ReadonlyArray<TakerFlow> => {
        const { buyUsd, sellUsd } = sums.get(time) ?? { buyUsd: 0, sellUsd: 0 }
        return buyUsd === null || sellUsd === null ? [] : [{ time, buyUsd, sellUsd }]
      }
    )
    const last = points.at(-1)
    if (read === undefined || last === undefined) return yield* noDataError(coin, "taker flow", query)
    return makeStoredReading({ points, gaps: holes.gaps }, read.sources, last.time + stepMs)
  })

const recordedKinds = [{ kind: perpetuals }, { kind: fundingPrints }]

/** The venues to read, and the venues that publish every liquidation. */
export interface DerivativesVenues extends CompleteTapes {
  /** The venues of derivatives data, in order of preference. The store keeps the data of each venue separately. */
  readonly venues: ReadonlyArray<string>
}

/** Returns a function that reads a coin's current derivatives data, stored in one document per venue. */
const makeVenueDocumentsRead = <A, B extends { readonly time: number }>(
  store: Store,
  venues: ReadonlyArray<string>,
  form: DocumentCodec<A>,
  what: string,
  select: (all: ReadonlyArray<A>, now: number) => ReadonlyArray<B>
) =>
(name: string): MarketRead<ReadonlyArray<B>> =>
  Effect.gen(function*() {
    const keys = venues.map((venue) => venueKey(venue, name))
    const [{ now }, found] = yield* inParallel(findTradingCoin(store, name), readPresentDocuments(store, form, keys))
    if (found.length === 0) return yield* noneRecordedError(name, what)
    const all = clampTimesToNow(select(found.map(({ value }) => value), now), now)
    const asOf = Math.max(...(all.length === 0 ? found : all).map(({ time }) => time))
    return makeStoredReading(all, found.map(({ source }) => source), asOf)
  })

const sortByVenue = <A extends { readonly venue: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.toSorted((a, b) => a.venue < b.venue ? -1 : 1)

/** Merges the venues' unexpired futures without duplicates, and prefers the futures of the preferred venue. */
const mergeFutures = (all: ReadonlyArray<ReadonlyArray<DatedFuture>>, now: number): ReadonlyArray<DatedFuture> => {
  const byInstrument = new Map<string, DatedFuture>()
  for (const future of all.flat()) {
    if (future.expiryAt > now && !byInstrument.has(future.instrument)) byInstrument.set(future.instrument, future)
  }
  return [...byInstrument.values()].sort((a, b) => a.expiryAt - b.expiryAt)
}

/** Implements `CoinDerivatives` with data from the market store. */
export const storedCoinDerivatives = (
  { completeTapes, venues }: DerivativesVenues
): Layer.Layer<CoinDerivatives, never, MarketStore> =>
  Layer.effect(
    CoinDerivatives,
    Effect.map(MarketStore, (store) => ({
      perpetual: makePerpetualRead(store),
      perpetuals: makePerpetualsRead(store),
      perpetualHistory: makePerpetualHistoryRead(store),
      fundingPayments: makeFundingPrintsRead(store),
      watermarks: makeRecordedRead(store, recordedKinds),
      fundingByVenue: makeVenueDocumentsRead(store, venues, venueFundingDocument, "funding", sortByVenue),
      openInterestByVenue: makeVenueDocumentsRead(
        store,
        venues,
        venueOpenInterestDocument,
        "open interest",
        sortByVenue
      ),
      takerFlow: makeTakerFlowRead(store),
      futures: makeVenueDocumentsRead(store, venues, futuresDocument, "futures", mergeFutures),
      liquidations: makeLiquidationsRead(store, venues, { completeTapes }, findDerivativesCoin)
    }))
  )
