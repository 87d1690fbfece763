/** Provides CoinPaprika's coins with supplies and ranks, and the market capitalisation of all coins. */
import { dayMs, hourMs } from "@tapeline/core/market"
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

export class CoinPaprika extends Context.Service<CoinPaprika, CoinList>()("@tapeline/market-live/CoinPaprika") {}

const Row = Schema.Struct({
  id: Name,
  name: Name,
  symbol: Name,
  // CoinPaprika sends 0 for an unknown value, for example for a coin without a rank.
  rank: NonNegativeNumeric,
  max_supply: Schema.NullOr(NonNegativeNumeric),
  quotes: Schema.Struct({
    USD: Schema.Struct({ price: NonNegativeNumeric, market_cap: NonNegativeNumeric })
  })
})

/** Converts a CoinPaprika row, with the circulating supply computed from market capitalisation and price. */
const coinOf = ({ id, max_supply, name, quotes: { USD }, rank, symbol }: typeof Row.Type): ListedCoin => ({
  id,
  coin: symbol.toUpperCase(),
  name,
  rank: nullIfZero(rank),
  price: nullIfZero(USD.price),
  circulatingSupply: USD.price > 0 ? nullIfZero(USD.market_cap / USD.price) : null,
  maxSupply: nullIfZero(max_supply)
})

const Global = Schema.Struct({
  market_cap_usd: PositiveNumeric,
  volume_24h_usd: NonNegativeNumeric,
  last_updated: InstantSeconds
})

const ErrorBody = Schema.Struct({ error: Schema.String })
const isErrorBody = Schema.is(ErrorBody)

/** The pause after the IP address has used its monthly request quota. */
const quotaPauseMs = hourMs

const readCoinPaprikaRejection: ReadBodyRejection = (body, status) => {
  if (status === 402) {
    return { failure: "rate_limited", reason: "this month's requests are used up", retryAfterMs: quotaPauseMs }
  }
  return status < 300 && isErrorBody(body)
    ? { failure: "malformed", reason: "the request was rejected" }
    : undefined
}

/** CoinPaprika allows 20,000 requests a month per IP address, which is 645 a day. */
const limits = [{ weight: 600, windowMs: dayMs }]

export const layerCoinPaprika = (
  { baseUrl = "https://api.coinpaprika.com", retryPolicy = {} }: CoinListOptions = {}
): Layer.Layer<CoinPaprika, never, SourceHealth> =>
  Layer.effect(
    CoinPaprika,
    Effect.map(
      makeSource({
        name: "coinpaprika",
        baseUrl,
        limits,
        readBodyRejection: readCoinPaprikaRejection,
        next: "coingecko",
        retryPolicy
      }),
      (source): CoinList => ({
        coins: (tickers) =>
          Effect.map(
            source.json({
              label: "coins",
              path: "/v1/tickers",
              query: { quotes: "USD" },
              maxBytes: 16 * 1024 * 1024,
              schema: rowsOfTickers(Row, tickers)
            }),
            (answer) => withValue(answer, answer.value.map(coinOf))
          ),
        total: Effect.map(
          source.json({ label: "the whole market", path: "/v1/global", schema: Global }),
          (answer) => {
            const { last_updated, market_cap_usd, volume_24h_usd } = answer.value
            return withValue(answer, {
              time: last_updated,
              marketCapUsd: market_cap_usd,
              volume24hUsd: nullIfZero(volume_24h_usd)
            })
          }
        )
      })
    )
  )
