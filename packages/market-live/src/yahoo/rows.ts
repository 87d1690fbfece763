/** Schemas of Yahoo's responses, where times are in seconds and unknown values are missing. */
import { Schema, SchemaTransformation } from "effect"
import {
  InstantSeconds,
  lenientShortList,
  Name,
  NonNegativeNumeric,
  Numeric,
  PositiveNumeric
} from "../source/index.ts"

const optionalNullable = <A, I>(schema: Schema.Codec<A, I>) => Schema.optionalKey(Schema.NullOr(schema))

/** The range of valid times in seconds. Yahoo's oldest chart begins in 1927. */
const validSeconds = { minimum: -2e9, maximum: 4_133_980_800 }
const AnySeconds = Schema.Int.check(Schema.isBetween(validSeconds)).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (seconds) => seconds * 1_000, encode: (ms) => Math.round(ms / 1_000) })
  )
)
const AnyMs = Schema.Int.check(
  Schema.isBetween({ minimum: validSeconds.minimum * 1_000, maximum: validSeconds.maximum * 1_000 })
)

/** Decodes a price, where Yahoo sends 0 for an unknown price, such as the price of a halted share. */
const Price = NonNegativeNumeric.pipe(
  Schema.decodeTo(
    Schema.NullOr(PositiveNumeric),
    SchemaTransformation.transform({ decode: (price) => price === 0 ? null : price, encode: (price) => price ?? 0 })
  )
)

const Text = Schema.String.check(Schema.isMaxLength(500))

/** Decodes a quote, which has no price for a symbol without data. */
export const YahooQuote = Schema.Struct({
  symbol: Name,
  quoteType: Name,
  exchange: optionalNullable(Name),
  currency: optionalNullable(Name),
  shortName: optionalNullable(Text),
  longName: optionalNullable(Text),
  regularMarketPrice: optionalNullable(Price),
  regularMarketTime: optionalNullable(InstantSeconds),
  regularMarketPreviousClose: optionalNullable(Price),
  regularMarketVolume: optionalNullable(NonNegativeNumeric),
  regularMarketOpen: optionalNullable(Price),
  regularMarketDayHigh: optionalNullable(Price),
  regularMarketDayLow: optionalNullable(Price),
  preMarketPrice: optionalNullable(Price),
  preMarketTime: optionalNullable(InstantSeconds),
  postMarketPrice: optionalNullable(Price),
  postMarketTime: optionalNullable(InstantSeconds),
  marketCap: optionalNullable(NonNegativeNumeric),
  sharesOutstanding: optionalNullable(NonNegativeNumeric),
  impliedSharesOutstanding: optionalNullable(NonNegativeNumeric),
  epsTrailingTwelveMonths: optionalNullable(Numeric),
  bookValue: optionalNullable(Numeric),
  fiftyTwoWeekLow: optionalNullable(NonNegativeNumeric),
  fiftyTwoWeekHigh: optionalNullable(NonNegativeNumeric),
  firstTradeDateMilliseconds: optionalNullable(AnyMs),
  earningsTimestampStart: optionalNullable(InstantSeconds),
  earningsTimestampEnd: optionalNullable(InstantSeconds),
  isEarningsDateEstimate: optionalNullable(Schema.Boolean)
})
export type YahooQuote = typeof YahooQuote.Type

export const Quotes = Schema.Struct({
  quoteResponse: Schema.Struct({ result: Schema.Array(YahooQuote), error: Schema.Null })
})

const Column = Schema.Array(Schema.NullOr(Price))
const Columns = Schema.Struct({
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  volume: Schema.Array(Schema.NullOr(NonNegativeNumeric))
})

/** The columns of a chart without bars, which has neither prices nor times. */
const NoBars = Schema.Struct({ open: Schema.optionalKey(Schema.Tuple([])) })

const Event = { date: AnySeconds }

const Chart = Schema.Struct({
  meta: Schema.Struct({
    symbol: Name,
    currency: optionalNullable(Name),
    regularMarketTime: optionalNullable(InstantSeconds)
  }),
  timestamp: Schema.optionalKey(Schema.Array(AnySeconds)),
  events: Schema.optionalKey(Schema.Struct({
    dividends: Schema.optionalKey(
      Schema.Record(Name, Schema.Struct({ ...Event, amount: NonNegativeNumeric }))
    ),
    splits: Schema.optionalKey(
      Schema.Record(Name, Schema.Struct({ ...Event, numerator: PositiveNumeric, denominator: PositiveNumeric }))
    )
  })),
  indicators: Schema.Struct({
    quote: Schema.Tuple([Schema.Union([Columns, NoBars])]),
    adjclose: Schema.optionalKey(Schema.Tuple([Schema.Struct({ adjclose: Schema.optionalKey(Column) })]))
  })
})
type Chart = typeof Chart.Type

/** Returns whether each column of a chart has a value for each time, and times do not decrease. */
const hasEqualColumns = ({ indicators: { adjclose, quote: [columns] }, timestamp = [] }: Chart): boolean => {
  const adjusted = adjclose?.[0].adjclose
  const all = "close" in columns ? [columns.open, columns.high, columns.low, columns.close, columns.volume] : []
  return (timestamp.length === 0 || all.length > 0) &&
    [...all, ...(adjusted === undefined ? [] : [adjusted])].every(({ length }) => length === timestamp.length) &&
    timestamp.every((time, i) => i === 0 || time >= timestamp[i - 1]!)
}

export const Charts = Schema.Struct({
  chart: Schema.Struct({
    result: Schema.Tuple([
      Chart.check(Schema.makeFilter(hasEqualColumns, { expected: "columns with one value for each time" }))
    ]),
    error: Schema.Null
  })
})
export type YahooChart = Chart

const Contract = Schema.Struct({
  contractSymbol: Name,
  strike: PositiveNumeric,
  bid: optionalNullable(NonNegativeNumeric),
  ask: optionalNullable(NonNegativeNumeric),
  volume: optionalNullable(NonNegativeNumeric),
  openInterest: optionalNullable(NonNegativeNumeric),
  contractSize: Name,
  currency: optionalNullable(Name)
})
export type YahooContract = typeof Contract.Type

const Chain = Schema.Struct({
  underlyingSymbol: Name,
  expirationDates: Schema.Array(InstantSeconds),
  quote: YahooQuote,
  options: Schema.Array(Schema.Struct({
    expirationDate: InstantSeconds,
    calls: lenientShortList(Contract),
    puts: lenientShortList(Contract)
  }))
})
export type YahooChain = typeof Chain.Type

export const Chains = Schema.Struct({
  optionChain: Schema.Struct({ result: Schema.Array(Chain), error: Schema.Null })
})

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

const Quarter = Schema.Struct({
  date: Name,
  fiscalQuarter: optionalNullable(Name),
  actual: optionalNullable(Numeric),
  estimate: optionalNullable(Numeric),
  reportedDate: optionalNullable(InstantSeconds)
})

const Summary = Schema.Struct({
  calendarEvents: optionalNullable(Schema.Struct({
    earnings: Schema.Struct({
      earningsDate: Schema.Array(InstantSeconds),
      earningsAverage: optionalNullable(Numeric),
      isEarningsDateEstimate: optionalNullable(Schema.Boolean)
    })
  })),
  earnings: optionalNullable(Schema.Struct({
    earningsChart: Schema.Struct({
      quarterly: Schema.Array(Quarter),
      currentFiscalQuarter: optionalNullable(Text)
    })
  })),
  recommendationTrend: optionalNullable(Schema.Struct({
    trend: Schema.Array(Schema.Struct({
      period: Name,
      strongBuy: Count,
      buy: Count,
      hold: Count,
      sell: Count,
      strongSell: Count
    }))
  })),
  financialData: optionalNullable(Schema.Struct({
    targetHighPrice: optionalNullable(Price),
    targetLowPrice: optionalNullable(Price),
    targetMeanPrice: optionalNullable(Price)
  })),
  upgradeDowngradeHistory: optionalNullable(Schema.Struct({
    history: lenientShortList(Schema.Struct({
      epochGradeDate: AnySeconds,
      // The firm's name is empty or missing in some rows.
      firm: optionalNullable(Text),
      toGrade: Text,
      fromGrade: optionalNullable(Text),
      currentPriceTarget: optionalNullable(NonNegativeNumeric)
    }))
  }))
})
export type YahooSummary = typeof Summary.Type

export const Summaries = Schema.Struct({
  quoteSummary: Schema.Struct({ result: Schema.Tuple([Summary]), error: Schema.Null })
})
