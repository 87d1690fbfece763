import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

/**
 * Makes a function that encodes a response with its schema. A value of another type does not compile, and a value that
 * breaks a check of the schema is a defect. Responses therefore always match the OpenAPI document.
 */
export const answering = <A, I>(schema: Schema.Codec<A, I>) => {
  const respond = HttpServerResponse.schemaJson(schema)
  return (
    answer: A,
    headers: Readonly<Record<string, string>> = {}
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => Effect.orDie(respond(answer, { headers }))
}
