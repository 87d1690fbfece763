import { toStrictSchema } from "@tapeline/core/specifications"
import { Schema } from "effect"
import type { Json } from "./example.ts"
import { type ProblemCode, problemKinds } from "./problemKinds.ts"

/** The error code of each documented status, and the reason why some operations never return the status. */
const documentedStatuses: Readonly<Record<string, { readonly code: ProblemCode; readonly reason: string }>> = {
  400: { code: "invalid_arguments", reason: "it accepts every request" },
  401: { code: "invalid_key", reason: "it needs no key" },
  402: { code: "over_limit", reason: "it costs no credits" },
  403: { code: "scope_required", reason: "it needs no scope" },
  404: { code: "not_found", reason: "its address contains no id that could be unknown" },
  429: { code: "rate_limited", reason: "it does not count toward the plan's requests a minute" }
}

/**
 * Returns the complete schema of a problem without a `$ref`, because the OpenAPI document may not define the problem.
 */
const problemSchema = (code: ProblemCode): Json => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(problemKinds[code].schema)
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1)! : undefined
  return toStrictSchema(name === undefined ? schema : definitions[name]!)
}

/**
 * Returns the statuses that an operation does not return today. Clients should handle every documented status, because
 * a later version of the service may return it.
 */
export const statusesNotReturned = (operation: Json): Json =>
  Object.fromEntries(
    Object.entries(documentedStatuses)
      .filter(([status]) => !Object.hasOwn(operation["responses"], status))
      .map(([status, { reason, code }]) => [status, {
        description: `Not returned by this operation today: ${reason}`,
        "x-returned": false,
        content: { "application/problem+json": { schema: problemSchema(code) } }
      }])
  )
