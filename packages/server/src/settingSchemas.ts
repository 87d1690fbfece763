import { Schema, SchemaTransformation } from "effect"

export const integerVariable = (minimum: number, maximum: number, expected: string) =>
  Schema.String.check(Schema.isPattern(/^-?\d{1,15}$/u, { expected })).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum, maximum }, { expected })),
      SchemaTransformation.numberFromString
    )
  )

export const millisecondsVariable = (minimum: number) =>
  integerVariable(minimum, 31 * 86_400_000, `milliseconds, from ${minimum} to ${31 * 86_400_000}`)
