/** Defines the schemas of the market store's documents, in which missing values are null. */
import { SourceFailure } from "@tapeline/core/engine"
import {
  type EquityCountry,
  koreanExchanges,
  type KrwExchange,
  type KrwListing,
  SourceUnavailable,
  usExchanges
} from "@tapeline/core/market"
import { type DocumentRow, type DocumentsKind, documentsKinds } from "@tapeline/core/market/store"
import { Effect, Schema } from "effect"
import { storeName } from "./storeReads.ts"

/** Encodes and decodes documents of one kind. */
export interface DocumentCodec<A> {
  readonly kind: DocumentsKind
  /**
   * Returns the store's row for a document. `time` is the source's time, or the request time if the source reports no
   * time.
   */
  readonly encodeRow: (
    document: { readonly key: string; readonly time: number; readonly source: string },
    value: A
  ) => DocumentRow
  /**
   * Decodes the document that a row contains. If the row has an unknown format, fails with a `malformed` error that
   * names the store as the source.
   */
  readonly decodeRow: (row: DocumentRow) => Effect.Effect<A, SourceUnavailable>
}

/** Returns a codec for JSON text with a schema, for documents and events. */
export const makeJsonCodec = <A, I>(what: string, schema: Schema.Codec<A, I>) => {
  const text = Schema.fromJsonString(schema)
  const encode = Schema.encodeSync(text)
  const decode = Schema.decodeEffect(text)
  return {
    write: (value: A): string => encode(value),
    read: (document: string): Effect.Effect<A, SourceUnavailable> =>
      Effect.mapError(decode(document), () =>
        new SourceUnavailable({
          source: storeName,
          failure: "malformed",
          reason: `a stored document of ${what} has an unknown format`,
          retryable: true
        }))
  }
}

const makeDocumentCodec = <A, I>(kind: DocumentsKind, schema: Schema.Codec<A, I>): DocumentCodec<A> => {
  const { read, write } = makeJsonCodec(kind.name, schema)
  return {
    kind,
    encodeRow: ({ key, source, time }, value) => ({ key, time, source, document: write(value) }),
    decodeRow: ({ document }) => read(document)
  }
}

const finiteNumber = Schema.Finite
const nullableNumber = Schema.NullOr(Schema.Finite)

/**
 * The facts of a coin, stored under the coin's symbol. `delistedAt` may be in the future. `suppliedAt` is the last time
 * at which a source reported the supplies.
 */
export const coinDocument = makeDocumentCodec(
  documentsKinds.coins,
  Schema.Struct({
    name: Schema.String,
    sector: Schema.String,
    circulatingSupply: nullableNumber,
    maxSupply: nullableNumber,
    suppliedAt: Schema.optionalKey(nullableNumber),
    listedAt: finiteNumber,
    delistedAt: nullableNumber,
    isStablecoin: Schema.Boolean
  })
)

/**
 * The 24-hour ticker of a coin, stored under the coin's symbol. The venue calculates the ticker's values, so gaps in
 * the store do not affect them.
 */
export const tickerDocument = makeDocumentCodec(
  documentsKinds.tickers,
  Schema.Struct({
    change24hPct: nullableNumber,
    high24h: nullableNumber,
    low24h: nullableNumber,
    volume24hUsd: nullableNumber
  })
)

/** Returns the key of a venue's data of a coin, for liquidations and current derivatives data. */
export const venueKey = (venue: string, coin: string): string => `${venue}:${coin}`

/** The funding rate of a coin on one venue, stored under `venue:COIN`. */
export const venueFundingDocument = makeDocumentCodec(
  documentsKinds.venueFunding,
  Schema.Struct({
    venue: Schema.String,
    time: finiteNumber,
    fundingRate: finiteNumber,
    intervalHours: finiteNumber,
    nextFundingAt: nullableNumber
  })
)

/** The open interest of a coin on one venue, in coins and in USD, stored under `venue:COIN`. */
export const venueOpenInterestDocument = makeDocumentCodec(
  documentsKinds.venueOpenInterest,
  Schema.Struct({ venue: Schema.String, time: finiteNumber, openInterest: finiteNumber, openInterestUsd: finiteNumber })
)

/**
 * The dated futures of a coin on one venue, stored under `venue:COIN`, or an empty list for a coin without dated
 * futures.
 */
export const futuresDocument = makeDocumentCodec(
  documentsKinds.futures,
  Schema.Array(
    Schema.Struct({
      instrument: Schema.String,
      time: finiteNumber,
      expiryAt: finiteNumber,
      price: finiteNumber,
      indexPrice: finiteNumber
    })
  )
)

const levels = Schema.Array(Schema.Struct({ price: finiteNumber, size: finiteNumber }))

/** The spot order book of a coin, best price first, stored under the coin's symbol with the time of the snapshot. */
export const orderBookDocument = makeDocumentCodec(
  documentsKinds.orderBooks,
  Schema.Struct({
    bids: levels,
    asks: levels,
    bidsReach: Schema.optionalKey(finiteNumber),
    asksReach: Schema.optionalKey(finiteNumber)
  })
)

const texts = Schema.Array(Schema.String)

/** Encodes the fields of a post that have no column of their own in the store. */
export const postCodec = makeJsonCodec(
  "posts",
  Schema.Struct({
    platform: Schema.String,
    account: Schema.Struct({
      createdAt: nullableNumber,
      followers: nullableNumber,
      following: nullableNumber,
      postCount: nullableNumber
    }),
    coins: texts,
    text: Schema.String,
    language: Schema.String,
    likes: nullableNumber,
    reposts: nullableNumber
  })
)

/** Encodes the fields of an article that have no column of their own in the store. */
export const articleCodec = makeJsonCodec(
  "articles",
  Schema.Struct({
    url: Schema.String,
    title: Schema.String,
    body: Schema.String,
    language: Schema.String,
    coins: texts,
    symbols: texts
  })
)

/**
 * Returns the store's subject for articles about a coin, whose prefix distinguishes the coin from a stock with an equal
 * symbol.
 */
export const coinSubject = (coin: string): string => `coin:${coin}`
export const stockSubject = (symbol: string): string => `stock:${symbol}`

const exchange = Schema.Literals([...usExchanges, ...koreanExchanges])

/** The facts of a stock and its last quote, or null without a quote, stored under a key such as `US:AAPL`. */
export const stockDocument = makeDocumentCodec(
  documentsKinds.equityQuotes,
  Schema.Struct({
    name: Schema.String,
    exchange,
    sector: Schema.NullOr(Schema.String),
    listedAt: nullableNumber,
    delistedAt: nullableNumber,
    quote: Schema.NullOr(Schema.Struct({
      time: finiteNumber,
      price: finiteNumber,
      previousClose: nullableNumber,
      changePct: nullableNumber,
      volume: finiteNumber,
      turnover: nullableNumber,
      marketCap: nullableNumber,
      eps: nullableNumber,
      pe: nullableNumber,
      bookValue: nullableNumber,
      pb: nullableNumber,
      low52w: nullableNumber,
      high52w: nullableNumber,
      session: Schema.Literals(["pre", "regular", "post", "closed"]),
      extended: Schema.NullOr(
        Schema.Struct({ session: Schema.Literals(["pre", "post"]), time: finiteNumber, price: finiteNumber })
      ),
      foreignSharePct: nullableNumber
    }))
  })
)

/** The last quote of an index, stored under a key such as `index:SPX`. */
export const indexDocument = makeDocumentCodec(
  documentsKinds.equityQuotes,
  Schema.Struct({
    name: Schema.String,
    country: Schema.Literals(["US", "KR"]),
    quote: Schema.NullOr(
      Schema.Struct({ time: finiteNumber, value: finiteNumber, previousClose: finiteNumber, changePct: finiteNumber })
    )
  })
)

/** Returns the document key of a stock, such as `US:AAPL`. */
export const stockKey = (country: EquityCountry, symbol: string): string => `${country}:${symbol}`
export const indexKey = (index: string): string => `index:${index}`

/** The opening and closing of a won market, stored under `exchange:COIN:openingTime`. */
export const krwListingDocument = makeDocumentCodec(
  documentsKinds.krwListings,
  Schema.Struct({
    coin: Schema.String,
    exchange: Schema.Literals(["upbit", "bithumb"]),
    listedAt: finiteNumber,
    inferred: Schema.optionalKey(Schema.Boolean),
    delistedAt: nullableNumber
  })
)

/**
 * The last ticker of a won market, stored under `exchange:COIN`. In a ticker, `time` is the time of the last change at
 * the exchange.
 */
export const krwTickerDocument = makeDocumentCodec(
  documentsKinds.krwTickers,
  Schema.Struct({
    time: finiteNumber,
    krwPrice: finiteNumber,
    usdtPrice: nullableNumber,
    volume24hKrw: finiteNumber,
    warned: Schema.Boolean
  })
)

/**
 * The state of a source, written by its leader, stored under the name and part of the source, such as `binance/spot`.
 */
export const sourceStateDocument = makeDocumentCodec(
  documentsKinds.sourceStates,
  Schema.Struct({
    isUp: Schema.Boolean,
    failure: Schema.NullOr(SourceFailure),
    reason: Schema.String,
    limitedUntil: nullableNumber
  })
)

export const krwMarketKey = (exchange: KrwExchange, coin: string): string => `${exchange}:${coin}`
export const krwListingKey = ({ coin, exchange, listedAt }: KrwListing): string =>
  `${krwMarketKey(exchange, coin)}:${listedAt}`
