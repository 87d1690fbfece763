import { ivPercentile } from "@tapeline/quant/options"
import { Clock, Effect } from "effect"
import { findStaleCoins, staleNotes } from "../../analysis/staleness.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { ExchangeRates } from "../../market/ExchangeRates.ts"
import { type FxRate, isDailyRate, type KrwTicker } from "../../market/korea.ts"
import { KoreanCoinMarkets } from "../../market/KoreanCoinMarkets.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { makeReading, type Reading, sourcesOf } from "../../market/reading.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getKimchiPremium } from "./getKimchiPremium.ts"
import { makeDailyRateNotes, splitPremium, unknownLegs } from "./premium.ts"

/**
 * The age below which a market counts as a new listing. The premium of a new listing is least reliable in the first 24
 * hours.
 */
const newListingMs = 48 * hourMs
const veryNewListingMs = 24 * hourMs
/** The daily turnover in KRW below which a market is illiquid. */
const minLiquidKrw = 1e9
const minDeepKrw = 1e10
const historyHours = 48

type Reliability = "high" | "medium" | "low"

interface Rates {
  readonly usdReading: Reading<FxRate>
  readonly usdtKrw: FxRate
}

/**
 * Rates the reliability of a premium by the time since the coin's listing. Returns undefined if the coin is no new
 * listing.
 */
const newListingReliability = (age: number): Reliability | undefined =>
  age < veryNewListingMs ? "low" : age < newListingMs ? "medium" : undefined

const listingAge = ({ listedAt, time }: KrwTicker): number | null => listedAt === null ? null : time - listedAt

const rateReliability = (ticker: KrwTicker, ofUsd: Reading<FxRate>): Reliability => {
  const age = listingAge(ticker)
  // A market of unknown age may be a new listing.
  const listingReliability = age === null ? "medium" : newListingReliability(age)
  if (listingReliability === "low" || ticker.volume24hKrw < minLiquidKrw) return "low"
  const isRateImprecise = isDailyRate(ofUsd) || ticker.time - ofUsd.value.quotedAt > dayMs
  return listingReliability === "medium" || ticker.volume24hKrw < minDeepKrw || isRateImprecise ? "medium" : "high"
}

const toRow = (ticker: KrwTicker, { usdReading, usdtKrw }: Rates) => {
  const { krwPrice, usdtPrice } = ticker
  const usdKrw = usdReading.value
  const age = listingAge(ticker)
  return {
    coin: ticker.coin,
    exchange: ticker.exchange,
    ...(usdtPrice === null
      ? unknownLegs
      : splitPremium({ krwPrice, usdtPrice, usdtKrw: usdtKrw.rate, usdKrw: usdKrw.rate })),
    krw_price: krwPrice,
    usd_price: usdtPrice,
    fx: usdKrw.rate,
    usdt_krw: usdtKrw.rate,
    volume_24h_krw: ticker.volume24hKrw,
    listed_at: ticker.listedAt === null ? null : formatInstant(ticker.listedAt),
    is_new_listing: age === null ? null : age < newListingMs,
    reliability: rateReliability(ticker, usdReading)
  }
}
type Row = ReturnType<typeof toRow>

/** Returns the market with the largest volume of each coin, from tickers that are sorted by volume. */
const selectMainMarkets = (tickers: ReadonlyArray<KrwTicker>): ReadonlyArray<KrwTicker> => {
  const seenCoins = new Set<string>()
  return tickers.filter(({ coin }) => !seenCoins.has(coin) && seenCoins.add(coin))
}

const makeNotes = (rows: ReadonlyArray<Row>, newest: number, { usdReading }: Rates): ReadonlyArray<string> => {
  const isDaily = isDailyRate(usdReading)
  const dollar = isDaily ? "the reference dollar" : "the interbank dollar"
  const notes = [
    `The currency leg is USDT's KRW price over ${dollar}; the legs are logarithmic shares of the premium.`,
    ...makeDailyRateNotes(usdReading, "the premium and its currency leg do not include")
  ]
  if (!isDaily && newest - usdReading.value.quotedAt > dayMs) {
    notes.push("The interbank market is closed, so fx is its last rate.")
  }
  const unquotedCoins = rows.filter(({ usd_price }) => usd_price === null).map(({ coin }) => coin)
  if (unquotedCoins.length > 0) {
    notes.push(`No premium because there is no quote against USDT now: ${unquotedCoins.join(", ")}.`)
  }
  const coinsOfUnknownAge = rows.filter(({ listed_at }) => listed_at === null).map(({ coin }) => coin)
  if (coinsOfUnknownAge.length > 0) {
    notes.push(`Listing time unknown: ${coinsOfUnknownAge.join(", ")}.`)
  }
  return notes
}

const premiumSize = ({ premium_pct }: Row): number => premium_pct === null ? -1 : Math.abs(premium_pct)

/**
 * Returns the premium of one market at the last full hours. Hours for which a part of the premium is unknown are
 * omitted.
 */
const readHistory = Effect.fnUntraced(function*(
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
    const reliability = listedAt === null ? undefined : newListingReliability(point.time - listedAt)
    return [{
      time: formatInstant(point.time),
      ...splitPremium({ krwPrice, usdtPrice, usdtKrw, usdKrw }),
      ...(reliability === undefined ? {} : { reliability })
    }]
  })
  return makeReading(rows, sources, now)
})

/** The number of days over which a premium is ranked. */
const rankingDays = 30
const rankingStepMs = 4 * hourMs
const minRankedValues = 20

/** Adds to each row the rank of its premium among the premiums of the same market in the last 30 days. */
const addRanks = Effect.fnUntraced(function*(
  markets: KoreanCoinMarkets["Service"],
  rows: ReadonlyArray<Row>,
  now: number
) {
  const last = Math.floor(now / rankingStepMs) * rankingStepMs
  return yield* Effect.forEach(rows, (row) => {
    const { coin, exchange, premium_pct } = row
    const query = { coin, exchange, from: last - rankingDays * dayMs, to: last + 1, stepMs: rankingStepMs }
    return markets.history(query).pipe(
      Effect.map(({ value }) => value.points),
      Effect.catchTag("NoData", () => Effect.succeed([])),
      Effect.map((points) => {
        const premiums = points.flatMap(({ krwPrice, usdKrw, usdtKrw, usdtPrice }) =>
          usdKrw === null || usdtKrw === null || usdtPrice === null
            ? []
            : [splitPremium({ krwPrice, usdtPrice, usdtKrw, usdKrw }).premium_pct]
        )
        const n = premiums.length
        const percentile = premium_pct === null || n < minRankedValues ? null : ivPercentile(premium_pct, premiums)
        return { ...row, premium_percentile: percentile, percentile_n: n }
      })
    )
  })
})

/** Returns the markets of new listings, newest first, followed by the markets of the largest coins. */
const selectWatchlist = (
  markets: ReadonlyArray<KrwTicker>,
  coins: Effect.Success<CoinPrices["Service"]["coins"]>
): ReadonlyArray<KrwTicker> => {
  const rank = new Map(coins.value.filter((coin) => !coin.isStablecoin).map(({ coin }, i) => [coin, i]))
  const isNewListing = (ticker: KrwTicker): boolean => (listingAge(ticker) ?? Infinity) < newListingMs
  return [
    ...markets.filter(isNewListing).sort((a, b) => listingAge(a)! - listingAge(b)!),
    ...markets.filter((ticker) => !isNewListing(ticker) && rank.has(ticker.coin)).sort((a, b) =>
      rank.get(a.coin)! - rank.get(b.coin)!
    )
  ]
}

const noOpenMarket = new NoData({ subject: "KRW markets", reason: { key: "none_krw_market_open" } })

export const handler = handlerOf(
  getKimchiPremium,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const markets = yield* KoreanCoinMarkets
    const exchangeRates = yield* ExchangeRates

    const readOneCoin = Effect.fnUntraced(function*(
      coin: string,
      tickers: ReadonlyArray<KrwTicker>,
      rates: Rates,
      readings: readonly [Reading<unknown>, ...ReadonlyArray<Reading<unknown>>]
    ) {
      const ticker = tickers.find((ticker) => ticker.coin === coin)
      if (ticker === undefined) {
        return yield* new NoData({
          subject: `${coin} against KRW`,
          reason: { key: "none_on_krw_market", params: { coin } }
        })
      }
      const [tickerReading, ...rateReadings] = readings
      const history = yield* readHistory(markets, ticker)
      const rows = yield* addRanks(markets, [toRow(ticker, rates)], yield* Clock.currentTimeMillis)
      const notes = [...makeNotes(rows, ticker.time, rates)]
      if (history.value.length < historyHours) {
        notes.push(
          `Only ${history.value.length} of the last ${historyHours} hours exist: the market is younger, or was not recorded.`
        )
      }
      return {
        rows,
        scanned: 1,
        history: history.value,
        notes,
        // The result has the time of its market, even if other markets are newer.
        ...provenanceOf({ ...tickerReading, asOf: ticker.time }, ...rateReadings),
        source: sourceText(history, { sources: sourcesOf(readings) })
      }
    })

    return Effect.fnUntraced(function*({ coin, scan_all, top }) {
      const tickerReading = yield* markets.tickers
      const tickers = selectMainMarkets(tickerReading.value)
      // A coin that trades only in Korea is unknown to `prices`, so a coin with a won market is not looked up.
      if (coin !== undefined && !tickers.some((one) => one.coin === coin)) yield* prices.coin(coin)
      const newest = tickers[0]
      if (newest === undefined) return yield* noOpenMarket
      const usdReading = yield* exchangeRates.rate({ pair: "usd_krw" })
      const usdtReading = yield* exchangeRates.rate({ pair: "usdt_krw" })
      const rates = { usdReading: usdReading, usdtKrw: usdtReading.value }
      if (coin !== undefined) return yield* readOneCoin(coin, tickers, rates, [tickerReading, usdReading, usdtReading])
      const chosenMarkets = scan_all
        ? tickers.filter(({ volume24hKrw }) => volume24hKrw >= minLiquidKrw)
        : selectWatchlist(tickers, yield* prices.coins)
      const rows = chosenMarkets.map((ticker) => toRow(ticker, rates))
      if (scan_all) rows.sort((a, b) => premiumSize(b) - premiumSize(a))
      const shownRows = rows.slice(0, top)
      const staleCoins = new Set(findStaleCoins(tickers))
      const notes = [
        ...makeNotes(shownRows, newest.time, rates),
        ...staleNotes(shownRows.map(({ coin }) => coin).filter((coin) => staleCoins.has(coin)))
      ]
      if (rows.length > top) notes.push(`${top} of ${rows.length} markets are listed; raise \`top\` for more.`)
      return {
        rows: yield* addRanks(markets, shownRows, yield* Clock.currentTimeMillis),
        scanned: chosenMarkets.length,
        notes,
        ...provenanceOf(tickerReading, usdReading, usdtReading)
      }
    })
  })
)
