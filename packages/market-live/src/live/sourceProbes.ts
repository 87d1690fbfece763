import { dayMs, hourMs, SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Option } from "effect"
import { BeaSchedule } from "../bea/BeaSchedule.ts"
import { Bithumb } from "../bithumb/Bithumb.ts"
import { BlsSchedule } from "../bls/BlsSchedule.ts"
import { CoinGecko } from "../coinGecko/CoinGecko.ts"
import { CoinPaprika } from "../coinPaprika/CoinPaprika.ts"
import type { CoinList } from "../coins/CoinList.ts"
import { type SpotVenue, trackedCoins } from "../collect/index.ts"
import { DefiLlama } from "../defiLlama/DefiLlama.ts"
import { Deribit, DeribitHistory } from "../deribit/Deribit.ts"
import { deribitBook, deribitCoins } from "../deribit/instruments.ts"
import { coinTokens, tradedContract } from "../dex/coinTokens.ts"
import type { TokenSource } from "../dex/TokenSource.ts"
import { DexScreener } from "../dexScreener/DexScreener.ts"
import { Ecos } from "../ecos/Ecos.ts"
import { EdgarArchives } from "../edgar/EdgarArchives.ts"
import { EdgarData } from "../edgar/EdgarData.ts"
import { yahooVariable } from "../equities/joinedEquityMarkets.ts"
import { FedCalendar } from "../federalReserve/FedCalendar.ts"
import { GeckoTerminal } from "../geckoTerminal/GeckoTerminal.ts"
import type { KrwSource } from "../korea/KrwSource.ts"
import type { EventSource } from "../macro/EventSource.ts"
import { NewsFeeds } from "../news/NewsFeeds.ts"
import { OpenDart } from "../openDart/OpenDart.ts"
import { notConfigured } from "../source/index.ts"
import { Upbit } from "../upbit/Upbit.ts"
import { TreasuryAuctions } from "../usTreasury/TreasuryAuctions.ts"
import { TreasuryYields } from "../usTreasury/TreasuryYields.ts"
import { Yahoo, yahooName } from "../yahoo/Yahoo.ts"
import { CoinVenues } from "./CoinVenues.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import type { Probe } from "./Probe.ts"
import { yahooProbes } from "./stocks.ts"

const countOne = (value: object | null) => value === null ? 0 : 1

const tokenSourceProbes = (source: TokenSource): ReadonlyArray<Probe> => {
  const place = tradedContract(coinTokens.find(({ coin }) => coin === "ETH")!)!
  return [
    { label: "search", fetch: Effect.map(source.search("pepe"), ({ value }) => value.length) },
    { label: "a token", fetch: Effect.map(source.token(place), ({ value }) => countOne(value)) },
    { label: "pools", fetch: Effect.map(source.pools({ ...place, limit: 3 }), ({ value }) => value?.length ?? 0) },
    ...(source.facts === undefined
      ? []
      : [{ label: "token data", fetch: Effect.map(source.facts(place), ({ value }) => countOne(value)) }])
  ].map((probe) => ({ source: source.source, ...probe }))
}

export const tokenProbes = Effect.map(
  Effect.all([GeckoTerminal, DexScreener]),
  (sources) => sources.flatMap(tokenSourceProbes)
)

/** Companies that are likely to stay listed: Apple and Samsung Electronics. */
const apple = "AAPL"
const samsung = "005930"

const notListed = new SourceUnavailable({
  source: "edgar",
  failure: "malformed",
  reason: `its list of companies lacks ${apple}`,
  retryable: false
})

const edgarProbes = Effect.gen(function*() {
  const [archives, data] = yield* Effect.all([EdgarArchives, EdgarData])
  const withAppleCik = <A>(fetch: (cik: number) => Effect.Effect<A, SourceUnavailable>) =>
    Effect.flatMap(archives.registrants, ({ value }) => {
      const cik = value.find(({ symbol }) => symbol === apple)?.cik
      return cik === undefined ? Effect.fail(notListed) : fetch(cik)
    })
  const form4 = withAppleCik(Effect.fnUntraced(function*(cik) {
    const { value } = yield* data.submissions(cik)
    const newest = value.find(({ form }) => form === "4")
    if (newest === undefined) return 0
    const { value: { ownershipDocument } } = yield* archives.form4(cik, newest)
    return ownershipDocument.reportingOwner.length
  }))
  const probes: ReadonlyArray<Probe> = [
    { source: "edgar", label: "tickers", fetch: Effect.map(archives.registrants, ({ value }) => value.length) },
    {
      source: "edgar",
      label: "submissions",
      fetch: Effect.map(withAppleCik(data.submissions), ({ value }) => value.length)
    },
    { source: "edgar", label: "form 4", fetch: form4 },
    {
      source: "edgar",
      label: "company facts",
      fetch: Effect.map(withAppleCik(data.facts), ({ value }) => Object.keys(value?.flows ?? {}).length)
    }
  ]
  return probes
})

export const governmentProbes = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const [treasury, ecos, dart] = yield* Effect.all([TreasuryYields, Ecos, OpenDart])
  const month = { from: now - 30 * dayMs, to: now }
  const date = new Date(month.from)
  const calendars: ReadonlyArray<readonly [source: string, what: string, events: EventSource]> = [
    ["us_treasury", "auctions", yield* TreasuryAuctions],
    ["federal_reserve", "calendar", yield* FedCalendar],
    ["bls", "release schedule", yield* BlsSchedule],
    ["bea", "release dates", yield* BeaSchedule]
  ]
  const probes: ReadonlyArray<Probe> = [
    ...(yield* edgarProbes),
    ...calendars.map(([source, label, { events }]): Probe => ({
      source,
      label,
      fetch: Effect.map(events(month), ({ value }) => value.length)
    })),
    {
      source: "us_treasury",
      label: "yield curves",
      fetch: Effect.map(treasury.month(date.getUTCFullYear(), date.getUTCMonth() + 1), ({ value }) => value.length)
    },
    { source: "ecos", label: "bond yields", fetch: Effect.map(ecos.yields(month), ({ value }) => value.length) },
    { source: "ecos", label: "base rate", fetch: Effect.map(ecos.baseRate(month), ({ value }) => value.length) },
    { source: "opendart", label: "companies", fetch: Effect.map(dart.companies, ({ value }) => value.size) },
    {
      source: "opendart",
      label: "filings",
      fetch: Effect.flatMap(dart.companies, ({ value }) =>
        Effect.map(
          dart.page({ corpCode: value.get(samsung)?.corpCode ?? "", ...month, page: 1 }),
          (page) => page.value.filings.length
        ))
    }
  ]
  return probes
})

const pastIntervalMs = 3_600_000

const venueProbes = (venue: SpotVenue, coin: string, now: number): ReadonlyArray<Probe> => {
  const { name: source } = venue
  const symbol = venue.symbolOf(coin)
  const past = { symbol, interval: "5m", from: now - pastIntervalMs, to: now } as const
  return [
    { source, label: "spot markets", fetch: Effect.map(venue.markets, ({ rows }) => rows.length) },
    {
      source,
      label: `spot candles of ${coin}`,
      fetch: Effect.map(venue.candles(past), ({ value }) => value?.length ?? 0)
    },
    {
      source,
      label: `24-hour ticker of ${coin}`,
      fetch: Effect.map(venue.tickers([{ coin, symbol }]), (all) => all.length)
    }
  ]
}

const exchangeProbes = (source: string, krw: KrwSource, now: number): ReadonlyArray<Probe> => {
  const past = { coin: "BTC", length: "5m", from: now - pastIntervalMs, to: now } as const
  return [
    { source, label: "markets in won", fetch: Effect.map(krw.markets, ({ value }) => value.length) },
    { source, label: "prices in won", fetch: Effect.map(krw.tickers(["BTC"]), ({ value }) => value.length) },
    {
      source,
      label: "candles in won",
      fetch: Effect.map(krw.candles(past), ({ value }) => value?.candles.length ?? 0)
    }
  ]
}

const coinListProbes = (source: string, list: CoinList, coin: string): ReadonlyArray<Probe> => [
  { source, label: "the whole market", fetch: Effect.as(list.total, 1) },
  { source, label: "supplies", fetch: Effect.map(list.coins([coin]), ({ value }) => value.length) }
]

const feedProbes = Effect.map(NewsFeeds, (feeds) =>
  feeds.map(({ feed, items }): Probe => ({
    source: "news",
    label: feed.name,
    fetch: Effect.map(items, ({ value }) => value.items.length)
  })))

/** The probe that reports Yahoo as not configured, unless the operator has enabled Yahoo. */
const missingYahooProbes: Effect.Effect<ReadonlyArray<Probe>> = Effect.map(
  Effect.serviceOption(Yahoo),
  (found) =>
    Option.isSome(found) ? [] : [{
      source: yahooName,
      label: "stocks",
      fetch: Effect.fail(notConfigured(yahooName, yahooVariable, "your confirmation that only you read its data"))
    }]
)

export const replacementProbes = Effect.fnUntraced(function*({ coins = trackedCoins }: LiveSettings) {
  const coin = coins[0]?.coin ?? "BTC"
  const now = yield* Clock.currentTimeMillis
  const llama = yield* DefiLlama
  return [
    ...(yield* CoinVenues).flatMap(({ spot }) => venueProbes(spot, coin, now)),
    ...exchangeProbes("upbit", yield* Upbit, now),
    ...exchangeProbes("bithumb", yield* Bithumb, now),
    ...coinListProbes("coinpaprika", yield* CoinPaprika, coin),
    ...coinListProbes("coingecko", yield* CoinGecko, coin),
    {
      source: "defillama",
      label: "stablecoins",
      fetch: Effect.map(llama.stablecoinFlows(1), ({ value }) => value.length).pipe(
        // DefiLlama returns the data or is unavailable, so any other error is a bug.
        Effect.catchTags({ NoData: Effect.die, UnknownSymbol: Effect.die })
      )
    },
    ...(yield* feedProbes),
    ...(yield* missingYahooProbes)
  ]
})

/** Test requests for data that tools request on demand and that no collector requests. */
export const onDemandProbes = Effect.gen(function*() {
  const [deribit, archive, now] = yield* Effect.all([Deribit, DeribitHistory, Clock.currentTimeMillis])
  const btc = deribitBook("BTC")!
  const chains = deribitCoins.map((coin): Probe => ({
    source: "deribit",
    label: `options on ${coin}`,
    fetch: Effect.map(deribit.chain(deribitBook(coin)!), ({ value }) => value?.expiries.length ?? 0)
  }))
  const others: ReadonlyArray<Probe> = [
    {
      source: "deribit",
      label: "dated futures",
      fetch: Effect.map(deribit.futures(btc), ({ value }) => value.length)
    },
    {
      source: "deribit",
      label: "option trades",
      fetch: Effect.map(
        deribit.trades({ book: btc, from: now - hourMs, to: now, limit: 100 }),
        ({ value }) => value.length
      )
    },
    {
      source: "deribit",
      label: "archived option trades",
      fetch: Effect.map(
        archive.trades({ book: btc, from: now - 2 * dayMs, to: now - 2 * dayMs + hourMs, limit: 100 }),
        ({ value }) => value.length
      )
    }
  ]
  const lists = yield* Effect.all([tokenProbes, governmentProbes, yahooProbes])
  return [...chains, ...others, ...lists.flat()]
})
