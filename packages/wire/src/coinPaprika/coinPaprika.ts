import type { CoinPrices } from "@tapeline/core/market"
import { Effect } from "effect"
import { type ListedCoin, readListedCoins, readTotalMarket, slugOf } from "../coins/listedCoins.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

interface Row {
  readonly id: string
  readonly name: string
  readonly symbol: string
  readonly rank: number
  readonly maxSupply: number
  readonly price: number
  readonly marketCap: number
}

const rowOf = ({ id, marketCap, maxSupply, name, price, rank, symbol }: Row) => ({
  id,
  name,
  symbol,
  rank,
  total_supply: price > 0 ? Math.round(marketCap / price) : 0,
  max_supply: maxSupply,
  beta_value: 1.01,
  first_data_at: "2014-01-01T00:00:00Z",
  last_updated: "2026-01-01T00:00:00Z",
  quotes: {
    USD: {
      price,
      volume_24h: 1_000,
      volume_24h_change_24h: 0.1,
      market_cap: marketCap,
      market_cap_change_24h: 0.1,
      percent_change_1h: 0,
      percent_change_24h: 0,
      ath_price: null,
      ath_date: null,
      percent_from_price_ath: null
    }
  }
})

const toRow = ({ coin: { coin, maxSupply, name }, ticker: { marketCapUsd, price } }: ListedCoin, i: number): Row => ({
  id: `${coin.toLowerCase()}-${slugOf(name)}`,
  name,
  symbol: coin,
  rank: i + 1,
  maxSupply: maxSupply ?? 0,
  price,
  marketCap: Math.round(marketCapUsd ?? 0)
})

/** Coins that share the symbol of a well-known coin, and a coin with invalid values. */
const impostors: ReadonlyArray<Row> = [
  { id: "btc-batcat", name: "batcat", symbol: "BTC", rank: 0, maxSupply: 0, price: 0, marketCap: 0 },
  { id: "eth-ether", name: "Ether", symbol: "ETH", rank: 1_900, maxSupply: 1_000, price: 0.1, marketCap: 90 },
  { id: "odd-odd", name: "", symbol: "ODD", rank: -1, maxSupply: -3, price: 0, marketCap: 0 }
]

/** Creates a fake of CoinPaprika's API, according to CoinPaprika's documentation. */
export const makeCoinPaprika =
  (prices: CoinPrices["Service"]): RequestHandler => ({ path }): Effect.Effect<FakeResponse | null> => {
    switch (path) {
      case "/v1/tickers":
        return Effect.map(readListedCoins(prices), (all) => ({
          body: [...impostors, ...all.map(toRow).toReversed()].map(rowOf)
        }))
      case "/v1/global":
        return Effect.map(readTotalMarket(prices), ({ marketCapUsd, time, volume24hUsd }) => ({
          body: {
            market_cap_usd: marketCapUsd,
            volume_24h_usd: volume24hUsd,
            bitcoin_dominance_percentage: 55.5,
            cryptocurrencies_number: 2_500,
            last_updated: Math.floor(time / 1_000)
          }
        }))
      default:
        return Effect.succeed(null)
    }
  }
