// Reads of the simulated market that take long, as jobs. A thread of the pool loads this module.
import { type Job, named, type NamedJob } from "@tapeline/core/compute"
import {
  type MarketError,
  type MarketStore,
  NoData,
  SourceUnavailable,
  timeframes,
  UnknownSymbol
} from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { Effect, Schema } from "effect"
import { CandleTable, candleTable, PerpetualTable, perpetualTable, SocialTable, socialTable } from "./tables.ts"

/** The market of a thread: it has the seed of the first who asks, and is made again for another. */
let market: { readonly seed: number; readonly store: MarketStore["Service"] } | undefined

const marketOf = (seed: number): MarketStore["Service"] => {
  if (market?.seed !== seed) market = { seed, store: SimMarket.marketStore(makeWorld(seed)) }
  return market.store
}

const Failed = Schema.Struct({
  _tag: Schema.Literal("Failed"),
  error: Schema.Union([UnknownSymbol, NoData, SourceUnavailable])
})

/** What a read comes to, in a form that crosses between threads. */
export type Read<Table> = { readonly _tag: "Rows"; readonly table: Table } | typeof Failed.Type

const readJob = <Query, Row, Table>(
  { query, read, table, toTable, ...job }: {
    readonly name: string
    readonly query: Schema.Codec<Query, unknown>
    readonly table: Schema.Codec<Table, unknown>
    readonly read: (store: MarketStore["Service"], query: Query) => Effect.Effect<ReadonlyArray<Row>, MarketError>
    readonly toTable: (rows: ReadonlyArray<Row>) => Table
  }
): Job<{ readonly seed: number; readonly query: Query }, Read<Table>> => ({
  name: job.name,
  input: Schema.Struct({ seed: Schema.Finite, query }),
  output: Schema.Union([Schema.Struct({ _tag: Schema.Literal("Rows"), table }), Failed]),
  // The simulated market computes and waits for nothing. The present is this thread's clock, which is the machine's.
  run: (input) =>
    Effect.runSync(Effect.match(read(marketOf(input.seed), input.query), {
      onSuccess: (rows) => ({ _tag: "Rows", table: toTable(rows) }),
      onFailure: (error) => ({ _tag: "Failed", error })
    }))
})

const interval = { coin: Schema.String, from: Schema.Finite, to: Schema.Finite }
const Stepped = Schema.Struct({ ...interval, stepMs: Schema.Finite })

export const candleRangeJob = readJob({
  name: "simulated_candles",
  query: Schema.Struct({ ...interval, timeframe: Schema.Literals(timeframes) }),
  table: CandleTable,
  read: (store, query) => store.candleRange(query),
  toTable: candleTable
})

export const derivativesHistoryJob = readJob({
  name: "simulated_perpetual",
  query: Stepped,
  table: PerpetualTable,
  read: (store, query) => store.derivativesHistory(query),
  toTable: perpetualTable
})

export const socialActivityJob = readJob({
  name: "simulated_social",
  query: Stepped,
  table: SocialTable,
  read: (store, query) => store.socialActivity(query),
  toTable: socialTable
})

export const jobs: ReadonlyArray<NamedJob> = [
  named(candleRangeJob),
  named(derivativesHistoryJob),
  named(socialActivityJob)
]
