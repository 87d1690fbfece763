/**
 * The schemas of the market store's documents. Collectors write them, and the stored ports read them. Missing values
 * are null.
 */
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

/** How documents of a kind are written and read. */
export interface DocumentCodec<A> {
  readonly kind: DocumentsKind
  /** Makes the row to write. `time` is the source's time, or the time of the request if the data has none. */
  readonly encodeRow: (
    document: { readonly key: string; readonly time: number; readonly source: string },
    value: A
  ) => DocumentRow
  /** Reads the value of a row. Fails with the store as a `malformed` source if this version cannot read it. */
  readonly decodeRow: (row: DocumentRow) => Effect.Effect<A, SourceUnavailable>
}

/** Writes and reads JSON text of a schema, for documents and events. */
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
          reason: `a document of ${what} is not as this version writes it`,
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
 * A coin's facts, under the coin. `delistedAt` is set as soon as it is known, even if it is in the future. `suppliedAt`
 * is when a source last provided the supplies, if known.
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
 * The 24 hours before the document's time as the venue counts them, under the coin. An outage of this service does not
 * affect them.
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

/**
 * Venues of derivatives, preferred first: if several have the same data, the first one's is used. Each venue's data of
 * a coin is stored separately. No venue waits for another, and each has its own gaps.
 */
export const derivativesVenues = ["binance", "bybit", "okx"] as const

/** The key of a venue's own data of a coin: liquidations, and present derivatives data. */
export const venueKey = (venue: string, coin: string): string => `${venue}:${coin}`

/** A coin's funding on one venue, under `venue:COIN`. A coin without a perpetual there has no document. */
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

/** A coin's open interest on one venue, in coins and in USD, under `venue:COIN`. */
export const venueOpenInterestDocument = makeDocumentCodec(
  documentsKinds.venueOpenInterest,
  Schema.Struct({ venue: Schema.String, time: finiteNumber, openInterest: finiteNumber, openInterestUsd: finiteNumber })
)

/** A coin's dated futures on one venue, under `venue:COIN`. An empty list means that the coin has no dated futures. */
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

/**
 * A coin's spot order book, both sides best price first, under the coin. The document's time is that of the snapshot.
 * The reaches are as in `OrderBook`.
 */
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

/**
 * The document of a `posts` event. Id, time, sentiment and author (the label) are fields of the event, and its subjects
 * are the coins.
 */
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

/** The document of an `articles` event. Id, time, sentiment and publisher (the label) are fields of the event. */
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

/** Subjects of articles. They have prefixes because a coin and a stock may have the same name. */
export const coinSubject = (coin: string): string => `coin:${coin}`
export const stockSubject = (symbol: string): string => `stock:${symbol}`

const exchange = Schema.Literals([...usExchanges, ...koreanExchanges])

/**
 * A stock under `US:AAPL`, with its last quote; the quote is null until one is stored. The session, and values that a
 * source does not provide, are as in `StockQuote`.
 */
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

/** An index under `index:SPX`, with its last quote. */
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

/** The keys of stocks and indices. */
export const stockKey = (country: EquityCountry, symbol: string): string => `${country}:${symbol}`
export const indexKey = (index: string): string => `index:${index}`

/** An opening of a KRW market, under `exchange:COIN:opening`. */
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
 * The last ticker of a KRW market, under `exchange:COIN`. `time` is its last change at the exchange; the document's
 * time is that of the response.
 */
export const krwTickerDocument = makeDocumentCodec(
  documentsKinds.krwTickers,
  Schema.Struct({
    time: finiteNumber,
    krwPrice: finiteNumber,
    usdtPrice: nullableNumber,
    volume24hKrw: finiteNumber,
    /** Whether the exchange warns that the market may be delisted. */
    warned: Schema.Boolean
  })
)

/** The state of a source that its leader polls, under its name and part: `binance/spot`. */
export const sourceStateDocument = makeDocumentCodec(
  documentsKinds.sourceStates,
  Schema.Struct({
    isUp: Schema.Boolean,
    failure: Schema.NullOr(SourceFailure),
    reason: Schema.String,
    limitedUntil: nullableNumber
  })
)

/** The key of a KRW market's series, and the key of the document of one of its openings. */
export const krwMarketKey = (exchange: KrwExchange, coin: string): string => `${exchange}:${coin}`
export const krwListingKey = ({ coin, exchange, listedAt }: KrwListing): string =>
  `${krwMarketKey(exchange, coin)}:${listedAt}`
