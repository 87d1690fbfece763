import { Clock, Effect } from "effect"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import type { UnknownSymbol } from "../../market/errors.ts"
import { ExchangeRates } from "../../market/ExchangeRates.ts"
import type { FxPair, FxRate, KrwListing, KrwTicker } from "../../market/korea.ts"
import { KoreanCoinMarkets } from "../../market/KoreanCoinMarkets.ts"
import { awayNote, orAway } from "../../market/orAway.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { type Reading, reading } from "../../market/reading.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { dailyRateNotes } from "./dailyRate.ts"
import { getKrListings } from "./getKrListings.ts"
import { legsOf } from "./legs.ts"

const shownDays = 14
const mostShown = 10
/** The hours after a listing for which the premium is returned. It moves most in the first hours. */
const pathHours = [0, 1, 2, 4, 8, 16, 24, 48, 72]

type Row = typeof getKrListings["result"]["Type"]["listings"][number]

const notesOf = (
  rows: ReadonlyArray<Row>,
  { exchange, inferred, opened, usd }: {
    readonly exchange: string | undefined
    readonly opened: number
    readonly inferred: ReadonlyArray<KrwListing>
    /** The dollar's rate; null if it or the rate of USDT is unknown. */
    readonly usd: Reading<FxRate> | null
  }
): ReadonlyArray<string> => {
  const notes: Array<string> = []
  // A coin may have several won markets, and one of them may lack a value.
  const tell = (said: string, without: ReadonlyArray<{ readonly coin: string; readonly exchange: string }>): void => {
    if (without.length === 0) return
    notes.push(`${said}: ${without.map(({ coin, exchange }) => `${coin} on ${exchange}`).join(", ")}.`)
  }
  if (opened === 0) {
    notes.push(
      `No won market has opened${exchange === undefined ? "" : ` on ${exchange}`} in the last ${shownDays} days.`
    )
  }
  if (opened > mostShown) {
    notes.push(`The newest ${mostShown} of ${counted(opened, "market")} opened in ${shownDays} days are shown.`)
  }
  tell("Their exchange does not tell when these opened, so listed_at is when they were first traded", inferred)
  if (usd !== null) {
    if (rows.length > 0) notes.push(...dailyRateNotes(usd, "premiums are off by"))
    tell(
      "Without a premium now, since one side is closed or not quoted",
      rows.filter(({ premium_now_pct }) => premium_now_pct === null)
    )
  }
  tell(
    "Without a premium path, since no hour of it has both sides recorded",
    rows.filter(({ premium_path }) => premium_path.length === 0)
  )
  return notes
}

interface Rates {
  readonly usd: Reading<FxRate>
  readonly usdt: Reading<FxRate>
}

/** Null if a part of the premium is unknown. */
const premiumOf = (ticker: KrwTicker | undefined, rates: Rates | null): number | null => {
  if (ticker === undefined || ticker.usdtPrice === null || rates === null) return null
  const { krwPrice, usdtPrice } = ticker
  return legsOf({ krwPrice, usdtPrice, usdtKrw: rates.usdt.value.rate, usdKrw: rates.usd.value.rate }).premium_pct
}

/** A current exchange rate, or notes that explain why there is none. */
interface RateNow {
  readonly told: Reading<FxRate> | null
  readonly notes: ReadonlyArray<string>
}

const rateNow = (rates: ExchangeRates["Service"], pair: FxPair): Effect.Effect<RateNow, UnknownSymbol> => {
  const lacks = `without ${pair} now, premium_now_pct is null`
  return orAway(rates.rate({ pair })).pipe(
    Effect.map(({ away, told }): RateNow => ({ told, notes: away === null ? [] : [awayNote(away, lacks)] })),
    Effect.catchTag("NoData", () => Effect.succeed<RateNow>({ told: null, notes: [`No rate is recorded: ${lacks}.`] }))
  )
}

export const handler = handlerOf(
  getKrListings,
  Effect.gen(function*() {
    const markets = yield* KoreanCoinMarkets
    const exchangeRates = yield* ExchangeRates

    /** Returns the premium at fixed full hours after the listing. */
    const pathOf = Effect.fnUntraced(function*({ coin, delistedAt, exchange, listedAt }: KrwListing, now: number) {
      const first = Math.ceil(listedAt / hourMs) * hourMs
      const to = Math.min(now, delistedAt ?? Infinity, first + pathHours.at(-1)! * hourMs) + 1
      const { sources, value } = yield* markets.history({ coin, exchange, from: first, to, stepMs: hourMs }).pipe(
        Effect.map(({ sources, value }) => ({ sources, value: value.points })),
        Effect.catchTag("NoData", () => Effect.succeed({ sources: [], value: [] }))
      )
      const points = value.flatMap(({ krwPrice, time, usdKrw, usdtKrw, usdtPrice }) => {
        const hours_since = Math.floor((time - listedAt) / hourMs)
        if (!pathHours.includes(hours_since) || usdKrw === null || usdtKrw === null || usdtPrice === null) return []
        const { premium_pct } = legsOf({ krwPrice, usdtPrice, usdtKrw, usdKrw })
        return [{ hours_since, time: instant(time), premium_pct }]
      })
      return reading(points, sources, now)
    })

    return Effect.fnUntraced(function*({ exchange: wanted }) {
      const now = yield* Clock.currentTimeMillis
      const listed = yield* markets.listings({ from: now - shownDays * dayMs, to: now + 1 })
      const tickers = yield* markets.tickers
      const usd = yield* rateNow(exchangeRates, "usd_krw")
      const usdt = yield* rateNow(exchangeRates, "usdt_krw")
      const rates = usd.told === null || usdt.told === null ? null : { usd: usd.told, usdt: usdt.told }
      const stood = rates === null ? [] : [rates.usd, rates.usdt]
      const newest = listed.value.toReversed().filter(({ exchange }) => wanted === undefined || exchange === wanted)
      const shown = newest.slice(0, mostShown)
      const paths = yield* Effect.forEach(shown, (listing) => pathOf(listing, now))
      const rows = shown.map((listing, i) => {
        const { coin, delistedAt, exchange, listedAt } = listing
        const ticker = tickers.value.find((one) => one.coin === coin && one.exchange === exchange)
        return {
          coin,
          exchange,
          listed_at: instant(listedAt),
          hours_since: (now - listedAt) / hourMs,
          delisted_at: delistedAt === null ? null : instant(delistedAt),
          krw_price: ticker?.krwPrice ?? null,
          volume_24h_krw: ticker?.volume24hKrw ?? null,
          premium_now_pct: premiumOf(ticker, rates),
          premium_path: paths[i]!.value
        }
      })
      return {
        listings: rows,
        notes: [
          ...usd.notes,
          ...usdt.notes,
          ...notesOf(rows, {
            exchange: wanted,
            opened: newest.length,
            inferred: shown.filter((one) => one.inferred === true),
            usd: rates?.usd ?? null
          })
        ],
        ...provenanceOf(tickers, ...stood),
        source: sourceOf(listed, tickers, ...stood, ...paths)
      }
    })
  })
)
