/** Implements core's `CoinDerivatives`: perpetuals, futures and liquidations. */
import { CoinDerivatives, durationMs, type PerpetualPoint, type TakerFlow } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { mainVenue, venueNames } from "../coin/Derivatives.ts"
import type { World } from "../world.ts"
import { orNoData, tradedCoin } from "./lookup.ts"
import { recordedOf } from "./recorded.ts"
import { newestOf, simulated } from "./source.ts"
import { buckets, instants } from "./steps.ts"

const recordMs = durationMs["5m"]
/** The time of the last complete record. The perpetual of a newly listed coin begins with the coin's listing. */
const recordAt = (market: CoinMarket, now: number): number =>
  Math.max(market.listedAt, Math.floor(now / recordMs) * recordMs)

const defaultLimit = 1000

/** Rounds a step to a whole number of records. */
const wholeStep = (stepMs: number): number => Math.max(recordMs, Math.round(stepMs / recordMs) * recordMs)

const liquidationsOf = (world: World): CoinDerivatives["Service"]["liquidations"] =>
  Effect.fnUntraced(function*({ coin, from, limit = defaultLimit, minSizeUsd = 0, stepMs, to: asked }) {
    const { market, now } = yield* tradedCoin(world, coin, "liquidations")
    // Another event may still follow within the current second. The tape contains only complete seconds.
    const to = Math.min(asked, now + 1)
    const tape = world.liquidations.tape(market, from, to, minSizeUsd, limit, stepMs)
    return simulated({ ...tape, coverage: "whole", gaps: [] }, Math.min(now, asked))
  })

/** The `CoinDerivatives` port of a world. */
export const coinDerivatives = (world: World): CoinDerivatives["Service"] => {
  const { derivatives } = world
  const pointNow = (market: CoinMarket, now: number): PerpetualPoint => derivatives.point(market, recordAt(market, now))
  /** Reads a value at the last record, so that it agrees with the perpetual's values. */
  const recorded = <A extends object>(what: string, read: (market: CoinMarket, time: number) => A) => (coin: string) =>
    Effect.map(tradedCoin(world, coin, what), ({ market, now }) => {
      const time = recordAt(market, now)
      return simulated(read(market, time), time)
    })

  const perpetualHistory: CoinDerivatives["Service"]["perpetualHistory"] = Effect.fnUntraced(function*(query) {
    const { market, now } = yield* tradedCoin(world, query.coin, "derivatives")
    const stepMs = wholeStep(query.stepMs)
    const from = Math.max(query.from, market.listedAt + recordMs)
    const points = instants({ from, to: query.to, stepMs }, now).map((time) => derivatives.point(market, time))
    yield* orNoData(points, query.coin, "derivatives")
    return simulated({ points, gaps: [] }, newestOf(points, now))
  })

  const takerFlow: CoinDerivatives["Service"]["takerFlow"] = Effect.fnUntraced(function*(query) {
    const { market, now } = yield* tradedCoin(world, query.coin, "taker flow")
    const stepMs = wholeStep(query.stepMs)
    const from = Math.max(query.from, market.listedAt)
    const points = buckets({ from, to: query.to, stepMs }, now)
      .filter((time) => time + stepMs <= now)
      .map((time): TakerFlow => ({
        time,
        ...derivatives.takerFlow(market, Math.max(time, market.listedAt), time + stepMs)
      }))
    yield* orNoData(points, query.coin, "taker flow")
    return simulated({ points, gaps: [] }, Math.min(now, points.at(-1)!.time + stepMs))
  })

  const fundingPrints: CoinDerivatives["Service"]["fundingPrints"] = Effect.fnUntraced(function*({ coin, from, to }) {
    const { market, now } = yield* tradedCoin(world, coin, "funding")
    const prints = derivatives.fundingPrints(market, from, Math.min(to, now + 1))
    yield* orNoData(prints, coin, "funding")
    return simulated(prints, newestOf(prints, now))
  })

  return CoinDerivatives.of({
    perpetual: (coin) =>
      Effect.map(tradedCoin(world, coin, "derivatives"), ({ market, now }) => {
        const point = pointNow(market, now)
        return simulated({ ...point, fundingVenue: mainVenue, openInterestVenues: venueNames }, point.time)
      }),
    perpetuals: Effect.map(Clock.currentTimeMillis, (now) => {
      const points = world.markets
        .filter(({ listedAt, spec }) => !spec.isStablecoin && listedAt <= now)
        .map((market) => ({ coin: market.spec.coin, ...pointNow(market, now) }))
      return simulated(points.sort((a, b) => a.coin < b.coin ? -1 : 1), newestOf(points, now))
    }),
    perpetualHistory,
    fundingPrints,
    recorded: recordedOf(world, ({ spec }) => !spec.isStablecoin),
    fundingByVenue: recorded("funding", (market, time) => derivatives.fundingByVenue(market, time)),
    openInterestByVenue: recorded("open interest", (market, time) => derivatives.openInterestByVenue(market, time)),
    takerFlow,
    // Futures are priced at the present, like the forwards of options.
    futures: (coin) =>
      Effect.map(
        tradedCoin(world, coin, "futures"),
        ({ market, now }) => simulated(derivatives.futures(market, now), now)
      ),
    liquidations: liquidationsOf(world)
  })
}
