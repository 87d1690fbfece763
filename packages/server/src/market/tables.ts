import { Column } from "@tapeline/core/engine"
import type {
  Candle,
  IvPoint,
  Liquidation,
  LiquidationTotals,
  OptionQuote,
  OptionTrade,
  PerpetualPoint,
  SocialActivity,
  TakerFlow
} from "@tapeline/core/market"
import { Schema, SchemaGetter } from "effect"

type Cells = Float64Array | ReadonlyArray<string>

/** How a column stores a field of rows. */
interface Field<Value> {
  readonly toCells: (values: ReadonlyArray<Value>) => Cells
  readonly fromCell: (cell: number | string | undefined) => Value
}

const number: Field<number> = { toCells: (values) => Float64Array.from(values), fromCell: Number }

/** Stores null as NaN. */
const numberOrNull: Field<number | null> = {
  toCells: (values) => Float64Array.from(values, (value) => value ?? NaN),
  fromCell: (cell) => Number.isNaN(cell) ? null : Number(cell)
}

const text: Field<string> = { toCells: (values) => values, fromCell: String }

/** Stores the positions of values in a list. */
const oneOf = <const Value>(...values: ReadonlyArray<Value>): Field<Value> => ({
  toCells: (given) => Float64Array.from(given, (value) => values.indexOf(value)),
  fromCell: (cell) => values[Number(cell)]!
})

type Fields<Row> = { readonly [Name in keyof Row]: Field<Row[Name]> }

/** Rows that are encoded as columns, so that threads copy blocks of memory instead of many objects. */
const rows = <Row extends object>(fields: Fields<Row>) => {
  const entries: ReadonlyArray<readonly [string, Field<unknown>]> = Object.entries(fields)
  return Schema.Record(Schema.String, Schema.Union([Column, Schema.Array(Schema.String)])).pipe(
    Schema.decodeTo(Schema.declare((value): value is ReadonlyArray<Row> => Array.isArray(value)), {
      decode: SchemaGetter.transform((columns: Readonly<Record<string, Cells>>) => {
        const given = Array.from({ length: columns[entries[0]![0]]!.length }, (): Record<string, unknown> => ({}))
        for (const [name, { fromCell }] of entries) {
          const cells = columns[name]!
          // A loop over indices is faster than an iterator, and a long read has thousands of rows.
          for (let i = 0; i < given.length; i++) given[i]![name] = fromCell(cells[i])
        }
        return given as ReadonlyArray<Row> // `fields` describes each field of Row.
      }),
      encode: SchemaGetter.transform((given: ReadonlyArray<Row>) =>
        Object.fromEntries(
          entries.map(([name, { toCells }]) => [name, toCells(given.map((row) => Reflect.get(row, name)))])
        )
      )
    })
  )
}

const gaps = Schema.Array(Schema.Struct({ from: Schema.Finite, to: Schema.Finite }))
const series = <Row extends object>(fields: Fields<Row>) => Schema.Struct({ points: rows(fields), gaps })

export const Candles = rows<Candle>({
  time: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
  quoteVolume: number,
  takerBuyVolume: numberOrNull,
  closed: oneOf(false, true)
})

export const PerpetualHistory = series<PerpetualPoint>({
  time: number,
  fundingRate: numberOrNull,
  fundingIntervalHours: numberOrNull,
  openInterest: numberOrNull,
  openInterestUsd: numberOrNull,
  longShortRatio: numberOrNull,
  markPrice: numberOrNull,
  indexPrice: numberOrNull
})

export const TakerFlows = series<TakerFlow>({ time: number, buyUsd: number, sellUsd: number })

export const Tape = Schema.Struct({
  events: rows<Liquidation>({ time: number, side: oneOf("long", "short"), price: number, sizeUsd: number }),
  steps: rows<LiquidationTotals>({ time: number, longUsd: number, shortUsd: number, count: number }),
  gaps,
  longUsd: Schema.Finite,
  shortUsd: Schema.Finite,
  count: Schema.Finite,
  truncated: Schema.Boolean,
  coverage: Schema.Literals(["whole", "sampled"])
})

export const SocialActivities = series<SocialActivity>({
  time: number,
  mentions: number,
  authors: number,
  sentiment: numberOrNull
})

export const OptionTrades = rows<OptionTrade>({
  time: number,
  instrument: text,
  type: oneOf("call", "put"),
  strike: number,
  expiryAt: number,
  side: oneOf("buy", "sell"),
  size: number,
  premiumUsd: number,
  ivPct: number,
  spot: number
})

const Expiry = Schema.Struct({
  expiryAt: Schema.Finite,
  forward: Schema.NullOr(Schema.Finite),
  discount: Schema.NullOr(Schema.Finite),
  exercise: Schema.Literals(["european", "american"]),
  quotes: rows<OptionQuote>({
    instrument: text,
    type: oneOf("call", "put"),
    strike: number,
    bid: numberOrNull,
    ask: numberOrNull,
    mark: numberOrNull,
    ivPct: numberOrNull,
    openInterest: numberOrNull,
    volume24h: numberOrNull
  })
})

export const Chain = Schema.Struct({
  time: Schema.Finite,
  underlying: Schema.String,
  spot: Schema.Finite,
  multiplier: Schema.Finite,
  expiries: Schema.Array(Expiry)
})

export const VolatilityHistory = Schema.Struct({
  method: Schema.Literals(["atm_interpolated", "index"]),
  maturityDays: Schema.Finite,
  since: Schema.NullOr(Schema.Finite),
  points: rows<IvPoint>({ time: number, ivPct: number })
})
