/** Fetches OKX's data of spot markets and stablecoin-margined contracts. One stablecoin counts as one dollar. */
import {
  type Candle,
  dayMs,
  type FundingPayment,
  type Interval,
  type OrderBook,
  type SourceUnavailable,
  type TakerFlow,
  type Ticker
} from "@tapeline/core/market"
import { Context, Effect, Layer, type Schema } from "effect"
import {
  makeSource,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceResponse,
  sourceTimeOf,
  withValue
} from "../source/index.ts"
import { type AccountRatio, type OpenInterestInCoins, toFundingPrints } from "../venues/contracts.ts"
import {
  Contracts,
  instrumentType,
  type OkxContract,
  type OkxContractKind,
  type OkxSpotMarket,
  SpotInstruments,
  toContracts,
  toSpotMarkets
} from "./instruments.ts"
import { Books, toOrderBook } from "./orderBooks.ts"
import { isUnknownInstrument, readOkxRejection } from "./rejections.ts"
import {
  AccountRatioRows,
  candleLengths,
  Candles,
  FlowRows,
  FundingRows,
  Fundings,
  IndexPrices,
  MarkPrices,
  type OkxCandleLength,
  OpenInterestRows,
  OpenInterests,
  SpotTickers,
  stepMs,
  toCandle,
  toFunding,
  toTakerFlow,
  toTicker
} from "./rows.ts"

/** The current funding rate of an OKX contract. */
export interface OkxFunding {
  readonly contract: OkxContract
  readonly time: number
  /** The funding rate of the current interval. */
  readonly fundingRate: number
  readonly intervalHours: number
  readonly nextFundingAt: number
}

export interface OkxOpenInterest extends OpenInterestInCoins {
  readonly openInterestUsd: number
}

/** A price, and the time of the price. */
export interface OkxPrice {
  readonly time: number
  readonly price: number
}

type ContractInterval = { readonly contract: Pick<OkxContract, "symbol"> } & Interval
type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>
type BySymbol<A> = ReadonlyMap<string, A>

/**
 * Provides OKX's market data API. Each method for past data sends one request, and returns the earliest rows of the
 * requested interval, oldest first.
 */
export class OkxMarket extends Context.Service<OkxMarket, {
  /** Lists every current spot market that is quoted in `quote`, for example `USDT`. */
  readonly spotMarkets: (quote: string) => Read<ReadonlyArray<OkxSpotMarket>>
  /** Fetches at most 100 spot candles, or null if the symbol does not exist. */
  readonly candles: (
    query: { readonly symbol: string; readonly interval: OkxCandleLength } & Interval
  ) => Read<ReadonlyArray<Candle> | null>
  /** Fetches the spot order book, which is at most a second old, or null if the symbol does not exist. */
  readonly orderBook: (symbol: string) => Read<OrderBook | null>
  /** Fetches the 24-hour tickers of spot markets that have a price. */
  readonly tickers: (markets: ReadonlyArray<Pick<OkxSpotMarket, "coin" | "symbol">>) => Read<ReadonlyArray<Ticker>>
  /** Lists the contracts of a kind that are margined in `margin`, for example `USDT`. */
  readonly contracts: (kind: OkxContractKind, margin: string) => Read<ReadonlyArray<OkxContract>>
  /** Fetches the current funding of contracts that have a funding rate and interval. */
  readonly funding: (contracts: ReadonlyArray<OkxContract>) => Read<ReadonlyArray<OkxFunding>>
  /** Fetches the open interest in coins and in dollars, by symbol. */
  readonly openInterest: (kind: OkxContractKind) => Read<BySymbol<OkxOpenInterest>>
  /** Fetches the mark prices of all contracts of a kind that have a mark price, by symbol. */
  readonly markPrices: (kind: OkxContractKind) => Read<BySymbol<OkxPrice>>
  /** Fetches the index prices in `quote` (for example `USDT`), by coin. */
  readonly indexPrices: (quote: string) => Read<BySymbol<OkxPrice>>
  /**
   * Fetches the funding payments of at most three days, within the last three months. `hoursNow` is the funding
   * interval in hours that is used if the response has only one payment.
   */
  readonly fundingPayments: (
    query: ContractInterval & { readonly hoursNow: number }
  ) => Read<ReadonlyArray<FundingPayment>>
  /** Fetches past open interest in five-minute steps, for the last five days. */
  readonly openInterestHistory: (query: ContractInterval) => Read<ReadonlyArray<OkxOpenInterest>>
  /** Fetches past long/short ratios of all accounts in five-minute steps, for the last five days. */
  readonly accountRatios: (query: ContractInterval) => Read<ReadonlyArray<AccountRatio>>
  /** Fetches taker flow in complete five-minute buckets. */
  readonly takerFlow: (query: ContractInterval) => Read<ReadonlyArray<TakerFlow>>
}>()("@tapeline/market-live/OkxMarket") {}

export interface OkxMarketOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

const mapResponse = <A, B>(read: Read<A>, f: (value: A, answer: SourceResponse<A>) => B): Read<B> =>
  Effect.map(read, (answer) => withValue(answer, f(answer.value, answer)))

const isWithin = ({ from, to }: Interval) => ({ time }: { readonly time: number }): boolean => time >= from && time < to

const rangeEnd = ({ from, to }: Interval, maxPoints: number, step: number): number =>
  Math.min(to, Math.ceil(from / step) * step + maxPoints * step)

const maxCandles = 100
const maxLevels = 5_000
/**
 * The maximum number of points in one statistics request. OKX may exclude the points at the two bounds of the requested
 * interval.
 */
const maxStatistics = 98
/**
 * The longest interval of a request for funding payments. A response holds 100 payments, or four days of hourly
 * payments. The request also covers the day before the interval.
 */
const maxPaymentsIntervalMs = 3 * dayMs
/** The number of recent candles that OKX's first endpoint returns. Older candles need another endpoint of OKX. */
const recentCandles = 1_400

/**
 * Returns the cost of a request to a group of endpoints. The rate limit of a group is the lowest rate limit of the
 * group's endpoints.
 */
const costOf = (name: "candles" | "lists" | "statistics") => ({ cost: 0, costs: { [name]: 1 } })

const makeSpotMethods = (
  { find, json }: Source
): Pick<OkxMarket["Service"], "candles" | "spotMarkets" | "tickers"> => ({
  spotMarkets: (quote) =>
    mapResponse(
      json({
        label: "markets",
        path: "/api/v5/public/instruments",
        query: { instType: "SPOT" },
        schema: SpotInstruments,
        cacheMs: 60_000,
        ...costOf("lists")
      }),
      (value) => toSpotMarkets(value, quote)
    ),

  candles: ({ interval, symbol, ...range }) =>
    Effect.clockWith((clock) => {
      const length = candleLengths[interval]
      const isRecent = range.from >= clock.currentTimeMillisUnsafe() - recentCandles * length
      return mapResponse(
        find({
          label: "candles",
          path: isRecent ? "/api/v5/market/candles" : "/api/v5/market/history-candles",
          query: {
            instId: symbol,
            bar: interval,
            before: range.from - 1,
            after: rangeEnd(range, maxCandles, length),
            limit: maxCandles
          },
          schema: Candles[interval],
          isAbsent: isUnknownInstrument,
          ...costOf("candles")
        }),
        (value, answer) => {
          const now = sourceTimeOf(answer)
          return value?.data.map((row) => toCandle(row, length, now)).toReversed().filter(isWithin(range)) ?? null
        }
      )
    }),

  tickers: (markets) =>
    mapResponse(
      json({
        label: "tickers",
        path: "/api/v5/market/tickers",
        query: { instType: "SPOT" },
        schema: SpotTickers,
        ...costOf("lists")
      }),
      ({ data }) => {
        const coins = new Map(markets.map(({ coin, symbol }) => [symbol, coin]))
        return data.flatMap((row) => {
          const coin = coins.get(row.instId)
          const converted = coin === undefined ? undefined : toTicker(coin, row)
          return converted === undefined ? [] : [converted]
        })
      }
    )
})

const makeOrderBookMethods = ({ find }: Source): Pick<OkxMarket["Service"], "orderBook"> => ({
  orderBook: (symbol) =>
    mapResponse(
      find({
        label: "order book",
        path: "/api/v5/market/books-full",
        query: { instId: symbol, sz: maxLevels },
        schema: Books,
        isAbsent: isUnknownInstrument,
        ...costOf("lists")
      }),
      (value) => value === null ? null : toOrderBook(value, maxLevels)
    )
})

type SnapshotMethod = "contracts" | "funding" | "indexPrices" | "markPrices" | "openInterest"

const bySymbol = <A extends { readonly instId: string }, B>(
  { data }: { readonly data: ReadonlyArray<A> },
  f: (row: A) => B | undefined
): BySymbol<B> =>
  new Map(data.flatMap((row) => {
    const one = f(row)
    return one === undefined ? [] : [[row.instId, one] as const]
  }))

const toPrice = (price: number | "", time: number): OkxPrice | undefined =>
  price !== "" && price > 0 ? { time, price } : undefined

const makeSnapshotMethods = ({ json }: Source): Pick<OkxMarket["Service"], SnapshotMethod> => {
  const fetchList = <A>(
    label: string,
    path: string,
    query: Readonly<Record<string, string>>,
    schema: Schema.Decoder<A>
  ) => json({ label, path, query, schema, ...costOf("lists") })
  return {
    contracts: (kind, margin) =>
      mapResponse(
        json({
          label: "contracts",
          path: "/api/v5/public/instruments",
          query: { instType: instrumentType(kind) },
          schema: Contracts,
          cacheMs: 60_000,
          ...costOf("lists")
        }),
        (value) => toContracts(value, kind, margin)
      ),
    funding: (contracts) =>
      mapResponse(fetchList("funding", "/api/v5/public/funding-rate", { instId: "ANY" }, Fundings), (value) => {
        const found = bySymbol(value, toFunding)
        return contracts.flatMap((contract) => {
          const funding = found.get(contract.symbol)
          return funding === undefined ? [] : [{ contract, ...funding }]
        })
      }),
    openInterest: (kind) =>
      mapResponse(
        fetchList("open interest", "/api/v5/public/open-interest", { instType: instrumentType(kind) }, OpenInterests),
        (value) =>
          bySymbol(value, ({ oiCcy: openInterest, oiUsd: openInterestUsd, ts: time }) =>
            openInterest === "" || openInterestUsd === "" ? undefined : { time, openInterest, openInterestUsd })
      ),
    markPrices: (kind) =>
      mapResponse(
        fetchList("marks", "/api/v5/public/mark-price", { instType: instrumentType(kind) }, MarkPrices),
        (value) => bySymbol(value, ({ markPx, ts }) => toPrice(markPx, ts))
      ),
    indexPrices: (quote) =>
      mapResponse(fetchList("indices", "/api/v5/market/index-tickers", { quoteCcy: quote }, IndexPrices), (value) => {
        const end = `-${quote}`
        const found = bySymbol(value, ({ idxPx, ts }) => toPrice(idxPx, ts))
        return new Map(
          Array.from(found, ([name, one]) => [name, one] as const)
            .flatMap(([name, one]) => name.endsWith(end) ? [[name.slice(0, -end.length), one] as const] : [])
        )
      })
  }
}

const statisticsRequest = (name: string, { contract, ...interval }: ContractInterval) => ({
  path: `/api/v5/rubik/stat/${name}`,
  query: {
    instId: contract.symbol,
    period: "5m",
    begin: interval.from - 1,
    end: rangeEnd(interval, maxStatistics, stepMs),
    limit: 100
  },
  ...costOf("statistics")
})

type SeriesMethod = "accountRatios" | "fundingPayments" | "openInterestHistory" | "takerFlow"

const makeSeriesMethods = ({ json }: Source): Pick<OkxMarket["Service"], SeriesMethod> => ({
  fundingPayments: ({ contract, from, hoursNow, to }) =>
    mapResponse(
      json({
        label: "funding payments",
        path: "/api/v5/public/funding-rate-history",
        query: {
          instId: contract.symbol,
          before: Math.max(0, from - dayMs) - 1,
          after: Math.min(to, from + maxPaymentsIntervalMs),
          limit: 100
        },
        schema: FundingRows,
        ...costOf("lists")
      }),
      ({ data }) =>
        toFundingPrints(
          data.map(({ fundingTime, realizedRate: fundingRate }) => ({ fundingRate, fundingTime })).toReversed(),
          hoursNow
        ).filter(isWithin({ from, to }))
    ),

  openInterestHistory: (query) =>
    mapResponse(
      json({
        label: "open interest",
        ...statisticsRequest("contracts/open-interest-history", query),
        schema: OpenInterestRows
      }),
      ({ data }) =>
        data.map(([time, , openInterest, openInterestUsd]) => ({ time, openInterest, openInterestUsd }))
          .toReversed().filter(isWithin(query))
    ),

  accountRatios: (query) =>
    mapResponse(
      json({
        label: "account ratios",
        ...statisticsRequest("contracts/long-short-account-ratio-contract", query),
        schema: AccountRatioRows
      }),
      ({ data }) =>
        data.map(([time, longShortRatio]) => ({ time, longShortRatio })).toReversed().filter(isWithin(query))
    ),

  takerFlow: (query) => {
    const { query: range, ...rest } = statisticsRequest("taker-volume-contract", query)
    return mapResponse(
      // The unit `2` requests amounts in dollars.
      json({ label: "flow", ...rest, query: { ...range, unit: "2" }, schema: FlowRows }),
      ({ data }, answer) => {
        const sourceTime = sourceTimeOf(answer)
        return data.map(toTakerFlow).toReversed().filter(isWithin(query)).filter(({ time }) =>
          time + stepMs <= sourceTime
        )
      }
    )
  }
})

const makeService = (source: Source): OkxMarket["Service"] => ({
  ...makeSpotMethods(source),
  ...makeOrderBookMethods(source),
  ...makeSnapshotMethods(source),
  ...makeSeriesMethods(source)
})

/** OKX allows 20 to 40 requests for candles, 10 to 20 for lists and 5 for statistics in two seconds per IP address. */
const limits = [
  { name: "candles", weight: 15, windowMs: 2_000 },
  { name: "lists", weight: 8, windowMs: 2_000 },
  { name: "statistics", weight: 4, windowMs: 2_000 }
]

export const layerOkxMarket = (
  { baseUrl = "https://openapi.okx.com", retryPolicy = {} }: OkxMarketOptions = {}
): Layer.Layer<OkxMarket, never, SourceHealth> =>
  Layer.effect(
    OkxMarket,
    Effect.map(
      makeSource({ name: "okx", part: "market", baseUrl, limits, readBodyRejection: readOkxRejection, retryPolicy }),
      makeService
    )
  )
