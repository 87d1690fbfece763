import { assert, it, layer as withLayer } from "@effect/vitest"
import { OnchainFlows, TokenMarkets } from "@tapeline/core"
import { SourceFailure } from "@tapeline/core/engine"
import {
  dayMs,
  hourMs,
  makeReading,
  minuteMs,
  readValue,
  SourceUnavailable,
  type WhaleTransfer
} from "@tapeline/core/market"
import {
  getDexPools,
  getOnchain,
  getPrice,
  getStablecoinFlows,
  getToken,
  getWhaleTransfers,
  searchTokens
} from "@tapeline/core/specifications"
import { callByName, callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, layerGappyMarket, now } from "../support/markets.ts"

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("trades on decentralised exchanges", (it) => {
  it.effect("net flow is bought less sold over 24 hours of the port's data", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const flows = yield* OnchainFlows
      for (const coin of ["BTC", "PEPE", "USDC"]) {
        const result = yield* callTool(getOnchain, { coin })
        const until = Math.floor(now / (5 * minuteMs)) * 5 * minuteMs
        assert.strictEqual(result.until, new Date(until).toISOString())
        const query = { coin, from: until - 2 * dayMs, to: until, stepMs: 5 * minuteMs }
        const { points } = yield* readValue(flows.dexActivity(query))
        const [prior, day] = [points.slice(0, 288), points.slice(288)]
        assert.strictEqual(day.length, 288)
        assert.closeTo(result.buy_usd, sumOf(day.map(({ buyUsd }) => buyUsd)), 24)
        assert.closeTo(result.sell_usd, sumOf(day.map(({ sellUsd }) => sellUsd)), 24)
        assert.strictEqual(result.net_flow_usd, result.buy_usd - result.sell_usd)
        assert.strictEqual(result.dex_volume_24h_usd, result.buy_usd + result.sell_usd)
        assert.strictEqual(result.trades, sumOf(day.map(({ trades }) => trades)))
        assert.closeTo(result.buy_share_pct!, 100 * result.buy_usd / result.dex_volume_24h_usd, 1e-4)
        assert.strictEqual(sumOf(result.by_hour.map(({ buy_usd }) => buy_usd)), result.buy_usd)
        assert.strictEqual(sumOf(result.by_hour.map(({ sell_usd }) => sell_usd)), result.sell_usd)
        const before = sumOf(prior.map(({ buyUsd, sellUsd }) => buyUsd + sellUsd))
        assert.closeTo(result.volume_change_pct!, 100 * (result.dex_volume_24h_usd / before - 1), 1e-3)
        // The volumes of the pools add up to the on-chain volume of the last 24 hours. The 24-hour period of
        // `get_onchain` ended some minutes earlier.
        const { pools, truncated, volume_24h_usd } = yield* callTool(getDexPools, { coin, top: 100 })
        assert.isFalse(truncated)
        assert.isAtMost(Math.abs(volume_24h_usd! / result.dex_volume_24h_usd - 1), 0.05)
        assert.closeTo(sumOf(pools.map((pool) => pool.volume_24h_usd!)), volume_24h_usd!, 0.01)
      }
    }))

  it.effect("pools of a coin are sorted by liquidity and add up to the token's liquidity", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const coin of ["ETH", "SOL", "WIF", "XRP"]) {
        const { liquidity_usd, pools } = yield* callTool(getDexPools, { coin, top: 100 })
        assert.isTrue(pools.every(({ pair }) => pair.split("/").length === 2 && pair.split("/")[0]!.endsWith(coin)))
        assert.isTrue(pools.every(({ liquidity_usd: one }, i) => i === 0 || one! <= pools[i - 1]!.liquidity_usd!))
        const token = yield* callTool(getToken, { coin })
        assert.isAtMost(Math.abs(liquidity_usd! / token.liquidity_usd! - 1), 1e-4)
        assert.deepStrictEqual(
          (yield* callTool(getDexPools, { coin, top: 2 })).pools,
          pools.slice(0, 2)
        )
      }
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("tokens", (it) => {
  it.effect("a token's figures are consistent and agree with the coin's price", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const coin of ["PEPE", "BTC", "USDT", "arb"]) {
        const token = yield* callTool(getToken, { coin })
        const price = yield* callTool(getPrice, { coin })
        assert.strictEqual(token.coin, coin.toUpperCase())
        assert.strictEqual(token.price_usd, price.price)
        assert.isAtMost(Math.abs(token.market_cap_usd! / price.market_cap_usd! - 1), coin === "USDT" ? 0.1 : 1e-9)
        const { circulating, max, total } = token.supply
        assert.isAtMost(Math.abs(token.fdv_usd! / (token.price_usd * (max ?? total!)) - 1), 1e-6)
        assert.isTrue(token.top10_share_pct! > 0 && token.top10_share_pct! <= 100)
        assert.isTrue(token.holders! > 0 && Number.isInteger(token.holders))
        assert.isTrue(circulating! <= total! && token.circulating_pct! <= 100)
        assert.strictEqual(token.flags.includes("concentrated"), token.top10_share_pct! > 40)
      }
    }))

  it.effect("a mined coin's total supply equals its circulating supply; other coins may have locked supply", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const coin of ["BTC", "LTC", "DOGE"]) {
        const { supply } = yield* callTool(getToken, { coin })
        assert.strictEqual(supply.total, supply.circulating, coin)
      }
      const { supply } = yield* callTool(getToken, { coin: "XRP" })
      assert.isTrue(supply.total! > supply.circulating! && supply.total! <= supply.max!)
    }))

  it.effect("mean trades on decentralised exchanges differ by coin and by day", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const firstTimes = new Map<string, number>()
      for (const coin of ["ETH", "SOL", "BNB", "WIF", "PEPE", "LDO"]) {
        const { dex_volume_24h_usd, mean_trade_usd, trades } = yield* callTool(getOnchain, { coin })
        assert.closeTo(mean_trade_usd! / (dex_volume_24h_usd / trades), 1, 1e-3)
        firstTimes.set(coin, mean_trade_usd!)
      }
      assert.strictEqual(new Set([...firstTimes.values()].map(Math.round)).size, firstTimes.size)
      // On a chain with expensive transactions, small trades are rare.
      assert.isAbove(firstTimes.get("ETH")!, 3 * firstTimes.get("SOL")!)
      const days = yield* Effect.forEach([0, 4, 8, 12], (back) =>
        Effect.andThen(
          TestClock.setTime(now - back * dayMs),
          Effect.map(callTool(getOnchain, { coin: "ETH" }), ({ mean_trade_usd }) => mean_trade_usd!)
        ))
      // Rounding of the number of trades cannot explain the difference between the days.
      assert.isTrue(Math.max(...days) > 1.1 * Math.min(...days) && Math.max(...days) < 3 * Math.min(...days))
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("token search", (it) => {
  it.effect("a search result can be read by address and chain; either argument without the other is rejected", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { tokens, truncated } = yield* callTool(searchTokens, { query: " PePe ", top: 100 })
      assert.isFalse(truncated)
      assert.isTrue(tokens.every(({ liquidity_usd }, i) => i === 0 || liquidity_usd! <= tokens[i - 1]!.liquidity_usd!))
      assert.strictEqual(tokens.filter(({ listed }) => listed).length, 1)
      assert.isTrue(tokens.some(({ coin, listed }) => coin === "PEPE" && !listed))
      for (const { address, chain, listed, name } of tokens.slice(0, 4)) {
        const token = yield* callTool(getToken, { address, chain })
        assert.deepInclude(token, { address, chain, name, coin: listed ? "PEPE" : null })
        assert.strictEqual(token.flags.includes("impostor"), !listed)
        assert.deepStrictEqual(
          (yield* callTool(searchTokens, { query: address })).tokens.map((one) => one.address),
          [
            address
          ]
        )
      }
      const { address, chain } = tokens[0]!
      const unknownChainError = yield* callExpectingFailure(getToken, { address, chain: "nosuch" })
      assert.deepInclude(unknownChainError, { code: "unknown_symbol", retryable: false })
      assert.include(unknownChainError.message, "search_tokens")
      assert.notInclude(unknownChainError.message, "get_us_stock")
      for (
        const invalidArguments of [{}, { address }, { chain }, { coin: "PEPE", chain }, {
          coin: "PEPE",
          address,
          chain
        }, {
          address: "../etc",
          chain
        }]
      ) {
        const argumentError = yield* Effect.flip(callByName("get_token", invalidArguments))
        assert.strictEqual(argumentError._tag, "InvalidArguments", JSON.stringify(invalidArguments))
        if (!("address" in invalidArguments && invalidArguments.address === "../etc")) {
          assert.include(JSON.stringify(argumentError), "either `coin`, or `address` together with its `chain`")
        }
      }
      assert.strictEqual((yield* callTool(getToken, { coin: "PEPE", address: null, chain: null })).coin, "PEPE")
      const noTokens = yield* callTool(searchTokens, { query: "no token is called this" })
      assert.deepInclude(noTokens, { tokens: [], truncated: false })
      const limitedSearch = yield* callTool(searchTokens, { query: "e", top: 1 })
      assert.deepInclude(limitedSearch, { truncated: true })
      for (const query of ["", "  ", "a\u0000b", "x".repeat(65)]) {
        assert.strictEqual((yield* Effect.flip(callByName("search_tokens", { query })))._tag, "InvalidArguments")
      }
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("flows into exchanges", (it) => {
  it.effect("the net flow is over all transfers, also those not shown, except transfers within an exchange", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const tokens = yield* TokenMarkets
      for (const args of [{ coin: "BTC" }, { coin: "ETH", hours: 720, min_usd: 100_000, top: 3 }]) {
        const hours = args.hours ?? 24
        const result = yield* callTool(getWhaleTransfers, args)
        const all: Array<WhaleTransfer> = []
        const from = now - hours * hourMs
        for (let time = from; time <= now; time += 12 * hourMs) {
          const to = Math.min(time + 12 * hourMs, now + 1)
          all.push(...(yield* readValue(tokens.whaleTransfers({ coin: args.coin, from: time, to }))))
        }
        const large = all.filter(({ usd }) => usd >= (args.min_usd ?? 1_000_000))
        if (hours === 720) assert.isAbove(large.length, 1_000)
        assert.strictEqual(result.n, large.length)
        const sumUsdOf = (kind: string) => sumOf(large.filter((one) => one.kind === kind).map(({ usd }) => usd))
        assert.closeTo(result.exchange_net_usd, sumUsdOf("exchange_in") - sumUsdOf("exchange_out"), 2)
        assert.strictEqual(result.exchange_net_usd, result.exchange_in_usd - result.exchange_out_usd)
        assert.strictEqual(sumOf(result.by_kind.map(({ usd }) => usd)), result.total_usd)
        assert.strictEqual(sumOf(result.by_kind.map(({ n }) => n)), result.n)
        assert.isTrue(result.by_kind.some(({ kind }) => kind === "exchange_internal"))
        const largest = large.toSorted((a, b) => b.usd - a.usd).slice(0, args.top ?? 10)
        assert.deepStrictEqual(result.transfers.map(({ usd }) => usd), largest.map(({ usd }) => usd))
      }
      assert.strictEqual(
        (yield* Effect.flip(callByName("get_whale_transfers", { coin: "BTC", min_usd: 99_999 })))._tag,
        "InvalidArguments"
      )
    }))

  it.effect("a stablecoin's change is the difference of its supplies, and coins add up to the totals", () =>
    Effect.gen(function*() {
      for (const days of [7, 30]) {
        yield* TestClock.setTime(now)
        const result = yield* callTool(getStablecoinFlows, { days })
        assert.strictEqual(sumOf(result.coins.map(({ supply_usd }) => supply_usd)), result.supply_usd)
        assert.strictEqual(sumOf(result.coins.map(({ change_usd }) => change_usd)), result.change_usd)
        assert.strictEqual(sumOf(result.coins.map((one) => one.exchange_net_usd!)), result.exchange_net_usd)
        yield* TestClock.setTime(now - days * dayMs)
        const dayResult = yield* callTool(getStablecoinFlows, { days: 1 })
        for (const { change_pct, change_usd, coin, supply_usd } of result.coins) {
          const before = dayResult.coins.find((one) => one.coin === coin)!.supply_usd
          assert.strictEqual(supply_usd - before, change_usd)
          assert.closeTo(change_pct!, 100 * change_usd / before, 1e-4)
        }
      }
      yield* TestClock.setTime(now)
      const [{ coin, exchange_net_usd } = { coin: "", exchange_net_usd: null }] =
        (yield* callTool(getStablecoinFlows, { days: 2 })).coins
      const transfers = yield* callTool(getWhaleTransfers, { coin, hours: 48, min_usd: 100_000 })
      assert.isAtMost(Math.abs(exchange_net_usd! - transfers.exchange_net_usd), 1e-4 * transfers.total_usd)
    }))
})

/** Provides a chain with more transfers than one call of the tool reads. */
const layerCrowdedChain = (coin: string, sameInstant: boolean) =>
  Layer.effect(
    TokenMarkets,
    Effect.map(TokenMarkets, (tokens) => ({
      ...tokens,
      whaleTransfers: ({ from, to }) => {
        const end = Math.min(to - 1, now)
        const all = Array.from({ length: 1_000 }, (_, i): WhaleTransfer => ({
          time: sameInstant ? end : end - 999 + i,
          coin,
          hash: `0x${i}`,
          from: "a",
          to: "b\u0000\u202e",
          amount: 1,
          usd: 2_000_000,
          kind: "exchange_in"
        })).filter(({ time }) => time >= from)
        return Effect.succeed(makeReading(all, "crowd", now))
      }
    }))
  ).pipe(Layer.provideMerge(layerCompleteMarket))

for (const sameInstant of [false, true]) {
  it.effect(`too many transfers${sameInstant ? " of one instant" : ""} shorten the interval, with a note`, () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const result = yield* callTool(getWhaleTransfers, { coin: "BTC" })
      assert.isAbove(Date.parse(result.from), now - dayMs)
      assert.isTrue(result.notes.some((note) => note.includes(result.from)))
      assert.strictEqual(result.exchange_net_usd, 2_000_000 * result.n)
      assert.isTrue(result.transfers.every(({ to }) => to === "b"))
    }).pipe(Effect.provide(layerEngineOver(layerCrowdedChain("BTC", sameInstant)))))
}

const layerFailingTokens = (failure: SourceFailure) =>
  Layer.effect(
    TokenMarkets,
    Effect.map(TokenMarkets, (tokens) => {
      const fail = () =>
        Effect.fail(
          new SourceUnavailable({
            source: "chainsource",
            failure,
            reason: "Authorization: Bearer 12345 was not taken",
            retryable: failure !== "not_configured",
            ...(failure === "not_configured" ? { variable: "CHAIN_KEY" } : {})
          })
        )
      return { ...tokens, token: fail, search: fail, pools: fail, whaleTransfers: fail, stablecoinFlows: fail }
    })
  ).pipe(Layer.provideMerge(layerCompleteMarket))

for (const failure of SourceFailure.literals) {
  it.effect(`a token source that is ${failure} fails the call without its own error text`, () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const tool of [getToken, searchTokens, getDexPools, getWhaleTransfers, getStablecoinFlows]) {
        const failed = yield* callExpectingFailure(tool, tool.example)
        assert.deepInclude(failed, { code: "source_unavailable", retryable: failure !== "not_configured" })
        assert.include(failed.message, "chainsource")
        assert.notInclude(failed.message, "Bearer")
      }
    }).pipe(Effect.provide(layerEngineOver(layerFailingTokens(failure)))))
}

withLayer(layerEngineOver(layerGappyMarket), { timeout: 60_000 })("on-chain tools over a venue with gaps", (it) => {
  it.effect("values that no source reports are null and noted, and changes over a gap are null", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const token = yield* callTool(getToken, { coin: "PEPE" })
      assert.deepInclude(token, { holders: null, top10_share_pct: null })
      assert.include(token.notes[0], "holders")
      assert.deepStrictEqual(token.unchecked, ["concentrated"])
      assert.include(token.notes[1], "concentrated")
      const { liquidity_usd, notes, pools } = yield* callTool(getDexPools, { coin: "PEPE", top: 100 })
      assert.deepInclude(pools.at(-1), { liquidity_usd: null, volume_24h_usd: null, fee_pct: null, turnover: null })
      assert.closeTo(liquidity_usd!, sumOf(pools.map((pool) => pool.liquidity_usd ?? 0)), 0.01)
      assert.include(notes[0], "liquidity_usd, volume_24h_usd, fee_pct")
      const flows = yield* callTool(getStablecoinFlows, {})
      assert.isNull(flows.exchange_net_usd)
      assert.strictEqual(flows.notes.length, 1)
      const result = yield* callTool(getOnchain, { coin: "PEPE" })
      assert.isNull(result.volume_change_pct)
      assert.isAbove(result.notes.length, 0)
      assert.strictEqual(result.net_flow_usd, result.buy_usd - result.sell_usd)
    }))
})
