import { Clock, Effect } from "effect"
import { ivRegimes } from "../../analysis/options/ivRegime.ts"
import {
  chooseSampling,
  type EdgeWindow,
  findEdgeWindows,
  rankRegimeAt,
  regimeDays,
  summariseEdges
} from "../../analysis/options/volatilityEdge.ts"
import { filterClosed } from "../../analysis/signals/candleColumns.ts"
import { orEmptyList } from "../../analysis/signals/readings.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getOptionsBacktest } from "./getOptionsBacktest.ts"

const maxShownWindows = 12

const toWindowRow = ({ from, ivPct, realisedPct, regime, to }: EdgeWindow) => {
  const [iv_pct, realised_pct] = [percent(ivPct), percent(realisedPct)]
  return {
    from: formatInstant(from),
    to: formatInstant(to),
    iv_pct,
    realised_pct,
    edge_vol_pts: percent(realised_pct - iv_pct),
    regime
  }
}

const describeMethod = (fwdDays: number, timeframe: string, ivMethod: string): string =>
  [
    `Windows of ${formatCount(fwdDays, "day")} without overlap, beginning on every ${
      fwdDays === 1 ? "" : `${fwdDays}th `
    }day since 1970.`,
    `Implied: ${fwdDays}-day IV (${ivMethod}) as recorded at most one candle before the start.`,
    `Realised: close to close of ${timeframe} candles over the window, sample sd, annualised by 365 days.`,
    "A window wins for a buyer of volatility (of variance, or of a hedged straddle) if realised exceeds implied",
    "volatility; spreads, hedging costs and fees are not counted.",
    `Regimes are thirds of the IV of the ${regimeDays.lookback} days before each start, without later data.`
  ].join(" ")

export const handler = handlerOf(
  getOptionsBacktest,
  Effect.gen(function*() {
    const volatilities = yield* ImpliedVolatilities
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, fwd_days }) {
      const now = yield* Clock.currentTimeMillis
      const { days, timeframe } = chooseSampling(fwd_days)
      const from = now - days * dayMs
      const history = yield* volatilities.history({ coin, maturityDays: fwd_days, days: days + regimeDays.lookback })
      const { method, points } = history.value
      const last = points.at(-1)
      if (last === undefined) {
        return yield* new NoData({
          subject: `${coin} implied volatility`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const candles = yield* orEmptyList(prices.candleRange({ coin, timeframe, from: from - dayMs, to: now }))
      const { skipped, windows } = findEdgeWindows({
        points,
        candles: filterClosed(candles.value),
        timeframe,
        fwdDays: fwd_days,
        from
      })
      const currentRegime = rankRegimeAt(points, points.length - 1)
      const notes: Array<string> = []
      if (windows.length < 20) notes.push("Fewer than 20 windows: rates, intervals and means are null.")
      else {
        const regimesWithFewWindows = ivRegimes.filter((regime) =>
          windows.filter((window) => window.regime === regime).length < 20
        )
        if (regimesWithFewWindows.length > 0) {
          notes.push(`Null because of fewer than 20 windows: ${regimesWithFewWindows.join(", ")}.`)
        }
      }
      const unknownRegimeCount = windows.filter(({ regime }) => regime === null).length
      if (unknownRegimeCount > 0) {
        notes.push(
          `${
            formatCount(unknownRegimeCount, "window")
          } with fewer than ${regimeDays.min} earlier days of IV count only in overall.`
        )
      }
      if (skipped > 0) {
        notes.push(`${formatCount(skipped, "window")} omitted: more than a tenth of the candles is missing.`)
      }
      return {
        coin,
        fwd_days,
        from: windows.length === 0 ? null : formatInstant(windows[0]!.from),
        to: windows.length === 0 ? null : formatInstant(windows.at(-1)!.to),
        overall: summariseEdges(windows),
        by_iv_regime: ivRegimes.map((regime) => ({
          regime,
          ...summariseEdges(windows.filter((window) => window.regime === regime))
        })),
        now: {
          iv_pct: last.ivPct,
          iv_percentile: currentRegime.percentile,
          regime: currentRegime.regime,
          n: currentRegime.sampleSize
        },
        last_windows: windows.slice(-maxShownWindows).map(toWindowRow),
        method: describeMethod(
          fwd_days,
          timeframe,
          method === "index" ? "the venue's index" : "at the money, interpolated"
        ),
        notes,
        ...provenanceOf(history),
        source: sourceText(history, candles)
      }
    })
  })
)
