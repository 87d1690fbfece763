import { CoinDerivatives, durationMs, type PerpetualPoint, type TakerFlow } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { mainVenue, venueNames } from "../coin/Derivatives.ts"
import type { World } from "../world.ts"
import { findPerpetualCoin, requireData } from "./lookup.ts"
import { getBuckets, getInstants } from "./queryTimes.ts"
import { makeRecordedRead } from "./recorded.ts"
import { getNewestTime, simulatedReading } from "./source.ts"

const recordMs = durationMs["5m"]
/** Returns the time of the last complete five-minute record, or the listing time of a newly listed coin. */
const getLastRecordTime = (market: CoinMarket, now: number): number =>
  Math.max(market.listedAt, Math.floor(now / recordMs) * recordMs)

const defaultLimit = 1000

/** Rounds a step to a whole number of five-minute records. */
const roundStep = (stepMs: number): number => Math.max(recordMs, Math.round(stepMs / recordMs) * recordMs)

const makeLiquidationsRead = (world: World): CoinDerivatives["Service"]["liquidations"] =>
  Effect.fnUntraced(function*({ coin, from, limit = defaultLimit, minSizeUsd = 0, stepMs, to: requestedTo }) {
    const { market, now } = yield* findPerpetualCoin(world, coin, "liquidations")
    const to = Math.min(requestedTo, now + 1)
    const tape = world.liquidations.tape(market, from, to, minSizeUsd, limit, stepMs)
    return simulatedReading({ ...tape, coverage: "whole", gaps: [] }, Math.min(now, requestedTo))
  })

export const makeCoinDerivatives = (world: World): CoinDerivatives["Service"] => {
  const { derivatives } = world
  const getCurrentPoint = (market: CoinMarket, now: number): PerpetualPoint =>
    derivatives.point(market, getLastRecordTime(market, now))
  /**
   * Creates a function that reads a value at the time of the perpetual's last record, so that all values of the
   * perpetual agree.
   */
  const makeRecordRead =
    <A extends object>(description: string, readValue: (market: CoinMarket, time: number) => A) => (coin: string) =>
      Effect.map(findPerpetualCoin(world, coin, description), ({ market, now }) => {
        const time = getLastRecordTime(market, now)
        return simulatedReading(readValue(market, time), time)
      })

  const perpetualHistory: CoinDerivatives["Service"]["perpetualHistory"] = Effect.fnUntraced(function*(query) {
    const { market, now } = yield* findPerpetualCoin(world, query.coin, "derivatives")
    const stepMs = roundStep(query.stepMs)
    const from = Math.max(query.from, market.listedAt + recordMs)
    const points = getInstants({ from, to: query.to, stepMs }, now).map((time) => derivatives.point(market, time))
    yield* requireData(points, query.coin, "derivatives")
    return simulatedReading({ points, gaps: [] }, getNewestTime(points, now))
  })

  const takerFlow: CoinDerivatives["Service"]["takerFlow"] = Effect.fnUntraced(function*(query) {
    const { market, now } = yield* findPerpetualCoin(world, query.coin, "taker flow")
    const stepMs = roundStep(query.stepMs)
    const from = Math.max(query.from, market.listedAt)
    const points = getBuckets({ from, to: query.to, stepMs }, now)
      .filter((time) => time + stepMs <= now)
      .map((time): TakerFlow => ({
        time,
        ...derivatives.takerFlow(market, Math.max(time, market.listedAt), time + stepMs)
      }))
    yield* requireData(points, query.coin, "taker flow")
    return simulatedReading({ points, gaps: [] }, Math.min(now, points.at(-1)!.time + stepMs))
  })

  const fundingPayments: CoinDerivatives["Service"]["fundingPayments"] = Effect.fnUntraced(
    function*({ coin, from, to }) {
      const { market, now } = yield* findPerpetualCoin(world, coin, "funding")
      const payments = derivatives.fundingPayments(market, from, Math.min(to, now + 1))
      yield* requireData(payments, coin, "funding")
      return simulatedReading(payments, getNewestTime(payments, now))
    }
  )

  return CoinDerivatives.of({
    perpetual: (coin) =>
      Effect.map(findPerpetualCoin(world, coin, "derivatives"), ({ market, now }) => {
        const point = getCurrentPoint(market, now)
        return simulatedReading({ ...point, fundingVenue: mainVenue, openInterestVenues: venueNames }, point.time)
      }),
    perpetuals: Effect.map(Clock.currentTimeMillis, (now) => {
      const points = world.markets
        .filter(({ listedAt, spec }) => !spec.isStablecoin && listedAt <= now)
        .map((market) => ({ coin: market.spec.coin, ...getCurrentPoint(market, now) }))
      return simulatedReading(points.sort((a, b) => a.coin < b.coin ? -1 : 1), getNewestTime(points, now))
    }),
    perpetualHistory,
    fundingPayments,
    watermarks: makeRecordedRead(world, ({ spec }) => !spec.isStablecoin),
    fundingByVenue: makeRecordRead("funding", (market, time) => derivatives.fundingByVenue(market, time)),
    openInterestByVenue: makeRecordRead(
      "open interest",
      (market, time) => derivatives.openInterestByVenue(market, time)
    ),
    takerFlow,
    // Futures are priced at the current time, like the forwards of options.
    futures: (coin) =>
      Effect.map(
        findPerpetualCoin(world, coin, "futures"),
        ({ market, now }) => simulatedReading(derivatives.futures(market, now), now)
      ),
    liquidations: makeLiquidationsRead(world)
  })
}
