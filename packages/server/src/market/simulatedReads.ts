// Reads of the simulated market that take long, as jobs. A thread of the pool loads this module.
import { type Job, named, type NamedJob } from "@tapeline/core/compute"
import {
  CoinDerivatives,
  CoinPrices,
  type MarketPorts,
  type MarketRead,
  NoData,
  SocialFeed,
  SourceUnavailable,
  timeframes,
  UnknownSymbol
} from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { Context, Effect, Schema } from "effect"
import { CandleTable, candleTable, PerpetualTable, perpetualTable, SocialTable, socialTable } from "./tables.ts"

/** The market of a thread: it has the seed of the first who asks, and is made again for another. */
let market: { readonly seed: number; readonly ports: Context.Context<MarketPorts> } | undefined

const marketOf = (seed: number): Context.Context<MarketPorts> => {
  if (market?.seed !== seed) market = { seed, ports: SimMarket.portsOf(makeWorld(seed)) }
  return market.ports
}

const Failed = Schema.Struct({
  _tag: Schema.Literal("Failed"),
  error: Schema.Union([UnknownSymbol, NoData, SourceUnavailable])
})

/** What a read comes to, in a form that crosses between threads. The simulated market has one source and no gaps. */
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
): Job<{ readonly seed: number; readonly query: Query }, Read<Table>> => ({
  name: job.name,
  input: Schema.Struct({ seed: Schema.Finite, query }),
  output: Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("Rows"), table, asOf: Schema.Finite }),
    Failed
  ]),
  // The simulated market computes and waits for nothing. The present is this thread's clock, which is the machine's.
  run: (input) =>
    Effect.runSync(Effect.match(read(marketOf(input.seed), input.query), {
      onSuccess: ({ asOf, value }) => ({ _tag: "Rows", table: toTable(value), asOf }),
      onFailure: (error) => ({ _tag: "Failed", error })
    }))
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

export const socialActivityJob = readJob({
  name: "simulated_social",
  query: Stepped,
  table: SocialTable,
  read: (ports, query) => Context.get(ports, SocialFeed).activity(query),
  toTable: ({ points }) => socialTable(points)
})

export const jobs: ReadonlyArray<NamedJob> = [
  named(candleRangeJob),
  named(perpetualHistoryJob),
  named(socialActivityJob)
]
