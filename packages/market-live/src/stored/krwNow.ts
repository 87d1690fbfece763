/** The present state of markets against the won. */
import { dayMs, type KrwExchange, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { type MarketStore, type Point, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { asked, both } from "./asking.ts"
import { krwTickerDocument } from "./documents.ts"
import { presentMs } from "./present.ts"

type Store = MarketStore["Service"]

const kind = pointsKinds.krwMarkets

/** The maximum age difference between the price of a day ago and that time. */
const dayAgoWithinMs = 10 * minuteMs

/** The last known data of a market. */
export interface KrwNow {
  /** When the data was received. Data older than an hour does not count as present. */
  readonly toldAt: number
  /** When the market last changed at the exchange. */
  readonly time: number
  readonly krwPrice: number
  readonly usdtPrice: number | null
  readonly volume24hKrw: number | null
  /** The change as the source counts it. */
  readonly change24hPct: number | null
  readonly source: string
}

const ofPoint = (point: Point<keyof typeof kind.columns> | null): KrwNow | undefined => {
  if (point === null || point.krwPrice === null) return undefined
  const { change24hPct, krwPrice, source, time, usdtPrice, volume24hKrw } = point
  return { toldAt: time, time, krwPrice, usdtPrice, change24hPct, volume24hKrw, source }
}

/**
 * Reads the last data of some markets, or of all, by their keys: tickers, or points of their series if those are newer.
 * Data older than `withinMs` is omitted, as are tickers that last changed more than a day ago.
 */
export const krwNow = Effect.fnUntraced(function*(
  store: Store,
  now: number,
  withinMs: number,
  keys?: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, KrwNow>, SourceUnavailable> {
  const [points, rows] = yield* both(
    asked(store.latest({ kind, at: now, withinMs, ...(keys === undefined ? {} : { subjects: keys }) })),
    asked(store.documents({ kind: krwTickerDocument.kind, ...(keys === undefined ? {} : { keys }) }))
  )
  const found = new Map<string, KrwNow>()
  for (const [key, { point }] of points) {
    const told = ofPoint(point)
    if (told !== undefined) found.set(key, told)
  }
  for (const row of rows.values()) {
    // The clocks of two machines differ.
    const toldAt = Math.min(row.time, now)
    if (toldAt <= now - withinMs || toldAt < (found.get(row.key)?.toldAt ?? -Infinity)) continue
    const { warned: _, time, ...told } = yield* krwTickerDocument.valueOf(row)
    if (time <= now - Math.max(dayMs, withinMs)) continue
    found.set(row.key, { ...told, time: Math.min(time, now), toldAt, change24hPct: null, source: row.source })
  }
  return found
})

/** The prices of markets a day ago, by their keys. */
export const krwDayAgo = (
  store: Store,
  now: number
): Effect.Effect<ReadonlyMap<string, number>, SourceUnavailable> =>
  Effect.map(
    asked(store.latest({ kind, at: now - dayMs, withinMs: dayAgoWithinMs })),
    (all) =>
      new Map(
        [...all].flatMap(([key, { point }]) =>
          point === null || point.krwPrice === null ? [] : [[key, point.krwPrice] as const]
        )
      )
  )

/**
 * The market with the highest volume among those with data of the last hour; otherwise the one with the newest data.
 */
export const mainKey = (
  markets: ReadonlyMap<string, Pick<KrwNow, "toldAt" | "volume24hKrw">>,
  isClosed: (key: string) => boolean,
  now: number
): string | undefined => {
  const known = [...markets]
  const open = known.filter(([key, { toldAt }]) => toldAt > now - presentMs && !isClosed(key))
  const [most] = open.length > 0
    ? open.sort(([, a], [, b]) => (b.volume24hKrw ?? -1) - (a.volume24hKrw ?? -1))
    : known.sort(([, a], [, b]) => b.toldAt - a.toldAt)
  return most?.[0]
}

export const krwExchanges: ReadonlyArray<KrwExchange> = ["upbit", "bithumb"]
