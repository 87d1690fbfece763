/**
 * Fetches data of Binance's stablecoin-margined futures. One stablecoin counts as one dollar, and all prices are per
 * coin.
 */
import {
  dayMs,
  type FundingPayment,
  type Interval,
  type SourceUnavailable,
  type TakerFlow
} from "@tapeline/core/market"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import {
  Decimal,
  InstantMs,
  type JsonRequest,
  lenientList,
  makeSource,
  Name,
  NonNegativeDecimal,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceResponse,
  withValue
} from "../source/index.ts"
import { type AccountRatio, type OpenInterestInCoins, toFundingPrints } from "../venues/contracts.ts"
import { type BinanceContract, type BinanceMark, FuturesInfo, toContracts } from "./contracts.ts"
import {
  AccountRatioRows,
  FlowRows,
  flowStepMs,
  FundingRows,
  mergePayments,
  OpenInterestRows,
  toTakerFlow
} from "./futuresSeries.ts"
import { binanceFirewall, readBinanceRejection, readBinanceUsedWeight } from "./rejections.ts"

export interface OpenInterestPoint extends OpenInterestInCoins {
  readonly openInterestUsd: number
}

/** A request for the data of one contract whose times lie in an interval. */
export type ContractInterval = { readonly contract: BinanceContract } & Interval

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

/**
 * Provides Binance's futures API. Each method for past data sends one request, and returns the earliest rows of the
 * requested interval, oldest first.
 */
export class BinancePerpetuals extends Context.Service<BinancePerpetuals, {
  /** Lists the perpetuals and dated futures that are margined in `margin`, for example `USDT`. */
  readonly contracts: (margin: string) => Read<ReadonlyArray<BinanceContract>>
  /** Fetches the current funding rate, mark price and index price of each contract that has a mark price. */
  readonly marks: (contracts: ReadonlyArray<BinanceContract>) => Read<ReadonlyArray<BinanceMark>>
  /** The funding interval of each symbol in hours; symbols that are missing from the map have `defaultFundingHours`. */
  readonly fundingHours: Read<ReadonlyMap<string, number>>
  /**
   * Fetches funding payments. `hoursNow` is the funding interval in hours that is used if the response has only one
   * payment.
   */
  readonly fundingPayments: (
    query: ContractInterval & { readonly hoursNow: number }
  ) => Read<ReadonlyArray<FundingPayment>>
  readonly openInterest: (contract: BinanceContract) => Read<OpenInterestInCoins>
  /** Fetches open interest of the last 30 days, in five-minute steps. */
  readonly openInterestHistory: (query: ContractInterval) => Read<ReadonlyArray<OpenInterestPoint>>
  /**
   * Fetches long/short ratios of the last 30 days, in five-minute steps, for all accounts or the top 20 % by margin.
   */
  readonly accountRatios: (
    query: ContractInterval & { readonly accounts: "all" | "top" }
  ) => Read<ReadonlyArray<AccountRatio>>
  /** Fetches taker flow in complete five-minute buckets. */
  readonly takerFlow: (query: ContractInterval) => Read<ReadonlyArray<TakerFlow>>
}>()("@tapeline/market-live/BinancePerpetuals") {}

export const defaultFundingHours = 8

export interface BinancePerpetualsOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

const Premiums = lenientList(Schema.Struct({
  symbol: Name,
  markPrice: NonNegativeDecimal,
  indexPrice: NonNegativeDecimal,
  // Dated futures have an empty funding rate, and a next funding time of 0.
  lastFundingRate: Schema.Union([Decimal, Schema.Literal("")]),
  nextFundingTime: Schema.Union([InstantMs, Schema.Literal(0)]),
  time: InstantMs
}))

/**
 * Decodes funding intervals. An unreadable row fails the whole response, because a contract without a row gets the
 * default funding interval.
 */
const FundingInfo = Schema.Array(Schema.Struct({
  symbol: Name,
  fundingIntervalHours: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 24 }))
}))

const OpenInterest = Schema.Struct({ symbol: Name, openInterest: NonNegativeDecimal, time: InstantMs })

const pricePerCoin = (price: number, unit: number): number =>
  unit === 1 ? price : Number((price / unit).toPrecision(15))

const markOf = (contract: BinanceContract, premium: typeof Premiums.Type[number]): BinanceMark => {
  const { indexPrice, lastFundingRate, markPrice, nextFundingTime, time } = premium
  return {
    contract,
    time,
    markPrice: pricePerCoin(markPrice, contract.unit),
    indexPrice: indexPrice > 0 ? pricePerCoin(indexPrice, contract.unit) : null,
    fundingRate: lastFundingRate === "" || contract.kind === "dated" ? null : lastFundingRate,
    nextFundingAt: nextFundingTime === 0 || contract.kind === "dated" ? null : nextFundingTime
  }
}

const mapResponse = <A, B>(read: Read<A>, f: (value: A, answer: SourceResponse<A>) => B): Read<B> =>
  Effect.map(read, (answer) => withValue(answer, f(answer.value, answer)))

const isWithin = ({ from, to }: Interval) => ({ time }: { readonly time: number }): boolean => time >= from && time < to

const stepMs = 300_000

/** The maximum age of statistics that Binance returns, minus one minute for transmission. */
const statisticsReachMs = 30 * dayMs - 60_000

const maxStatistics = 500
const maxFlowBuckets = 1_000

/**
 * Returns a request for five-minute statistics that fits in one response. Binance does not document which points it
 * omits if a response would be too long.
 */
const statisticsRequest = (name: string, { contract, from: requestedFrom, to }: ContractInterval, now: number) => {
  const from = Math.max(requestedFrom, now - statisticsReachMs)
  const until = Math.min(to, Math.ceil(from / stepMs) * stepMs + maxStatistics * stepMs)
  return {
    path: `/futures/data/${name}`,
    query: { symbol: contract.symbol, period: "5m", startTime: from, endTime: until - 1, limit: maxStatistics },
    cost: 0,
    costs: { statistics: 1 }
  }
}

const ratioPaths = { all: "globalLongShortAccountRatio", top: "topLongShortAccountRatio" } as const

type SnapshotMethod = "contracts" | "fundingHours" | "marks" | "openInterest"
type SendRequest = <A>(request: JsonRequest<A>) => Read<A>

const makeSnapshotMethods = (send: SendRequest): Pick<BinancePerpetuals["Service"], SnapshotMethod> => ({
  contracts: (margin) =>
    mapResponse(
      send({
        label: "contracts",
        path: "/fapi/v1/exchangeInfo",
        schema: FuturesInfo,
        maxBytes: 32 * 1024 * 1024,
        cacheMs: 60_000
      }),
      (info) => toContracts(info, margin)
    ),

  marks: (contracts) =>
    mapResponse(send({ label: "marks", path: "/fapi/v1/premiumIndex", cost: 10, schema: Premiums }), (premiums) => {
      const bySymbol = new Map(premiums.map((premium) => [premium.symbol, premium]))
      return contracts.flatMap((contract) => {
        const premium = bySymbol.get(contract.symbol)
        return premium === undefined || premium.markPrice <= 0 ? [] : [markOf(contract, premium)]
      })
    }),

  fundingHours: mapResponse(
    send({
      label: "funding intervals",
      path: "/fapi/v1/fundingInfo",
      cost: 0,
      costs: { funding: 1 },
      cacheMs: 600_000,
      schema: FundingInfo
    }),
    (rows) => new Map(rows.map(({ fundingIntervalHours, symbol }) => [symbol, fundingIntervalHours]))
  ),

  openInterest: ({ symbol, unit }) =>
    mapResponse(
      send({ label: "open interest", path: "/fapi/v1/openInterest", query: { symbol }, schema: OpenInterest }),
      ({ openInterest, time }) => ({ time, openInterest: openInterest * unit })
    )
})

const makeSeriesMethods = (send: SendRequest): Omit<BinancePerpetuals["Service"], SnapshotMethod> => ({
  fundingPayments: (query) =>
    mapResponse(
      send({
        label: "funding payments",
        path: "/fapi/v1/fundingRate",
        query: {
          symbol: query.contract.symbol,
          startTime: Math.max(0, query.from - dayMs),
          endTime: query.to - 1,
          limit: maxFlowBuckets
        },
        cost: 0,
        costs: { funding: 1 },
        schema: FundingRows
      }),
      (rows) => toFundingPrints(mergePayments(rows), query.hoursNow).filter(isWithin(query))
    ),

  openInterestHistory: (query) =>
    mapResponse(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        send({
          label: "open interest",
          ...statisticsRequest("openInterestHist", query, now),
          schema: OpenInterestRows
        })),
      (rows) =>
        rows.map(({ sumOpenInterest, sumOpenInterestValue, timestamp }) => ({
          time: timestamp,
          openInterest: sumOpenInterest * query.contract.unit,
          openInterestUsd: sumOpenInterestValue
        })).filter(isWithin(query))
    ),

  accountRatios: (query) =>
    mapResponse(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        send({
          label: "account ratios",
          ...statisticsRequest(ratioPaths[query.accounts], query, now),
          schema: AccountRatioRows
        })),
      (rows) =>
        rows.map(({ longShortRatio, timestamp }) => ({ time: timestamp, longShortRatio })).filter(isWithin(query))
    ),

  takerFlow: (query) =>
    mapResponse(
      send({
        label: "flow",
        path: "/fapi/v1/klines",
        query: {
          symbol: query.contract.symbol,
          interval: "5m",
          startTime: query.from,
          endTime: query.to - 1,
          limit: maxFlowBuckets
        },
        cost: 5,
        schema: FlowRows
      }),
      (rows, { date, receivedAt }) => {
        const sourceTime = Math.min(date ?? receivedAt, receivedAt)
        return rows.map(toTakerFlow).filter(isWithin(query)).filter(({ time }) => time + flowStepMs <= sourceTime)
      }
    )
})

const makeService = ({ json }: Source): BinancePerpetuals["Service"] => ({
  ...makeSnapshotMethods(json),
  ...makeSeriesMethods(json)
})

/** Binance allows a weight of 2,400 a minute per IP address, with separate limits for statistics and funding. */
const limits = [
  { weight: 2_000, windowMs: 60_000 },
  { name: "statistics", weight: 900, windowMs: 300_000 },
  { name: "funding", weight: 450, windowMs: 300_000 }
]

export const layerBinancePerpetuals = (
  { baseUrl = "https://fapi.binance.com", retryPolicy = {} }: BinancePerpetualsOptions = {}
): Layer.Layer<BinancePerpetuals, never, SourceHealth> =>
  Layer.effect(
    BinancePerpetuals,
    Effect.map(
      makeSource({
        name: "binance",
        part: "futures",
        baseUrl,
        limits,
        readBodyRejection: readBinanceRejection,
        rateLimit403: binanceFirewall,
        readUsedWeight: readBinanceUsedWeight,
        next: "bybit",
        retryPolicy
      }),
      makeService
    )
  )
