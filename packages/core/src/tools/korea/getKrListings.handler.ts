import { Clock, Effect } from "effect"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import type { UnknownSymbol } from "../../market/errors.ts"
import { ExchangeRates } from "../../market/ExchangeRates.ts"
import type { FxPair, FxRate, KrwListing, KrwTicker } from "../../market/korea.ts"
import { KoreanCoinMarkets } from "../../market/KoreanCoinMarkets.ts"
import { readOptional, unavailableNote } from "../../market/optionalRead.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { makeReading, type Reading } from "../../market/reading.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getKrListings } from "./getKrListings.ts"
import { makeDailyRateNotes, splitPremium } from "./premium.ts"

const shownDays = 14
const maxListings = 10
/** The numbers of hours after a listing at which the premium is reported. The premium moves most in the first hours. */
const pathHours = [0, 1, 2, 4, 8, 16, 24, 48, 72]

type Row = typeof getKrListings["result"]["Type"]["listings"][number]

const makeNotes = (
  rows: ReadonlyArray<Row>,
  { exchange, inferredListings, openedCount, usdReading }: {
    readonly exchange: string | undefined
    readonly openedCount: number
    readonly inferredListings: ReadonlyArray<KrwListing>
    /** The exchange rate of the dollar; null if the rate of the dollar or the price of USDT is unknown. */
    readonly usdReading: Reading<FxRate> | null
  }
): ReadonlyArray<string> => {
  const notes: Array<string> = []
  // A coin may have several KRW markets, of which only some lack a value.
  const addCoinNote = (
    text: string,
    coinsWithout: ReadonlyArray<{ readonly coin: string; readonly exchange: string }>
  ): void => {
    if (coinsWithout.length === 0) return
    notes.push(`${text}: ${coinsWithout.map(({ coin, exchange }) => `${coin} on ${exchange}`).join(", ")}.`)
  }
  if (openedCount === 0) {
    notes.push(
      `No KRW market has opened${exchange === undefined ? "" : ` on ${exchange}`} in the last ${shownDays} days.`
    )
  }
  if (openedCount > maxListings) {
    notes.push(
      `The newest ${maxListings} of ${formatCount(openedCount, "market")} opened in ${shownDays} days are listed.`
    )
  }
  addCoinNote(
    "The exchange does not report the opening time, so listed_at is the time of the first trade",
    inferredListings
  )
  if (usdReading !== null) {
    if (rows.length > 0) notes.push(...makeDailyRateNotes(usdReading, "premiums do not include"))
    addCoinNote(
      "No current premium because one side is closed or not quoted",
      rows.filter(({ premium_now_pct }) => premium_now_pct === null)
    )
  }
  addCoinNote(
    "No premium path because no hour has records of both sides",
    rows.filter(({ premium_path }) => premium_path.length === 0)
  )
  return notes
}

interface Rates {
  readonly usd: Reading<FxRate>
  readonly usdt: Reading<FxRate>
}

/** Returns the current premium of a market, in percent, or null if a part of the premium is unknown. */
const computePremium = (ticker: KrwTicker | undefined, rates: Rates | null): number | null => {
  if (ticker === undefined || ticker.usdtPrice === null || rates === null) return null
  const { krwPrice, usdtPrice } = ticker
  return splitPremium({ krwPrice, usdtPrice, usdtKrw: rates.usdt.value.rate, usdKrw: rates.usd.value.rate }).premium_pct
}

/** The current exchange rate, or null with notes that explain the missing rate. */
interface CurrentRate {
  readonly reading: Reading<FxRate> | null
  readonly notes: ReadonlyArray<string>
}

const readCurrentRate = (rates: ExchangeRates["Service"], pair: FxPair): Effect.Effect<CurrentRate, UnknownSymbol> => {
  const consequence = `without the current ${pair}, premium_now_pct is null`
  return readOptional(rates.rate({ pair })).pipe(
    Effect.map(({ error, reading }): CurrentRate => ({
      reading,
      notes: error === null ? [] : [unavailableNote(error, consequence)]
    })),
    Effect.catchTag(
      "NoData",
      () => Effect.succeed<CurrentRate>({ reading: null, notes: [`No rate is recorded: ${consequence}.`] })
    )
  )
}

export const handler = handlerOf(
  getKrListings,
  Effect.gen(function*() {
    const markets = yield* KoreanCoinMarkets
    const exchangeRates = yield* ExchangeRates

    /** Returns the premiums of a listing after each number of hours in `pathHours`. */
    const readPremiumPath = Effect.fnUntraced(
      function*({ coin, delistedAt, exchange, listedAt }: KrwListing, now: number) {
        const first = Math.ceil(listedAt / hourMs) * hourMs
        const to = Math.min(now, delistedAt ?? Infinity, first + pathHours.at(-1)! * hourMs) + 1
        const { sources, value } = yield* markets.history({ coin, exchange, from: first, to, stepMs: hourMs }).pipe(
          Effect.map(({ sources, value }) => ({ sources, value: value.points })),
          Effect.catchTag("NoData", () => Effect.succeed({ sources: [], value: [] }))
        )
        const points = value.flatMap(({ krwPrice, time, usdKrw, usdtKrw, usdtPrice }) => {
          const hours_since = Math.floor((time - listedAt) / hourMs)
          if (!pathHours.includes(hours_since) || usdKrw === null || usdtKrw === null || usdtPrice === null) return []
          const { premium_pct } = splitPremium({ krwPrice, usdtPrice, usdtKrw, usdKrw })
          return [{ hours_since, time: formatInstant(time), premium_pct }]
        })
        return makeReading(points, sources, now)
      }
    )

    return Effect.fnUntraced(function*({ exchange: requestedExchange }) {
      const now = yield* Clock.currentTimeMillis
      const listingReading = yield* markets.listings({ from: now - shownDays * dayMs, to: now + 1 })
      const tickers = yield* markets.tickers
      const usd = yield* readCurrentRate(exchangeRates, "usd_krw")
      const usdt = yield* readCurrentRate(exchangeRates, "usdt_krw")
      const rates = usd.reading === null || usdt.reading === null ? null : { usd: usd.reading, usdt: usdt.reading }
      const rateReadings = rates === null ? [] : [rates.usd, rates.usdt]
      const newest = listingReading.value.toReversed().filter(({ exchange }) =>
        requestedExchange === undefined || exchange === requestedExchange
      )
      const shownListings = newest.slice(0, maxListings)
      const paths = yield* Effect.forEach(shownListings, (listing) => readPremiumPath(listing, now))
      const rows = shownListings.map((listing, i) => {
        const { coin, delistedAt, exchange, listedAt } = listing
        const ticker = tickers.value.find((candidate) => candidate.coin === coin && candidate.exchange === exchange)
        return {
          coin,
          exchange,
          listed_at: formatInstant(listedAt),
          hours_since: (now - listedAt) / hourMs,
          delisted_at: delistedAt === null ? null : formatInstant(delistedAt),
          krw_price: ticker?.krwPrice ?? null,
          volume_24h_krw: ticker?.volume24hKrw ?? null,
          premium_now_pct: computePremium(ticker, rates),
          premium_path: paths[i]!.value
        }
      })
      return {
        listings: rows,
        notes: [
          ...usd.notes,
          ...usdt.notes,
          ...makeNotes(rows, {
            exchange: requestedExchange,
            openedCount: newest.length,
            inferredListings: shownListings.filter((listing) => listing.inferred === true),
            usdReading: rates?.usd ?? null
          })
        ],
        ...provenanceOf(tickers, ...rateReadings),
        source: sourceText(listingReading, tickers, ...rateReadings, ...paths)
      }
    })
  })
)
