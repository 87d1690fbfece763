import { Schema, SchemaTransformation } from "effect"

/**
 * Returns the schema of a decimal whole number in a path or query. A number has only one valid spelling, so that no
 * other spelling of a path bypasses a rule of a proxy.
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
