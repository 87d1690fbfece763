import { Clock, Effect } from "effect"
import { ivRegimes } from "../../analysis/options/ivRegime.ts"
import {
  edgesOf,
  edgeSummary,
  type EdgeWindow,
  regimeAt,
  regimeDays,
  sampling
} from "../../analysis/options/volatilityEdge.ts"
import { closedOnly } from "../../analysis/signals/columns.ts"
import { orEmpty } from "../../analysis/signals/readings.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getOptionsBacktest } from "./getOptionsBacktest.ts"

const shown = 12

const windowRow = ({ from, ivPct, realisedPct, regime, to }: EdgeWindow) => {
  const [iv_pct, realised_pct] = [percent(ivPct), percent(realisedPct)]
  return {
    from: instant(from),
    to: instant(to),
    iv_pct,
    realised_pct,
    edge_vol_pts: percent(realised_pct - iv_pct),
    regime
  }
}

const methodOf = (fwdDays: number, timeframe: string, ivMethod: string): string =>
  [
    `Windows of ${counted(fwdDays, "day")} that do not overlap, begun on every ${
      fwdDays === 1 ? "" : `${fwdDays}th `
    }day since 1970.`,
    `Implied: ${fwdDays}-day IV (${ivMethod}) as recorded at most one candle before the start.`,
    `Realised: close to close of ${timeframe} candles over the window, sample sd, annualised by 365 days.`,
    "A window wins for a buyer of volatility (of variance, or of a straddle that is hedged) when it realises more than",
    "was implied; spreads, hedging costs and fees are not counted.",
    `Regimes are thirds of the IV of the ${regimeDays.past} days up to each start: nothing later is known there.`
  ].join(" ")

export const handler = handlerOf(
  getOptionsBacktest,
  Effect.gen(function*() {
    const volatilities = yield* ImpliedVolatilities
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, fwd_days }) {
      const now = yield* Clock.currentTimeMillis
      const { days, timeframe } = sampling(fwd_days)
      const from = now - days * dayMs
      const history = yield* volatilities.history({ coin, maturityDays: fwd_days, days: days + regimeDays.past })
      const { method, points } = history.value
      const last = points.at(-1)
      if (last === undefined) {
        return yield* new NoData({
          subject: `${coin} implied volatility`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const candles = yield* orEmpty(prices.candleRange({ coin, timeframe, from: from - dayMs, to: now }))
      const { skipped, windows } = edgesOf({
        points,
        candles: closedOnly(candles.value),
        timeframe,
        fwdDays: fwd_days,
        from
      })
      const standing = regimeAt(points, points.length - 1)
      const notes: Array<string> = []
      if (windows.length < 20) notes.push("Fewer than 20 windows: rates, intervals and means are null.")
      else {
        const thin = ivRegimes.filter((regime) => windows.filter((window) => window.regime === regime).length < 20)
        if (thin.length > 0) notes.push(`Null for want of 20 windows: ${thin.join(", ")}.`)
      }
      const unknown = windows.filter(({ regime }) => regime === null).length
      if (unknown > 0) {
        notes.push(
          `${counted(unknown, "window")} without ${regimeDays.least} days of IV before count in overall alone.`
        )
      }
      if (skipped > 0) {
        notes.push(`${counted(skipped, "window")} left out: more than a tenth of the candles is missing.`)
      }
      return {
        coin,
        fwd_days,
        from: windows.length === 0 ? null : instant(windows[0]!.from),
        to: windows.length === 0 ? null : instant(windows.at(-1)!.to),
        overall: edgeSummary(windows),
        by_iv_regime: ivRegimes.map((regime) => ({
          regime,
          ...edgeSummary(windows.filter((window) => window.regime === regime))
        })),
        now: {
          iv_pct: last.ivPct,
          iv_percentile: standing.percentile,
          regime: standing.regime,
          n: standing.n
        },
        last_windows: windows.slice(-shown).map(windowRow),
        method: methodOf(fwd_days, timeframe, method === "index" ? "the venue's index" : "at the money, interpolated"),
        notes,
        ...provenanceOf(history),
        source: sourceOf(history, candles)
      }
    })
  })
)
