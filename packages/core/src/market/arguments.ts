import { Schema, SchemaTransformation } from "effect"
import { expectation, withDefault } from "../engine/tool/argument.ts"
import { findCoinByName } from "./coinNames.ts"
import type { Timeframe } from "./timeframe.ts"

const coinExpectation = expectation("a ticker of 1 to 20 letters or digits, or the name of a coin", {
  key: "expected_ticker"
})

const decodeTicker = (text: typeof Schema.String) =>
  // A filter is used instead of a pattern, so that tool schemas do not list the letters of three languages.
  text.check(
    Schema.makeFilter(
      (given) => /^[A-Za-z0-9]{1,20}$/u.test(given) || findCoinByName(given) !== undefined,
      coinExpectation
    )
  ).pipe(Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (given) => findCoinByName(given) ?? given.toUpperCase(),
      encode: (ticker) => ticker
    })
  ))

/** A coin's ticker in any case, or its name in English, Korean or Russian, decoded to the ticker in upper case. */
export const CoinArgument = decodeTicker(Schema.String.annotate({ description: "Ticker or name" }))

/** Creates the schema of a list of distinct coins. */
export const coinsBetween = (minimum: number, maximum: number, description: string) =>
  Schema.Array(decodeTicker(Schema.String)).annotate({ description }).check(
    Schema.isMinLength(
      minimum,
      expectation(`at least ${minimum} items`, { key: "expected_items", params: { minimum } })
    ),
    Schema.isMaxLength(maximum),
    // The filter runs after decoding, so `btc` and `BTC` count as the same coin.
    Schema.makeFilter(
      (coins) => new Set(coins).size === coins.length,
      expectation("each item once", { key: "expected_distinct" })
    )
  )

const stockNameExpectation = expectation("a ticker such as AAPL or 005930, or a company's name in English or Korean", {
  key: "expected_symbol"
})

/**
 * A stock's ticker or its company's name, in any case, decoded to upper case. The argument may contain Latin letters,
 * digits, Hangul, and the punctuation of tickers and names.
 */
export const SymbolArgument = Schema.String.annotate({ description: "Ticker or name" })
  // A filter is used instead of a pattern, so that tool schemas do not repeat the allowed letters.
  .check(Schema.makeFilter((text) => /^[A-Za-z0-9À-ɏᄀ-ᇿㄱ-힣 .,&'()·’-]{1,64}$/u.test(text), stockNameExpectation))
  .pipe(Schema.decodeTo(
    Schema.String.check(Schema.isMinLength(1, stockNameExpectation)),
    SchemaTransformation.transform({
      decode: (text) => text.trim().normalize("NFC").toUpperCase(),
      encode: (symbol) => symbol
    })
  ))

/** Creates the argument for the timeframe of a coin's candles: a timeframe of `allowed`, `initial` by default. */
export const timeframeArgument = <const Of extends ReadonlyArray<Timeframe>>(allowed: Of, initial: Of[number]) =>
  withDefault(Schema.Literals(allowed), initial)
