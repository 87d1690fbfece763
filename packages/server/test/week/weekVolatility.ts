import { dayMs, hourMs, ImpliedVolatilities, type IvPoint, minuteMs, NoData, reading } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { asOf } from "./reads.ts"
import type { WeekMarket } from "./weekMarket.ts"

type Volatilities = ImpliedVolatilities["Service"]

/**
 * The coins for which an index is published. The index has a maturity of 30 days and is rounded to hundredths. The
 * value of an hour is published one minute after the hour began.
 */
const withIndex = ["BTC", "ETH"]
const indexDays = 30
const publishedMs = minuteMs

/** The index at every full hour since the beginning of the record. */
export const volatilityOnWire = (sim: Volatilities, { volatilityBegin }: WeekMarket): Volatilities =>
  ImpliedVolatilities.of({
    history: ({ days: asked, ...query }) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const days = Math.min(asked, Math.ceil((now - volatilityBegin) / dayMs) + 1)
        const ofHours = yield* Effect.forEach(
          Array.from({ length: dayMs / hourMs }, (_, hours) => hours * hourMs),
          (before) => asOf(() => now - before)(sim.history({ ...query, days }))
        )
        const points = ofHours.flatMap(({ value }) => value.points)
          .filter(({ time }) => time >= volatilityBegin)
          .sort((a, b) => a.time - b.time)
        return { ...ofHours[0]!, value: { ...ofHours[0]!.value, points } }
      })
  })

const noneOf = (coin: string, reason: NoData["reason"]) =>
  Effect.fail(new NoData({ subject: `${coin} implied volatility`, reason }))

/** The recorded volatility: only the index, at the beginning of each hour. */
export const volatilityOfIndex = (sim: Volatilities, { volatilityBegin }: WeekMarket): Volatilities =>
  ImpliedVolatilities.of({
    history: Effect.fnUntraced(function*({ coin, days, maturityDays }) {
      if (!withIndex.includes(coin)) {
        return yield* noneOf(coin, { key: "none_with_options", params: { coin, listed: withIndex.join(", ") } })
      }
      if (maturityDays !== indexDays) return yield* noneOf(coin, { key: "none_recorded", params: { symbol: coin } })
      const now = yield* Clock.currentTimeMillis
      const told = ({ time }: IvPoint) => time >= volatilityBegin && time + publishedMs <= now
      const { points } = yield* Effect.map(sim.history({ coin, days, maturityDays }), ({ value }) => value)
      const known = points.filter(told).map(({ ivPct, time }) => ({ time, ivPct: Number(ivPct.toFixed(2)) }))
      const index = { method: "index" as const, maturityDays, since: volatilityBegin, points: known }
      return reading(index, "simulated", known.at(-1)!.time)
    })
  })
