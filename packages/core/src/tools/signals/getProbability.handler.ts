import { realisedVolatility, volatilityError } from "@tapeline/quant"
import { expectedMovePct, probabilityAbove, probabilityTouch, sigmaOver } from "@tapeline/quant/probability"
import { Clock, Effect } from "effect"
import { filterClosed, getGapAdjustedCloses } from "../../analysis/signals/candleColumns.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { durationMs } from "../../market/timeframe.ts"
import { getProbability } from "./getProbability.ts"

const yearMs = 365 * 86_400_000

/**
 * Returns the candles from which the volatility for a horizon is computed. Volatility clusters, so the recent past
 * predicts a short horizon best.
 */
const chooseWindow = (horizonMinutes: number) =>
  horizonMinutes <= 60
    ? { tf: "5m", returns: 288 } as const
    : horizonMinutes <= 240
    ? { tf: "15m", returns: 672 } as const
    : { tf: "1h", returns: 720 } as const

const minReturns = 30

export const handler = handlerOf(
  getProbability,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, horizon_min, target }) {
      const now = yield* Clock.currentTimeMillis
      const priceReading = yield* prices.priceAt({ coin, time: now })
      const { price } = priceReading.value
      const { returns, tf } = chooseWindow(horizon_min)
      // The read includes one more candle for the first return, and the running candle, which is dropped.
      const reading = yield* prices.candles({ coin, timeframe: tf, bars: returns + 2, until: now })
      const closes = getGapAdjustedCloses(filterClosed(reading.value).slice(-(returns + 1)), durationMs[tf])
      const n = Math.max(0, closes.length - 1)
      const sigma = n < minReturns ? null : realisedVolatility(closes, yearMs / durationMs[tf])
      const error = sigma === null ? null : volatilityError(closes)
      const horizonSigma = sigma === null ? null : sigmaOver(sigma, horizon_min)
      const notes = [
        `sigma is the sample standard deviation of ${n} log returns of closed ${tf} candles; p_touch assumes continuous observation.`
      ]
      if (horizonSigma === null) {
        notes.push(`Fewer than ${minReturns} closed candles exist, so the values that need volatility are null.`)
      } else if (target === undefined) notes.push("p_above and p_touch are null: no target was passed.")
      return {
        coin,
        horizon_min,
        price,
        target: target ?? null,
        p_up: 0.5,
        p_above: horizonSigma === null || target === undefined ? null : probabilityAbove(price, target, horizonSigma),
        p_touch: horizonSigma === null || target === undefined ? null : probabilityTouch(price, target, horizonSigma),
        expected_move_pct: horizonSigma === null ? null : expectedMovePct(horizonSigma),
        range_68: horizonSigma === null
          ? null
          : { low: price * Math.exp(-horizonSigma), high: price * Math.exp(horizonSigma) },
        sigma_annualised_pct: sigma === null ? null : sigma * 100,
        sigma_window: { tf, n, standard_error_pct: error === null ? null : 100 * error },
        notes,
        ...provenanceOf(priceReading),
        source: sourceText(priceReading, reading)
      }
    })
  })
)
