/** Fetches Deribit's hourly volatility index (DVOL), which is the 30-day implied volatility in percent a year. */
import { hourMs, type Interval, type IvPoint, SourceUnavailable } from "@tapeline/core/market"
import { Effect, Schema } from "effect"
import { InstantMs, PositiveNumeric, type Source, type SourceResponse } from "../source/index.ts"
import { rpcResponse } from "./rpc.ts"

const Fields = Schema.Tuple([InstantMs, PositiveNumeric, PositiveNumeric, PositiveNumeric, PositiveNumeric])
type Candle = typeof Fields.Type

const isCandle = ([time, open, high, low, close]: Candle): boolean =>
  time % hourMs === 0 && low <= Math.min(open, close) && high >= Math.max(open, close)

const Page = rpcResponse(Schema.Struct({
  data: Schema.Array(Fields.check(Schema.makeFilter(isCandle, { expected: "an hour" }))),
  /** The end time of the next page of older data, or null on the last page. */
  continuation: Schema.NullOr(InstantMs)
}))

/** The maximum number of requested pages, which at 1,000 hours per page cover three years. */
const maxPages = 28

export const makeVolatilityIndexReader = (source: Source) =>
  Effect.fnUntraced(function*({ coin, from, to }: { readonly coin: string } & Interval): Effect.fn.Return<
    SourceResponse<ReadonlyArray<IvPoint>>,
    SourceUnavailable
  > {
    const found = new Map<number, number>()
    let until: number | null = to - 1
    for (let pages = 0; pages < maxPages; pages++) {
      const answer: SourceResponse<typeof Page.Type> = yield* source.json({
        label: "volatility index",
        path: "/api/v2/public/get_volatility_index_data",
        query: { currency: coin, start_timestamp: from, end_timestamp: until, resolution: "3600" },
        schema: Page
      })
      const { continuation, data } = answer.value.result
      for (const [time, open] of data) if (time >= from && time < to) found.set(time, open)
      if (continuation === null || continuation < from || continuation >= until) {
        const points = [...found].map(([time, ivPct]) => ({ time, ivPct })).sort((a, b) => a.time - b.time)
        return { ...answer, value: points }
      }
      until = continuation
    }
    return yield* new SourceUnavailable({
      source: source.name,
      failure: "malformed",
      reason: `the volatility index exceeds ${maxPages} pages`,
      retryable: true
    })
  })
