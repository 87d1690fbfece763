import { dayMs, type FxPair, hourMs, minuteMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { Collector, SeriesCollector } from "../collect/collector.ts"
import { sourceTimeOf } from "../source/index.ts"
import { roundToSevenDigits, toBars } from "./bars.ts"
import { usdKrwSymbol } from "./symbols.ts"
import { Yahoo, yahooName as source } from "./Yahoo.ts"

const kind = pointsKinds.fxRates
type Column = keyof typeof kind["columns"]
const pair: FxPair = "usd_krw"

/** The periods for which Yahoo keeps five-minute bars and hourly bars, minus one day as a margin for transmission. */
const fiveMinutesMs = 5 * minuteMs
const fiveMinuteRetentionMs = 59 * dayMs
const hourlyRetentionMs = 729 * dayMs

/** The age at which a missing bar counts as empty instead of late. */
const maxBarDelayMs = 15 * minuteMs

const midnight = (time: number): number => Math.floor(time / dayMs) * dayMs

/** Returns the collector of the dollar's price in won. The time of a rate is the end of Yahoo's bar. */
export const makeYahooRatesCollector = ({ days }: { readonly days: number }): Effect.Effect<Collector, never, Yahoo> =>
  Effect.map(Yahoo, (yahoo): SeriesCollector<Column> => ({
    _tag: "series",
    source,
    name: pair,
    kind,
    everyMs: fiveMinutesMs,
    offsetMs: 10_000,
    rowTimes: "instants",
    subjects: Effect.succeed([{ subject: pair, from: 0 }]),
    backfill: {
      sourceRetentionMs: hourlyRetentionMs,
      lookbackMs: days * dayMs,
      maxIntervalMs: 10 * dayMs,
      fetch: Effect.fnUntraced(function*(_, { from, to }) {
        const now = yield* Clock.currentTimeMillis
        const usesFiveMinuteBars = from - fiveMinutesMs > now - fiveMinuteRetentionMs
        const length = usesFiveMinuteBars ? fiveMinutesMs : hourMs
        const query = {
          symbol: usdKrwSymbol,
          interval: usesFiveMinuteBars ? "5m" : "60m",
          from: Math.max(midnight(from - length), now - hourlyRetentionMs),
          to: to + fiveMinutesMs
        } as const
        const answer = yield* yahoo.chart(query)
        const currentTime = Math.min(now, sourceTimeOf(answer))
        const closedBars = answer.value === null ? [] : toBars(answer.value).flatMap(({ close, time }) =>
          // Yahoo sends a separate bar for the newest rate, which is not aligned to the bar length.
          time % length === 0 && time + length <= currentTime
            ? [{ time: time + length, rate: roundToSevenDigits(close) }]
            : []
        )
        const rows = closedBars.filter(({ time }) => time >= from && time < to)
        const last = rows.at(-1)?.time ?? -Infinity
        const settled = Math.floor((currentTime - maxBarDelayMs) / fiveMinutesMs) * fiveMinutesMs
        return { source, rows, until: Math.min(to, Math.max(from, last + fiveMinutesMs, settled)) }
      })
    }
  }))
