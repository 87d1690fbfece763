import { dayMs, hourMs, ImpliedVolatilities, type IvPoint, makeReading, minuteMs, NoData } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { readAt } from "./shiftedClock.ts"
import type { WeekMarket } from "./weekMarket.ts"

type Volatilities = ImpliedVolatilities["Service"]

/** The coins with a volatility index. The index publishes the value of an hour one minute after the hour begins. */
const indexCoins = ["BTC", "ETH"]
const indexDays = 30
const publicationDelayMs = minuteMs

export const servedVolatility = (sim: Volatilities, { volatilityBegin }: WeekMarket): Volatilities =>
  ImpliedVolatilities.of({
    history: ({ days: requestedDays, ...query }) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const days = Math.min(requestedDays, Math.ceil((now - volatilityBegin) / dayMs) + 1)
        const hourlyReadings = yield* Effect.forEach(
          Array.from({ length: dayMs / hourMs }, (_, hours) => hours * hourMs),
          (before) => readAt(() => now - before)(sim.history({ ...query, days }))
        )
        const points = hourlyReadings.flatMap(({ value }) => value.points)
          .filter(({ time }) => time >= volatilityBegin)
          .sort((a, b) => a.time - b.time)
        return { ...hourlyReadings[0]!, value: { ...hourlyReadings[0]!.value, points } }
      })
  })

const failNoData = (coin: string, reason: NoData["reason"]) =>
  Effect.fail(new NoData({ subject: `${coin} implied volatility`, reason }))

export const recordedVolatility = (sim: Volatilities, { volatilityBegin }: WeekMarket): Volatilities =>
  ImpliedVolatilities.of({
    history: Effect.fnUntraced(function*({ coin, days, maturityDays }) {
      if (!indexCoins.includes(coin)) {
        return yield* failNoData(coin, { key: "none_with_options", params: { coin, listed: indexCoins.join(", ") } })
      }
      if (maturityDays !== indexDays) return yield* failNoData(coin, { key: "none_recorded", params: { symbol: coin } })
      const now = yield* Clock.currentTimeMillis
      const isPublished = ({ time }: IvPoint) => time >= volatilityBegin && time + publicationDelayMs <= now
      const { points } = yield* Effect.map(sim.history({ coin, days, maturityDays }), ({ value }) => value)
      const published = points.filter(isPublished).map(({ ivPct, time }) => ({ time, ivPct: Number(ivPct.toFixed(2)) }))
      const index = { method: "index" as const, maturityDays, since: volatilityBegin, points: published }
      return makeReading(index, "simulated", published.at(-1)!.time)
    })
  })
