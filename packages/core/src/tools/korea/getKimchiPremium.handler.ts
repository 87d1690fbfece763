import { Clock, Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import type { FxRate, KrwPoint, KrwTicker } from "../../market/korea.ts"
import { MarketStore } from "../../market/MarketStore.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant } from "../../tool/result.ts"
import { getKimchiPremium } from "./getKimchiPremium.ts"
import { legsOf } from "./legs.ts"

/** A market is tracked as a fresh listing for this long, and least to be relied on for the first half of it. */
const freshMs = 48 * hourMs
const rawMs = 24 * hourMs
/** Traded a day, KRW: below the first a market is not liquid, below the second it is thin. */
const liquidKrw = 1e9
const deepKrw = 1e10
const historyHours = 48

type Reliability = "high" | "medium" | "low"

/** By the age of a listing; undefined when it is not fresh. */
const freshReliability = (age: number): Reliability | undefined =>
  age < rawMs ? "low" : age < freshMs ? "medium" : undefined

const reliabilityOf = (ticker: KrwTicker, usdKrw: FxRate): Reliability => {
  const fresh = freshReliability(ticker.time - ticker.listedAt)
  if (fresh === "low" || ticker.volume24hKrw < liquidKrw) return "low"
  return fresh === "medium" || ticker.volume24hKrw < deepKrw || ticker.time - usdKrw.time > dayMs ? "medium" : "high"
}

const rowOf = (ticker: KrwTicker, usdKrw: FxRate, usdtKrw: FxRate) => ({
  coin: ticker.coin,
  exchange: ticker.exchange,
  ...legsOf({ krwPrice: ticker.krwPrice, usdtPrice: ticker.usdtPrice, usdtKrw: usdtKrw.rate, usdKrw: usdKrw.rate }),
  krw_price: ticker.krwPrice,
  usd_price: ticker.usdtPrice,
  fx: usdKrw.rate,
  usdt_krw: usdtKrw.rate,
  volume_24h_krw: ticker.volume24hKrw,
  listed_at: instant(ticker.listedAt),
  is_new_listing: ticker.time - ticker.listedAt < freshMs,
  reliability: reliabilityOf(ticker, usdKrw)
})

/** Each coin's market with the largest volume; the tickers come largest first. */
const mainMarkets = (tickers: ReadonlyArray<KrwTicker>): ReadonlyArray<KrwTicker> => {
  const seen = new Set<string>()
  return tickers.filter(({ coin }) => !seen.has(coin) && seen.add(coin))
}

export const handler = handlerOf(
  getKimchiPremium,
  Effect.gen(function*() {
    const market = yield* MarketStore

    const historyOf = Effect.fnUntraced(function*({ coin, exchange, listedAt }: KrwTicker) {
      const now = yield* Clock.currentTimeMillis
      const last = Math.floor(now / hourMs) * hourMs
      const points = yield* market.krwHistory({
        coin,
        exchange,
        from: last - (historyHours - 1) * hourMs,
        to: last + 1,
        stepMs: hourMs
      }).pipe(Effect.catchTag("NoData", () => Effect.succeed<ReadonlyArray<KrwPoint>>([])))
      return points.map((point) => {
        const reliability = freshReliability(point.time - listedAt)
        return { time: instant(point.time), ...legsOf(point), ...(reliability === undefined ? {} : { reliability }) }
      })
    })

    /** Fresh listings, newest first, then the largest coins. */
    const watchlist = Effect.fnUntraced(function*(markets: ReadonlyArray<KrwTicker>) {
      const rank = new Map((yield* market.coins).filter((coin) => !coin.isStablecoin).map(({ coin }, i) => [coin, i]))
      const isFresh = ({ listedAt, time }: KrwTicker): boolean => time - listedAt < freshMs
      return [
        ...markets.filter(isFresh).sort((a, b) => b.listedAt - a.listedAt),
        ...markets.filter((ticker) => !isFresh(ticker) && rank.has(ticker.coin)).sort((a, b) =>
          rank.get(a.coin)! - rank.get(b.coin)!
        )
      ]
    })

    return Effect.fnUntraced(function*({ coin, scan_all, top }) {
      if (coin !== undefined) yield* market.coin(coin)
      const tickers = mainMarkets(yield* market.krwTickers)
      const newest = tickers[0]
      if (newest === undefined) {
        return yield* new NoData({ subject: "KRW markets", reason: { key: "none_krw_market_open" } })
      }
      const usdKrw = yield* market.fx({ pair: "usd_krw" })
      const usdtKrw = yield* market.fx({ pair: "usdt_krw" })
      const notes = [
        "The currency leg is USDT's won price over the interbank dollar; legs are logarithmic shares of the premium."
      ]
      if (newest.time - usdKrw.time > dayMs) notes.push("The interbank market is closed: fx is its last rate.")
      const provenance = { notes, as_of: instant(newest.time), source: market.source }

      if (coin !== undefined) {
        const ticker = tickers.find((one) => one.coin === coin)
        if (ticker === undefined) {
          return yield* new NoData({
            subject: `${coin} against KRW`,
            reason: { key: "none_on_krw_market", params: { coin } }
          })
        }
        const history = yield* historyOf(ticker)
        if (history.length < historyHours) {
          notes.push(
            `Only ${history.length} of the last ${historyHours} hours exist: this market is younger, or was not recorded.`
          )
        }
        return { rows: [rowOf(ticker, usdKrw, usdtKrw)], scanned: 1, history, ...provenance }
      }
      const chosen = scan_all
        ? tickers.filter(({ volume24hKrw }) => volume24hKrw >= liquidKrw)
        : yield* watchlist(tickers)
      const rows = chosen.map((ticker) => rowOf(ticker, usdKrw, usdtKrw))
      if (scan_all) rows.sort((a, b) => Math.abs(b.premium_pct) - Math.abs(a.premium_pct))
      if (rows.length > top) notes.push(`${top} of ${rows.length} markets are shown; raise \`top\` for more.`)
      return { rows: rows.slice(0, top), scanned: chosen.length, ...provenance }
    })
  })
)
