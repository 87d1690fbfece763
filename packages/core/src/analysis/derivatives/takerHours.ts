import { takerBuyShare } from "@tapeline/quant/derivatives"
import { Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { mapReading, type MarketRead } from "../../market/reading.ts"
import { type Gap, touchesGap } from "../../market/series.ts"
import { hourMs, minuteMs } from "../../market/timeframe.ts"
import { orNoPoints } from "../signals/readings.ts"

type Service = CoinDerivatives["Service"]

const recordMs = 5 * minuteMs

/** The taker volume of a perpetual in an hour, USD. Null if the hour was not recorded completely. */
export interface TakerHour {
  readonly buyUsd: number | null
  readonly sellUsd: number | null
  /** The share of taker buying, 0 to 1. Also null if nothing was traded. */
  readonly buyRatio: number | null
}

const unknown: TakerHour = { buyUsd: null, sellUsd: null, buyRatio: null }

const hourOf = (buyUsd: number, sellUsd: number): TakerHour => ({
  buyUsd,
  sellUsd,
  buyRatio: takerBuyShare(buyUsd, sellUsd)
})

/** Reads the hour that ends at a multiple of five minutes. */
export const readTakerHour = (derivatives: Service, coin: string, end: number): MarketRead<TakerHour> =>
  Effect.map(
    orNoPoints(derivatives.takerFlow({ coin, from: end - hourMs, to: end, stepMs: recordMs })),
    (read) =>
      mapReading(read, ({ gaps, points }) =>
        points.length < hourMs / recordMs || gaps.length > 0 ? unknown : hourOf(
          points.reduce((sum, { buyUsd }) => sum + buyUsd, 0),
          points.reduce((sum, { sellUsd }) => sum + sellUsd, 0)
        ))
  )

/** Reads the full hours that end in `[from, to]`, by their ends, and their gaps. */
export const readTakerHours = (
  derivatives: Service,
  coin: string,
  from: number,
  to: number
): MarketRead<{ readonly hourTo: (end: number) => TakerHour; readonly gaps: ReadonlyArray<Gap> }> =>
  Effect.map(
    orNoPoints(derivatives.takerFlow({ coin, from: from - hourMs, to, stepMs: hourMs })),
    (read) =>
      mapReading(read, ({ gaps, points }) => {
        const hours = new Map(
          points.flatMap(({ buyUsd, sellUsd, time }) =>
            touchesGap(gaps, time, time + hourMs) ? [] : [[time + hourMs, hourOf(buyUsd, sellUsd)] as const]
          )
        )
        return { hourTo: (end) => hours.get(end) ?? unknown, gaps }
      })
  )
