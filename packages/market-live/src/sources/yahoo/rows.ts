/** Schemas of Yahoo's payloads: numbers are numbers, times are in seconds, and unknown values are missing. */
import { Schema, SchemaTransformation } from "effect"
import { fewOf, InstantSeconds, Name, NonNegativeNumeric, Numeric, PositiveNumeric } from "../../source/index.ts"

/** A field that may be null or missing. */
const told = <A, I>(schema: Schema.Codec<A, I>) => Schema.optionalKey(Schema.NullOr(schema))

/** The range of valid times. Charts begin in 1927. */
const longAgo = { minimum: -2e9, maximum: 4_133_980_800 }
const AnySeconds = Schema.Int.check(Schema.isBetween(longAgo)).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (seconds) => seconds * 1_000, encode: (ms) => Math.round(ms / 1_000) })
  )
)
const AnyMs = Schema.Int.check(Schema.isBetween({ minimum: longAgo.minimum * 1_000, maximum: longAgo.maximum * 1_000 }))

/** A price. Yahoo sends 0 for an unknown price, as of a halted share or before a session begins. */
const Price = NonNegativeNumeric.pipe(
  Schema.decodeTo(
    Schema.NullOr(PositiveNumeric),
    SchemaTransformation.transform({ decode: (price) => price === 0 ? null : price, encode: (price) => price ?? 0 })
  )
)

const Text = Schema.String.check(Schema.isMaxLength(500))

/** A quote. A symbol without data has a row without a price. */
export const YahooQuote = Schema.Struct({
  symbol: Name,
  quoteType: Name,
  exchange: told(Name),
  currency: told(Name),
  shortName: told(Text),
  longName: told(Text),
  regularMarketPrice: told(Price),
  regularMarketTime: told(InstantSeconds),
  regularMarketPreviousClose: told(Price),
  regularMarketVolume: told(NonNegativeNumeric),
  regularMarketOpen: told(Price),
  regularMarketDayHigh: told(Price),
  regularMarketDayLow: told(Price),
  preMarketPrice: told(Price),
  preMarketTime: told(InstantSeconds),
  postMarketPrice: told(Price),
  postMarketTime: told(InstantSeconds),
  marketCap: told(NonNegativeNumeric),
  sharesOutstanding: told(NonNegativeNumeric),
  impliedSharesOutstanding: told(NonNegativeNumeric),
  epsTrailingTwelveMonths: told(Numeric),
  bookValue: told(Numeric),
  fiftyTwoWeekLow: told(NonNegativeNumeric),
  fiftyTwoWeekHigh: told(NonNegativeNumeric),
  firstTradeDateMilliseconds: told(AnyMs),
  earningsTimestampStart: told(InstantSeconds),
  earningsTimestampEnd: told(InstantSeconds),
  isEarningsDateEstimate: told(Schema.Boolean)
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

/** The columns of a chart without bars, which has no times. */
const NoBars = Schema.Struct({ open: Schema.optionalKey(Schema.Tuple([])) })

const Event = { date: AnySeconds }

const Chart = Schema.Struct({
  meta: Schema.Struct({ symbol: Name, currency: told(Name), regularMarketTime: told(InstantSeconds) }),
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

/** Whether each column has a value for each time, and times do not decrease. */
const isWhole = ({ indicators: { adjclose, quote: [columns] }, timestamp = [] }: Chart): boolean => {
  const adjusted = adjclose?.[0].adjclose
  const all = "close" in columns ? [columns.open, columns.high, columns.low, columns.close, columns.volume] : []
  return (timestamp.length === 0 || all.length > 0) &&
    [...all, ...(adjusted === undefined ? [] : [adjusted])].every(({ length }) => length === timestamp.length) &&
    timestamp.every((time, i) => i === 0 || time >= timestamp[i - 1]!)
}

export const Charts = Schema.Struct({
  chart: Schema.Struct({
    result: Schema.Tuple([
      Chart.check(Schema.makeFilter(isWhole, { expected: "a place in each column for each time" }))
    ]),
    error: Schema.Null
  })
})
export type YahooChart = Chart

const Contract = Schema.Struct({
  contractSymbol: Name,
  strike: PositiveNumeric,
  bid: told(NonNegativeNumeric),
  ask: told(NonNegativeNumeric),
  volume: told(NonNegativeNumeric),
  openInterest: told(NonNegativeNumeric),
  contractSize: Name,
  currency: told(Name)
})
export type YahooContract = typeof Contract.Type

const Chain = Schema.Struct({
  underlyingSymbol: Name,
  expirationDates: Schema.Array(InstantSeconds),
  quote: YahooQuote,
  options: Schema.Array(Schema.Struct({
    expirationDate: InstantSeconds,
    calls: fewOf(Contract),
    puts: fewOf(Contract)
  }))
})
export type YahooChain = typeof Chain.Type

export const Chains = Schema.Struct({
  optionChain: Schema.Struct({ result: Schema.Array(Chain), error: Schema.Null })
})

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

const Quarter = Schema.Struct({
  date: Name,
  fiscalQuarter: told(Name),
  actual: told(Numeric),
  estimate: told(Numeric),
  reportedDate: told(InstantSeconds)
})

const Summary = Schema.Struct({
  calendarEvents: told(Schema.Struct({
    earnings: Schema.Struct({
      earningsDate: Schema.Array(InstantSeconds),
      earningsAverage: told(Numeric),
      isEarningsDateEstimate: told(Schema.Boolean)
    })
  })),
  earnings: told(Schema.Struct({
    earningsChart: Schema.Struct({
      quarterly: Schema.Array(Quarter),
      currentFiscalQuarter: told(Text)
    })
  })),
  recommendationTrend: told(Schema.Struct({
    trend: Schema.Array(Schema.Struct({
      period: Name,
      strongBuy: Count,
      buy: Count,
      hold: Count,
      sell: Count,
      strongSell: Count
    }))
  })),
  financialData: told(Schema.Struct({
    targetHighPrice: told(Price),
    targetLowPrice: told(Price),
    targetMeanPrice: told(Price)
  })),
  upgradeDowngradeHistory: told(Schema.Struct({
    history: fewOf(Schema.Struct({
      epochGradeDate: AnySeconds,
      // Empty or missing in some rows.
      firm: told(Text),
      toGrade: Text,
      fromGrade: told(Text),
      currentPriceTarget: told(NonNegativeNumeric)
    }))
  }))
})
export type YahooSummary = typeof Summary.Type

export const Summaries = Schema.Struct({
  quoteSummary: Schema.Struct({ result: Schema.Tuple([Summary]), error: Schema.Null })
})
