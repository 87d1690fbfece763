import { Schema, SchemaTransformation } from "effect"

/**
 * A whole number of an address, in its one spelling: digits without a sign, a point, an exponent or a zero in front, so
 * that a proxy's rule on an address cannot be walked around by another spelling of it.
 */
export const wholeNumber = (minimum: number, maximum: number, description: string) =>
  Schema.String.annotate({
    description,
    // The document's schema of the parameter: digits are JSON.
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
