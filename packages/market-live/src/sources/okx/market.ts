/**
 * OKX's market data, without a key: spot markets, candles and the last 24 hours. For contracts with margin in a
 * stablecoin: funding, marks, open interest, account ratios and taker flow. One stablecoin counts as one dollar.
 */
import {
  type Candle,
  dayMs,
  type FundingPrint,
  type Interval,
  type OrderBook,
  type SourceUnavailable,
  type TakerFlow,
  type Ticker
} from "@tapeline/core/market"
import { Context, Effect, Layer, type Schema } from "effect"
import {
  type Answer,
  answering,
  makeSource,
  type Patience,
  presentOf,
  type Source,
  SourceHealth
} from "../../source/index.ts"
import { type AccountRatio, type OpenInterestNow, printsOf } from "../contractSeries.ts"
import { bookOf, Books } from "./books.ts"
import {
  Contracts,
  contractsOf,
  type OkxContract,
  type OkxContractKind,
  type OkxSpotMarket,
  SpotInstruments,
  spotMarketsOf,
  typeOf
} from "./instruments.ts"
import { isUnknownInstrument, refusedByOkx } from "./refusals.ts"
import {
  AccountRatioRows,
  candleLengths,
  candleOf,
  Candles,
  flowOf,
  FlowRows,
  fundingOf,
  FundingRows,
  Fundings,
  IndexPrices,
  MarkPrices,
  type OkxCandleLength,
  OpenInterestRows,
  OpenInterests,
  SpotTickers,
  stepMs,
  tickerOf
} from "./rows.ts"

/** The present funding of a contract. */
export interface OkxFunding {
  readonly contract: OkxContract
  readonly time: number
  /** The rate of the running interval. */
  readonly fundingRate: number
  readonly intervalHours: number
  readonly nextFundingAt: number
}

export interface OkxOpenInterest extends OpenInterestNow {
  readonly openInterestUsd: number
}

/** A price at a time. */
export interface OkxPrice {
  readonly time: number
  readonly price: number
}

type ContractInterval = { readonly contract: Pick<OkxContract, "symbol"> } & Interval
type Read<A> = Effect.Effect<Answer<A>, SourceUnavailable>
type BySymbol<A> = ReadonlyMap<string, A>

/**
 * Series are oldest first. They begin at the interval's beginning, and have at most as many points as one response
 * holds.
 */
export class OkxMarket extends Context.Service<OkxMarket, {
  /** Every present spot market that is quoted in `quote` (`USDT`). */
  readonly spotMarkets: (quote: string) => Read<ReadonlyArray<OkxSpotMarket>>
  /** At most 100 spot candles; null if the symbol does not exist. The running candle is not closed. */
  readonly candles: (
    query: { readonly symbol: string; readonly interval: OkxCandleLength } & Interval
  ) => Read<ReadonlyArray<Candle> | null>
  /** The latest spot order book, at most a second old; null if the symbol does not exist. */
  readonly orderBook: (symbol: string) => Read<OrderBook | null>
  /** The last 24 hours of spot markets. Markets without a price are missing. */
  readonly tickers: (markets: ReadonlyArray<Pick<OkxSpotMarket, "coin" | "symbol">>) => Read<ReadonlyArray<Ticker>>
  /** The contracts of a kind with margin in `margin` (`USDT`). */
  readonly contracts: (kind: OkxContractKind, margin: string) => Read<ReadonlyArray<OkxContract>>
  /** The present funding. Contracts without a rate or an interval are missing. */
  readonly funding: (contracts: ReadonlyArray<OkxContract>) => Read<ReadonlyArray<OkxFunding>>
  /** The open interest in coins and in dollars, by symbol. */
  readonly openInterest: (kind: OkxContractKind) => Read<BySymbol<OkxOpenInterest>>
  /** The mark prices of all contracts of a kind, by symbol. Contracts without one are missing. */
  readonly markPrices: (kind: OkxContractKind) => Read<BySymbol<OkxPrice>>
  /** The index prices in `quote` (`USDT`), by coin. */
  readonly indexPrices: (quote: string) => Read<BySymbol<OkxPrice>>
  /**
   * The payments of at most three days, from the last three months. `hoursNow` is used if there is only one payment.
   */
  readonly fundingPrints: (query: ContractInterval & { readonly hoursNow: number }) => Read<ReadonlyArray<FundingPrint>>
  /** Every five minutes, for the last five days. */
  readonly openInterestHistory: (query: ContractInterval) => Read<ReadonlyArray<OkxOpenInterest>>
  /** Every five minutes, for the last five days, of all accounts. */
  readonly accountRatios: (query: ContractInterval) => Read<ReadonlyArray<AccountRatio>>
  /** Complete buckets of five minutes, without the running one. */
  readonly takerFlow: (query: ContractInterval) => Read<ReadonlyArray<TakerFlow>>
}>()("@tapeline/market-live/OkxMarket") {}

export interface OkxMarketOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}

const mapped = <A, B>(read: Read<A>, f: (value: A, answer: Answer<A>) => B): Read<B> =>
  Effect.map(read, (answer) => answering(answer, f(answer.value, answer)))

const within = ({ from, to }: Interval) => ({ time }: { readonly time: number }): boolean => time >= from && time < to

/** The end of the interval that one response can hold. */
const untilOf = ({ from, to }: Interval, most: number, step: number): number =>
  Math.min(to, Math.ceil(from / step) * step + most * step)

const mostCandles = 100
const mostLevels = 5_000
/** One less at either end, because it is undocumented whether the bounds are inclusive. */
const mostStatistics = 98
/** With hourly payments, a response of 100 holds four days. The first payment shows the length of the intervals. */
const mostPaidMs = 3 * dayMs
/**
 * The number of recent candles, including the running one, that the first endpoint has. Older candles have another
 * endpoint.
 */
const recentCandles = 1_400

/** The rate limits are per address and endpoint. Similar endpoints share one limit here, the lowest of theirs. */
const of = (name: "candles" | "lists" | "statistics") => ({ cost: 0, costs: { [name]: 1 } })

const spotOf = ({ find, json }: Source): Pick<OkxMarket["Service"], "candles" | "spotMarkets" | "tickers"> => ({
  spotMarkets: (quote) =>
    mapped(
      json({
        what: "markets",
        path: "/api/v5/public/instruments",
        query: { instType: "SPOT" },
        schema: SpotInstruments,
        cacheMs: 60_000,
        ...of("lists")
      }),
      (value) => spotMarketsOf(value, quote)
    ),

  candles: ({ interval, symbol, ...asked }) =>
    Effect.clockWith((clock) => {
      const length = candleLengths[interval]
      const isRecent = asked.from >= clock.currentTimeMillisUnsafe() - recentCandles * length
      return mapped(
        find({
          what: "candles",
          path: isRecent ? "/api/v5/market/candles" : "/api/v5/market/history-candles",
          query: {
            instId: symbol,
            bar: interval,
            // Both bounds are exclusive.
            before: asked.from - 1,
            after: untilOf(asked, mostCandles, length),
            limit: mostCandles
          },
          schema: Candles[interval],
          absent: isUnknownInstrument,
          ...of("candles")
        }),
        (value, answer) => {
          const now = presentOf(answer)
          return value?.data.map((row) => candleOf(row, length, now)).toReversed().filter(within(asked)) ?? null
        }
      )
    }),

  tickers: (markets) =>
    mapped(
      json({
        what: "tickers",
        path: "/api/v5/market/tickers",
        query: { instType: "SPOT" },
        schema: SpotTickers,
        ...of("lists")
      }),
      ({ data }) => {
        const coins = new Map(markets.map(({ coin, symbol }) => [symbol, coin]))
        return data.flatMap((row) => {
          const coin = coins.get(row.instId)
          const told = coin === undefined ? undefined : tickerOf(coin, row)
          return told === undefined ? [] : [told]
        })
      }
    )
})

const booksOf = ({ find }: Source): Pick<OkxMarket["Service"], "orderBook"> => ({
  orderBook: (symbol) =>
    mapped(
      find({
        what: "order book",
        path: "/api/v5/market/books-full",
        query: { instId: symbol, sz: mostLevels },
        schema: Books,
        absent: isUnknownInstrument,
        ...of("lists")
      }),
      (value) => value === null ? null : bookOf(value, mostLevels)
    )
})

type NowName = "contracts" | "funding" | "indexPrices" | "markPrices" | "openInterest"

const bySymbol = <A extends { readonly instId: string }, B>(
  { data }: { readonly data: ReadonlyArray<A> },
  f: (row: A) => B | undefined
): BySymbol<B> =>
  new Map(data.flatMap((row) => {
    const one = f(row)
    return one === undefined ? [] : [[row.instId, one] as const]
  }))

const priceOf = (price: number | "", time: number): OkxPrice | undefined =>
  price !== "" && price > 0 ? { time, price } : undefined

const nowOf = ({ json }: Source): Pick<OkxMarket["Service"], NowName> => {
  const list = <A>(what: string, path: string, query: Readonly<Record<string, string>>, schema: Schema.Decoder<A>) =>
    json({ what, path, query, schema, ...of("lists") })
  return {
    contracts: (kind, margin) =>
      mapped(
        json({
          what: "contracts",
          path: "/api/v5/public/instruments",
          query: { instType: typeOf(kind) },
          schema: Contracts,
          cacheMs: 60_000,
          ...of("lists")
        }),
        (value) => contractsOf(value, kind, margin)
      ),
    funding: (contracts) =>
      mapped(list("funding", "/api/v5/public/funding-rate", { instId: "ANY" }, Fundings), (value) => {
        const found = bySymbol(value, fundingOf)
        return contracts.flatMap((contract) => {
          const funding = found.get(contract.symbol)
          return funding === undefined ? [] : [{ contract, ...funding }]
        })
      }),
    openInterest: (kind) =>
      mapped(
        list("open interest", "/api/v5/public/open-interest", { instType: typeOf(kind) }, OpenInterests),
        (value) =>
          bySymbol(value, ({ oiCcy: openInterest, oiUsd: openInterestUsd, ts: time }) =>
            openInterest === "" || openInterestUsd === "" ? undefined : { time, openInterest, openInterestUsd })
      ),
    markPrices: (kind) =>
      mapped(
        list("marks", "/api/v5/public/mark-price", { instType: typeOf(kind) }, MarkPrices),
        (value) => bySymbol(value, ({ markPx, ts }) => priceOf(markPx, ts))
      ),
    indexPrices: (quote) =>
      mapped(list("indices", "/api/v5/market/index-tickers", { quoteCcy: quote }, IndexPrices), (value) => {
        const end = `-${quote}`
        const found = bySymbol(value, ({ idxPx, ts }) => priceOf(idxPx, ts))
        return new Map(
          Array.from(found, ([name, one]) => [name, one] as const)
            .flatMap(([name, one]) => name.endsWith(end) ? [[name.slice(0, -end.length), one] as const] : [])
        )
      })
  }
}

const statistics = (name: string, { contract, ...interval }: ContractInterval) => ({
  path: `/api/v5/rubik/stat/${name}`,
  query: {
    instId: contract.symbol,
    period: "5m",
    begin: interval.from - 1,
    end: untilOf(interval, mostStatistics, stepMs),
    limit: 100
  },
  ...of("statistics")
})

type SeriesName = "accountRatios" | "fundingPrints" | "openInterestHistory" | "takerFlow"

const seriesOf = ({ json }: Source): Pick<OkxMarket["Service"], SeriesName> => ({
  fundingPrints: ({ contract, from, hoursNow, to }) =>
    mapped(
      json({
        what: "funding payments",
        path: "/api/v5/public/funding-rate-history",
        query: {
          instId: contract.symbol,
          before: Math.max(0, from - dayMs) - 1,
          after: Math.min(to, from + mostPaidMs),
          limit: 100
        },
        schema: FundingRows,
        ...of("lists")
      }),
      ({ data }) =>
        printsOf(
          data.map(({ fundingTime, realizedRate: fundingRate }) => ({ fundingRate, fundingTime })).toReversed(),
          hoursNow
        ).filter(within({ from, to }))
    ),

  openInterestHistory: (query) =>
    mapped(
      json({
        what: "open interest",
        ...statistics("contracts/open-interest-history", query),
        schema: OpenInterestRows
      }),
      ({ data }) =>
        data.map(([time, , openInterest, openInterestUsd]) => ({ time, openInterest, openInterestUsd }))
          .toReversed().filter(within(query))
    ),

  accountRatios: (query) =>
    mapped(
      json({
        what: "account ratios",
        ...statistics("contracts/long-short-account-ratio-contract", query),
        schema: AccountRatioRows
      }),
      ({ data }) => data.map(([time, longShortRatio]) => ({ time, longShortRatio })).toReversed().filter(within(query))
    ),

  takerFlow: (query) => {
    const { query: asked, ...rest } = statistics("taker-volume-contract", query)
    return mapped(
      // In dollars.
      json({ what: "flow", ...rest, query: { ...asked, unit: "2" }, schema: FlowRows }),
      ({ data }, answer) => {
        const present = presentOf(answer)
        return data.map(flowOf).toReversed().filter(within(query)).filter(({ time }) => time + stepMs <= present)
      }
    )
  }
})

const overSource = (source: Source): OkxMarket["Service"] => ({
  ...spotOf(source),
  ...booksOf(source),
  ...nowOf(source),
  ...seriesOf(source)
})

/**
 * OKX allows per address and two seconds: candles 20 and 40, lists 10 and 20, statistics 5. Some are left to others.
 */
const limits = [
  { name: "candles", weight: 15, windowMs: 2_000 },
  { name: "lists", weight: 8, windowMs: 2_000 },
  { name: "statistics", weight: 4, windowMs: 2_000 }
]

export const layerOkxMarket = (
  { baseUrl = "https://openapi.okx.com", patience = {} }: OkxMarketOptions = {}
): Layer.Layer<OkxMarket, never, SourceHealth> =>
  Layer.effect(
    OkxMarket,
    Effect.map(
      makeSource({ name: "okx", part: "market", baseUrl, limits, refusedInBody: refusedByOkx, patience }),
      overSource
    )
  )
