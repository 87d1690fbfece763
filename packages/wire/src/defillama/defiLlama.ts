/** A fake of DefiLlama's stablecoin API over core's `TokenMarkets`, according to DefiLlama's documentation. */
import { dayMs, type StablecoinFlow, type TokenMarkets } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { HurriedClock } from "../HurriedClock.ts"
import type { Speaks, WireAnswer } from "../WireServer.ts"

type Tokens = TokenMarkets["Service"]

/** The number of days in a chart. Each point is of midnight UTC, and a last point is of now. */
const days = 100

const flowsOf = (tokens: Tokens, days: number): Effect.Effect<ReadonlyArray<StablecoinFlow>> =>
  Effect.map(Effect.orDie(tokens.stablecoinFlows(days)), ({ value }) => value)

/** The stablecoins, smallest first, with one that is pegged to another currency. */
const list = (tokens: Tokens): Effect.Effect<WireAnswer> =>
  Effect.map(flowsOf(tokens, 1), (flows) => ({
    body: {
      peggedAssets: [
        { id: "99", name: "Euro", symbol: "EURX", pegType: "peggedEUR", circulating: { peggedEUR: 9e12 } },
        { id: "98", name: "Gone", symbol: "GONE", pegType: "peggedUSD", circulating: null },
        ...flows.map(({ coin, supplyUsd }, i) => ({
          id: String(i + 1),
          name: coin,
          symbol: coin,
          gecko_id: null,
          pegType: "peggedUSD",
          circulating: { peggedUSD: supplyUsd },
          circulatingPrevDay: { peggedUSD: supplyUsd }
        })).toReversed()
      ]
    }
  }))

/** A stablecoin's supply, oldest point first. */
const chart = (tokens: Tokens, id: string): Effect.Effect<WireAnswer> =>
  Effect.gen(function*() {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000) * 1_000
    const coin = (yield* flowsOf(tokens, 1))[Number(id) - 1]?.coin
    const today = Math.floor(now / dayMs) * dayMs
    const times = [...Array.from({ length: days }, (_, i) => today - (days - 1 - i) * dayMs), now]
    const body = yield* Effect.forEach(times, (time) =>
      Effect.map(
        Effect.provideService(flowsOf(tokens, 1), Clock.Clock, new HurriedClock(time, [])),
        (flows) => {
          const peggedUSD = flows.find((one) => one.coin === coin)?.supplyUsd ?? 0
          return { date: String(time / 1_000), totalCirculating: { peggedUSD }, totalUnreleased: {} }
        }
      ))
    return { body }
  })

/** Serves DefiLlama's stablecoin API from token markets. */
export const defiLlama = (tokens: Tokens): Speaks => ({ path, query }) => {
  if (path === "/stablecoins") return list(tokens)
  return path === "/stablecoincharts/all" ? chart(tokens, query.get("stablecoin") ?? "") : Effect.succeed(null)
}
