import {
  CoinDerivatives,
  type Interval,
  type LiquidationSums,
  type MarketRead,
  NoData,
  type PerpetualPoint,
  stepsOfSums,
  type TakerFlow
} from "@tapeline/core/market"
import {
  eventsKinds,
  marketBounds,
  MarketStore,
  type Point,
  pointsKinds,
  type Tally
} from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { asked, both, readingOf } from "./asking.ts"
import { type DocumentForm, futuresDocument, venueFundingDocument, venueOpenInterestDocument } from "./documents.ts"
import { afterDelisting, listedCoin, noneRecorded, nothingOf, storedCoins } from "./facts.ts"
import { allMissing, bucketAwaitedMs, lacking, recordAwaitedMs, toldBuckets } from "./gaps.ts"
import { atMostNow, presentDocument, presentMs } from "./present.ts"
import { recordedOf } from "./recorded.ts"

type Store = MarketStore["Service"]
type Service = CoinDerivatives["Service"]

const { fundingPrints, perpetuals, takerFlow } = pointsKinds

/** A coin that can have a perpetual. */
const tradedCoin = (store: Store, name: string) =>
  Effect.filterOrFail(
    listedCoin(store, name),
    ({ coin }) => !coin.isStablecoin,
    () => new NoData({ subject: `${name} derivatives`, reason: { key: "none_perpetual", params: { coin: name } } })
  )

/** One that has a present. */
const presentCoin = (store: Store, name: string) =>
  Effect.tap(
    tradedCoin(store, name),
    ({ coin }) => coin.delistedAt === null ? Effect.void : Effect.fail(afterDelisting(name, coin.delistedAt))
  )

const pointOf = (
  { source: _, ...point }: Point<keyof typeof perpetuals.columns>
): PerpetualPoint => point

const perpetualOf = (store: Store): Service["perpetual"] =>
  Effect.fnUntraced(function*(name) {
    const at = yield* Clock.currentTimeMillis
    const [, read] = yield* both(
      presentCoin(store, name),
      asked(store.latest({ kind: perpetuals, subjects: [name], at, withinMs: presentMs }))
    )
    const point = read.get(name)?.point ?? null
    if (point === null) return yield* noneRecorded(name, "perpetual")
    return readingOf(pointOf(point), [point.source], point.time)
  })

const perpetualsOf = (store: Store): Service["perpetuals"] =>
  Effect.gen(function*() {
    const at = yield* Clock.currentTimeMillis
    const [coins, read] = yield* both(
      storedCoins(store),
      asked(store.latest({ kind: perpetuals, at, withinMs: presentMs }))
    )
    const found = [...read].flatMap(([name, { point }]) => {
      const coin = coins.get(name)
      return point === null || coin === undefined || coin.isStablecoin || coin.delistedAt !== null
        ? []
        : [{ source: point.source, value: { coin: name, ...pointOf(point) } }]
    }).sort((a, b) => a.value.coin < b.value.coin ? -1 : 1)
    return readingOf(
      found.map(({ value }) => value),
      found.map(({ source }) => source),
      found.length === 0 ? at : Math.max(...found.map(({ value }) => value.time))
    )
  })

/** What was asked for, up to the present. */
const upToNow = ({ from, to }: Interval, now: number): Interval => ({
  from,
  to: Math.max(from, Math.min(to, now + 1))
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

/** What a document says of a coin's derivatives now. */
const presentOf = <A extends { readonly time: number }>(
  store: Store,
  form: DocumentForm<ReadonlyArray<A>>,
  what: string,
  select: (all: ReadonlyArray<A>, now: number) => ReadonlyArray<A>
) =>
(name: string): MarketRead<ReadonlyArray<A>> =>
  Effect.gen(function*() {
    const [{ now }, found] = yield* both(presentCoin(store, name), presentDocument(store, form, name))
    if (found === null) return yield* noneRecorded(name, what)
    const all = select(atMostNow(found.value, now), now)
    const asOf = all.length === 0 ? found.time : Math.max(...all.map(({ time }) => time))
    return readingOf(all, [found.source], asOf)
  })

const byVenue = <A extends { readonly venue: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.toSorted((a, b) => a.venue < b.venue ? -1 : 1)

type Sums = { -readonly [K in keyof LiquidationSums]: LiquidationSums[K] }

/** Tallies of either side as sums of both, by the beginning of their step. */
const sumsOf = (tallies: ReadonlyArray<Tally<"price" | "sizeUsd">>): ReadonlyMap<number, Sums> => {
  const steps = new Map<number, Sums>()
  for (const { count, label, sums, time } of tallies) {
    const step = steps.get(time) ?? { time, longUsd: 0, shortUsd: 0, count: 0 }
    steps.set(time, step)
    step.count += count
    if (label === "long") step.longUsd += sums.sizeUsd
    else step.shortUsd += sums.sizeUsd
  }
  return steps
}

const added = (sums: Iterable<LiquidationSums>): Omit<LiquidationSums, "time"> => {
  const total = { longUsd: 0, shortUsd: 0, count: 0 }
  for (const { count, longUsd, shortUsd } of sums) {
    total.longUsd += longUsd
    total.shortUsd += shortUsd
    total.count += count
  }
  return total
}

const defaultLimit = 1_000

/** Which tapes hold every liquidation of their venue: by the names of sources. */
export interface WholeTapes {
  readonly wholeTapes: ReadonlyArray<string>
}

const liquidationsOf = (store: Store, { wholeTapes }: WholeTapes): Service["liquidations"] =>
  Effect.fnUntraced(function*({ coin: name, limit = defaultLimit, minSizeUsd = 0, stepMs, ...query }) {
    const interval = upToNow(query, yield* Clock.currentTimeMillis)
    const [{ coin, now }, read] = yield* both(
      tradedCoin(store, name),
      asked(store.events({
        kind: eventsKinds.liquidations,
        subject: name,
        ...interval,
        limit: Math.min(limit, marketBounds.rowsRead),
        ...(minSizeUsd > 0 ? { least: { column: "sizeUsd", value: minSizeUsd } } : {}),
        ...(stepMs === undefined ? {} : { stepMs })
      }))
    )
    if (read.record === null || query.from >= (coin.delistedAt ?? Infinity)) {
      return yield* nothingOf(coin, "liquidations", query)
    }
    const { awaited, gaps } = lacking(read.gaps, interval, coin, now, recordAwaitedMs)
    const events = read.events.flatMap(({ label, price, sizeUsd, time }) =>
      price === null || sizeUsd === null
        ? []
        : [{ time, side: label === "long" ? "long" as const : "short" as const, price, sizeUsd }]
    )
    const sums = sumsOf(read.tallies)
    const total = added(sums.values())
    const known = Math.max(awaited[0]?.from ?? now, events.at(-1)?.time ?? query.from)
    const { sources } = read.record
    return readingOf(
      {
        events,
        ...total,
        truncated: events.length < total.count,
        steps: stepMs === undefined ? [] : stepsOfSums(sums, { ...interval, stepMs }, gaps, now),
        coverage: sources.length > 0 && sources.every((source) => wholeTapes.includes(source)) ? "whole" : "sampled",
        gaps
      },
      sources,
      query.to <= now ? query.to : Math.min(now, known)
    )
  })

/** `CoinDerivatives` out of the service's own store. */
export const storedCoinDerivatives = (tapes: WholeTapes): Layer.Layer<CoinDerivatives, never, MarketStore> =>
  Layer.effect(
    CoinDerivatives,
    Effect.map(MarketStore, (store) => ({
      perpetual: perpetualOf(store),
      perpetuals: perpetualsOf(store),
      perpetualHistory: perpetualHistoryOf(store),
      fundingPrints: fundingPrintsOf(store),
      recorded: recordedOf(store, recordedKinds),
      fundingByVenue: presentOf(store, venueFundingDocument, "funding", byVenue),
      openInterestByVenue: presentOf(store, venueOpenInterestDocument, "open interest", byVenue),
      takerFlow: takerFlowOf(store),
      futures: presentOf(
        store,
        futuresDocument,
        "futures",
        (all, now) => all.filter(({ expiryAt }) => expiryAt > now).sort((a, b) => a.expiryAt - b.expiryAt)
      ),
      liquidations: liquidationsOf(store, tapes)
    }))
  )
