import {
  type Coin,
  CoinPrices,
  dayMs,
  makeReading,
  type MarketError,
  NoData,
  type PricePoint,
  type Reading,
  SourceUnavailable,
  type Token,
  type TokenDetails,
  TokenMarkets,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"
import { DexScreener } from "../dexScreener/DexScreener.ts"
import { GeckoTerminal } from "../geckoTerminal/GeckoTerminal.ts"
import { firstAvailable, type SourceResponse, sourceTimeOf } from "../source/index.ts"
import { type CoinToken, coinTokens, tradedContract } from "./coinTokens.ts"
import {
  type FoundToken,
  isSameContract,
  normalizeAddress,
  type PricedToken,
  type TokenContract,
  type TokenFacts,
  type TokenSource
} from "./TokenSource.ts"

/** The thresholds of the warnings `young` and `low_liquidity` in `TokenDetails`. */
const youngMs = 60 * dayMs
const lowLiquidityUsd = 250_000

export interface WarningInputs {
  readonly mintable: boolean | null
  readonly freezable: boolean | null
  readonly liquidityUsd: number | null
  readonly ageMs: number | null
  readonly impostor: boolean | null
}

/**
 * Returns the warnings that apply, and the warnings that cannot be checked. No source reports the data for the warning
 * `concentrated`.
 */
export const warningsOf = ({ ageMs, freezable, impostor, liquidityUsd, mintable }: WarningInputs) => {
  const all: Readonly<Record<string, boolean | null>> = {
    mintable,
    freezable,
    concentrated: null,
    low_liquidity: liquidityUsd === null ? null : liquidityUsd < lowLiquidityUsd,
    young: ageMs === null ? null : ageMs < youngMs,
    impostor
  }
  const named = (wanted: boolean | null) => Object.keys(all).filter((name) => all[name] === wanted)
  return { flags: named(true), unchecked: named(null) }
}

/** Implements core's `TokenMarkets` with GeckoTerminal, or with DexScreener if GeckoTerminal fails. */

const anyFailure = ["unreachable", "rate_limited", "malformed", "not_configured", "blocked"] as const

interface Sourced<A> {
  readonly value: A
  readonly source: string
  readonly asOf: number
}

const toSourced = <A>({ source }: TokenSource, answer: SourceResponse<A>): Sourced<A> => ({
  value: answer.value,
  source,
  asOf: sourceTimeOf(answer)
})

const noDataOf = (symbol: string, what: string): NoData =>
  new NoData({ subject: `${symbol} ${what}`, reason: { key: "none_recorded", params: { symbol } } })

interface KnownToken {
  readonly token: PricedToken
  readonly facts: TokenFacts
}

const unknownFacts: TokenFacts = { holders: null, mintable: null, freezable: null }

const unreadPoolsOf = (token: PricedToken | undefined) =>
  token === undefined || token.unreadPools === 0 ? {} : { unreadPools: token.unreadPools }

/**
 * Returns a coin's supplies. An implausible on-chain supply becomes null, because one contract may hold only a part of
 * all coins.
 */
const suppliesOf = ({ circulatingSupply, maxSupply }: Coin, onChain: number | null) => {
  const isPossible = onChain !== null && onChain >= (circulatingSupply ?? 0) && onChain <= (maxSupply ?? Infinity)
  return { circulatingSupply, totalSupply: isPossible ? onChain : null, maxSupply }
}

class TokenMarketsService {
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

  #request<A>(fetchFrom: (source: TokenSource) => Effect.Effect<SourceResponse<A>, SourceUnavailable>) {
    const [first, second] = this.#sources
    const sourcedFrom = (source: TokenSource) => Effect.map(fetchFrom(source), (answer) => toSourced(source, answer))
    return firstAvailable([sourcedFrom(first), sourcedFrom(second)], anyFailure)
  }

  /** Fetches a token and the facts of its contract, where unavailable facts are null. */
  #fetchToken(place: TokenContract): Effect.Effect<Sourced<KnownToken | null>, SourceUnavailable> {
    const fetchFrom = (source: TokenSource) => {
      const factsResponse = source.facts?.(place)
      const facts = factsResponse === undefined ? Effect.succeed(null) : Effect.map(
        Effect.catch(factsResponse, () => Effect.succeed(null)),
        (answer) => answer?.value ?? null
      )
      return Effect.map(
        Effect.all([source.token(place), facts], { concurrency: 2 }),
        ([answer, facts]) => {
          const { value: token, ...rest } = toSourced(source, answer)
          return { ...rest, value: token === null ? null : { token, facts: facts ?? unknownFacts } }
        }
      )
    }
    const [first, second] = this.#sources
    return firstAvailable([fetchFrom(first), fetchFrom(second)], anyFailure)
  }

  #coinOf(found: TokenContract & { readonly coinId: string | null }): string | null {
    return this.#tokens.find((token) =>
      isSameContract(token, found) || (token.wrapped === undefined && token.coinId === found.coinId)
    )?.coin ?? null
  }

  /** Returns whether a token is a known wrapped coin, and therefore not an impostor. */
  #isWrapped(found: TokenContract): boolean {
    return this.#tokens.some(({ wrapped }) => wrapped != null && isSameContract(wrapped, found))
  }

  #isImpostor(found: PricedToken, coins: ReadonlyArray<Coin>): boolean | null {
    const names = new Set([
      ...this.#tokens.map(({ coin }) => coin.toLowerCase()),
      ...coins.flatMap(({ coin, name }) => [coin.toLowerCase(), name.toLowerCase()])
    ])
    const hasCoinName = names.has(found.symbol.toLowerCase()) || names.has(found.name.toLowerCase())
    if (!hasCoinName || this.#coinOf(found) !== null || this.#isWrapped(found) || found.coinId !== null) return false
    return found.isIdentified ? true : null
  }

  #tokenOf(found: FoundToken): Token {
    const { address, chain, liquidityUsd, name, symbol } = found
    return { symbol, coin: this.#coinOf(found), name, chain, address, liquidityUsd }
  }

  #priceOf(coin: string): Effect.Effect<Reading<PricePoint> | undefined, MarketError> {
    return Effect.flatMap(
      Clock.currentTimeMillis,
      (time) => Effect.catchTag(this.#prices.priceAt({ coin, time }), "NoData", () => Effect.succeed(undefined))
    )
  }

  tokenOfCoin(coin: string): Effect.Effect<Reading<TokenDetails>, MarketError> {
    return Effect.gen({ self: this }, function*() {
      const { sources: factsFrom, value: facts } = yield* this.#prices.coin(coin)
      const token = this.#tokens.find((one) => one.coin === coin)
      if (token === undefined) return yield* noDataOf(coin, "token")
      const place = tradedContract(token)
      const [price, onChain] = yield* Effect.all([
        this.#priceOf(coin),
        place === null ? Effect.succeed(undefined) : this.#fetchToken(place)
      ], { concurrency: 2 })
      const known = onChain?.value ?? undefined
      const priceUsd = price?.value.price ?? known?.token.priceUsd ?? null
      const now = yield* Clock.currentTimeMillis
      const time = Math.min(price?.value.time ?? now, onChain?.asOf ?? now)
      if (priceUsd === null) return yield* noDataOf(coin, "token")
      const isContract = token.wrapped === undefined
      const supplies = suppliesOf(facts, isContract ? known?.token.totalSupply ?? null : null)
      const fullSupply = supplies.maxSupply ?? supplies.totalSupply
      const liquidityUsd = known?.token.liquidityUsd ?? null
      const since = Math.min(facts.listedAt, known?.token.firstPoolAt ?? Infinity)
      return makeReading(
        {
          symbol: coin,
          coin,
          name: facts.name,
          chain: token.chain,
          address: token.address,
          liquidityUsd,
          ...unreadPoolsOf(known?.token),
          time,
          priceUsd,
          ...supplies,
          fdvUsd: fullSupply === null ? null : priceUsd * fullSupply,
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

  tokenAt(place: TokenContract): Effect.Effect<Reading<TokenDetails>, MarketError> {
    return Effect.gen({ self: this }, function*() {
      const [{ asOf, source, value }, { value: coins }] = yield* Effect.all([
        this.#fetchToken(place),
        this.#prices.coins
      ], {
        concurrency: 2
      })
      if (value === null) return yield* new UnknownSymbol({ symbol: place.address })
      const { facts, token } = value
      const { fdvUsd, firstPoolAt, liquidityUsd, priceUsd, totalSupply } = token
      if (priceUsd === null) return yield* noDataOf(place.address, "price")
      return makeReading(
        {
          ...this.#tokenOf(token),
          ...unreadPoolsOf(token),
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
            impostor: this.#isImpostor(token, coins)
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
      address === normalizeAddress(text.trim())
    return Effect.map(
      this.#request((source) => source.search(text.trim())),
      ({ asOf, source, value }) => {
        const found = value.filter(matches).toSorted((a, b) => (b.liquidityUsd ?? -1) - (a.liquidityUsd ?? -1))
        return makeReading(found.slice(0, limit).map((one) => this.#tokenOf(one)), source, asOf)
      }
    )
  }

  readonly pools: TokenMarkets["Service"]["pools"] = ({ coin, limit }) =>
    Effect.gen({ self: this }, function*() {
      yield* this.#prices.coin(coin)
      const token = this.#tokens.find((one) => one.coin === coin)
      const place = token === undefined ? null : tradedContract(token)
      if (place === null) return yield* noDataOf(coin, "pools")
      const { asOf, source, value } = yield* this.#request((one) => one.pools({ ...place, limit }))
      if (value === null) return yield* noDataOf(coin, "pools")
      return makeReading(value, source, asOf)
    })

  readonly whaleTransfers: TokenMarkets["Service"]["whaleTransfers"] = ({ coin }) =>
    Effect.andThen(
      this.#prices.coin(coin),
      Effect.fail(
        new SourceUnavailable({
          source: "labelled-transfers",
          failure: "not_configured",
          reason: "no free source labels the wallets of exchanges",
          retryable: false,
          needs: { key: "source_missing_transfers" }
        })
      )
    )
}

export interface TokenMarketsOptions {
  readonly tokens?: ReadonlyArray<CoinToken>
  /** Returns the supplies of stablecoins, which come from another source. */
  readonly stablecoinFlows: TokenMarkets["Service"]["stablecoinFlows"]
}

/** Provides `TokenMarkets` with the names and prices of coins from `CoinPrices`. */
export const layerTokenMarkets = (
  { stablecoinFlows, tokens = coinTokens }: TokenMarketsOptions
): Layer.Layer<TokenMarkets, never, GeckoTerminal | DexScreener | CoinPrices> =>
  Layer.effect(
    TokenMarkets,
    Effect.gen(function*() {
      const [gecko, screener, prices] = yield* Effect.all([GeckoTerminal, DexScreener, CoinPrices])
      const service = new TokenMarketsService([gecko, screener], prices, tokens)
      return TokenMarkets.of({
        token: (query) => {
          if ("coin" in query) return service.tokenOfCoin(query.coin)
          const own = tokens.find((token) => isSameContract(token, query))
          const tokenAtAddress = service.tokenAt(query)
          return own === undefined
            ? tokenAtAddress
            : Effect.catchTag(service.tokenOfCoin(own.coin), "UnknownSymbol", () => tokenAtAddress)
        },
        search: service.search,
        pools: service.pools,
        whaleTransfers: service.whaleTransfers,
        stablecoinFlows
      })
    })
  )
