import { Schema, SchemaTransformation } from "effect"

/**
 * A whole number in a path or query, in its only valid form: digits without a sign, point, exponent or leading zero.
 * Other forms are rejected, so that they cannot bypass a proxy's rule for an address.
 */
export const wholeNumber = (minimum: number, maximum: number, description: string) =>
  Schema.String.annotate({
    description,
    // The schema of the parameter in the document: digits are JSON.
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
