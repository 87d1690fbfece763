/**
 * What the documents of the market store hold: written by collectors, read by the stored ports. Whatever a document
 * lacks is null in it.
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
import { storeName } from "./asking.ts"

/** How documents of a kind are written and read. */
export interface DocumentForm<A> {
  readonly kind: DocumentsKind
  /** The row to write; `time` is when the source told it, or was asked for what has no time. */
  readonly rowOf: (
    document: { readonly key: string; readonly time: number; readonly source: string },
    value: A
  ) => DocumentRow
  /** What a row says. One that this version cannot read makes the store a source that is malformed. */
  readonly valueOf: (row: DocumentRow) => Effect.Effect<A, SourceUnavailable>
}

/** JSON of a schema, as documents and events hold it. */
export const jsonForm = <A, I>(what: string, schema: Schema.Codec<A, I>) => {
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

const formOf = <A, I>(kind: DocumentsKind, schema: Schema.Codec<A, I>): DocumentForm<A> => {
  const { read, write } = jsonForm(kind.name, schema)
  return {
    kind,
    rowOf: ({ key, source, time }, value) => ({ key, time, source, document: write(value) }),
    valueOf: ({ document }) => read(document)
  }
}

const known = Schema.Finite
const told = Schema.NullOr(Schema.Finite)

/**
 * A coin's facts, under the coin. `delistedAt` as soon as it is known, also while it lies ahead; `suppliedAt` is when
 * somebody told the supplies, where that is known.
 */
export const coinDocument = formOf(
  documentsKinds.coins,
  Schema.Struct({
    name: Schema.String,
    sector: Schema.String,
    circulatingSupply: told,
    maxSupply: told,
    suppliedAt: Schema.optionalKey(told),
    listedAt: known,
    delistedAt: told,
    isStablecoin: Schema.Boolean
  })
)

/** The 24 hours before the document's time as the venue counts them, under the coin: what an outage does not touch. */
export const tickerDocument = formOf(
  documentsKinds.tickers,
  Schema.Struct({ change24hPct: told, high24h: told, low24h: told, volume24hUsd: told })
)

/**
 * Venues of derivatives, the one first that is believed where several tell one thing. What each tells of a coin is
 * stored by itself, so that none waits for another, and what one of them missed is its own gap.
 */
export const derivativesVenues = ["binance", "bybit", "okx"] as const

/** Under what a venue's own record of a coin is stored: liquidations, and what its derivatives are now. */
export const venueKey = (venue: string, coin: string): string => `${venue}:${coin}`

/** A coin's funding on one venue, under `venue:COIN`; one without a perpetual there has no document. */
export const venueFundingDocument = formOf(
  documentsKinds.venueFunding,
  Schema.Struct({
    venue: Schema.String,
    time: known,
    fundingRate: known,
    intervalHours: known,
    nextFundingAt: told
  })
)

/** A coin's open interest on one venue, in coins and in USD, likewise. */
export const venueOpenInterestDocument = formOf(
  documentsKinds.venueOpenInterest,
  Schema.Struct({ venue: Schema.String, time: known, openInterest: known, openInterestUsd: known })
)

/** A coin's dated futures on one venue, under `venue:COIN`; a document without any says that there are none. */
export const futuresDocument = formOf(
  documentsKinds.futures,
  Schema.Array(
    Schema.Struct({ instrument: Schema.String, time: known, expiryAt: known, price: known, indexPrice: known })
  )
)

const levels = Schema.Array(Schema.Struct({ price: known, size: known }))

/**
 * A coin's spot book, both sides best first, under the coin; the document's time is the snapshot's. Reaches are as in
 * `OrderBook`.
 */
export const orderBookDocument = formOf(
  documentsKinds.orderBooks,
  Schema.Struct({
    bids: levels,
    asks: levels,
    bidsReach: Schema.optionalKey(known),
    asksReach: Schema.optionalKey(known)
  })
)

const texts = Schema.Array(Schema.String)

/**
 * What an event of `posts` holds beside its id, its time, its tone and its author, who is the label. Its subjects are
 * the coins.
 */
export const postForm = jsonForm(
  "posts",
  Schema.Struct({
    platform: Schema.String,
    account: Schema.Struct({ createdAt: told, followers: told, following: told, postCount: told }),
    coins: texts,
    text: Schema.String,
    language: Schema.String,
    likes: told,
    reposts: told
  })
)

/** What an event of `articles` holds beside its id, its time, its tone and its publisher, who is the label. */
export const articleForm = jsonForm(
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

/** Subjects of articles: a coin and a stock may have one name. */
export const aboutCoin = (coin: string): string => `coin:${coin}`
export const aboutSymbol = (symbol: string): string => `stock:${symbol}`

const exchange = Schema.Literals([...usExchanges, ...koreanExchanges])

/**
 * A stock under `US:AAPL`, with what is told of it as of its last quote; without a quote while none was stored. Its
 * session and what a source does not tell are as in `StockQuote`.
 */
export const stockDocument = formOf(
  documentsKinds.equityQuotes,
  Schema.Struct({
    name: Schema.String,
    exchange,
    sector: Schema.NullOr(Schema.String),
    listedAt: told,
    delistedAt: told,
    quote: Schema.NullOr(Schema.Struct({
      time: known,
      price: known,
      previousClose: told,
      changePct: told,
      volume: known,
      turnover: told,
      marketCap: told,
      eps: told,
      pe: told,
      bookValue: told,
      pb: told,
      low52w: told,
      high52w: told,
      session: Schema.Literals(["pre", "regular", "post", "closed"]),
      extended: Schema.NullOr(Schema.Struct({ session: Schema.Literals(["pre", "post"]), time: known, price: known })),
      foreignSharePct: told
    }))
  })
)

/** An index under `index:SPX`, with its last quote. */
export const indexDocument = formOf(
  documentsKinds.equityQuotes,
  Schema.Struct({
    name: Schema.String,
    country: Schema.Literals(["US", "KR"]),
    quote: Schema.NullOr(Schema.Struct({ time: known, value: known, previousClose: known, changePct: known }))
  })
)

/** Under what stocks and indices are stored. */
export const stockKey = (country: EquityCountry, symbol: string): string => `${country}:${symbol}`
export const indexKey = (index: string): string => `index:${index}`

/** A KRW market that opened, under `exchange:COIN:opening`. */
export const krwListingDocument = formOf(
  documentsKinds.krwListings,
  Schema.Struct({
    coin: Schema.String,
    exchange: Schema.Literals(["upbit", "bithumb"]),
    listedAt: known,
    inferred: Schema.optionalKey(Schema.Boolean),
    delistedAt: told
  })
)

/**
 * A KRW market as its exchange told it last, under `exchange:COIN`. `time` is when it changed last there; that of the
 * document is when it was told.
 */
export const krwTickerDocument = formOf(
  documentsKinds.krwTickers,
  Schema.Struct({
    time: known,
    krwPrice: known,
    usdtPrice: told,
    volume24hKrw: known,
    /** The exchange warns of it: it may be delisted. */
    warned: Schema.Boolean
  })
)

/** How a source does that its lead asks, under its name and part: `binance/spot`. */
export const sourceStateDocument = formOf(
  documentsKinds.sourceStates,
  Schema.Struct({
    isUp: Schema.Boolean,
    failure: Schema.NullOr(SourceFailure),
    reason: Schema.String,
    limitedUntil: told
  })
)

/** Under what a KRW market's series are stored, and the document of one of its openings. */
export const krwMarketKey = (exchange: KrwExchange, coin: string): string => `${exchange}:${coin}`
export const krwListingKey = ({ coin, exchange, listedAt }: KrwListing): string =>
  `${krwMarketKey(exchange, coin)}:${listedAt}`
