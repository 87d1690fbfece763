/** Core's `TokenMarkets` over GeckoTerminal, or over DexScreener if GeckoTerminal does not respond. */
import {
  type Coin,
  CoinPrices,
  type MarketError,
  NoData,
  type PricePoint,
  type Reading,
  reading,
  SourceUnavailable,
  type Token,
  type TokenDetails,
  TokenMarkets,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"
import { type Answer, firstServing, presentOf } from "../../source/index.ts"
import { type CoinToken, coinTokens, tradedPlace } from "./coinTokens.ts"
import { DexScreener } from "./DexScreener.ts"
import { GeckoTerminal } from "./GeckoTerminal.ts"
import {
  type FoundToken,
  isSamePlace,
  plainAddress,
  type PricedToken,
  type TokenFacts,
  type TokenPlace,
  type TokenSource
} from "./tokenSource.ts"
import { warningsOf } from "./tokenWarnings.ts"

/** Present data may come from either source, so any failure leads to the next one. */
const anyFailure = ["unreachable", "rate_limited", "malformed", "not_configured", "blocked"] as const

interface Told<A> {
  readonly value: A
  readonly source: string
  readonly asOf: number
}

const told = <A>({ source }: TokenSource, answer: Answer<A>): Told<A> => ({
  value: answer.value,
  source,
  asOf: presentOf(answer)
})

const nothingOf = (symbol: string, what: string): NoData =>
  new NoData({ subject: `${symbol} ${what}`, reason: { key: "none_recorded", params: { symbol } } })

/** The known data of a token: its market and its contract. */
interface Known {
  readonly token: PricedToken
  readonly facts: TokenFacts
}

const untold: TokenFacts = { holders: null, mintable: null, freezable: null }

const unreadOf = (token: PricedToken | undefined) =>
  token === undefined || token.unreadPools === 0 ? {} : { unreadPools: token.unreadPools }

/**
 * Supplies, with the on-chain supply only if it is consistent, because a contract on one chain may hold only part of
 * the coin.
 */
const suppliesOf = ({ circulatingSupply, maxSupply }: Coin, onChain: number | null) => {
  const isPossible = onChain !== null && onChain >= (circulatingSupply ?? 0) && onChain <= (maxSupply ?? Infinity)
  return { circulatingSupply, totalSupply: isPossible ? onChain : null, maxSupply }
}

class OverSources {
  readonly #sources: readonly [TokenSource, TokenSource]
  readonly #prices: CoinPrices["Service"]
  readonly #tokens: ReadonlyArray<CoinToken>

  constructor(
    sources: readonly [TokenSource, TokenSource],
    prices: CoinPrices["Service"],
    tokens: ReadonlyArray<CoinToken>
  ) {
    this.#sources = sources
    this.#prices = prices
    this.#tokens = tokens
  }

  #ask<A>(question: (source: TokenSource) => Effect.Effect<Answer<A>, SourceUnavailable>) {
    const [first, second] = this.#sources
    const of = (source: TokenSource) => Effect.map(question(source), (answer) => told(source, answer))
    return firstServing([of(first), of(second)], anyFailure)
  }

  /** Requests a token and its facts. If the facts are unavailable, they are unknown. */
  #known(place: TokenPlace): Effect.Effect<Told<Known | null>, SourceUnavailable> {
    const of = (source: TokenSource) => {
      const asked = source.facts?.(place)
      const facts = asked === undefined ? Effect.succeed(null) : Effect.map(
        Effect.catch(asked, () => Effect.succeed(null)),
        (answer) => answer?.value ?? null
      )
      return Effect.map(
        Effect.all([source.token(place), facts], { concurrency: 2 }),
        ([answer, facts]) => {
          const { value: token, ...rest } = told(source, answer)
          return { ...rest, value: token === null ? null : { token, facts: facts ?? untold } }
        }
      )
    }
    const [first, second] = this.#sources
    return firstServing([of(first), of(second)], anyFailure)
  }

  /** The listed coin that a token is; null if it is not one. */
  #coinOf(found: TokenPlace & { readonly coinId: string | null }): string | null {
    return this.#tokens.find((token) =>
      isSamePlace(token, found) || (token.wrapped === undefined && token.coinId === found.coinId)
    )?.coin ?? null
  }

  /** Whether a token is a known wrapped coin, and therefore not an impostor. */
  #isWrapped(found: TokenPlace): boolean {
    return this.#tokens.some(({ wrapped }) => wrapped != null && isSamePlace(wrapped, found))
  }

  #impostor(found: PricedToken, coins: ReadonlyArray<Coin>): boolean | null {
    const names = new Set([
      ...this.#tokens.map(({ coin }) => coin.toLowerCase()),
      ...coins.flatMap(({ coin, name }) => [coin.toLowerCase(), name.toLowerCase()])
    ])
    const isCalledSo = names.has(found.symbol.toLowerCase()) || names.has(found.name.toLowerCase())
    if (!isCalledSo || this.#coinOf(found) !== null || this.#isWrapped(found) || found.coinId !== null) return false
    return found.isIdentified ? true : null
  }

  #tokenOf(found: FoundToken): Token {
    const { address, chain, liquidityUsd, name, symbol } = found
    return { symbol, coin: this.#coinOf(found), name, chain, address, liquidityUsd }
  }

  /** The price of a coin; undefined if none was recorded. */
  #priceOf(coin: string): Effect.Effect<Reading<PricePoint> | undefined, MarketError> {
    return Effect.flatMap(
      Clock.currentTimeMillis,
      (time) => Effect.catchTag(this.#prices.priceAt({ coin, time }), "NoData", () => Effect.succeed(undefined))
    )
  }

  /** The token of a listed coin, with the service's price and the on-chain data. */
  ofCoin(coin: string): Effect.Effect<Reading<TokenDetails>, MarketError> {
    return Effect.gen({ self: this }, function*() {
      const { sources: factsFrom, value: facts } = yield* this.#prices.coin(coin)
      const token = this.#tokens.find((one) => one.coin === coin)
      if (token === undefined) return yield* nothingOf(coin, "token")
      const place = tradedPlace(token)
      const [price, onChain] = yield* Effect.all([
        this.#priceOf(coin),
        place === null ? Effect.succeed(undefined) : this.#known(place)
      ], { concurrency: 2 })
      const known = onChain?.value ?? undefined
      const priceUsd = price?.value.price ?? known?.token.priceUsd ?? null
      const now = yield* Clock.currentTimeMillis
      const time = Math.min(price?.value.time ?? now, onChain?.asOf ?? now)
      if (priceUsd === null) return yield* nothingOf(coin, "token")
      const isContract = token.wrapped === undefined
      const supplies = suppliesOf(facts, isContract ? known?.token.totalSupply ?? null : null)
      const most = supplies.maxSupply ?? supplies.totalSupply
      const liquidityUsd = known?.token.liquidityUsd ?? null
      const since = Math.min(facts.listedAt, known?.token.firstPoolAt ?? Infinity)
      return reading(
        {
          symbol: coin,
          coin,
          name: facts.name,
          chain: token.chain,
          address: token.address,
          liquidityUsd,
          ...unreadOf(known?.token),
          time,
          priceUsd,
          ...supplies,
          fdvUsd: most === null ? null : priceUsd * most,
          holders: isContract ? known?.facts.holders ?? null : null,
          top10SharePct: null,
          ...warningsOf({
            mintable: isContract ? known?.facts.mintable ?? null : false,
            freezable: isContract ? known?.facts.freezable ?? null : false,
            liquidityUsd,
            ageMs: now - since,
            impostor: false
          })
        },
        [...factsFrom, ...(price?.sources ?? []), ...(onChain === undefined ? [] : [onChain.source])],
        time
      )
    })
  }

  at(place: TokenPlace): Effect.Effect<Reading<TokenDetails>, MarketError> {
    return Effect.gen({ self: this }, function*() {
      const [{ asOf, source, value }, { value: coins }] = yield* Effect.all([this.#known(place), this.#prices.coins], {
        concurrency: 2
      })
      if (value === null) return yield* new UnknownSymbol({ symbol: place.address })
      const { facts, token } = value
      const { fdvUsd, firstPoolAt, liquidityUsd, priceUsd, totalSupply } = token
      if (priceUsd === null) return yield* nothingOf(place.address, "price")
      return reading(
        {
          ...this.#tokenOf(token),
          ...unreadOf(token),
          time: asOf,
          priceUsd,
          circulatingSupply: null,
          totalSupply,
          maxSupply: null,
          fdvUsd: totalSupply === null ? fdvUsd : priceUsd * totalSupply,
          holders: facts.holders,
          top10SharePct: null,
          ...warningsOf({
            ...facts,
            liquidityUsd,
            ageMs: firstPoolAt === null ? null : asOf - firstPoolAt,
            impostor: this.#impostor(token, coins)
          })
        },
        source,
        asOf
      )
    })
  }

  readonly search: TokenMarkets["Service"]["search"] = ({ limit, text }) => {
    const wanted = text.trim().toLowerCase()
    const matches = ({ address, name, symbol }: FoundToken): boolean =>
      symbol.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted) ||
      address === plainAddress(text.trim())
    return Effect.map(
      this.#ask((source) => source.search(text.trim())),
      ({ asOf, source, value }) => {
        const found = value.filter(matches).toSorted((a, b) => (b.liquidityUsd ?? -1) - (a.liquidityUsd ?? -1))
        return reading(found.slice(0, limit).map((one) => this.#tokenOf(one)), source, asOf)
      }
    )
  }

  readonly pools: TokenMarkets["Service"]["pools"] = ({ coin, limit }) =>
    Effect.gen({ self: this }, function*() {
      yield* this.#prices.coin(coin)
      const token = this.#tokens.find((one) => one.coin === coin)
      const place = token === undefined ? null : tradedPlace(token)
      if (place === null) return yield* nothingOf(coin, "pools")
      const { asOf, source, value } = yield* this.#ask((one) => one.pools({ ...place, limit }))
      if (value === null) return yield* nothingOf(coin, "pools")
      return reading(value, source, asOf)
    })

  readonly whaleTransfers: TokenMarkets["Service"]["whaleTransfers"] = ({ coin }) =>
    Effect.andThen(
      this.#prices.coin(coin),
      Effect.fail(
        new SourceUnavailable({
          source: "labelled-transfers",
          failure: "not_configured",
          reason: "no free source tells which wallets are exchanges'",
          retryable: false,
          needs: { key: "source_missing_transfers" }
        })
      )
    )
}

export interface TokenMarketsOptions {
  /** The token of each coin. */
  readonly tokens?: ReadonlyArray<CoinToken>
  /** The supplies of stablecoins, which come from another source. */
  readonly stablecoinFlows: TokenMarkets["Service"]["stablecoinFlows"]
}

/** `CoinPrices` provides the coins with their names and prices. */
export const layerTokenMarkets = (
  { stablecoinFlows, tokens = coinTokens }: TokenMarketsOptions
): Layer.Layer<TokenMarkets, never, GeckoTerminal | DexScreener | CoinPrices> =>
  Layer.effect(
    TokenMarkets,
    Effect.gen(function*() {
      const [gecko, screener, prices] = yield* Effect.all([GeckoTerminal, DexScreener, CoinPrices])
      const over = new OverSources([gecko, screener], prices, tokens)
      return TokenMarkets.of({
        token: (query) => {
          if ("coin" in query) return over.ofCoin(query.coin)
          const own = tokens.find((token) => isSamePlace(token, query))
          const there = over.at(query)
          return own === undefined ? there : Effect.catchTag(over.ofCoin(own.coin), "UnknownSymbol", () => there)
        },
        search: over.search,
        pools: over.pools,
        whaleTransfers: over.whaleTransfers,
        stablecoinFlows
      })
    })
  )
