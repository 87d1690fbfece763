import { Schema, SchemaTransformation } from "effect"

/**
 * Returns the schema of a whole number in a path or query: digits without sign, point, exponent or leading zero. Other
 * spellings are rejected, because a number with several spellings could bypass a proxy's rule for a path.
 */
export const wholeNumber = (minimum: number, maximum: number, description: string) =>
  Schema.String.annotate({
    description,
    // The OpenAPI document describes the parameter as a JSON integer.
    contentMediaType: "application/json",
    contentSchema: { type: "integer", minimum, maximum }
  })
    .check(Schema.isPattern(/^(0|[1-9][0-9]{0,15})$/, { expected: `a whole number from ${minimum} to ${maximum}` }))
    .pipe(
      Schema.decodeTo(
        Schema.Int.check(Schema.isBetween({ minimum, maximum })),
        SchemaTransformation.numberFromString
      )
    )
