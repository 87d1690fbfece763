// Long reads of the simulated market, as jobs. A thread of the compute pool loads this module.
import { type EncodedJob, encodedJob, type Job } from "@tapeline/core/engine"
import {
  CoinDerivatives,
  CoinPrices,
  ImpliedVolatilities,
  type MarketPorts,
  type MarketRead,
  NoData,
  OptionsVenue,
  SocialFeed,
  SourceUnavailable,
  timeframes,
  UnknownSymbol
} from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { Clock, Context, Effect, Schema } from "effect"
import { ChainTable, IvTable, OptionTradeTable, toChainTable, toIvTable, toOptionTradeTable } from "./optionTables.ts"
import {
  CandleTable,
  LiquidationTapeTable,
  PerpetualTable,
  SocialTable,
  TakerTable,
  toCandleTable,
  toLiquidationTapeTable,
  toPerpetualTable,
  toSocialTable,
  toTakerTable
} from "./tables.ts"

let cachedMarket: { readonly seed: number; readonly ports: Context.Context<MarketPorts> } | undefined

const simulatedMarketOf = (seed: number): Context.Context<MarketPorts> => {
  if (cachedMarket?.seed !== seed) cachedMarket = { seed, ports: SimMarket.makePorts(makeWorld(seed)) }
  return cachedMarket.ports
}

const FailedRead = Schema.Struct({
  _tag: Schema.Literal("Failed"),
  error: Schema.Union([UnknownSymbol, NoData, SourceUnavailable])
})

/** Creates a clock that always returns the caller's time, and on which a sleep is a defect. */
const fixedClock = (now: number): Clock.Clock => {
  const nanos = BigInt(Math.trunc(now)) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => nanos,
    monotonicTimeNanos: Effect.succeed(nanos),
    sleep: () => Effect.die(new Error("a job of the simulated market must not wait"))
  }
}

/** The input of a read: a query, the seed of the simulated market, and the time of the caller. */
export interface ReadInput<Query> {
  readonly seed: number
  readonly now: number
  readonly query: Query
}

/** The result of a read, in a form that can be sent to another thread. */
export type ReadOutput<Table> =
  | { readonly _tag: "Rows"; readonly table: Table; readonly asOf: number }
  | typeof FailedRead.Type

const makeReadJob = <Query, A, Table>(
  { query, read, table, toTable, ...job }: {
    readonly name: string
    readonly query: Schema.Codec<Query, unknown>
    readonly table: Schema.Codec<Table, unknown>
    readonly read: (ports: Context.Context<MarketPorts>, query: Query) => MarketRead<A>
    readonly toTable: (value: A) => Table
  }
): Job<ReadInput<Query>, ReadOutput<Table>> => ({
  name: job.name,
  input: Schema.Struct({ seed: Schema.Finite, now: Schema.Finite, query }),
  output: Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("Rows"), table, asOf: Schema.Finite }),
    FailedRead
  ]),
  // The simulated market never waits, so the job can read synchronously.
  run: (input) =>
    read(simulatedMarketOf(input.seed), input.query).pipe(
      Effect.match({
        onSuccess: ({ asOf, value }): ReadOutput<Table> => ({ _tag: "Rows", table: toTable(value), asOf }),
        onFailure: (error): ReadOutput<Table> => ({ _tag: "Failed", error })
      }),
      Effect.provideService(Clock.Clock, fixedClock(input.now)),
      Effect.runSync
    )
})

const intervalFields = { coin: Schema.String, from: Schema.Finite, to: Schema.Finite }
const SteppedQuery = Schema.Struct({ ...intervalFields, stepMs: Schema.Finite })

export const candleRangeJob = makeReadJob({
  name: "simulated_candles",
  query: Schema.Struct({ ...intervalFields, timeframe: Schema.Literals(timeframes) }),
  table: CandleTable,
  read: (ports, query) => Context.get(ports, CoinPrices).candleRange(query),
  toTable: toCandleTable
})

export const perpetualHistoryJob = makeReadJob({
  name: "simulated_perpetual",
  query: SteppedQuery,
  table: PerpetualTable,
  read: (ports, query) => Context.get(ports, CoinDerivatives).perpetualHistory(query),
  toTable: ({ points }) => toPerpetualTable(points)
})

export const takerFlowJob = makeReadJob({
  name: "simulated_taker_flow",
  query: SteppedQuery,
  table: TakerTable,
  read: (ports, query) => Context.get(ports, CoinDerivatives).takerFlow(query),
  toTable: ({ points }) => toTakerTable(points)
})

export const liquidationsJob = makeReadJob({
  name: "simulated_liquidations",
  query: Schema.Struct({
    ...intervalFields,
    minSizeUsd: Schema.optionalKey(Schema.Finite),
    limit: Schema.optionalKey(Schema.Finite),
    stepMs: Schema.optionalKey(Schema.Finite)
  }),
  table: LiquidationTapeTable,
  read: (ports, query) => Context.get(ports, CoinDerivatives).liquidations(query),
  toTable: toLiquidationTapeTable
})

export const socialActivityJob = makeReadJob({
  name: "simulated_social",
  query: SteppedQuery,
  table: SocialTable,
  read: (ports, query) => Context.get(ports, SocialFeed).activity(query),
  toTable: ({ points }) => toSocialTable(points)
})

export const optionChainJob = makeReadJob({
  name: "simulated_option_chain",
  query: Schema.Struct({ coin: Schema.String, expiryAt: Schema.optionalKey(Schema.Finite) }),
  table: ChainTable,
  read: (ports, query) => Context.get(ports, OptionsVenue).chain(query),
  toTable: toChainTable
})

export const optionTradesJob = makeReadJob({
  name: "simulated_option_trades",
  query: Schema.Struct({ ...intervalFields, limit: Schema.optionalKey(Schema.Finite) }),
  table: OptionTradeTable,
  read: (ports, query) => Context.get(ports, OptionsVenue).trades(query),
  toTable: toOptionTradeTable
})

export const ivHistoryJob = makeReadJob({
  name: "simulated_iv",
  query: Schema.Struct({
    coin: Schema.String,
    maturityDays: Schema.Finite,
    days: Schema.Finite,
    method: Schema.optionalKey(Schema.Literals(["atm_interpolated", "index"]))
  }),
  table: IvTable,
  read: (ports, query) => Context.get(ports, ImpliedVolatilities).history(query),
  toTable: toIvTable
})

export const jobs: ReadonlyArray<EncodedJob> = [
  encodedJob(candleRangeJob),
  encodedJob(perpetualHistoryJob),
  encodedJob(takerFlowJob),
  encodedJob(liquidationsJob),
  encodedJob(socialActivityJob),
  encodedJob(optionChainJob),
  encodedJob(optionTradesJob),
  encodedJob(ivHistoryJob)
]
