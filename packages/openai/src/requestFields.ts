import type { CallableEntry } from "@tapeline/core"
import type { ModelRequest, ModelTurn } from "@tapeline/core/agent"
import type { JsonSchema } from "effect"
import type { Effort, OpenAiModelOptions } from "./options.ts"

/** Creates a call id of nine letters and digits. One provider rejects call ids of any other form. */
const makeProviderId = (n: number): string => `call${n.toString(36).padStart(5, "0")}`

/**
 * The unique ids of the calls in a request. An id depends only on the position of the call, so that the provider's
 * prompt cache stays valid.
 */
export interface CallIds {
  /** The ids of the calls in each turn. Turns without calls are omitted. */
  readonly callIdsByTurn: ReadonlyMap<ModelTurn, ReadonlyArray<string>>
  /** The id of the call to which each tool result belongs. A tool result without a call has no id. */
  readonly resultIdByTurn: ReadonlyMap<ModelTurn, string>
}

export const assignCallIds = (turns: ReadonlyArray<ModelTurn>): CallIds => {
  const callIdsByTurn = new Map<ModelTurn, ReadonlyArray<string>>()
  const resultIdByTurn = new Map<ModelTurn, string>()
  let openIds = new Map<string, string>()
  let n = 0
  for (const turn of turns) {
    if (turn._tag === "Assistant") {
      const ids = turn.calls.map(() => makeProviderId(++n))
      callIdsByTurn.set(turn, ids)
      openIds = new Map(turn.calls.map(({ callId }, i) => [callId, ids[i]!]))
    } else if (turn._tag === "Result") {
      const id = openIds.get(turn.callId)
      if (id !== undefined) resultIdByTurn.set(turn, id)
      openIds.delete(turn.callId)
    }
  }
  return { callIdsByTurn, resultIdByTurn }
}

/** Converts a tool name that the model wrote to a name that providers accept. */
export const toValidName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64) || "unknown"

/** Converts arguments to a form that providers accept, because some providers reject invalid JSON. */
export const toValidArguments = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? toWellFormedJson(value) : "{}"
  } catch {
    return "{}"
  }
}

/** Serialises a value as JSON without unpaired surrogates. */
const toWellFormedJson = (value: object): string =>
  JSON.stringify(value, (_, one: unknown) => typeof one === "string" ? one.toWellFormed() : one)

/** Returns the reasoning effort: as configured for answers, and at most "low" for other purposes. */
export const chooseEffort = ({ purpose }: ModelRequest, { reasoningEffort }: OpenAiModelOptions): Effort | undefined =>
  purpose === "answer" || reasoningEffort === undefined || reasoningEffort === "none" || reasoningEffort === "minimal"
    ? reasoningEffort
    : "low"

/** Returns a note about the images for a model that reads no images. Returns an empty text if there are no images. */
export const makeImageNote = (images: number): string =>
  images === 0 ? "" : `\n\n[${images === 1 ? "1 image" : `${images} images`} not shown: this model reads no images]`

const isSchema = (u: unknown): u is JsonSchema.JsonSchema => typeof u === "object" && u !== null && !Array.isArray(u)

/** The maximum depth to which a recursive definition is expanded; definitions at deeper levels have no schema. */
const maxDepth = 6

const inlineReferences = (value: unknown, definitions: JsonSchema.JsonSchema, depth: number): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => inlineReferences(one, definitions, depth))
  if (!isSchema(value)) return value
  const reference = value["$ref"]
  if (typeof reference === "string") {
    const { $ref: _, ...rest } = value
    const target = definitions[reference.replace("#/$defs/", "")]
    if (!isSchema(target) || depth >= maxDepth) return rest
    return inlineReferences({ ...target, ...rest }, definitions, depth + 1)
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === "enum" || key === "const" || key === "default" ? one : inlineReferences(one, definitions, depth)
    ])
  )
}

/**
 * Returns the parameters of a tool as an object schema without `$ref`, because some servers do not resolve references.
 * The API's option `strict` is not used, because strict tools require all arguments to be present.
 */
export const toFunctionParameters = ({ parameters }: CallableEntry): Record<string, unknown> => {
  const { $defs, $schema: _, ...rest } = parameters
  const inlinedSchema = inlineReferences(rest, isSchema($defs) ? $defs : {}, 0)
  // The cast is safe because `inlineReferences` returns a schema for a schema.
  return { type: "object", properties: {}, ...(inlinedSchema as Record<string, unknown>) }
}
