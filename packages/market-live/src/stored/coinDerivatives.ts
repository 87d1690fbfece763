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
import { asked, both, readingOf } from "./asking.ts"
import {
  derivativesVenues,
  type DocumentForm,
  futuresDocument,
  venueFundingDocument,
  venueKey,
  venueOpenInterestDocument
} from "./documents.ts"
import { afterDelisting, listedCoin, noneRecorded, nothingOf, storedCoins } from "./facts.ts"
import { allMissing, bucketAwaitedMs, lacking, recordAwaitedMs, toldBuckets, upToNow } from "./gaps.ts"
import { liquidationsOf, type WholeTapes } from "./liquidations.ts"
import { atMostNow, presentDocuments, presentMs } from "./present.ts"
import { recordedOf } from "./recorded.ts"

type Store = MarketStore["Service"]
type Service = CoinDerivatives["Service"]

const { fundingPrints, perpetuals, takerFlow } = pointsKinds

/** Finds a coin that can have a perpetual. */
const tradedCoin = (store: Store, name: string) =>
  Effect.filterOrFail(
    listedCoin(store, name),
    ({ coin }) => !coin.isStablecoin,
    () => new NoData({ subject: `${name} derivatives`, reason: { key: "none_perpetual", params: { coin: name } } })
  )

/** Finds a coin that can have a perpetual and still trades. */
const presentCoin = (store: Store, name: string) =>
  Effect.tap(
    tradedCoin(store, name),
    ({ coin }) => coin.delistedAt === null ? Effect.void : Effect.fail(afterDelisting(name, coin.delistedAt))
  )

type PerpetualRow = Point<keyof typeof perpetuals.columns>

const pointOf = ({ source: _, ...point }: PerpetualRow): PerpetualPoint => point

/**
 * Whether a record describes its own instant. Backfilled records have neither price nor funding, however new they are.
 */
const isOfPresent = ({ fundingRate, markPrice }: PerpetualRow): boolean => markPrice !== null || fundingRate !== null

/**
 * The newest polled record of each coin within the last hour, by coin. Null for a coin with only backfilled records.
 */
const polledOf = Effect.fnUntraced(function*(store: Store, at: number, subjects?: ReadonlyArray<string>) {
  const named = subjects === undefined ? {} : { subjects }
  const newest = yield* asked(store.latest({ kind: perpetuals, ...named, at, withinMs: presentMs }))
  const filled = [...newest].flatMap(([name, { point }]) => point === null || isOfPresent(point) ? [] : [name])
  const before = filled.length === 0
    ? new Map<string, never>()
    : yield* asked(store.points({ kind: perpetuals, subjects: filled, from: at - presentMs + 1, to: at + 1 }))
  return new Map(
    [...newest].flatMap(([name, { point }]): ReadonlyArray<readonly [string, Polled]> => {
      if (point === null) return []
      const polled = isOfPresent(point) ? point : before.get(name)?.points.findLast(isOfPresent) ?? null
      return [[name, { polled, source: point.source }]]
    })
  )
})

interface Polled {
  readonly polled: PerpetualRow | null
  /** The source of the newest record, polled or backfilled. */
  readonly source: string
}

/** Only backfilled rows have arrived; no live value yet. */
const pastAlone = (of: string, source: string) =>
  new SourceUnavailable({
    source,
    failure: "filling",
    reason: `of ${of} only the past of the last hour is recorded yet`,
    retryable: true
  })

const perpetualOf = (store: Store): Service["perpetual"] =>
  Effect.fnUntraced(function*(name) {
    const at = yield* Clock.currentTimeMillis
    const [, read] = yield* both(presentCoin(store, name), polledOf(store, at, [name]))
    const found = read.get(name)
    if (found === undefined) return yield* noneRecorded(name, "perpetual")
    const { polled, source } = found
    if (polled !== null) {
      // A record has only one venue.
      const ofVenue = { fundingVenue: polled.source, openInterestVenues: [polled.source] }
      return readingOf({ ...pointOf(polled), ...ofVenue }, [polled.source], polled.time)
    }
    return yield* pastAlone(`${name}'s perpetual`, source)
  })

const perpetualsOf = (store: Store): Service["perpetuals"] =>
  Effect.gen(function*() {
    const at = yield* Clock.currentTimeMillis
    const [coins, read] = yield* both(storedCoins(store), polledOf(store, at))
    const found = [...read].flatMap(([name, { polled }]) => {
      const coin = coins.get(name)
      return polled === null || coin === undefined || coin.isStablecoin || coin.delistedAt !== null
        ? []
        : [{ source: polled.source, value: { coin: name, ...pointOf(polled) } }]
    }).sort((a, b) => a.value.coin < b.value.coin ? -1 : 1)
    const past = [...read.values()].find(({ polled }) => polled === null)
    if (found.length === 0 && past !== undefined) return yield* pastAlone("perpetuals", past.source)
    return readingOf(
      found.map(({ value }) => value),
      found.map(({ source }) => source),
      found.length === 0 ? at : Math.max(...found.map(({ value }) => value.time))
    )
  })

const perpetualHistoryOf = (store: Store): Service["perpetualHistory"] =>
  Effect.fnUntraced(function*(query) {
    const interval = upToNow(query, yield* Clock.currentTimeMillis)
    const [{ coin, now }, all] = yield* both(
      tradedCoin(store, query.coin),
      asked(store.points({ kind: perpetuals, subjects: [query.coin], everyMs: query.stepMs, ...interval }))
    )
    const read = all.get(query.coin)
    const rows = (read?.points ?? []).filter(({ time }) => time < (coin.delistedAt ?? Infinity))
    const last = rows.at(-1)
    if (read === undefined || last === undefined) return yield* nothingOf(coin, "derivatives", query)
    const { gaps } = lacking(read.gaps, interval, coin, now, recordAwaitedMs)
    return readingOf({ points: rows.map(pointOf), gaps }, rows.map(({ source }) => source), last.time)
  })

const fundingPrintsOf = (store: Store): Service["fundingPrints"] =>
  Effect.fnUntraced(function*(query) {
    const interval = upToNow(query, yield* Clock.currentTimeMillis)
    const [{ coin }, all] = yield* both(
      tradedCoin(store, query.coin),
      asked(store.points({ kind: fundingPrints, subjects: [query.coin], ...interval }))
    )
    const prints = (all.get(query.coin)?.points ?? []).flatMap(({ fundingRate, intervalHours, source, time }) =>
      fundingRate === null || intervalHours === null ? [] : [{ source, print: { time, fundingRate, intervalHours } }]
    )
    const last = prints.at(-1)
    if (last === undefined) return yield* nothingOf(coin, "funding", query)
    return readingOf(prints.map(({ print }) => print), prints.map(({ source }) => source), last.print.time)
  })

const takerFlowOf = (store: Store): Service["takerFlow"] =>
  Effect.fnUntraced(function*(query) {
    const { stepMs } = query
    const at = yield* Clock.currentTimeMillis
    const from = Math.floor(query.from / stepMs) * stepMs
    const to = Math.max(from, Math.min(Math.ceil(query.to / stepMs), Math.floor(at / stepMs)) * stepMs)
    const [{ coin, now }, all] = yield* both(
      tradedCoin(store, query.coin),
      asked(store.folded({ kind: takerFlow, subjects: [query.coin], from, to, stepMs }))
    )
    const read = all.get(query.coin)
    const asking = { from: query.from, to: Math.min(query.to, to), stepMs }
    const lacks = lacking(read?.gaps ?? allMissing({ from, to }), asking, coin, now, bucketAwaitedMs)
    const sums = new Map((read?.points ?? []).map((point) => [point.time, point]))
    const points = toldBuckets(asking, lacks, coin, now, "over alone").flatMap((time): ReadonlyArray<TakerFlow> => {
      const { buyUsd, sellUsd } = sums.get(time) ?? { buyUsd: 0, sellUsd: 0 }
      return buyUsd === null || sellUsd === null ? [] : [{ time, buyUsd, sellUsd }]
    })
    const last = points.at(-1)
    if (read === undefined || last === undefined) return yield* nothingOf(coin, "taker flow", query)
    return readingOf({ points, gaps: lacks.gaps }, read.sources, last.time + stepMs)
  })

const recordedKinds = [{ kind: perpetuals }, { kind: fundingPrints }]

/** The venues whose records are read, and those whose tapes contain every liquidation. */
export interface DerivativesVenues extends WholeTapes {
  /**
   * The venues, preferred first: if several have the same contract, the first one's data is used. `derivativesVenues`
   * by default.
   */
  readonly venues?: ReadonlyArray<string>
}

/** Reads the present data of a coin's derivatives. Each venue has its own document. */
const presentOf = <A, B extends { readonly time: number }>(
  store: Store,
  venues: ReadonlyArray<string>,
  form: DocumentForm<A>,
  what: string,
  select: (all: ReadonlyArray<A>, now: number) => ReadonlyArray<B>
) =>
(name: string): MarketRead<ReadonlyArray<B>> =>
  Effect.gen(function*() {
    const keys = venues.map((venue) => venueKey(venue, name))
    const [{ now }, found] = yield* both(presentCoin(store, name), presentDocuments(store, form, keys))
    if (found.length === 0) return yield* noneRecorded(name, what)
    const all = atMostNow(select(found.map(({ value }) => value), now), now)
    const asOf = Math.max(...(all.length === 0 ? found : all).map(({ time }) => time))
    return readingOf(all, found.map(({ source }) => source), asOf)
  })

const byVenue = <A extends { readonly venue: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.toSorted((a, b) => a.venue < b.venue ? -1 : 1)

/**
 * The futures that have not expired, without duplicates. If several venues have the same one, the first venue's is
 * used.
 */
const futuresOf = (all: ReadonlyArray<ReadonlyArray<DatedFuture>>, now: number): ReadonlyArray<DatedFuture> => {
  const byInstrument = new Map<string, DatedFuture>()
  for (const future of all.flat()) {
    if (future.expiryAt > now && !byInstrument.has(future.instrument)) byInstrument.set(future.instrument, future)
  }
  return [...byInstrument.values()].sort((a, b) => a.expiryAt - b.expiryAt)
}

/** `CoinDerivatives` over the service's own store. */
export const storedCoinDerivatives = (
  { venues = derivativesVenues, wholeTapes }: DerivativesVenues
): Layer.Layer<CoinDerivatives, never, MarketStore> =>
  Layer.effect(
    CoinDerivatives,
    Effect.map(MarketStore, (store) => ({
      perpetual: perpetualOf(store),
      perpetuals: perpetualsOf(store),
      perpetualHistory: perpetualHistoryOf(store),
      fundingPrints: fundingPrintsOf(store),
      recorded: recordedOf(store, recordedKinds),
      fundingByVenue: presentOf(store, venues, venueFundingDocument, "funding", byVenue),
      openInterestByVenue: presentOf(store, venues, venueOpenInterestDocument, "open interest", byVenue),
      takerFlow: takerFlowOf(store),
      futures: presentOf(store, venues, futuresDocument, "futures", futuresOf),
      liquidations: liquidationsOf(store, venues, { wholeTapes }, tradedCoin)
    }))
  )
