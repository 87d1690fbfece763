import { Option, Schema, SchemaGetter } from "effect"
import type { Message } from "../messages/dictionary.ts"
import { PastInstant } from "./instantArgument.ts"

/**
 * Annotates a check with its expectation: in English for schemas and JSON Schema, and as a message for callers of other
 * languages (`messages/issue.ts` reads it).
 */
export const expectation = (expected: string, message: Message) => ({ expected, expectedMessage: message })

/**
 * Checks that an update contains at least one of the arguments `names` that changes something. By default, every
 * argument that is given changes something.
 */
export const requiresChange = (
  names: ReadonlyArray<string>,
  isChange: (value: unknown) => boolean = (value) => value !== undefined
) =>
  Schema.makeFilter<object>(
    (given) => Object.entries(given).some(([name, value]) => names.includes(name) && isChange(value)),
    expectation(`one of ${names.join(", ")} at least`, { key: "expected_change", params: { names: names.join(", ") } })
  )

/**
 * An integer within inclusive bounds. Omit the description if the name is clear, because language models read each
 * description often.
 */
export const integerBetween = (minimum: number, maximum: number, description?: string) =>
  (description === undefined ? Schema.Int : Schema.Int.annotate({ description })).check(
    Schema.isBetween({ minimum, maximum })
  )

/** A finite number above `exclusiveMinimum`. */
export const numberAbove = (exclusiveMinimum: number, description: string) =>
  Schema.Finite.annotate({ description }).check(Schema.isGreaterThan(exclusiveMinimum))

const isGiven = <A>(value: A): value is Exclude<A, null> => value !== null

/**
 * An optional argument, which may be omitted or null. Both mean the same, because language models under a strict schema
 * must pass every argument.
 */
export const optional = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter(isGiven)),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )

/** An optional argument with the default `value`. Its schema must decode to the same value that it encodes. */
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
 * The time for which a series is read; now if omitted. Tools need no code for this argument: `implement` runs the
 * handler with a clock fixed at this time, so that the tool uses no later data.
 */
export const asOfArgument = optional(PastInstant)

/**
 * The arguments of a tool without arguments. An empty struct would accept any value, like the type `{}`. This record
 * rejects every key, as structs reject unknown arguments.
 */
export const noArguments = Object.assign(
  Schema.Record(Schema.String.check(Schema.makeFilter(() => false)), Schema.Never),
  { fields: {} }
)
