import type { CallableEntry } from "@tapeline/core"
import type { ModelRequest, ModelTurn } from "@tapeline/core/agent"
import type { JsonSchema } from "effect"
import { type Effort, isCurrentOpenAiModel, type OpenAiModelOptions } from "./options.ts"

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

/**
 * Returns the reasoning effort: as configured for answers, and at most "low" for other purposes. Without a configured
 * effort, other purposes use "low" if the model is known to reason by default.
 */
export const chooseEffort = ({ purpose }: ModelRequest, options: OpenAiModelOptions): Effort | undefined => {
  const { reasoningEffort } = options
  if (purpose === "answer" || reasoningEffort === "none" || reasoningEffort === "minimal") return reasoningEffort
  return reasoningEffort === undefined && !isCurrentOpenAiModel(options) ? undefined : "low"
}

/** Returns a note about the images for a model that reads no images. Returns an empty text if there are no images. */
export const makeImageNote = (images: number): string =>
  images === 0 ? "" : `\n\n[${images === 1 ? "1 image" : `${images} images`} not shown: this model reads no images]`

const isSchema = (u: unknown): u is JsonSchema.JsonSchema => typeof u === "object" && u !== null && !Array.isArray(u)

/** The maximum depth to which a recursive definition is expanded; definitions at deeper levels have no schema. */
const maxDepth = 6

/** Removes null from types or values. For an optional argument, null has the same effect as omitting the argument. */
const removeNull = (values: unknown): unknown =>
  Array.isArray(values) ? values.filter((value: unknown) => value !== "null" && value !== null) : values

/**
 * Simplifies the types of a schema. Google's servers accept one type in a schema, so several types become `anyOf`.
 * `additionalProperties: false` is removed, because without strict mode it only costs tokens.
 */
const simplifySchema = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { additionalProperties, enum: values, type, ...rest } = schema
  const types = removeNull(type)
  return {
    ...(Array.isArray(types) && types.length > 1
      ? { anyOf: types.map((one: unknown) => ({ type: one })) }
      : type === undefined
      ? {}
      : { type: Array.isArray(types) ? types[0] : types }),
    ...rest,
    ...(values === undefined ? {} : { enum: removeNull(values) }),
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties })
  }
}

const schemaMaps = new Set(["properties", "patternProperties"])
const dataKeywords = new Set(["enum", "const", "default"])

const simplifyValue = (value: unknown, definitions: JsonSchema.JsonSchema, depth: number): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => simplifyValue(one, definitions, depth))
  if (!isSchema(value)) return value
  const { $ref: reference, ...rest } = value
  if (typeof reference === "string") {
    const target = definitions[reference.replace("#/$defs/", "")]
    if (!isSchema(target) || depth >= maxDepth) return rest
    return simplifyValue({ ...target, ...rest }, definitions, depth + 1)
  }
  return Object.fromEntries(
    Object.entries(simplifySchema(value)).map(([keyword, one]) => [
      keyword,
      schemaMaps.has(keyword) && isSchema(one)
        ? Object.fromEntries(Object.entries(one).map(([name, item]) => [name, simplifyValue(item, definitions, depth)]))
        : dataKeywords.has(keyword)
        ? one
        : simplifyValue(one, definitions, depth)
    ])
  )
}

/**
 * Returns the parameters of a tool as an object schema without `$ref`, because some servers do not resolve references.
 * The API's option `strict` is not used, because strict tools require all arguments to be present.
 */
export const toFunctionParameters = ({ parameters }: CallableEntry): Record<string, unknown> => {
  const { $defs, $schema: _, ...rest } = parameters
  const schema = simplifyValue(rest, isSchema($defs) ? $defs : {}, 0)
  // The cast is safe because `simplifyValue` returns a schema for a schema.
  return { type: "object", properties: {}, ...(schema as Record<string, unknown>) }
}
