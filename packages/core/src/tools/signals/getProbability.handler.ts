import { realisedVolatility, volatilityError } from "@tapeline/quant"
import { expectedMovePct, probabilityAbove, probabilityTouch, sigmaOver } from "@tapeline/quant/probability"
import { Clock, Effect } from "effect"
import { closedOnly, closesWithoutHoles } from "../../analysis/signals/columns.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { durationMs } from "../../market/timeframe.ts"
import { getProbability } from "./getProbability.ts"

const yearMs = 365 * 86_400_000

/**
 * Returns the candles whose close-to-close volatility is used for a horizon: short ones over one day for up to an hour,
 * longer ones over longer spans beyond. Volatility clusters, so the recent past predicts a short horizon best.
 */
const windowFor = (horizonMinutes: number) =>
  horizonMinutes <= 60
    ? { tf: "5m", returns: 288 } as const
    : horizonMinutes <= 240
    ? { tf: "15m", returns: 672 } as const
    : { tf: "1h", returns: 720 } as const

/** The minimum number of returns for a volatility. */
const leastReturns = 30

export const handler = handlerOf(
  getProbability,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, horizon_min, target }) {
      const now = yield* Clock.currentTimeMillis
      const priced = yield* prices.priceAt({ coin, time: now })
      const { price } = priced.value
      const { returns, tf } = windowFor(horizon_min)
      // One more for the first return, and one for the running candle.
      const read = yield* prices.candles({ coin, timeframe: tf, bars: returns + 2, until: now })
      const closes = closesWithoutHoles(closedOnly(read.value).slice(-(returns + 1)), durationMs[tf])
      const n = Math.max(0, closes.length - 1)
      const sigma = n < leastReturns ? null : realisedVolatility(closes, yearMs / durationMs[tf])
      const error = sigma === null ? null : volatilityError(closes)
      const v = sigma === null ? null : sigmaOver(sigma, horizon_min)
      const notes = [
        `sigma is the sample standard deviation of ${n} log returns of closed ${tf} candles; p_touch supposes continuous watching.`
      ]
      if (v === null) notes.push(`Fewer than ${leastReturns} closed candles exist: what stands on volatility is null.`)
      else if (target === undefined) notes.push("p_above and p_touch are null: no target was given.")
      return {
        coin,
        horizon_min,
        price,
        target: target ?? null,
        p_up: 0.5,
        p_above: v === null || target === undefined ? null : probabilityAbove(price, target, v),
        p_touch: v === null || target === undefined ? null : probabilityTouch(price, target, v),
        expected_move_pct: v === null ? null : expectedMovePct(v),
        range_68: v === null ? null : { low: price * Math.exp(-v), high: price * Math.exp(v) },
        sigma_annualised_pct: sigma === null ? null : sigma * 100,
        sigma_window: { tf, n, standard_error_pct: error === null ? null : 100 * error },
        notes,
        ...provenanceOf(priced),
        source: sourceOf(priced, read)
      }
    })
  })
)
