/** Provides CoinGecko's coins with supplies and ranks, and the market capitalisation of all coins. */
import { Context, Effect, Layer, Schema } from "effect"
import { type CoinList, type CoinListOptions, type ListedCoin, nullIfZero, rowsOfTickers } from "../coins/CoinList.ts"
import {
  InstantSeconds,
  makeSource,
  Name,
  NonNegativeNumeric,
  PositiveNumeric,
  type ReadBodyRejection,
  SourceHealth,
  withValue
} from "../source/index.ts"

export class CoinGecko extends Context.Service<CoinGecko, CoinList>()("@tapeline/market-live/CoinGecko") {}

const Row = Schema.Struct({
  id: Name,
  name: Name,
  symbol: Name,
  market_cap_rank: Schema.NullOr(PositiveNumeric),
  current_price: Schema.NullOr(NonNegativeNumeric),
  circulating_supply: Schema.NullOr(NonNegativeNumeric),
  max_supply: Schema.NullOr(NonNegativeNumeric)
})

const coinOf = (
  { circulating_supply, current_price, id, market_cap_rank, max_supply, name, symbol }: typeof Row.Type
): ListedCoin => ({
  id,
  coin: symbol.toUpperCase(),
  name,
  rank: market_cap_rank,
  price: nullIfZero(current_price),
  circulatingSupply: nullIfZero(circulating_supply),
  maxSupply: nullIfZero(max_supply)
})

const Global = Schema.Struct({
  data: Schema.Struct({
    total_market_cap: Schema.Struct({ usd: PositiveNumeric }),
    total_volume: Schema.Struct({ usd: NonNegativeNumeric }),
    updated_at: InstantSeconds
  })
})

const ErrorBody = Schema.Struct({ status: Schema.Struct({ error_code: Schema.Int }) })
const isErrorBody = Schema.is(ErrorBody)

const readCoinGeckoRejection: ReadBodyRejection = (body, status) => {
  if (status >= 300 || !isErrorBody(body)) return undefined
  return body.status.error_code === 429
    ? { failure: "rate_limited", reason: "rate limit for this IP address reached" }
    : { failure: "malformed", reason: `the request was rejected (${body.status.error_code})` }
}

/** Without an API key, CoinGecko allows between five and fifteen requests a minute, depending on its load. */
const limits = [{ weight: 4, windowMs: 60_000 }]

const maxCoins = 250

export const layerCoinGecko = (
  { baseUrl = "https://api.coingecko.com", retryPolicy = {} }: CoinListOptions = {}
): Layer.Layer<CoinGecko, never, SourceHealth> =>
  Layer.effect(
    CoinGecko,
    Effect.map(
      makeSource({ name: "coingecko", baseUrl, limits, readBodyRejection: readCoinGeckoRejection, retryPolicy }),
      (source): CoinList => ({
        coins: (tickers) =>
          Effect.map(
            source.json({
              label: "coins",
              path: "/api/v3/coins/markets",
              query: { vs_currency: "usd", order: "market_cap_desc", per_page: maxCoins, page: 1 },
              schema: rowsOfTickers(Row, tickers)
            }),
            (answer) => withValue(answer, answer.value.map(coinOf))
          ),
        total: Effect.map(
          source.json({ label: "the whole market", path: "/api/v3/global", schema: Global }),
          (answer) => {
            const { total_market_cap, total_volume, updated_at } = answer.value.data
            return withValue(answer, {
              time: updated_at,
              marketCapUsd: total_market_cap.usd,
              volume24hUsd: nullIfZero(total_volume.usd)
            })
          }
        )
      })
    )
  )
