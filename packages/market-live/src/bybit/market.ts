/** Fetches Bybit's data of spot markets and stablecoin-margined contracts. One stablecoin counts as one dollar. */
import { dayMs, type FundingPayment, type Interval, SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  Decimal,
  InstantMsText,
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
import { type BybitContract, type BybitListedContract, Contracts, toContracts } from "./instruments.ts"
import { bybitRateLimit403, readBybitRejection, successResponse } from "./rejections.ts"
import { AccountRatioRows, FundingRows, OpenInterestRows, stepMs } from "./rows.ts"
import { type BybitSpot, makeSpotMethods } from "./spot.ts"

/** The current prices (per coin), funding and open interest of a Bybit contract. */
export interface BybitMark {
  readonly contract: BybitContract
  readonly time: number
  readonly markPrice: number
  /** The index price per coin, or null if the contract has no index. */
  readonly indexPrice: number | null
  /** The funding rate of the current interval, or null for a dated future. */
  readonly fundingRate: number | null
  readonly intervalHours: number | null
  readonly nextFundingAt: number | null
  /**
   * The open interest in coins and in dollars, or null if not reported. Open interest counts only one side of each
   * contract.
   */
  readonly openInterest: number | null
  readonly openInterestUsd: number | null
}

type ContractInterval = { readonly contract: BybitContract } & Interval
type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

/**
 * Provides Bybit's market data API. Each method for past data sends one request, and returns the earliest rows of the
 * requested interval, oldest first.
 */
export class BybitMarket extends Context.Service<
  BybitMarket,
  BybitSpot & {
    /** Lists the perpetuals and dated futures that are margined in `margin`, for example `USDT`. */
    readonly contracts: (margin: string) => Read<ReadonlyArray<BybitListedContract>>
    /**
     * Fetches the current prices and funding of each contract that has a mark price. All returned marks have the same
     * time.
     */
    readonly marks: (contracts: ReadonlyArray<BybitContract>) => Read<ReadonlyArray<BybitMark>>
    /**
     * Fetches the funding payments of at most seven days. `hoursNow` is the funding interval in hours that is used if
     * the response has only one payment.
     */
    readonly fundingPayments: (
      query: ContractInterval & { readonly hoursNow: number }
    ) => Read<ReadonlyArray<FundingPayment>>
    /**
     * Fetches past open interest in coins, in five-minute steps. Open interest counts only one side of each contract.
     */
    readonly openInterestHistory: (query: ContractInterval) => Read<ReadonlyArray<OpenInterestInCoins>>
    /** Fetches past long/short ratios of all accounts, in five-minute steps. */
    readonly accountRatios: (query: ContractInterval) => Read<ReadonlyArray<AccountRatio>>
  }
>()("@tapeline/market-live/BybitMarket") {}

export interface BybitMarketOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

const None = Schema.Literals(["", "0"])

/** An amount as text. Bybit sends an empty text for contracts that are not open yet or are about to expire. */
const OptionalAmount = Schema.Union([Schema.Literal(""), NonNegativeDecimal])
const amountOf = (amount: typeof OptionalAmount.Type = ""): number | null => amount === "" ? null : amount

const FundingHours = Schema.Literals(["1", "2", "3", "4", "6", "8", "12", "24"])

const Tickers = successResponse(Schema.Struct({
  category: Schema.Literal("linear"),
  list: lenientList(Schema.Struct({
    symbol: Name,
    markPrice: OptionalAmount,
    indexPrice: OptionalAmount,
    // The open interest fields without `single` count each contract twice, once for each side.
    singleOpenInterest: Schema.optionalKey(OptionalAmount),
    singleOpenInterestValue: Schema.optionalKey(OptionalAmount),
    // Dated futures have an empty funding rate, and a next funding time of 0.
    fundingRate: Schema.Union([Schema.Literal(""), Decimal]),
    nextFundingTime: Schema.Union([None, InstantMsText]),
    fundingIntervalHour: Schema.Union([None, FundingHours]),
    deliveryTime: Schema.Union([None, InstantMsText])
  }))
}))

type Row = typeof Tickers.Type["result"]["list"][number]

const pricePerCoin = (price: number, unit: number): number =>
  unit === 1 ? price : Number((price / unit).toPrecision(15))

const toMark = (contract: BybitContract, row: Row, time: number): BybitMark | undefined => {
  const { fundingIntervalHour: hours, nextFundingTime } = row
  const [mark, index] = [amountOf(row.markPrice), amountOf(row.indexPrice)]
  if (mark === null || mark <= 0) return undefined
  const isPerpetual = typeof row.deliveryTime === "string"
  const openInterest = amountOf(row.singleOpenInterest)
  return {
    contract,
    time,
    markPrice: pricePerCoin(mark, contract.unit),
    indexPrice: index !== null && index > 0 ? pricePerCoin(index, contract.unit) : null,
    fundingRate: isPerpetual && row.fundingRate !== "" ? row.fundingRate : null,
    intervalHours: isPerpetual && hours !== "" && hours !== "0" ? Number(hours) : null,
    nextFundingAt: isPerpetual && typeof nextFundingTime === "number" ? nextFundingTime : null,
    openInterest: openInterest === null ? null : openInterest * contract.unit,
    openInterestUsd: amountOf(row.singleOpenInterestValue)
  }
}

const mapResponse = <A, B>(read: Read<A>, f: (value: A, answer: SourceResponse<A>) => B): Read<B> =>
  Effect.map(read, (answer) => withValue(answer, f(answer.value, answer)))

const isWithin = ({ from, to }: Interval) => ({ time }: { readonly time: number }): boolean => time >= from && time < to

/** Limits a range to the rows of one response, because Bybit returns only the newest rows of a longer range. */
const rangeQuery = ({ from, to }: Interval, maxRows: number) => ({
  startTime: from,
  endTime: Math.min(to, Math.ceil(from / stepMs) * stepMs + maxRows * stepMs) - 1,
  limit: maxRows
})

const maxPayments = 200
const maxOpenInterestRows = 200
const maxRatios = 500

/** The maximum number of pages of contracts, with 1,000 contracts per page. */
const maxPages = 10

const makeContractsReader = ({ json, name }: Source): BybitMarket["Service"]["contracts"] =>
  Effect.fnUntraced(function*(margin) {
    const found = new Map<string, BybitListedContract>()
    const skippedRows: Array<string> = []
    let cursor: string | undefined
    for (let pages = 0; pages < maxPages; pages++) {
      const answer: SourceResponse<typeof Contracts.Type> = yield* json({
        label: "contracts",
        path: "/v5/market/instruments-info",
        query: { category: "linear", status: "Trading", limit: 1_000, cursor },
        schema: Contracts,
        cacheMs: 60_000
      })
      for (const contract of toContracts(answer.value, margin)) found.set(contract.symbol, contract)
      skippedRows.push(...answer.skippedRows ?? [])
      cursor = answer.value.result.nextPageCursor
      if (cursor === "") return { ...withValue(answer, [...found.values()]), skippedRows }
    }
    return yield* new SourceUnavailable({
      source: name,
      failure: "malformed",
      reason: `the list of contracts exceeds ${maxPages} pages`,
      retryable: true
    })
  })

const makeSnapshotMethods = (source: Source): Pick<BybitMarket["Service"], "contracts" | "marks"> => ({
  contracts: makeContractsReader(source),

  marks: (contracts) =>
    mapResponse(
      source.json({ label: "marks", path: "/v5/market/tickers", query: { category: "linear" }, schema: Tickers }),
      ({ result: { list }, time }) => {
        const bySymbol = new Map(list.map((row) => [row.symbol, row]))
        return contracts.flatMap((contract) => {
          const row = bySymbol.get(contract.symbol)
          return row === undefined ? [] : toMark(contract, row, time) ?? []
        })
      }
    )
})

type SeriesMethod = "accountRatios" | "fundingPayments" | "openInterestHistory"

const makeSeriesMethods = ({ json }: Source): Pick<BybitMarket["Service"], SeriesMethod> => ({
  fundingPayments: ({ contract, from, hoursNow, to }) =>
    mapResponse(
      json({
        label: "funding payments",
        path: "/v5/market/funding/history",
        query: {
          category: "linear",
          symbol: contract.symbol,
          startTime: Math.max(0, from - dayMs),
          // A response holds eight days of hourly payments. The payments of the day before `from` determine the length
          // of the first interval.
          endTime: Math.min(to, from + 7 * dayMs) - 1,
          limit: maxPayments
        },
        schema: FundingRows
      }),
      ({ result: { list } }) =>
        toFundingPrints(
          list.map(({ fundingRateTimestamp, ...row }) => ({ ...row, fundingTime: fundingRateTimestamp })).toReversed(),
          hoursNow
        ).filter(isWithin({ from, to }))
    ),

  openInterestHistory: ({ contract, ...interval }) =>
    mapResponse(
      json({
        label: "open interest",
        path: "/v5/market/open-interest",
        query: {
          category: "linear",
          symbol: contract.symbol,
          intervalTime: "5min",
          ...rangeQuery(interval, maxOpenInterestRows)
        },
        schema: OpenInterestRows
      }),
      ({ result: { list } }) =>
        list.map(({ singleOpenInterest, timestamp }) => ({
          time: timestamp,
          openInterest: singleOpenInterest * contract.unit
        })).toReversed().filter(isWithin(interval))
    ),

  accountRatios: ({ contract, ...interval }) =>
    mapResponse(
      json({
        label: "account ratios",
        path: "/v5/market/account-ratio",
        query: {
          category: "linear",
          symbol: contract.symbol,
          period: "5min",
          ...rangeQuery(interval, maxRatios)
        },
        schema: AccountRatioRows
      }),
      ({ result: { list } }) =>
        list.map(({ buyRatio, sellRatio, timestamp }) => ({ time: timestamp, longShortRatio: buyRatio / sellRatio }))
          .toReversed().filter(isWithin(interval))
    )
})

const makeService = (source: Source): BybitMarket["Service"] => ({
  ...makeSpotMethods(source),
  ...makeSnapshotMethods(source),
  ...makeSeriesMethods(source)
})

/** Bybit allows 600 requests in 5 seconds per IP address, of which half is left to other users. */
const limits = [{ weight: 300, windowMs: 5_000 }]

export const layerBybitMarket = (
  { baseUrl = "https://api.bybit.com", retryPolicy = {} }: BybitMarketOptions = {}
): Layer.Layer<BybitMarket, never, SourceHealth> =>
  Layer.effect(
    BybitMarket,
    Effect.map(
      makeSource({
        name: "bybit",
        part: "market",
        baseUrl,
        limits,
        readBodyRejection: readBybitRejection,
        rateLimit403: bybitRateLimit403,
        next: "okx",
        retryPolicy
      }),
      makeService
    )
  )
