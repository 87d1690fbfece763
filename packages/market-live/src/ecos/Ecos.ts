/**
 * Fetches closing yields of government bonds and the base rate from the Bank of Korea (ECOS). The API key is a part of
 * the URL, so errors never contain the URL.
 */
import { hourMs, type Interval, type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { DailyYields } from "../macro/dailyYields.ts"
import {
  DateDigits,
  Decimal,
  makeSource,
  Name,
  notConfigured,
  type ReadBodyRejection,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceResponse,
  withValue
} from "../source/index.ts"

/** An interest rate that applied on a day. */
export interface DailyRate {
  readonly time: number
  /** The interest rate, in percent a year. */
  readonly ratePct: number
}

export class Ecos extends Context.Service<Ecos, {
  /** Fetches the yields on the trading days of an interval, oldest first. */
  readonly yields: (interval: Interval) => Effect.Effect<SourceResponse<ReadonlyArray<DailyYields>>, SourceUnavailable>
  /** Fetches the base rate on each Korean day of an interval, oldest first. */
  readonly baseRate: (interval: Interval) => Effect.Effect<SourceResponse<ReadonlyArray<DailyRate>>, SourceUnavailable>
}>()("@tapeline/market-live/Ecos") {}

export interface EcosOptions {
  /** The API key from https://ecos.bok.or.kr/api, without which no request is sent. */
  readonly key?: string | undefined
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

const sourceName = "ecos"
const variable = "TAPELINE_ECOS_KEY"

/**
 * The ECOS table of daily market rates, and the items of the table for treasury bonds. Maturities below one year are
 * bills of the Korean central bank, not treasury bonds.
 */
const yieldTable = "817Y002"
const bondItems = {
  "1Y": "010190000",
  "2Y": "010195000",
  "3Y": "010200000",
  "5Y": "010200001",
  "10Y": "010210000",
  "20Y": "010220000",
  "30Y": "010230000"
} as const
const rateTable = "722Y001"
const baseRateItem = "0101000"

const ErrorBody = Schema.Struct({ RESULT: Schema.Struct({ CODE: Name }) })
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)
const errorCodeOf = (body: unknown): string | undefined =>
  Option.getOrUndefined(Option.map(decodeErrorBody(body), ({ RESULT }) => RESULT.CODE))

const isEmptyResult = (body: unknown): boolean => errorCodeOf(body) === "INFO-200"

const readEcosRejection: ReadBodyRejection = (body) => {
  const code = errorCodeOf(body)
  if (code === undefined) return undefined
  const shownCode = /^[A-Z]+-\d+$/u.test(code) ? code : "without a code"
  if (code === "INFO-100") {
    return { failure: "not_configured", reason: `the API key was rejected: set a valid ${variable}` }
  }
  if (code === "ERROR-602") return { failure: "rate_limited", reason: `rate limit of the key reached (${shownCode})` }
  if (/^ERROR-(400|500|600|601)$/u.test(code)) return { failure: "unreachable", reason: `it failed (${shownCode})` }
  return { failure: "malformed", reason: `the request was rejected (${shownCode})` }
}

const rowsSchema = (table: string, item: string) =>
  Schema.Struct({
    StatisticSearch: Schema.Struct({
      list_total_count: Schema.Int,
      row: Schema.Array(
        Schema.Struct({
          STAT_CODE: Schema.Literal(table),
          ITEM_CODE1: Schema.Literal(item),
          TIME: DateDigits,
          DATA_VALUE: Decimal.check(Schema.isBetween({ minimum: -20, maximum: 100 }))
        })
      )
    }).check(
      Schema.makeFilter(({ list_total_count, row }) => row.length === list_total_count, { expected: "all rows" })
    )
  })
const yieldRows = Object.entries(bondItems).map(([tenor, item]) => ({
  tenor,
  item,
  schema: rowsSchema(yieldTable, item)
}))
const baseRateRows = rowsSchema(rateTable, baseRateItem)

const maxRows = 1_000
const limits = [{ weight: 60, windowMs: 60_000 }]

const dayInKorea = (time: number): string => new Date(time + 9 * hourMs).toISOString().slice(0, 10).replaceAll("-", "")

/** Returns the quote time of bonds on a date: 16:00 in Seoul, which is 9 hours ahead of UTC. */
const quoteTimeOf = (date: number): number => date + 7 * hourMs
const startOfKoreanDay = (date: number): number => date - 9 * hourMs

type Rows = ReturnType<typeof rowsSchema>["Type"]

const make = (source: Source, key: string): Ecos["Service"] => {
  const search = (table: string, item: string, { from, to }: Interval, schema: Schema.Decoder<Rows>) =>
    Effect.map(
      source.find({
        label: table === yieldTable ? "bond yields" : "base rate",
        path: `/api/StatisticSearch/${encodeURIComponent(key)}/json/kr/1/${maxRows}/${table}/D/${dayInKorea(from)}/${
          dayInKorea(to)
        }/${item}`,
        schema,
        isAbsent: isEmptyResult,
        cacheMs: 600_000
      }),
      (answer) => withValue(answer, answer.value?.StatisticSearch.row ?? [])
    )
  return {
    yields: (interval) =>
      Effect.map(
        Effect.forEach(yieldRows, ({ item, schema, tenor }) =>
          Effect.map(search(yieldTable, item, interval, schema), (answer) => ({ tenor, answer })), { concurrency: 4 }),
        (responses) => {
          const days = new Map<number, Map<string, number>>()
          for (const { answer, tenor } of responses) {
            for (const { DATA_VALUE, TIME } of answer.value) {
              const day = days.get(TIME) ?? new Map<string, number>()
              days.set(TIME, day.set(tenor, DATA_VALUE))
            }
          }
          const value = Array.from(days, ([date, yields]) => ({ time: quoteTimeOf(date), yields }))
            .toSorted((a, b) =>
              a.time - b.time
            )
          return withValue(
            oldestResponse(responses.map(({ answer }) =>
              answer
            )),
            value
          )
        }
      ),
    baseRate: (interval) =>
      Effect.map(search(rateTable, baseRateItem, interval, baseRateRows), (answer) =>
        withValue(
          answer,
          answer.value
            .map(({ DATA_VALUE, TIME }) => ({ time: startOfKoreanDay(TIME), ratePct: DATA_VALUE }))
            .toSorted((a, b) => a.time - b.time)
        ))
  }
}

const oldestResponse = (answers: ReadonlyArray<SourceResponse<unknown>>): SourceResponse<unknown> =>
  answers.reduce((a, b) => (b.receivedAt < a.receivedAt ? b : a))

export const layerEcos = (
  { baseUrl = "https://ecos.bok.or.kr", key, retryPolicy = {} }: EcosOptions = {}
): Layer.Layer<Ecos, never, SourceHealth> => {
  if (key === undefined) {
    const failWithoutKey = () => Effect.fail(notConfigured(sourceName, variable, "a free key of the Bank of Korea"))
    return Layer.succeed(Ecos, { yields: failWithoutKey, baseRate: failWithoutKey })
  }
  return Layer.effect(
    Ecos,
    Effect.map(
      makeSource({ name: sourceName, baseUrl, limits, variable, readBodyRejection: readEcosRejection, retryPolicy }),
      (source) => make(source, key)
    )
  )
}
