import { dayMs, type StablecoinFlow, type TokenMarkets } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { AutoAdvancingClock } from "../server/AutoAdvancingClock.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

type Tokens = TokenMarkets["Service"]

/** The number of days in a supply chart, which has one point per midnight (UTC) and one for the current time. */
const days = 100

const readFlows = (tokens: Tokens, days: number): Effect.Effect<ReadonlyArray<StablecoinFlow>> =>
  Effect.map(Effect.orDie(tokens.stablecoinFlows(days)), ({ value }) => value)

/** Returns the list of stablecoins, smallest first, with one stablecoin that is pegged to another currency. */
const stablecoinList = (tokens: Tokens): Effect.Effect<FakeResponse> =>
  Effect.map(readFlows(tokens, 1), (flows) => ({
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

const supplyChart = (tokens: Tokens, id: string): Effect.Effect<FakeResponse> =>
  Effect.gen(function*() {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000) * 1_000
    const coin = (yield* readFlows(tokens, 1))[Number(id) - 1]?.coin
    const today = Math.floor(now / dayMs) * dayMs
    const times = [...Array.from({ length: days }, (_, i) => today - (days - 1 - i) * dayMs), now]
    const body = yield* Effect.forEach(times, (time) =>
      Effect.map(
        Effect.provideService(readFlows(tokens, 1), Clock.Clock, new AutoAdvancingClock(time, [])),
        (flows) => {
          const peggedUSD = flows.find((one) => one.coin === coin)?.supplyUsd ?? 0
          return { date: String(time / 1_000), totalCirculating: { peggedUSD }, totalUnreleased: {} }
        }
      ))
    return { body }
  })

/** Creates a fake of DefiLlama's stablecoin API, according to DefiLlama's documentation. */
export const makeDefiLlama = (tokens: Tokens): RequestHandler => ({ path, query }) => {
  if (path === "/stablecoins") return stablecoinList(tokens)
  return path === "/stablecoincharts/all" ? supplyChart(tokens, query.get("stablecoin") ?? "") : Effect.succeed(null)
}
