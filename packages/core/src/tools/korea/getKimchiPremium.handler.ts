import { ivPercentile } from "@tapeline/quant/options"
import { Clock, Effect } from "effect"
import { staleAmong, staleNotes } from "../../analysis/stale.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { ExchangeRates } from "../../market/ExchangeRates.ts"
import { type FxRate, isDailyRate, type KrwTicker } from "../../market/korea.ts"
import { KoreanCoinMarkets } from "../../market/KoreanCoinMarkets.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { type Reading, reading, sourcesOf } from "../../market/reading.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { dailyRateNotes } from "./dailyRate.ts"
import { getKimchiPremium } from "./getKimchiPremium.ts"
import { legsOf, noLegs } from "./legs.ts"

/** How long a market counts as a fresh listing. In the first half of this time, its premium is least reliable. */
const freshMs = 48 * hourMs
const rawMs = 24 * hourMs
/** Daily turnover in KRW. Below the first value a market is illiquid; below the second it is thin. */
const liquidKrw = 1e9
const deepKrw = 1e10
const historyHours = 48

type Reliability = "high" | "medium" | "low"

/** The exchange rates that all rows use. */
interface Rates {
  readonly ofUsd: Reading<FxRate>
  readonly usdtKrw: FxRate
}

/** Returns the reliability by the age of a listing; undefined if the listing is not fresh. */
const freshReliability = (age: number): Reliability | undefined =>
  age < rawMs ? "low" : age < freshMs ? "medium" : undefined

const ageOf = ({ listedAt, time }: KrwTicker): number | null => listedAt === null ? null : time - listedAt

const reliabilityOf = (ticker: KrwTicker, ofUsd: Reading<FxRate>): Reliability => {
  const age = ageOf(ticker)
  // A market of unknown age may be fresh.
  const fresh = age === null ? "medium" : freshReliability(age)
  if (fresh === "low" || ticker.volume24hKrw < liquidKrw) return "low"
  const roughRate = isDailyRate(ofUsd) || ticker.time - ofUsd.value.quotedAt > dayMs
  return fresh === "medium" || ticker.volume24hKrw < deepKrw || roughRate ? "medium" : "high"
}

const rowOf = (ticker: KrwTicker, { ofUsd, usdtKrw }: Rates) => {
  const { krwPrice, usdtPrice } = ticker
  const usdKrw = ofUsd.value
  const age = ageOf(ticker)
  return {
    coin: ticker.coin,
    exchange: ticker.exchange,
    ...(usdtPrice === null
      ? noLegs
      : legsOf({ krwPrice, usdtPrice, usdtKrw: usdtKrw.rate, usdKrw: usdKrw.rate })),
    krw_price: krwPrice,
    usd_price: usdtPrice,
    fx: usdKrw.rate,
    usdt_krw: usdtKrw.rate,
    volume_24h_krw: ticker.volume24hKrw,
    listed_at: ticker.listedAt === null ? null : instant(ticker.listedAt),
    is_new_listing: age === null ? null : age < freshMs,
    reliability: reliabilityOf(ticker, ofUsd)
  }
}
type Row = ReturnType<typeof rowOf>

/** Returns each coin's market with the largest volume. The tickers are sorted by volume. */
const mainMarkets = (tickers: ReadonlyArray<KrwTicker>): ReadonlyArray<KrwTicker> => {
  const seen = new Set<string>()
  return tickers.filter(({ coin }) => !seen.has(coin) && seen.add(coin))
}

/** Returns notes on values that the rows lack, and why. */
const notesOn = (rows: ReadonlyArray<Row>, newest: number, { ofUsd }: Rates): ReadonlyArray<string> => {
  const isDaily = isDailyRate(ofUsd)
  const dollar = isDaily ? "the reference dollar" : "the interbank dollar"
  const notes = [
    `The currency leg is USDT's won price over ${dollar}; legs are logarithmic shares of the premium.`,
    ...dailyRateNotes(ofUsd, "the premium and its currency leg are off by")
  ]
  if (!isDaily && newest - ofUsd.value.quotedAt > dayMs) {
    notes.push("The interbank market is closed: fx is its last rate.")
  }
  const unquoted = rows.filter(({ usd_price }) => usd_price === null).map(({ coin }) => coin)
  if (unquoted.length > 0) {
    notes.push(`Nobody quotes these against USDT now, so without a premium: ${unquoted.join(", ")}.`)
  }
  const ageless = rows.filter(({ listed_at }) => listed_at === null).map(({ coin }) => coin)
  if (ageless.length > 0) notes.push(`It is not known when these were listed: ${ageless.join(", ")}.`)
  return notes
}

const strength = ({ premium_pct }: Row): number => premium_pct === null ? -1 : Math.abs(premium_pct)

/** Returns the last full hours of one market for which all parts of the premium are known. */
const historyOf = Effect.fnUntraced(function*(
  markets: KoreanCoinMarkets["Service"],
  { coin, exchange, listedAt }: KrwTicker
) {
  const now = yield* Clock.currentTimeMillis
  const last = Math.floor(now / hourMs) * hourMs
  const query = { coin, exchange, from: last - (historyHours - 1) * hourMs, to: last + 1, stepMs: hourMs }
  const { sources, points } = yield* markets.history(query).pipe(
    Effect.map(({ sources, value }) => ({ sources, points: value.points })),
    Effect.catchTag("NoData", () => Effect.succeed({ sources: [], points: [] }))
  )
  const rows = points.flatMap((point) => {
    const { krwPrice, usdKrw, usdtKrw, usdtPrice } = point
    if (usdKrw === null || usdtKrw === null || usdtPrice === null) return []
    const reliability = listedAt === null ? undefined : freshReliability(point.time - listedAt)
    return [{
      time: instant(point.time),
      ...legsOf({ krwPrice, usdtPrice, usdtKrw, usdKrw }),
      ...(reliability === undefined ? {} : { reliability })
    }]
  })
  return reading(rows, sources, now)
})

/** The times among which a premium is ranked: `rankedDays` days in steps of `rankedMs`. */
const rankedDays = 30
const rankedMs = 4 * hourMs
/** The minimum number of values for a rank. */
const leastRanked = 20

/** Adds to each row the rank of its premium among those of its own market in the last days. */
const ranked = Effect.fnUntraced(function*(
  markets: KoreanCoinMarkets["Service"],
  rows: ReadonlyArray<Row>,
  now: number
) {
  const last = Math.floor(now / rankedMs) * rankedMs
  return yield* Effect.forEach(rows, (row) => {
    const { coin, exchange, premium_pct } = row
    const query = { coin, exchange, from: last - rankedDays * dayMs, to: last + 1, stepMs: rankedMs }
    return markets.history(query).pipe(
      Effect.map(({ value }) => value.points),
      Effect.catchTag("NoData", () => Effect.succeed([])),
      Effect.map((points) => {
        const premiums = points.flatMap(({ krwPrice, usdKrw, usdtKrw, usdtPrice }) =>
          usdKrw === null || usdtKrw === null || usdtPrice === null
            ? []
            : [legsOf({ krwPrice, usdtPrice, usdtKrw, usdKrw }).premium_pct]
        )
        const n = premiums.length
        const percentile = premium_pct === null || n < leastRanked ? null : ivPercentile(premium_pct, premiums)
        return { ...row, premium_percentile: percentile, percentile_n: n }
      })
    )
  })
})

/** Returns fresh listings, newest first, then the largest coins. */
const watchlist = (
  markets: ReadonlyArray<KrwTicker>,
  coins: Effect.Success<CoinPrices["Service"]["coins"]>
): ReadonlyArray<KrwTicker> => {
  const rank = new Map(coins.value.filter((coin) => !coin.isStablecoin).map(({ coin }, i) => [coin, i]))
  const isFresh = (ticker: KrwTicker): boolean => (ageOf(ticker) ?? Infinity) < freshMs
  return [
    ...markets.filter(isFresh).sort((a, b) => ageOf(a)! - ageOf(b)!),
    ...markets.filter((ticker) => !isFresh(ticker) && rank.has(ticker.coin)).sort((a, b) =>
      rank.get(a.coin)! - rank.get(b.coin)!
    )
  ]
}

const noneOpen = new NoData({ subject: "KRW markets", reason: { key: "none_krw_market_open" } })

export const handler = handlerOf(
  getKimchiPremium,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const markets = yield* KoreanCoinMarkets
    const exchangeRates = yield* ExchangeRates

    const one = Effect.fnUntraced(function*(
      coin: string,
      tickers: ReadonlyArray<KrwTicker>,
      rates: Rates,
      stood: readonly [Reading<unknown>, ...ReadonlyArray<Reading<unknown>>]
    ) {
      const ticker = tickers.find((ticker) => ticker.coin === coin)
      if (ticker === undefined) {
        return yield* new NoData({
          subject: `${coin} against KRW`,
          reason: { key: "none_on_krw_market", params: { coin } }
        })
      }
      const [ofTickers, ...ofRates] = stood
      const history = yield* historyOf(markets, ticker)
      const rows = yield* ranked(markets, [rowOf(ticker, rates)], yield* Clock.currentTimeMillis)
      const notes = [...notesOn(rows, ticker.time, rates)]
      if (history.value.length < historyHours) {
        notes.push(
          `Only ${history.value.length} of the last ${historyHours} hours exist: this market is younger, or was not recorded.`
        )
      }
      return {
        rows,
        scanned: 1,
        history: history.value,
        notes,
        // The time of this market, even if other markets are newer.
        ...provenanceOf({ ...ofTickers, asOf: ticker.time }, ...ofRates),
        source: sourceOf(history, { sources: sourcesOf(stood) })
      }
    })

    return Effect.fnUntraced(function*({ coin, scan_all, top }) {
      const ofTickers = yield* markets.tickers
      const tickers = mainMarkets(ofTickers.value)
      // Some coins trade only in Korea.
      if (coin !== undefined && !tickers.some((one) => one.coin === coin)) yield* prices.coin(coin)
      const newest = tickers[0]
      if (newest === undefined) return yield* noneOpen
      const ofUsd = yield* exchangeRates.rate({ pair: "usd_krw" })
      const ofUsdt = yield* exchangeRates.rate({ pair: "usdt_krw" })
      const rates = { ofUsd, usdtKrw: ofUsdt.value }
      if (coin !== undefined) return yield* one(coin, tickers, rates, [ofTickers, ofUsd, ofUsdt])
      const chosen = scan_all
        ? tickers.filter(({ volume24hKrw }) => volume24hKrw >= liquidKrw)
        : watchlist(tickers, yield* prices.coins)
      const rows = chosen.map((ticker) => rowOf(ticker, rates))
      if (scan_all) rows.sort((a, b) => strength(b) - strength(a))
      const shown = rows.slice(0, top)
      const stale = new Set(staleAmong(tickers))
      const notes = [
        ...notesOn(shown, newest.time, rates),
        ...staleNotes(shown.map(({ coin }) => coin).filter((coin) => stale.has(coin)))
      ]
      if (rows.length > top) notes.push(`${top} of ${rows.length} markets are shown; raise \`top\` for more.`)
      return {
        rows: yield* ranked(markets, shown, yield* Clock.currentTimeMillis),
        scanned: chosen.length,
        notes,
        ...provenanceOf(ofTickers, ofUsd, ofUsdt)
      }
    })
  })
)
