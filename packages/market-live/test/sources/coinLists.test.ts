import { assert, describe, it } from "@effect/vitest"
import { CoinPrices, readValue, type SourceUnavailable } from "@tapeline/core/market"
import {
  AutoAdvancingClock,
  type FakeServer,
  makeCoinGecko,
  makeCoinPaprika,
  makeFakeServer,
  type RequestHandler
} from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import {
  CoinGecko,
  type CoinList,
  CoinPaprika,
  layerCoinGecko,
  layerCoinPaprika,
  type RetryPolicy,
  SourceHealth
} from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T12:33:21.000Z")
const prices = Context.get(sharedPorts, CoinPrices)
/** The requested coins. The smallest coin has the last row, in which the fault tests change values. */
const requestedCoins = ["BTC", "ETH", "SOL", "IMX", "USDT"]

class List extends Context.Service<List, CoinList>()("test/List") {}

interface SourceCase {
  readonly name: string
  readonly handleRequest: RequestHandler
  readonly layer: (baseUrl: string, retryPolicy?: Partial<RetryPolicy>) => Layer.Layer<List, never, SourceHealth>
  readonly errors: Readonly<Record<string, readonly [unknown, SourceUnavailable["failure"]]>>
  readonly optionalLeaves: ReadonlyArray<string>
}

const lists: ReadonlyArray<SourceCase> = [
  {
    name: "coinpaprika",
    handleRequest: makeCoinPaprika(prices),
    layer: (baseUrl, retryPolicy = {}) =>
      Layer.provide(Layer.effect(List, Effect.service(CoinPaprika)), layerCoinPaprika({ baseUrl, retryPolicy })),
    errors: { "an error": [{ error: "id not found" }, "malformed"] },
    optionalLeaves: ["max_supply"]
  },
  {
    name: "coingecko",
    handleRequest: makeCoinGecko(prices),
    layer: (baseUrl, retryPolicy = {}) =>
      Layer.provide(Layer.effect(List, Effect.service(CoinGecko)), layerCoinGecko({ baseUrl, retryPolicy })),
    errors: {
      "a limit": [{ status: { error_code: 429, error_message: "slower" } }, "rate_limited"],
      "another error": [{ status: { error_code: 10_005, error_message: "no" } }, "malformed"]
    },
    optionalLeaves: ["market_cap_rank", "current_price", "circulating_supply", "max_supply"]
  }
]

describe.each(lists)("$name", ({ errors, layer, optionalLeaves, name, handleRequest }) => {
  faultSuite<List>({
    source: name,
    handleRequest,
    now,
    layer,
    requests: [
      { name: "the total market", send: Effect.flatMap(List, ({ total }) => total) },
      { name: "coins", send: Effect.flatMap(List, ({ coins }) => coins(requestedCoins)), optionalLeaves }
    ],
    errorsInBody: errors
  })
})

const overWire = <A>(
  { layer, handleRequest }: SourceCase,
  use: (list: CoinList, server: FakeServer) => Effect.Effect<A, SourceUnavailable>
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(handleRequest)
    const context = yield* Layer.build(Layer.provide(layer(server.url), SourceHealth.layer))
    return yield* use(Context.get(context, List), server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

describe.each(lists)("$name", (asks) => {
  it.live("returns supplies, ranks and the total market as the simulated market has them", () =>
    overWire(asks, (list) =>
      Effect.gen(function*() {
        const { value } = yield* list.coins(requestedCoins)
        const ranked = (yield* Effect.orDie(prices.tickers)).value.map(({ coin }) => coin)
        for (const coin of requestedCoins) {
          const facts = yield* Effect.orDie(readValue(prices.coin(coin)))
          const [listedCoin, ...others] = value.filter((one) =>
            one.coin === coin && one.rank !== null && one.rank < 1_000
          )
          assert.deepStrictEqual(others, [])
          assert.deepInclude(listedCoin!, {
            name: facts.name,
            rank: ranked.indexOf(coin) + 1,
            maxSupply: facts.maxSupply
          })
          assert.closeTo(listedCoin!.circulatingSupply! / facts.circulatingSupply!, 1, 1e-6)
        }
        const total = yield* Effect.orDie(readValue(prices.totalMarket))
        assert.deepStrictEqual((yield* list.total).value, total)
      })))
})

it.live("coinpaprika: pauses for an hour when the month's requests are used up", () =>
  overWire(lists[0]!, ({ total }, server) =>
    Effect.gen(function*() {
      server.fail({ _tag: "answer", status: 402, body: { error: "Payment required" } })
      const { failure, retryAfterMs } = yield* Effect.flip(total)
      assert.deepStrictEqual([failure, retryAfterMs], ["rate_limited", 3_600_000])
      assert.lengthOf(server.requests, 1)
    }).pipe(Effect.orDie)))

it.live("coinpaprika: distinguishes coins with the same ticker, and returns missing numbers as null", () =>
  overWire(lists[0]!, (list) =>
    Effect.map(list.coins(["BTC", "ETH"]), ({ value }) => {
      assert.sameMembers(value.map(({ id }) => id), ["btc-batcat", "eth-ether", "btc-bitcoin", "eth-ethereum"])
      assert.deepInclude(value.find(({ id }) => id === "btc-batcat")!, {
        rank: null,
        price: null,
        circulatingSupply: null,
        maxSupply: null
      })
    })))
