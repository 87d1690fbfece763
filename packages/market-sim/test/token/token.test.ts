import { dayMs, hourMs } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import { expect, test } from "vitest"
import { getDexActivity } from "../../src/token/dexTrades.ts"
import { getDexVolume24hUsd, getPools } from "../../src/token/pools.ts"
import { getOperations, getSupply } from "../../src/token/supply.ts"
import { getAllTokens, makeRealToken, searchTokens } from "../../src/token/tokens.ts"
import { getExchangeNetUsd, getTransferDrafts, getTransfers, minTransferUsd } from "../../src/token/transfers.ts"
import { makeWorld } from "../../src/world.ts"
import { computeCorrelation } from "../support/statistics.ts"

const now = Date.parse("2026-08-14T13:37:21Z")
const world = makeWorld(11)
const market = (coin: string) => world.coin(coin)!

test("on-chain buying correlates with the price change", () => {
  const btc = market("ETH")
  const key = world.getKey("onchain ETH")
  const hours = Array.from(
    { length: isFullRun ? 4_000 : 700 },
    (_, i) => Math.floor(now / hourMs) * hourMs - (i + 1) * hourMs
  )
  const buyRatios = hours.map((time) => {
    const { buyUsd, sellUsd } = getDexActivity(btc, time, hourMs, now, key)
    return buyUsd / (buyUsd + sellUsd)
  })
  const move = hours.map((time) => btc.logPrice(time + hourMs) - btc.logPrice(time))
  expect(computeCorrelation(buyRatios, move)).toBeGreaterThan(0.25)
})

test("pools add up to the day's on-chain volume and the token's liquidity", () => {
  for (const coin of ["ETH", "SOL", "PEPE", "ADA", "USDC", "XRP"]) {
    const pools = getPools(world, market(coin), now)
    expect(pools.length).toBeGreaterThanOrEqual(2)
    const volume = pools.reduce((sum, pool) => sum + pool.volume24hUsd!, 0)
    expect(volume / getDexVolume24hUsd(world, market(coin), now)).toBeCloseTo(1, 6)
    const liquidity = pools.reduce((sum, pool) => sum + pool.liquidityUsd!, 0)
    expect(liquidity / makeRealToken(world, market(coin), now).liquidityUsd!).toBeCloseTo(1, 4)
    expect(pools.map((pool) => pool.liquidityUsd)).toEqual(
      pools.map((pool) => pool.liquidityUsd!).toSorted((a, b) => b - a)
    )
    expect(new Set(pools.map((pool) => pool.address)).size).toBe(pools.length)
  }
})

test("token facts are consistent, and impostors are flagged and listed after the real token", () => {
  const tokens = getAllTokens(world, now)
  for (const token of tokens) {
    expect(token.fdvUsd! / (token.priceUsd * (token.maxSupply ?? token.totalSupply!))).toBeCloseTo(1, 3)
    expect(token.totalSupply).toBeGreaterThanOrEqual(token.circulatingSupply!)
    expect(token.top10SharePct!).toBeGreaterThan(0)
    expect(token.top10SharePct!).toBeLessThanOrEqual(90)
    expect(token.flags.includes("impostor")).toBe(token.coin === null)
    expect(token.flags.includes("concentrated")).toBe(token.top10SharePct! > 40)
  }
  expect(tokens.filter((token) => token.coin === null).length).toBeGreaterThan(40)
  const found = searchTokens(world, "PePe", 5, now)
  expect(found[0]!.coin).toBe("PEPE")
  expect(found.length).toBeGreaterThan(1)
  expect(searchTokens(world, found[1]!.address, 5, now)).toEqual([found[1]])
  expect(searchTokens(world, "no such thing", 5, now)).toEqual([])
})

test("the supply of BTC equals the mined coins", () => {
  const supplyOn = (time: string) => getSupply(world, market("BTC"), Date.parse(time))
  expect(supplyOn("2020-05-11T19:23:43Z")).toBe(18_375_000)
  expect(supplyOn("2024-04-20T00:09:27Z")).toBe(19_687_500)
  // The last blocks before 2023 and 2025 are 769,787 and 877,259.
  expect(supplyOn("2023-01-01") / (18_375_000 + 139_787 * 6.25)).toBeCloseTo(1, 3)
  expect(supplyOn("2025-01-01") / (19_687_500 + 37_259 * 3.125)).toBeCloseTo(1, 3)
  for (let year = 2017; year < 2032; year++) {
    const minedYearly = supplyOn(`${year + 1}-01-01`) - supplyOn(`${year}-01-01`)
    expect(minedYearly).toBeGreaterThan(80_000)
    expect(minedYearly).toBeLessThan(720_000)
  }
  expect([supplyOn("2000-01-01"), supplyOn("2100-01-01")]).toEqual([15_750_000, 20_671_875])
})

test("stablecoin supply changes by the amounts minted and burned", () => {
  const usdt = market("USDT")
  const from = now - 60 * dayMs
  const mintOperations = Array.from({ length: 62 }, (_, i) => getOperations(world, usdt, Math.floor(from / dayMs) + i))
    .flat()
    .filter(({ time }) => time > from && time <= now)
    .reduce((sum, { amount }) => sum + amount, 0)
  expect(getSupply(world, usdt, now) - getSupply(world, usdt, from)).toBe(mintOperations)
  expect(Math.abs(mintOperations)).toBeGreaterThan(0)
  const mints = getTransfers(world, usdt, { from: now - 3 * dayMs, to: now }, 100_000).filter(({ kind }) =>
    kind === "mint" || kind === "burn"
  )
  const operations = [3, 2, 1, 0].flatMap((ago) => getOperations(world, usdt, Math.floor(now / dayMs) - ago))
    .filter(({ time }) => time >= now - 3 * dayMs && time < now)
  expect(mints.map(({ usd, kind }) => kind === "mint" ? usd : -usd)).toEqual(operations.map(({ amount }) => amount))
})

test("transfers are large, in order and priced at their time, and a limit keeps the newest", () => {
  const transfers = getTransfers(world, market("BTC"), { from: now - 2 * dayMs, to: now }, 10_000)
  expect(transfers.length).toBeGreaterThan(100)
  for (const [i, transfer] of transfers.entries()) {
    expect(transfer.usd).toBeGreaterThanOrEqual(minTransferUsd)
    expect(transfer.time).toBeGreaterThanOrEqual(transfers[i - 1]?.time ?? 0)
    expect(transfer.time).toBeLessThan(now)
    expect(transfer.usd / transfer.amount / market("BTC").price(transfer.time)).toBeCloseTo(1, 1)
    expect(transfer.from).not.toBe(transfer.to)
  }
  expect(getTransfers(world, market("BTC"), { from: now - 2 * dayMs, to: now }, 7)).toEqual(transfers.slice(-7))
  const sum = transfers.reduce(
    (net, { kind, usd }) => net + (kind === "exchange_in" ? usd : kind === "exchange_out" ? -usd : 0),
    0
  )
  const net = getExchangeNetUsd(world, market("BTC"), now - 2 * dayMs, now)
  expect(Math.abs(sum / net - 1)).toBeLessThan(0.01)
})

test("exchange inflows follow price rises and do not predict returns", () => {
  const days = isFullRun ? 1_200 : 400
  const coins = ["BTC", "ETH", "SOL"]
  const net: Array<number> = []
  const before: Array<number> = []
  const after: Array<number> = []
  for (const coin of coins) {
    for (let i = 1; i <= days; i++) {
      const time = Math.floor(now / dayMs - i) * dayMs
      let count = 0
      for (let hour = time / hourMs; hour < time / hourMs + 6; hour++) {
        for (const { kind } of getTransferDrafts(world, market(coin), hour)) {
          count += kind === "exchange_in" ? 1 : kind === "exchange_out" ? -1 : 0
        }
      }
      net.push(count)
      before.push(market(coin).logPrice(time + 3 * hourMs) - market(coin).logPrice(time - 21 * hourMs))
      after.push(market(coin).logPrice(time + 15 * hourMs) - market(coin).logPrice(time + 3 * hourMs))
    }
  }
  expect(computeCorrelation(net, before)).toBeGreaterThan(0.1)
  expect(Math.abs(computeCorrelation(net, after))).toBeLessThan(3 / Math.sqrt(net.length))
})
