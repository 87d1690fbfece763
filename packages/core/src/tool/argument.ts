import { Option, Schema, SchemaGetter, SchemaTransformation } from "effect"
import type { Timeframe } from "../market/timeframe.ts"
import type { Message } from "../messages/dictionary.ts"
import { coinOfName } from "./coinOfName.ts"
import { PastInstant } from "./instantArgument.ts"

/**
 * What a check says it expects, in English for schemas and JSON Schema, and as a message for callers of other
 * languages (`messages/issue.ts` reads it).
 */
export const expects = (expected: string, message: Message) => ({ expected, expectedMessage: message })

const isCoin = expects("a ticker of 1 to 20 letters or digits, or the name of a coin", { key: "expected_ticker" })

const tickerOf = (text: typeof Schema.String) =>
  // A filter, which no schema shows: the letters of names are those of three languages.
  text.check(
    Schema.makeFilter((given) => /^[A-Za-z0-9]{1,20}$/u.test(given) || coinOfName(given) !== undefined, isCoin)
  ).pipe(Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (given) => coinOfName(given) ?? given.toUpperCase(),
      encode: (ticker) => ticker
    })
  ))

/** A coin's ticker in any case, or its name in English, Korean or Russian; normalised to the ticker in upper case. */
export const CoinArgument = tickerOf(Schema.String.annotate({ description: "Ticker or name" }))

/** A list of distinct coins. */
export const coinsBetween = (minimum: number, maximum: number, description: string) =>
  Schema.Array(tickerOf(Schema.String)).annotate({ description }).check(
    Schema.isMinLength(minimum, expects(`at least ${minimum} items`, { key: "expected_items", params: { minimum } })),
    Schema.isMaxLength(maximum),
    // As they are read: `btc` is BTC.
    Schema.makeFilter(
      (coins) => new Set(coins).size === coins.length,
      expects("each item once", { key: "expected_distinct" })
    )
  )

/** A check of arguments that change something: one of these says what. By itself any that is given does. */
export const changesOneOf = (
  names: ReadonlyArray<string>,
  says: (value: unknown) => boolean = (value) => value !== undefined
) =>
  Schema.makeFilter<object>(
    (given) => Object.entries(given).some(([name, value]) => names.includes(name) && says(value)),
    expects(`one of ${names.join(", ")} at least`, { key: "expected_change", params: { names: names.join(", ") } })
  )

const isStockName = expects("a ticker such as AAPL or 005930, or a company's name in English or Korean", {
  key: "expected_symbol"
})

/**
 * A stock by its ticker or its company's name, in any case; normalised to upper case. Which stock it means `findStock`
 * tells. Latin letters, digits and Hangul (whole or in parts), and what stands between them in tickers and names.
 */
export const SymbolArgument = Schema.String.annotate({ description: "Ticker or name" })
  // A filter, which no schema shows: the letters would be told with every tool that takes one.
  .check(Schema.makeFilter((text) => /^[A-Za-z0-9À-ɏᄀ-ᇿㄱ-힣 .,&'()·’-]{1,64}$/u.test(text), isStockName))
  .pipe(Schema.decodeTo(
    Schema.String.check(Schema.isMinLength(1, isStockName)),
    SchemaTransformation.transform({
      decode: (text) => text.trim().normalize("NFC").toUpperCase(),
      encode: (symbol) => symbol
    })
  ))

/** An integer within bounds, both included. One whose name says what it is needs no description: each is read often. */
export const integerBetween = (minimum: number, maximum: number, description?: string) =>
  (description === undefined ? Schema.Int : Schema.Int.annotate({ description })).check(
    Schema.isBetween({ minimum, maximum })
  )

/** A finite number above `exclusiveMinimum`. */
export const numberAbove = (exclusiveMinimum: number, description: string) =>
  Schema.Finite.annotate({ description }).check(Schema.isGreaterThan(exclusiveMinimum))

const isGiven = <A>(value: A): value is Exclude<A, null> => value !== null

/**
 * An optional argument: left out, or null, which means the same, since language models under a strict schema must name
 * every argument.
 */
export const optional = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter(isGiven)),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )

/** An optional argument that is `value` when it is left out. Its schema must decode to what it encodes. */
export const withDefault = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: S["Type"] & S["Encoded"]) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ default: value })).pipe(
    Schema.decodeTo(Schema.toType(schema), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.some(Option.getOrElse(Option.filter(given, isGiven), () => value))
      ),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )

export const hours = withDefault(integerBetween(1, 720), 24)
export const bars = withDefault(integerBetween(1, 1000), 40)
export const top = withDefault(integerBetween(1, 100), 10)

/**
 * When the question is asked, for tools that read a series: left out, now. A tool that takes it needs to do nothing
 * about it: `implement` has it answer with a clock that stands there, so that it knows nothing later.
 */
export const at = optional(PastInstant)

/** The length of a coin's candles: one of `of`, `initial` when it is left out. */
export const timeframe = <const Of extends ReadonlyArray<Timeframe>>(of: Of, initial: Of[number]) =>
  withDefault(Schema.Literals(of), initial)

/**
 * The arguments of a tool that takes none. An empty struct would let anything pass, as the type `{}` does; this is an
 * object whose keys none can be, so that each that comes is refused like any unknown argument.
 */
export const noArguments = Object.assign(
  Schema.Record(Schema.String.check(Schema.makeFilter(() => false)), Schema.Never),
  { fields: {} }
)
