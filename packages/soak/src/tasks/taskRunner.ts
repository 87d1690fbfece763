import { layerTasks } from "@tapeline/core"
import { DerivedStore } from "@tapeline/core/analysis"
import { CoinPrices, makeReading, type PricePoint, StoredEquities } from "@tapeline/core/market"
import { type TaskTimes, TaskTiming } from "@tapeline/core/personal"
import { Clock, Effect, Layer } from "effect"

const minuteMs = 60_000

/** The prices of every coin at the end of even minutes and of odd minutes, in this order. */
const pricesByMinute = [120, 126] as const

const pricePoints = (after: number, until: number): ReadonlyArray<PricePoint> => {
  const points: Array<PricePoint> = []
  for (let time = (Math.floor(after / minuteMs) + 1) * minuteMs; time <= until; time += minuteMs) {
    points.push({ time, price: pricesByMinute[(time / minuteMs) % 2 === 0 ? 0 : 1] })
  }
  return points
}

const prices = Layer.succeed(CoinPrices, {
  // The cast is safe, because the tasks of the test use no other method.
  ...({} as CoinPrices["Service"]),
  minutes: ({ after, coins, until }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const closedMinutes = { knownUntil: until, points: pricePoints(after, until) }
      return makeReading(new Map(coins.map((coin) => [coin, closedMinutes])), "soak", now)
    })
})

const market = Layer.mergeAll(
  prices,
  // The cast is safe, because no task watches a stock.
  Layer.succeed(StoredEquities, {} as StoredEquities["Service"]),
  // The cast is safe, because no task watches a score.
  Layer.succeed(DerivedStore, {} as DerivedStore["Service"])
)

/**
 * Timing settings that are shorter than in production, with the same proportions. Short times let processes detect the
 * end of another process quickly.
 */
const shortTimings: Partial<TaskTimes> = {
  sweepIntervalMs: 300,
  priceDelayMs: 100,
  leaseMs: 1_500,
  staleMs: 1_500,
  renewIntervalMs: 250,
  maxBusyMs: 5_000,
  maxStartMs: 60_000
}

/**
 * Runs tasks with the provided stores, keys and analyst. If `leaders` is `all`, every process is a leader without a
 * lease.
 */
export const layerTaskRunner = (leaders: "one" | "all") =>
  layerTasks().pipe(
    Layer.provide(market),
    Layer.provide(
      Layer.effect(
        TaskTiming,
        Effect.map(Effect.service(TaskTiming), (defaults) => ({
          ...defaults,
          ...shortTimings,
          ...(leaders === "all" && { leaseMs: 0 })
        }))
      )
    ),
    // `Layer.fresh` makes a new task runner, because a restarted process has not checked any task yet.
    Layer.fresh
  )
