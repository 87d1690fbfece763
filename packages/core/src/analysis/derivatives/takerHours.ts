import { takerBuyShare } from "@tapeline/quant/derivatives"
import { Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { mapReading, type MarketRead } from "../../market/reading.ts"
import { type Gap, overlapsGap } from "../../market/series.ts"
import { hourMs, minuteMs } from "../../market/timeframe.ts"
import { orEmptySeries } from "../signals/readings.ts"

type DerivativesService = CoinDerivatives["Service"]

const recordStepMs = 5 * minuteMs

/** The taker volume of a perpetual in an hour, in USD. The volume is null if the hour was not recorded completely. */
export interface TakerHour {
  readonly buyUsd: number | null
  readonly sellUsd: number | null
  /** The share of taker buying, 0 to 1; null if nothing was traded or the hour was not recorded completely. */
  readonly buyRatio: number | null
}

const unknownHour: TakerHour = { buyUsd: null, sellUsd: null, buyRatio: null }

const makeTakerHour = (buyUsd: number, sellUsd: number): TakerHour => ({
  buyUsd,
  sellUsd,
  buyRatio: takerBuyShare(buyUsd, sellUsd)
})

/** Reads the taker volume of the hour that ends at `end`. `end` must be a multiple of five minutes. */
export const readTakerHour = (derivatives: DerivativesService, coin: string, end: number): MarketRead<TakerHour> =>
  Effect.map(
    orEmptySeries(derivatives.takerFlow({ coin, from: end - hourMs, to: end, stepMs: recordStepMs })),
    (read) =>
      mapReading(
        read,
        ({ gaps, points }) =>
          points.length < hourMs / recordStepMs || gaps.length > 0 ? unknownHour : makeTakerHour(
            points.reduce((sum, { buyUsd }) => sum + buyUsd, 0),
            points.reduce((sum, { sellUsd }) => sum + sellUsd, 0)
          )
      )
  )

/** Reads the taker volume of each full hour that ends in `[from, to]`, and the gaps in the recording. */
export const readTakerHours = (
  derivatives: DerivativesService,
  coin: string,
  from: number,
  to: number
): MarketRead<{ readonly hourEndingAt: (end: number) => TakerHour; readonly gaps: ReadonlyArray<Gap> }> =>
  Effect.map(
    orEmptySeries(derivatives.takerFlow({ coin, from: from - hourMs, to, stepMs: hourMs })),
    (read) =>
      mapReading(read, ({ gaps, points }) => {
        const hours = new Map(
          points.flatMap(({ buyUsd, sellUsd, time }) =>
            overlapsGap(gaps, time, time + hourMs) ? [] : [[time + hourMs, makeTakerHour(buyUsd, sellUsd)] as const]
          )
        )
        return { hourEndingAt: (end) => hours.get(end) ?? unknownHour, gaps }
      })
  )
