/** The price of a dollar in won, almost per minute: Yahoo's rate of the interbank market. */
import { dayMs, type FxPair, hourMs, minuteMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { Collector, SeriesCollector } from "../../collect/collector.ts"
import { presentOf } from "../../source/index.ts"
import { barsOf, sevenDigits } from "./bars.ts"
import { wonSymbol } from "./symbols.ts"
import { Yahoo, yahooName as source } from "./Yahoo.ts"

const kind = pointsKinds.fxRates
type Column = keyof typeof kind["columns"]
const pair: FxPair = "usd_krw"

/**
 * Five-minute bars reach back 60 days, and hourly bars two years. One day of each remains as a margin for transmission.
 */
const fineMs = 5 * minuteMs
const fineReachMs = 59 * dayMs
const reachMs = 729 * dayMs

/** The age at which a missing bar no longer counts as late. */
const settlesMs = 15 * minuteMs

const midnight = (time: number): number => Math.floor(time / dayMs) * dayMs

/** Collects the price of a dollar in won at the ends of bars, which are the times of the quotes. */
export const yahooRates = ({ days }: { readonly days: number }): Effect.Effect<Collector, never, Yahoo> =>
  Effect.map(Yahoo, (yahoo): SeriesCollector<Column> => ({
    _tag: "series",
    source,
    name: pair,
    kind,
    everyMs: fineMs,
    offsetMs: 10_000,
    rowsAre: "instants",
    subjects: Effect.succeed([{ subject: pair, from: 0 }]),
    backfill: {
      reachesBackMs: reachMs,
      wantedMs: days * dayMs,
      longestMs: 10 * dayMs,
      ask: Effect.fnUntraced(function*(_, { from, to }) {
        const now = yield* Clock.currentTimeMillis
        const isFine = from - fineMs > now - fineReachMs
        const length = isFine ? fineMs : hourMs
        const query = {
          symbol: wonSymbol,
          interval: isFine ? "5m" : "60m",
          from: Math.max(midnight(from - length), now - reachMs),
          to: to + fineMs
        } as const
        const answer = yield* yahoo.chart(query)
        const present = Math.min(now, presentOf(answer))
        const ended = answer.value === null ? [] : barsOf(answer.value).flatMap(({ close, time }) =>
          // The newest rate has a bar of its own, off the grid.
          time % length === 0 && time + length <= present ? [{ time: time + length, rate: sevenDigits(close) }] : []
        )
        const rows = ended.filter(({ time }) => time >= from && time < to)
        const last = rows.at(-1)?.time ?? -Infinity
        const settled = Math.floor((present - settlesMs) / fineMs) * fineMs
        return { source, rows, until: Math.min(to, Math.max(from, last + fineMs, settled)) }
      })
    }
  }))
