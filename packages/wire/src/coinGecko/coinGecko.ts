import type { CoinPrices } from "@tapeline/core/market"
import { Effect } from "effect"
import { type ListedCoin, readListedCoins, readTotalMarket, slugOf } from "../coins/listedCoins.ts"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { queryNumber } from "../server/numbers.ts"

const rowOf = ({ coin: { circulatingSupply, coin, maxSupply, name }, ticker }: ListedCoin, i: number) => ({
  id: slugOf(name),
  symbol: coin.toLowerCase(),
  name,
  current_price: ticker.price,
  market_cap: ticker.marketCapUsd,
  market_cap_rank: i + 1,
  fully_diluted_valuation: null,
  total_volume: ticker.volume24hUsd,
  circulating_supply: circulatingSupply,
  total_supply: circulatingSupply,
  max_supply: maxSupply,
  ath: ticker.price,
  last_updated: "2026-01-01T00:00:00.000Z"
})

const missing: FakeResponse = { status: 422, body: { error: "Missing parameter vs_currency" } }

const markets = (prices: CoinPrices["Service"], { query }: FakeRequest): Effect.Effect<FakeResponse> => {
  if (query.get("vs_currency") !== "usd") return Effect.succeed(missing)
  const count = Math.min(250, queryNumber(query, "per_page") ?? 100)
  const from = ((queryNumber(query, "page") ?? 1) - 1) * count
  return Effect.map(readListedCoins(prices), (all) => ({ body: all.map(rowOf).slice(from, from + count).toReversed() }))
}

/** Creates a fake of CoinGecko's API, according to CoinGecko's documentation. */
export const makeCoinGecko =
  (prices: CoinPrices["Service"]): RequestHandler => (request): Effect.Effect<FakeResponse | null> => {
    if (request.path === "/api/v3/coins/markets") return markets(prices, request)
    if (request.path !== "/api/v3/global") return Effect.succeed(null)
    return Effect.map(readTotalMarket(prices), ({ marketCapUsd, time, volume24hUsd }) => ({
      body: {
        data: {
          active_cryptocurrencies: 17_000,
          markets: 1_300,
          total_market_cap: { btc: 1, usd: marketCapUsd },
          total_volume: { btc: 1, usd: volume24hUsd },
          market_cap_percentage: { btc: 55.5 },
          updated_at: Math.floor(time / 1_000)
        }
      }
    }))
  }
