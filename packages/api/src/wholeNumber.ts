import { Schema, SchemaTransformation } from "effect"

/**
 * Returns the schema of a decimal whole number in a path or query. The schema rejects leading zeros and signs, because
 * a proxy's access rule may match only one spelling of a path.
 */
export const wholeNumber = (minimum: number, maximum: number, description: string) =>
  Schema.String.annotate({
    description,
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
