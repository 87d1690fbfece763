// Long reads of the simulated market, as jobs. A thread of the pool loads this module.
import { type Job, named, type NamedJob } from "@tapeline/core/engine"
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
import { ChainTable, chainTable, IvTable, ivTable, OptionTradeTable, optionTradeTable } from "./optionTables.ts"
import {
  CandleTable,
  candleTable,
  PerpetualTable,
  perpetualTable,
  SocialTable,
  socialTable,
  TakerTable,
  takerTable,
  TapeTable,
  tapeTable
} from "./tables.ts"

/** The market of this thread, for the seed of the latest request. */
let market: { readonly seed: number; readonly ports: Context.Context<MarketPorts> } | undefined

const marketOf = (seed: number): Context.Context<MarketPorts> => {
  if (market?.seed !== seed) market = { seed, ports: SimMarket.portsOf(makeWorld(seed)) }
  return market.ports
}

const Failed = Schema.Struct({
  _tag: Schema.Literal("Failed"),
  error: Schema.Union([UnknownSymbol, NoData, SourceUnavailable])
})

/** A clock that stays at the time of the caller. Jobs never sleep. */
const clockAt = (now: number): Clock.Clock => {
  const nanos = BigInt(Math.trunc(now)) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => nanos,
    monotonicTimeNanos: Effect.succeed(nanos),
    sleep: () => Effect.die(new Error("a job of the simulated market waits for nothing"))
  }
}

/** A query, with the seed of the market and the time of the caller. */
export interface Asking<Query> {
  readonly seed: number
  readonly now: number
  readonly query: Query
}

/** The result of a read, in a form that threads can exchange. The simulated market has one source and no gaps. */
export type Read<Table> =
  | { readonly _tag: "Rows"; readonly table: Table; readonly asOf: number }
  | typeof Failed.Type

const readJob = <Query, A, Table>(
  { query, read, table, toTable, ...job }: {
    readonly name: string
    readonly query: Schema.Codec<Query, unknown>
    readonly table: Schema.Codec<Table, unknown>
    readonly read: (ports: Context.Context<MarketPorts>, query: Query) => MarketRead<A>
    readonly toTable: (value: A) => Table
  }
): Job<Asking<Query>, Read<Table>> => ({
  name: job.name,
  input: Schema.Struct({ seed: Schema.Finite, now: Schema.Finite, query }),
  output: Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("Rows"), table, asOf: Schema.Finite }),
    Failed
  ]),
  // The simulated market never waits, so it can run synchronously.
  run: (input) =>
    read(marketOf(input.seed), input.query).pipe(
      Effect.match({
        onSuccess: ({ asOf, value }): Read<Table> => ({ _tag: "Rows", table: toTable(value), asOf }),
        onFailure: (error): Read<Table> => ({ _tag: "Failed", error })
      }),
      Effect.provideService(Clock.Clock, clockAt(input.now)),
      Effect.runSync
    )
})

const interval = { coin: Schema.String, from: Schema.Finite, to: Schema.Finite }
const Stepped = Schema.Struct({ ...interval, stepMs: Schema.Finite })

export const candleRangeJob = readJob({
  name: "simulated_candles",
  query: Schema.Struct({ ...interval, timeframe: Schema.Literals(timeframes) }),
  table: CandleTable,
  read: (ports, query) => Context.get(ports, CoinPrices).candleRange(query),
  toTable: candleTable
})

export const perpetualHistoryJob = readJob({
  name: "simulated_perpetual",
  query: Stepped,
  table: PerpetualTable,
  read: (ports, query) => Context.get(ports, CoinDerivatives).perpetualHistory(query),
  toTable: ({ points }) => perpetualTable(points)
})

export const takerFlowJob = readJob({
  name: "simulated_taker_flow",
  query: Stepped,
  table: TakerTable,
  read: (ports, query) => Context.get(ports, CoinDerivatives).takerFlow(query),
  toTable: ({ points }) => takerTable(points)
})

export const liquidationsJob = readJob({
  name: "simulated_liquidations",
  query: Schema.Struct({
    ...interval,
    minSizeUsd: Schema.optionalKey(Schema.Finite),
    limit: Schema.optionalKey(Schema.Finite),
    stepMs: Schema.optionalKey(Schema.Finite)
  }),
  table: TapeTable,
  read: (ports, query) => Context.get(ports, CoinDerivatives).liquidations(query),
  toTable: tapeTable
})

export const socialActivityJob = readJob({
  name: "simulated_social",
  query: Stepped,
  table: SocialTable,
  read: (ports, query) => Context.get(ports, SocialFeed).activity(query),
  toTable: ({ points }) => socialTable(points)
})

export const optionChainJob = readJob({
  name: "simulated_option_chain",
  query: Schema.Struct({ coin: Schema.String, expiryAt: Schema.optionalKey(Schema.Finite) }),
  table: ChainTable,
  read: (ports, query) => Context.get(ports, OptionsVenue).chain(query),
  toTable: chainTable
})

export const optionTradesJob = readJob({
  name: "simulated_option_trades",
  query: Schema.Struct({ ...interval, limit: Schema.optionalKey(Schema.Finite) }),
  table: OptionTradeTable,
  read: (ports, query) => Context.get(ports, OptionsVenue).trades(query),
  toTable: optionTradeTable
})

export const ivHistoryJob = readJob({
  name: "simulated_iv",
  query: Schema.Struct({
    coin: Schema.String,
    maturityDays: Schema.Finite,
    days: Schema.Finite,
    method: Schema.optionalKey(Schema.Literals(["atm_interpolated", "index"]))
  }),
  table: IvTable,
  read: (ports, query) => Context.get(ports, ImpliedVolatilities).history(query),
  toTable: ivTable
})

export const jobs: ReadonlyArray<NamedJob> = [
  named(candleRangeJob),
  named(perpetualHistoryJob),
  named(takerFlowJob),
  named(liquidationsJob),
  named(socialActivityJob),
  named(optionChainJob),
  named(optionTradesJob),
  named(ivHistoryJob)
]
