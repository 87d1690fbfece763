/**
 * Bybit's market data, without a key: spot candles, and funding, marks, open interest and account ratios of contracts
 * with margin in a stablecoin. One stablecoin counts as one dollar.
 */
import { dayMs, type FundingPrint, type Interval, SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  type Answer,
  answering,
  Decimal,
  InstantMsText,
  listOf,
  makeSource,
  Name,
  NonNegativeDecimal,
  type Patience,
  type Source,
  SourceHealth
} from "../../source/index.ts"
import { type AccountRatio, type OpenInterestNow, printsOf } from "../contractSeries.ts"
import { type BybitContract, type BybitListed, Contracts, contractsOf } from "./instruments.ts"
import { answered, limitedByBybit, refusedByBybit } from "./refusals.ts"
import { AccountRatioRows, FundingRows, OpenInterestRows, stepMs } from "./rows.ts"
import { type BybitSpot, spotOf } from "./spot.ts"

/** The present data of a contract, per coin. */
export interface BybitMark {
  readonly contract: BybitContract
  readonly time: number
  readonly markPrice: number
  /** Null without an index. */
  readonly indexPrice: number | null
  /** The rate of the running interval; null for a dated future. */
  readonly fundingRate: number | null
  readonly intervalHours: number | null
  readonly nextFundingAt: number | null
  /** The open interest of one side, in coins and in dollars; null if it is not reported. */
  readonly openInterest: number | null
  readonly openInterestUsd: number | null
}

type ContractInterval = { readonly contract: BybitContract } & Interval
type Read<A> = Effect.Effect<Answer<A>, SourceUnavailable>

/**
 * Series are oldest first. They begin at the interval's beginning, and have at most as many points as one response
 * holds.
 */
export class BybitMarket extends Context.Service<
  BybitMarket,
  BybitSpot & {
    /** Perpetuals and dated futures with margin in `margin` (`USDT`). */
    readonly contracts: (margin: string) => Read<ReadonlyArray<BybitListed>>
    /** The present data of contracts, all as of one time. Contracts without a mark price are missing. */
    readonly marks: (contracts: ReadonlyArray<BybitContract>) => Read<ReadonlyArray<BybitMark>>
    /**
     * The payments of at most seven days, with the venue's times. `hoursNow` is used if a contract has only one
     * payment.
     */
    readonly fundingPrints: (
      query: ContractInterval & { readonly hoursNow: number }
    ) => Read<ReadonlyArray<FundingPrint>>
    /** Every five minutes, in coins, of one side. */
    readonly openInterestHistory: (query: ContractInterval) => Read<ReadonlyArray<OpenInterestNow>>
    /** Every five minutes, of all accounts. */
    readonly accountRatios: (query: ContractInterval) => Read<ReadonlyArray<AccountRatio>>
  }
>()("@tapeline/market-live/BybitMarket") {}

export interface BybitMarketOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}

const None = Schema.Literals(["", "0"])

/** A number that may be empty, as in contracts that have not opened or are about to expire. */
const Amount = Schema.Union([Schema.Literal(""), NonNegativeDecimal])
const amountOf = (told: typeof Amount.Type = ""): number | null => told === "" ? null : told

/** The possible funding intervals, in whole hours. */
const hours = Schema.Literals(["1", "2", "3", "4", "6", "8", "12", "24"])

const Tickers = answered(Schema.Struct({
  category: Schema.Literal("linear"),
  list: listOf(Schema.Struct({
    symbol: Name,
    markPrice: Amount,
    indexPrice: Amount,
    // The fields without `single` count each contract twice, once for each side.
    singleOpenInterest: Schema.optionalKey(Amount),
    singleOpenInterestValue: Schema.optionalKey(Amount),
    // Empty, and 0, for dated futures.
    fundingRate: Schema.Union([Schema.Literal(""), Decimal]),
    nextFundingTime: Schema.Union([None, InstantMsText]),
    fundingIntervalHour: Schema.Union([None, hours]),
    deliveryTime: Schema.Union([None, InstantMsText])
  }))
}))

type Row = typeof Tickers.Type["result"]["list"][number]

const perCoin = (price: number, unit: number): number => unit === 1 ? price : Number((price / unit).toPrecision(15))

const markOf = (contract: BybitContract, row: Row, time: number): BybitMark | undefined => {
  const { fundingIntervalHour: hours, nextFundingTime } = row
  const [mark, index] = [amountOf(row.markPrice), amountOf(row.indexPrice)]
  if (mark === null || mark <= 0) return undefined
  const pays = typeof row.deliveryTime === "string"
  const openInterest = amountOf(row.singleOpenInterest)
  return {
    contract,
    time,
    markPrice: perCoin(mark, contract.unit),
    indexPrice: index !== null && index > 0 ? perCoin(index, contract.unit) : null,
    fundingRate: pays && row.fundingRate !== "" ? row.fundingRate : null,
    intervalHours: pays && hours !== "" && hours !== "0" ? Number(hours) : null,
    nextFundingAt: pays && typeof nextFundingTime === "number" ? nextFundingTime : null,
    openInterest: openInterest === null ? null : openInterest * contract.unit,
    openInterestUsd: amountOf(row.singleOpenInterestValue)
  }
}

const mapped = <A, B>(read: Read<A>, f: (value: A, answer: Answer<A>) => B): Read<B> =>
  Effect.map(read, (answer) => answering(answer, f(answer.value, answer)))

const within = ({ from, to }: Interval) => ({ time }: { readonly time: number }): boolean => time >= from && time < to

/** Bybit returns the newest rows if there are more than fit, so no more than fit are requested. */
const stepsOf = ({ from, to }: Interval, most: number) => ({
  startTime: from,
  endTime: Math.min(to, Math.ceil(from / stepMs) * stepMs + most * stepMs) - 1,
  limit: most
})

const mostPayments = 200
const mostOpenInterest = 200
const mostRatios = 500

/** The maximum number of pages, each with a thousand contracts. There are about 700 contracts. */
const mostPages = 10

const contractsReader = ({ json, name }: Source): BybitMarket["Service"]["contracts"] =>
  Effect.fnUntraced(function*(margin) {
    const found = new Map<string, BybitListed>()
    const leftOut: Array<string> = []
    let cursor: string | undefined
    for (let pages = 0; pages < mostPages; pages++) {
      const answer: Answer<typeof Contracts.Type> = yield* json({
        what: "contracts",
        path: "/v5/market/instruments-info",
        query: { category: "linear", status: "Trading", limit: 1_000, cursor },
        schema: Contracts,
        cacheMs: 60_000
      })
      for (const contract of contractsOf(answer.value, margin)) found.set(contract.symbol, contract)
      leftOut.push(...answer.leftOut ?? [])
      cursor = answer.value.result.nextPageCursor
      if (cursor === "") return { ...answering(answer, [...found.values()]), leftOut }
    }
    return yield* new SourceUnavailable({
      source: name,
      failure: "malformed",
      reason: `its contracts did not end within ${mostPages} pages`,
      retryable: true
    })
  })

const nowOf = (source: Source): Pick<BybitMarket["Service"], "contracts" | "marks"> => ({
  contracts: contractsReader(source),

  marks: (contracts) =>
    mapped(
      source.json({ what: "marks", path: "/v5/market/tickers", query: { category: "linear" }, schema: Tickers }),
      ({ result: { list }, time }) => {
        const bySymbol = new Map(list.map((row) => [row.symbol, row]))
        return contracts.flatMap((contract) => {
          const row = bySymbol.get(contract.symbol)
          return row === undefined ? [] : markOf(contract, row, time) ?? []
        })
      }
    )
})

type SeriesName = "accountRatios" | "fundingPrints" | "openInterestHistory"

const seriesOf = ({ json }: Source): Pick<BybitMarket["Service"], SeriesName> => ({
  fundingPrints: ({ contract, from, hoursNow, to }) =>
    mapped(
      json({
        what: "funding payments",
        path: "/v5/market/funding/history",
        query: {
          category: "linear",
          symbol: contract.symbol,
          startTime: Math.max(0, from - dayMs),
          // With hourly payments, a response holds eight days. The first payment shows the length of the intervals.
          endTime: Math.min(to, from + 7 * dayMs) - 1,
          limit: mostPayments
        },
        schema: FundingRows
      }),
      ({ result: { list } }) =>
        printsOf(
          list.map(({ fundingRateTimestamp, ...row }) => ({ ...row, fundingTime: fundingRateTimestamp })).toReversed(),
          hoursNow
        ).filter(within({ from, to }))
    ),

  openInterestHistory: ({ contract, ...interval }) =>
    mapped(
      json({
        what: "open interest",
        path: "/v5/market/open-interest",
        query: {
          category: "linear",
          symbol: contract.symbol,
          intervalTime: "5min",
          ...stepsOf(interval, mostOpenInterest)
        },
        schema: OpenInterestRows
      }),
      ({ result: { list } }) =>
        list.map(({ singleOpenInterest, timestamp }) => ({
          time: timestamp,
          openInterest: singleOpenInterest * contract.unit
        })).toReversed().filter(within(interval))
    ),

  accountRatios: ({ contract, ...interval }) =>
    mapped(
      json({
        what: "account ratios",
        path: "/v5/market/account-ratio",
        query: {
          category: "linear",
          symbol: contract.symbol,
          period: "5min",
          ...stepsOf(interval, mostRatios)
        },
        schema: AccountRatioRows
      }),
      ({ result: { list } }) =>
        list.map(({ buyRatio, sellRatio, timestamp }) => ({ time: timestamp, longShortRatio: buyRatio / sellRatio }))
          .toReversed().filter(within(interval))
    )
})

const overSource = (source: Source): BybitMarket["Service"] => ({
  ...spotOf(source),
  ...nowOf(source),
  ...seriesOf(source)
})

/** Bybit allows 600 requests in 5 seconds per address. Half is left to other users of the address. */
const limits = [{ weight: 300, windowMs: 5_000 }]

export const layerBybitMarket = (
  { baseUrl = "https://api.bybit.com", patience = {} }: BybitMarketOptions = {}
): Layer.Layer<BybitMarket, never, SourceHealth> =>
  Layer.effect(
    BybitMarket,
    Effect.map(
      makeSource({
        name: "bybit",
        part: "market",
        baseUrl,
        limits,
        refusedInBody: refusedByBybit,
        limitedBy403: limitedByBybit,
        next: "okx",
        patience
      }),
      overSource
    )
  )
