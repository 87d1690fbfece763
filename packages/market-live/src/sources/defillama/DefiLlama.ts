/** DefiLlama's supplies of stablecoins, without a key: what is in circulation now, and what was day by day. */
import { dayMs, type MarketRead, reading, type StablecoinFlow } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema, SchemaTransformation } from "effect"
import {
  InstantMs,
  InstantSeconds,
  makeSource,
  Name,
  NonNegativeNumeric,
  Numeric,
  type Patience,
  presentOf,
  type RefusedInBody,
  SourceHealth
} from "../../source/index.ts"

export class DefiLlama extends Context.Service<DefiLlama, {
  /**
   * The largest stablecoins of the dollar, as `TokenMarkets` tells them. One that was not there so many days ago, or of
   * which nothing was recorded then, is left out.
   */
  readonly stablecoinFlows: (days: number) => MarketRead<ReadonlyArray<StablecoinFlow>>
}>()("@tapeline/market-live/DefiLlama") {}

export interface DefiLlamaOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}

/** In dollars at par; of what is pegged to something else it has another key. */
const Circulating = Schema.Struct({ peggedUSD: Schema.optionalKey(NonNegativeNumeric) })
/** The same in the list, where a bridge that is counted wrongly may leave less than nothing of a small one. */
const Listed = Schema.Struct({ peggedUSD: Schema.optionalKey(Numeric) })

const Stablecoins = Schema.Struct({
  peggedAssets: Schema.Array(Schema.Struct({
    id: Name,
    symbol: Name,
    pegType: Name,
    circulating: Schema.NullOr(Listed)
  }))
})

/** Seconds, as text or as a number: both are told. */
const SecondsText = Schema.String.check(Schema.isPattern(/^\d{10}$/u, { expected: "epoch seconds" })).pipe(
  Schema.decodeTo(
    InstantMs,
    SchemaTransformation.transform({
      decode: (text) => Number(text) * 1_000,
      encode: (ms) => String(Math.round(ms / 1_000))
    })
  )
)

const Days = Schema.Array(Schema.Struct({
  date: Schema.Union([InstantSeconds, SecondsText]),
  totalCirculating: Circulating
}))

const isRefused = Schema.is(Schema.Struct({ message: Schema.String }))
const refused: RefusedInBody = (body, status) =>
  status < 300 && isRefused(body) ? { failure: "malformed", reason: "it does not take the request" } : undefined

/** The rest is small beside them. */
const largest = 10
/** A day of a coin that is further away than so much tells nothing of the instant that is asked for. */
const withinMs = 3 * dayMs

/** What there was at an instant: days are told as of midnight, and between two of them it is on a straight line. */
const supplyAt = (days: typeof Days.Type, time: number): number | undefined => {
  const [before, after] = [
    days.findLast(({ date }) => date <= time && date > time - withinMs),
    days.find(({ date }) => date > time && date < time + withinMs)
  ]
  const from = before?.totalCirculating.peggedUSD
  const to = after?.totalCirculating.peggedUSD
  if (before === undefined || from === undefined || from <= 0) return undefined
  if (after === undefined || to === undefined || to <= 0) return from
  return from + (to - from) * (time - before.date) / (after.date - before.date)
}

/** No limit is published for who has no key. */
const limits = [{ weight: 60, windowMs: 60_000 }]

export const layerDefiLlama = (
  { baseUrl = "https://stablecoins.llama.fi", patience = {} }: DefiLlamaOptions = {}
): Layer.Layer<DefiLlama, never, SourceHealth> =>
  Layer.effect(
    DefiLlama,
    Effect.map(makeSource({ name: "defillama", baseUrl, limits, refusedInBody: refused, patience }), (source) => {
      const now = source.json({
        what: "stablecoins",
        path: "/stablecoins",
        query: { includePrices: "false" },
        // Each coin comes with what there is of it on each chain.
        maxBytes: 32 * 1024 * 1024,
        cacheMs: 300_000,
        schema: Stablecoins
      })
      /** What there was of a coin at an instant; undefined where that was not recorded. */
      const then = (id: string, time: number) =>
        Effect.map(
          source.json({
            what: "supplies of the past",
            path: "/stablecoincharts/all",
            query: { stablecoin: id },
            cacheMs: 3_600_000,
            schema: Days
          }),
          ({ value }) => supplyAt(value, time)
        )
      return {
        stablecoinFlows: Effect.fnUntraced(function*(days) {
          const answer = yield* now
          const present = presentOf(answer)
          const coins = answer.value.peggedAssets.flatMap(({ circulating, id, pegType, symbol }) => {
            const supplyUsd = circulating?.peggedUSD ?? 0
            return pegType === "peggedUSD" && supplyUsd > 0 ? [{ id, coin: symbol.toUpperCase(), supplyUsd }] : []
          }).sort((a, b) => b.supplyUsd - a.supplyUsd).slice(0, largest)
          const flows = yield* Effect.forEach(coins, ({ coin, id, supplyUsd }) =>
            Effect.map(then(id, present - days * dayMs), (before) =>
              before === undefined
                ? []
                : [{ coin, supplyUsd, changeUsd: supplyUsd - before, exchangeNetUsd: null }]), { concurrency: 4 })
          return reading(flows.flat(), "defillama", present)
        })
      }
    })
  )
