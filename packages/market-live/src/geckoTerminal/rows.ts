/**
 * Schemas of GeckoTerminal's responses in JSON:API format. In JSON:API format, a record refers to other records of the
 * response by ID.
 */
import type { DexPool } from "@tapeline/core/market"
import { Schema, SchemaTransformation } from "effect"
import { type FoundToken, normalizeAddress } from "../dex/TokenSource.ts"
import { displayableName, UntrustedDecimal, UntrustedName } from "../dex/untrustedValues.ts"
import { InstantMs, lenientShortList, Name } from "../source/index.ts"
import { chainOfNetwork } from "./chains.ts"

const Instant = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/u, { expected: "a date and time in UTC" })
).pipe(Schema.decodeTo(
  InstantMs,
  SchemaTransformation.transform({
    decode: (text) => Math.floor(Date.parse(text)),
    encode: (time) => new Date(time).toISOString()
  })
))

const Relation = Schema.Struct({ data: Schema.Struct({ id: Name }) })

/** Returns whether the ID of a record consists of a chain and the record's address. */
const isIdConsistent = ({ attributes: { address }, id }: {
  readonly id: string
  readonly attributes: { readonly address: string }
}): boolean => id.toLowerCase().endsWith(`_${address.toLowerCase()}`) && id.length > address.length + 1

const idAnnotation = { expected: "an id of its chain and its address" }

const TokenRow = Schema.Struct({
  id: Name,
  attributes: Schema.Struct({
    address: Name,
    name: UntrustedName,
    symbol: UntrustedName,
    coingecko_coin_id: Schema.NullOr(Name)
  })
}).check(Schema.makeFilter(isIdConsistent, idAnnotation))

const PoolRow = Schema.Struct({
  id: Name,
  attributes: Schema.Struct({
    address: Name,
    name: UntrustedName,
    reserve_in_usd: Schema.NullOr(UntrustedDecimal),
    volume_usd: Schema.Struct({ h24: Schema.NullOr(UntrustedDecimal) })
  }),
  relationships: Schema.Struct({ base_token: Relation, quote_token: Relation, dex: Relation })
}).check(Schema.makeFilter(isIdConsistent, idAnnotation))
type PoolRow = typeof PoolRow.Type

const hasAllTokens = ({ data, included }: {
  readonly data: ReadonlyArray<PoolRow>
  readonly included: ReadonlyArray<{ readonly id: string }>
}): boolean => {
  const ids = new Set(included.map(({ id }) => id))
  return data.every(({ relationships: { base_token, quote_token } }) =>
    ids.has(base_token.data.id) && ids.has(quote_token.data.id)
  )
}

/** Decodes pools together with both tokens of each pool. */
export const Pools = Schema.Struct({ data: Schema.Array(PoolRow), included: Schema.Array(TokenRow) })
  .check(Schema.makeFilter(hasAllTokens, { expected: "the tokens of every pool" }))
export type Pools = typeof Pools.Type

/** Decodes pools and skips unreadable pools. */
export const LenientPools = Schema.Struct({ data: lenientShortList(PoolRow), included: Schema.Array(TokenRow) })
  .check(Schema.makeFilter(hasAllTokens, { expected: "the tokens of every pool" }))

export const OneToken = Schema.Struct({
  data: Schema.Struct({
    id: Name,
    attributes: Schema.Struct({
      address: Name,
      name: UntrustedName,
      symbol: UntrustedName,
      coingecko_coin_id: Schema.NullOr(Name),
      normalized_total_supply: Schema.optionalKey(Schema.NullOr(UntrustedDecimal)),
      price_usd: Schema.NullOr(UntrustedDecimal),
      fdv_usd: Schema.NullOr(UntrustedDecimal),
      total_reserve_in_usd: Schema.NullOr(UntrustedDecimal)
    })
  }).check(Schema.makeFilter(isIdConsistent, idAnnotation)),
  included: Schema.optionalKey(Schema.Array(Schema.Struct({
    attributes: Schema.Struct({ pool_created_at: Schema.NullOr(Instant) })
  })))
})

/** The holder of an authority over a token, or "no" if nobody has the authority. */
const Authority = Schema.optionalKey(Schema.NullOr(Name))

export const TokenInfo = Schema.Struct({
  data: Schema.Struct({
    id: Name,
    attributes: Schema.Struct({
      address: Name,
      holders: Schema.optionalKey(Schema.NullOr(Schema.Struct({
        count: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 })))
      }))),
      mint_authority: Authority,
      freeze_authority: Authority
    })
  }).check(Schema.makeFilter(isIdConsistent, idAnnotation))
})

const TradeRow = Schema.Struct({
  attributes: Schema.Struct({
    block_timestamp: Instant,
    volume_in_usd: UntrustedDecimal,
    from_token_address: Name,
    to_token_address: Name
  })
})

type TradeRow = typeof TradeRow.Type

/** Returns a test for trades that have the token on exactly one side. */
export const isTradeOf = (address: string) => {
  const own = normalizeAddress(address)
  return ({ attributes: { from_token_address, to_token_address } }: TradeRow): boolean =>
    (normalizeAddress(from_token_address) === own) !== (normalizeAddress(to_token_address) === own)
}

/**
 * Returns the schema of a pool's trades. Some of a pool's trades may not involve the token, because a pool may have
 * more than two tokens.
 */
export const tradesSchema = (address: string) => {
  const isOwn = (rows: ReadonlyArray<TradeRow>) => rows.length === 0 || rows.some(isTradeOf(address))
  return Schema.Struct({
    data: Schema.Array(TradeRow).check(Schema.makeFilter(isOwn, { expected: "the token in some of them" }))
  })
}

const chainOfId = (id: string, address: string): string => chainOfNetwork(id.slice(0, id.length - address.length - 1))

/** Converts a record to a token, or returns null if the token's name or symbol cannot be displayed. */
export const toToken = (
  { attributes: { address, coingecko_coin_id, name, symbol }, id }: typeof TokenRow.Type,
  liquidityUsd: number | null
): FoundToken | null => {
  const [tokenName, ticker] = [displayableName(name), displayableName(symbol)]
  return tokenName === null || ticker === null ? null : {
    chain: chainOfId(id, address),
    address: normalizeAddress(address),
    symbol: ticker,
    name: tokenName,
    coinId: coingecko_coin_id,
    liquidityUsd
  }
}

export const sidesOf = ({ data, included }: Pools): ReadonlyArray<FoundToken> => {
  const byId = new Map(included.map((row) => [row.id, row]))
  return data.flatMap(({ attributes: { reserve_in_usd }, relationships: { base_token, quote_token } }) =>
    [base_token, quote_token].flatMap(({ data: { id } }) => {
      const row = byId.get(id)
      return row === undefined ? [] : toToken(row, reserve_in_usd) ?? []
    })
  )
}

/**
 * Parses the fee in a pool's name, such as `WETH / USDC 0.05%`. The text before the fee must consist of the pool's
 * symbols, because a token's name may look like a fee.
 */
const parseFee = (name: string | null, base: string, quote: string): number | null => {
  const before = `${base} / ${quote} `
  if (name === null || !name.startsWith(before)) return null
  const fee = /^(\d{1,2}(?:\.\d{1,6})?)%$/u.exec(name.slice(before.length))?.[1]
  return fee === undefined ? null : Number(fee)
}

export const toPools = ({ data, included }: Pools): ReadonlyArray<DexPool> => {
  const symbols = new Map(included.map(({ attributes: { symbol }, id }) => [id, displayableName(symbol)]))
  return data.flatMap(({ attributes, id, relationships: { base_token, dex, quote_token } }) => {
    const [base, quote] = [symbols.get(base_token.data.id) ?? null, symbols.get(quote_token.data.id) ?? null]
    return base === null || quote === null ? [] : [{
      dex: dex.data.id,
      chain: chainOfId(id, attributes.address),
      address: normalizeAddress(attributes.address),
      pair: `${base}/${quote}`,
      liquidityUsd: attributes.reserve_in_usd,
      volume24hUsd: attributes.volume_usd.h24,
      feePct: parseFee(attributes.name, base, quote)
    }]
  })
}
