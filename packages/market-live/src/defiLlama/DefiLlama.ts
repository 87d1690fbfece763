/** Provides the current and past supplies of stablecoins from DefiLlama, without an API key. */
import { dayMs, makeReading, type MarketRead, type StablecoinFlow } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema, SchemaTransformation } from "effect"
import {
  InstantMs,
  InstantSeconds,
  makeSource,
  Name,
  NonNegativeNumeric,
  Numeric,
  type ReadBodyRejection,
  type RetryPolicy,
  SourceHealth,
  sourceTimeOf
} from "../source/index.ts"

export class DefiLlama extends Context.Service<DefiLlama, {
  /**
   * Returns the largest dollar stablecoins with the change of their supply over `days` days. Omits stablecoins whose
   * past supply is unknown.
   */
  readonly stablecoinFlows: (days: number) => MarketRead<ReadonlyArray<StablecoinFlow>>
}>()("@tapeline/market-live/DefiLlama") {}

export interface DefiLlamaOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

const Circulating = Schema.Struct({ peggedUSD: Schema.optionalKey(NonNegativeNumeric) })
/**
 * The supply in the list of stablecoins, which may be negative for a small coin because of a wrongly counted bridge.
 */
const ListedSupply = Schema.Struct({ peggedUSD: Schema.optionalKey(Numeric) })

const Stablecoins = Schema.Struct({
  peggedAssets: Schema.Array(Schema.Struct({
    id: Name,
    symbol: Name,
    pegType: Name,
    circulating: Schema.NullOr(ListedSupply)
  }))
})

/** Decodes a time in seconds, written as text, because the API sends times both as text and as numbers. */
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

const isErrorBody = Schema.is(Schema.Struct({ message: Schema.String }))
const readDefiLlamaRejection: ReadBodyRejection = (body, status) =>
  status < 300 && isErrorBody(body) ? { failure: "malformed", reason: "the request was rejected" } : undefined

/** The maximum number of stablecoins to return. Stablecoins beyond the ten largest are much smaller. */
const maxCoins = 10
/**
 * The maximum distance in milliseconds between a requested time and each of the two days whose supplies are
 * interpolated.
 */
const maxDayDistanceMs = 3 * dayMs

const supplyAt = (days: typeof Days.Type, time: number): number | undefined => {
  const [before, after] = [
    days.findLast(({ date }) => date <= time && date > time - maxDayDistanceMs),
    days.find(({ date }) => date > time && date < time + maxDayDistanceMs)
  ]
  const from = before?.totalCirculating.peggedUSD
  const to = after?.totalCirculating.peggedUSD
  if (before === undefined || from === undefined || from <= 0) return undefined
  if (after === undefined || to === undefined || to <= 0) return from
  return from + (to - from) * (time - before.date) / (after.date - before.date)
}

/** DefiLlama publishes no rate limit for requests without an API key. */
const limits = [{ weight: 60, windowMs: 60_000 }]

export const layerDefiLlama = (
  { baseUrl = "https://stablecoins.llama.fi", retryPolicy = {} }: DefiLlamaOptions = {}
): Layer.Layer<DefiLlama, never, SourceHealth> =>
  Layer.effect(
    DefiLlama,
    Effect.map(
      makeSource({ name: "defillama", baseUrl, limits, readBodyRejection: readDefiLlamaRejection, retryPolicy }),
      (source) => {
        const fetchCurrent = source.json({
          label: "stablecoins",
          path: "/stablecoins",
          query: { includePrices: "false" },
          // The large size is needed because the response includes the supply of each coin on each chain.
          maxBytes: 32 * 1024 * 1024,
          cacheMs: 300_000,
          schema: Stablecoins
        })
        const fetchPastSupply = (id: string, time: number) =>
          Effect.map(
            source.json({
              label: "historical supplies",
              path: "/stablecoincharts/all",
              query: { stablecoin: id },
              cacheMs: 3_600_000,
              schema: Days
            }),
            ({ value }) => supplyAt(value, time)
          )
        return {
          stablecoinFlows: Effect.fnUntraced(function*(days) {
            const answer = yield* fetchCurrent
            const present = sourceTimeOf(answer)
            const coins = answer.value.peggedAssets.flatMap(({ circulating, id, pegType, symbol }) => {
              const supplyUsd = circulating?.peggedUSD ?? 0
              return pegType === "peggedUSD" && supplyUsd > 0 ? [{ id, coin: symbol.toUpperCase(), supplyUsd }] : []
            }).sort((a, b) => b.supplyUsd - a.supplyUsd).slice(0, maxCoins)
            const flows = yield* Effect.forEach(coins, ({ coin, id, supplyUsd }) =>
              Effect.map(fetchPastSupply(id, present - days * dayMs), (before) =>
                before === undefined
                  ? []
                  : [{ coin, supplyUsd, changeUsd: supplyUsd - before, exchangeNetUsd: null }]), { concurrency: 4 })
            return makeReading(flows.flat(), "defillama", present)
          })
        }
      }
    )
  )
