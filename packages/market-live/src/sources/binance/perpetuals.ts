/**
 * Binance's futures with margin in a stablecoin, without a key: funding, marks, open interest, positioning, taker flow,
 * dated futures. One stablecoin counts as one dollar. Prices of contracts on thousands of coins are converted to one
 * coin.
 */
import { dayMs, type FundingPrint, type Interval, type SourceUnavailable, type TakerFlow } from "@tapeline/core/market"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import {
  type Answer,
  answering,
  Decimal,
  InstantMs,
  type JsonRequest,
  listOf,
  makeSource,
  Name,
  NonNegativeDecimal,
  type Patience,
  type Source,
  SourceHealth
} from "../../source/index.ts"
import { type AccountRatio, type OpenInterestNow, printsOf } from "../contractSeries.ts"
import { type BinanceContract, type BinanceMark, contractsOf, FuturesInfo } from "./contracts.ts"
import {
  AccountRatioRows,
  flowOf,
  FlowRows,
  flowStepMs,
  FundingRows,
  OpenInterestRows,
  paymentsOf
} from "./futuresSeries.ts"
import { firewallOfBinance, refusedByBinance, usedWeightOfBinance } from "./refusals.ts"

export interface OpenInterestPoint extends OpenInterestNow {
  readonly openInterestUsd: number
}

/** A request for a series of one contract: data that opens in the interval, or has a time in it. */
export type ContractInterval = { readonly contract: BinanceContract } & Interval

type Read<A> = Effect.Effect<Answer<A>, SourceUnavailable>

/**
 * Series are oldest first. They begin at the interval's beginning, and have at most as many points as one response
 * holds.
 */
export class BinancePerpetuals extends Context.Service<BinancePerpetuals, {
  /** Perpetuals and dated futures with margin in `margin` (`USDT`). */
  readonly contracts: (margin: string) => Read<ReadonlyArray<BinanceContract>>
  /** The present funding rates, mark prices and index prices. Contracts without a mark price are missing. */
  readonly marks: (contracts: ReadonlyArray<BinanceContract>) => Read<ReadonlyArray<BinanceMark>>
  /** The hours of a funding interval by symbol. Other contracts have `usualFundingHours`. */
  readonly fundingHours: Read<ReadonlyMap<string, number>>
  /**
   * Payments with the venue's times. The request includes the payment before the interval, which shows the length of
   * the first one's interval. `hoursNow` is used if a contract has only one payment.
   */
  readonly fundingPrints: (query: ContractInterval & { readonly hoursNow: number }) => Read<ReadonlyArray<FundingPrint>>
  readonly openInterest: (contract: BinanceContract) => Read<OpenInterestNow>
  /** Every five minutes, for the last 30 days. */
  readonly openInterestHistory: (query: ContractInterval) => Read<ReadonlyArray<OpenInterestPoint>>
  /** Every five minutes, for the last 30 days; of all accounts, or of the top 20 % by margin. */
  readonly accountRatios: (
    query: ContractInterval & { readonly of: "all" | "top" }
  ) => Read<ReadonlyArray<AccountRatio>>
  /** Complete buckets of five minutes, without the running one. */
  readonly takerFlow: (query: ContractInterval) => Read<ReadonlyArray<TakerFlow>>
}>()("@tapeline/market-live/BinancePerpetuals") {}

export const usualFundingHours = 8

export interface BinancePerpetualsOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}

const Premiums = listOf(Schema.Struct({
  symbol: Name,
  markPrice: NonNegativeDecimal,
  indexPrice: NonNegativeDecimal,
  // Empty, and 0, for dated futures.
  lastFundingRate: Schema.Union([Decimal, Schema.Literal("")]),
  nextFundingTime: Schema.Union([InstantMs, Schema.Literal(0)]),
  time: InstantMs
}))

/**
 * Contracts that are not listed have the usual interval. No row may be left out, because its contract would count as
 * one of them.
 */
const FundingInfo = Schema.Array(Schema.Struct({
  symbol: Name,
  fundingIntervalHours: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 24 }))
}))

const OpenInterest = Schema.Struct({ symbol: Name, openInterest: NonNegativeDecimal, time: InstantMs })

/** Converts a price to one coin, and rounds the quotient. */
const perCoin = (price: number, unit: number): number => unit === 1 ? price : Number((price / unit).toPrecision(15))

const markOf = (contract: BinanceContract, premium: typeof Premiums.Type[number]): BinanceMark => {
  const { indexPrice, lastFundingRate, markPrice, nextFundingTime, time } = premium
  return {
    contract,
    time,
    markPrice: perCoin(markPrice, contract.unit),
    indexPrice: indexPrice > 0 ? perCoin(indexPrice, contract.unit) : null,
    fundingRate: lastFundingRate === "" || contract.kind === "dated" ? null : lastFundingRate,
    nextFundingAt: nextFundingTime === 0 || contract.kind === "dated" ? null : nextFundingTime
  }
}

const mapped = <A, B>(read: Read<A>, f: (value: A, answer: Answer<A>) => B): Read<B> =>
  Effect.map(read, (answer) => answering(answer, f(answer.value, answer)))

const within = ({ from, to }: Interval) => ({ time }: { readonly time: number }): boolean => time >= from && time < to

const stepMs = 300_000

/**
 * How far back statistics are available. Binance rejects an older beginning. One minute is reserved for transmission.
 */
const statisticsReachMs = 30 * dayMs - 60_000

/** The maximum number of points in one response, for statistics and for buckets. */
const mostStatistics = 500
const mostFlow = 1_000

/**
 * A request for five-minute statistics. Statistics have no weight, but a separate rate limit. It is undocumented which
 * points Binance returns if there are more than fit, so no more than that are requested.
 */
const statistics = (name: string, { contract, from: asked, to }: ContractInterval, now: number) => {
  const from = Math.max(asked, now - statisticsReachMs)
  const until = Math.min(to, Math.ceil(from / stepMs) * stepMs + mostStatistics * stepMs)
  return {
    path: `/futures/data/${name}`,
    query: { symbol: contract.symbol, period: "5m", startTime: from, endTime: until - 1, limit: mostStatistics },
    cost: 0,
    costs: { statistics: 1 }
  }
}

const ratioNames = { all: "globalLongShortAccountRatio", top: "topLongShortAccountRatio" } as const

type NowName = "contracts" | "fundingHours" | "marks" | "openInterest"
type Asks = <A>(request: JsonRequest<A>) => Read<A>

const nowOf = (ask: Asks): Pick<BinancePerpetuals["Service"], NowName> => ({
  contracts: (margin) =>
    mapped(
      ask({
        what: "contracts",
        path: "/fapi/v1/exchangeInfo",
        schema: FuturesInfo,
        maxBytes: 32 * 1024 * 1024,
        cacheMs: 60_000
      }),
      (info) => contractsOf(info, margin)
    ),

  marks: (contracts) =>
    mapped(ask({ what: "marks", path: "/fapi/v1/premiumIndex", cost: 10, schema: Premiums }), (premiums) => {
      const bySymbol = new Map(premiums.map((premium) => [premium.symbol, premium]))
      return contracts.flatMap((contract) => {
        const premium = bySymbol.get(contract.symbol)
        return premium === undefined || premium.markPrice <= 0 ? [] : [markOf(contract, premium)]
      })
    }),

  fundingHours: mapped(
    ask({
      what: "funding intervals",
      path: "/fapi/v1/fundingInfo",
      cost: 0,
      costs: { funding: 1 },
      cacheMs: 600_000,
      schema: FundingInfo
    }),
    (rows) => new Map(rows.map(({ fundingIntervalHours, symbol }) => [symbol, fundingIntervalHours]))
  ),

  openInterest: ({ symbol, unit }) =>
    mapped(
      ask({ what: "open interest", path: "/fapi/v1/openInterest", query: { symbol }, schema: OpenInterest }),
      ({ openInterest, time }) => ({ time, openInterest: openInterest * unit })
    )
})

const seriesOf = (ask: Asks): Omit<BinancePerpetuals["Service"], NowName> => ({
  fundingPrints: (query) =>
    mapped(
      ask({
        what: "funding payments",
        path: "/fapi/v1/fundingRate",
        query: {
          symbol: query.contract.symbol,
          startTime: Math.max(0, query.from - dayMs),
          endTime: query.to - 1,
          limit: mostFlow
        },
        cost: 0,
        costs: { funding: 1 },
        schema: FundingRows
      }),
      (rows) => printsOf(paymentsOf(rows), query.hoursNow).filter(within(query))
    ),

  openInterestHistory: (query) =>
    mapped(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        ask({ what: "open interest", ...statistics("openInterestHist", query, now), schema: OpenInterestRows })),
      (rows) =>
        rows.map(({ sumOpenInterest, sumOpenInterestValue, timestamp }) => ({
          time: timestamp,
          openInterest: sumOpenInterest * query.contract.unit,
          openInterestUsd: sumOpenInterestValue
        })).filter(within(query))
    ),

  accountRatios: (query) =>
    mapped(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        ask({ what: "account ratios", ...statistics(ratioNames[query.of], query, now), schema: AccountRatioRows })),
      (rows) =>
        rows.map(({ longShortRatio, timestamp }) => ({ time: timestamp, longShortRatio })).filter(within(query))
    ),

  takerFlow: (query) =>
    mapped(
      ask({
        what: "flow",
        path: "/fapi/v1/klines",
        query: {
          symbol: query.contract.symbol,
          interval: "5m",
          startTime: query.from,
          endTime: query.to - 1,
          limit: mostFlow
        },
        cost: 5,
        schema: FlowRows
      }),
      (rows, { date, receivedAt }) => {
        const present = Math.min(date ?? receivedAt, receivedAt)
        return rows.map(flowOf).filter(within(query)).filter(({ time }) => time + flowStepMs <= present)
      }
    )
})

const overSource = ({ json }: Source): BinancePerpetuals["Service"] => ({ ...nowOf(json), ...seriesOf(json) })

/**
 * Binance allows a weight of 2,400 a minute per address. Statistics and payments have limits of requests per five
 * minutes.
 */
const limits = [
  { weight: 2_000, windowMs: 60_000 },
  { name: "statistics", weight: 900, windowMs: 300_000 },
  { name: "funding", weight: 450, windowMs: 300_000 }
]

export const layerBinancePerpetuals = (
  { baseUrl = "https://fapi.binance.com", patience = {} }: BinancePerpetualsOptions = {}
): Layer.Layer<BinancePerpetuals, never, SourceHealth> =>
  Layer.effect(
    BinancePerpetuals,
    Effect.map(
      makeSource({
        name: "binance",
        part: "futures",
        baseUrl,
        limits,
        refusedInBody: refusedByBinance,
        limitedBy403: firewallOfBinance,
        usedWeight: usedWeightOfBinance,
        next: "bybit",
        patience
      }),
      overSource
    )
  )
