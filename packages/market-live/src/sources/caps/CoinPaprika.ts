/** CoinPaprika's list of coins, without a key: supplies, ranks, and the capitalisation of the whole market. */
import { dayMs, hourMs } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  answering,
  InstantSeconds,
  makeSource,
  Name,
  NonNegativeNumeric,
  PositiveNumeric,
  type RefusedInBody,
  SourceHealth
} from "../../source/index.ts"
import { orNone, rowsOf } from "./ofTickers.ts"
import type { CoinList, CoinListOptions, ListedCoin } from "./types.ts"

export class CoinPaprika extends Context.Service<CoinPaprika, CoinList>()("@tapeline/market-live/CoinPaprika") {}

const Row = Schema.Struct({
  id: Name,
  name: Name,
  symbol: Name,
  // 0 for a coin without a rank. The fields below use 0 in the same way.
  rank: NonNegativeNumeric,
  max_supply: Schema.NullOr(NonNegativeNumeric),
  quotes: Schema.Struct({
    USD: Schema.Struct({ price: NonNegativeNumeric, market_cap: NonNegativeNumeric })
  })
})

/** The circulating supply is market capitalisation divided by price, because a row has no field for it. */
const coinOf = ({ id, max_supply, name, quotes: { USD }, rank, symbol }: typeof Row.Type): ListedCoin => ({
  id,
  coin: symbol.toUpperCase(),
  name,
  rank: orNone(rank),
  price: orNone(USD.price),
  circulatingSupply: USD.price > 0 ? orNone(USD.market_cap / USD.price) : null,
  maxSupply: orNone(max_supply)
})

const Global = Schema.Struct({
  market_cap_usd: PositiveNumeric,
  volume_24h_usd: NonNegativeNumeric,
  last_updated: InstantSeconds
})

const Refused = Schema.Struct({ error: Schema.String })
const isRefused = Schema.is(Refused)

/** The pause after the month's requests are used up, by this process or by other users of the address. */
const monthlyMs = hourMs

const refused: RefusedInBody = (body, status) => {
  if (status === 402) {
    return { failure: "rate_limited", reason: "this month's requests are used up", retryAfterMs: monthlyMs }
  }
  return status < 300 && isRefused(body) ? { failure: "malformed", reason: "it does not take the request" } : undefined
}

/** CoinPaprika allows 20,000 requests a month per address, which are 645 a day. */
const limits = [{ weight: 600, windowMs: dayMs }]

export const layerCoinPaprika = (
  { baseUrl = "https://api.coinpaprika.com", patience = {} }: CoinListOptions = {}
): Layer.Layer<CoinPaprika, never, SourceHealth> =>
  Layer.effect(
    CoinPaprika,
    Effect.map(
      makeSource({ name: "coinpaprika", baseUrl, limits, refusedInBody: refused, next: "coingecko", patience }),
      (source): CoinList => ({
        coins: (tickers) =>
          Effect.map(
            source.json({
              what: "coins",
              path: "/v1/tickers",
              query: { quotes: "USD" },
              // The response has thousands of coins, each with all its price changes.
              maxBytes: 16 * 1024 * 1024,
              schema: rowsOf(Row, tickers)
            }),
            (answer) => answering(answer, answer.value.map(coinOf))
          ),
        total: Effect.map(
          source.json({ what: "the whole market", path: "/v1/global", schema: Global }),
          (answer) => {
            const { last_updated, market_cap_usd, volume_24h_usd } = answer.value
            return answering(answer, {
              time: last_updated,
              marketCapUsd: market_cap_usd,
              volume24hUsd: orNone(volume_24h_usd)
            })
          }
        )
      })
    )
  )
