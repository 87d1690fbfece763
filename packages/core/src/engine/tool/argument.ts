import { Option, Schema, SchemaGetter } from "effect"
import type { Message } from "../messages/dictionary.ts"
import { PastInstant } from "./instantArgument.ts"

/**
 * What a check says it expects, in English for schemas and JSON Schema, and as a message for callers of other
 * languages (`messages/issue.ts` reads it).
 */
export const expects = (expected: string, message: Message) => ({ expected, expectedMessage: message })

/** A check of arguments that change something: one of these says what. By itself any that is given does. */
export const changesOneOf = (
  names: ReadonlyArray<string>,
  says: (value: unknown) => boolean = (value) => value !== undefined
) =>
  Schema.makeFilter<object>(
    (given) => Object.entries(given).some(([name, value]) => names.includes(name) && says(value)),
    expects(`one of ${names.join(", ")} at least`, { key: "expected_change", params: { names: names.join(", ") } })
  )

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

/**
 * The arguments of a tool that takes none. An empty struct would let anything pass, as the type `{}` does; this is an
 * object whose keys none can be, so that each that comes is refused like any unknown argument.
 */
export const noArguments = Object.assign(
  Schema.Record(Schema.String.check(Schema.makeFilter(() => false)), Schema.Never),
  { fields: {} }
)
