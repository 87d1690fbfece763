import { Option, Schema, SchemaGetter } from "effect"
import type { Message } from "../messages/dictionary.ts"
import { PastInstant } from "./instantArgument.ts"

/** Describes what a schema check expects: an English text for JSON Schema, and a message for callers. */
export const expectation = (expected: string, message: Message) => ({ expected, expectedMessage: message })

/** Requires a change in at least one of the arguments `names`. By default, every given argument is a change. */
export const requiresChange = (
  names: ReadonlyArray<string>,
  isChange: (value: unknown) => boolean = (value) => value !== undefined
) =>
  Schema.makeFilter<object>(
    (given) => Object.entries(given).some(([name, value]) => names.includes(name) && isChange(value)),
    expectation(`at least one of ${names.join(", ")}`, { key: "expected_change", params: { names: names.join(", ") } })
  )

/** Creates the schema of an integer within inclusive bounds. A clear argument name needs no description. */
export const integerBetween = (minimum: number, maximum: number, description?: string) =>
  (description === undefined ? Schema.Int : Schema.Int.annotate({ description })).check(
    Schema.isBetween({ minimum, maximum })
  )

/** Creates the schema of a finite number above `exclusiveMinimum`. */
export const numberAbove = (exclusiveMinimum: number, description: string) =>
  Schema.Finite.annotate({ description }).check(Schema.isGreaterThan(exclusiveMinimum))

const isGiven = <A>(value: A): value is Exclude<A, null> => value !== null

/**
 * Makes an argument optional and nullable. Under a strict schema, language models must pass every argument, so null
 * means an omitted argument.
 */
export const optional = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter(isGiven)),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )

/** Makes an argument optional with a default. `schema` must not transform values. */
export const withDefault = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: S["Type"] & S["Encoded"]) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ default: value })).pipe(
    Schema.decodeTo(Schema.toType(schema), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.some(Option.getOrElse(Option.filter(given, isGiven), () => value))
      ),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )

export const hoursArgument = withDefault(integerBetween(1, 720), 24)
export const barsArgument = withDefault(integerBetween(1, 1000), 40)
export const topArgument = withDefault(integerBetween(1, 100), 10)

/**
 * An optional argument for a past time. The tool reads data as of this time, or present data if the argument is
 * omitted. `implement` runs the handler with a clock that is fixed at the argument `at`. A tool with the argument `at`
 * therefore uses no data from after this time.
 */
export const asOfArgument = optional(PastInstant)

/** The schema of a tool without arguments. Unlike an empty struct, this schema rejects every key. */
export const noArguments = Object.assign(
  Schema.Record(Schema.String.check(Schema.makeFilter(() => false)), Schema.Never),
  { fields: {} }
)
