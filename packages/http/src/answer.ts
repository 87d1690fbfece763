import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

/**
 * The way by which every answer leaves: as its schema has it. A value of another type does not compile, and one that
 * breaks a check of the schema is a defect, so nothing travels that the document does not describe.
 */
export const answering = <A, I>(schema: Schema.Codec<A, I>) => {
  const respond = HttpServerResponse.schemaJson(schema)
  return (
    answer: A,
    headers: Readonly<Record<string, string>> = {}
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => Effect.orDie(respond(answer, { headers }))
}
