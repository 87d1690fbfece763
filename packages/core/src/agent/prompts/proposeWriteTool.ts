import { type JsonSchema, Predicate } from "effect"
import type { CallableEntry } from "../../engine/tool/catalogue.ts"
import { maxProposals, proposeWriteName } from "../machine/proposals.ts"

type Shape = JsonSchema.JsonSchema

const isShape = (value: unknown): value is Shape => Predicate.isReadonlyObject(value) && !Array.isArray(value)

const filterShapes = (value: unknown): ReadonlyArray<Shape> => Array.isArray(value) ? value.filter(isShape) : []

/** Resolves the `$ref` of a JSON Schema within its root schema, or returns the schema unchanged. */
const resolveReference = (shape: Shape, root: Shape): Shape => {
  const name = typeof shape["$ref"] === "string" ? shape["$ref"].split("/").at(-1) : undefined
  const definitions = root["$defs"]
  const target = name !== undefined && isShape(definitions) ? definitions[name] : undefined
  return isShape(target) ? target : shape
}

/** The maximum nesting depth of a signature. A signature describes deeper values only by their type. */
const maxDepth = 4

const formatType = (shape: Shape, type: unknown, root: Shape, depth: number): string => {
  if (type === "array") {
    const items = isShape(shape["items"]) ? formatShape(shape["items"], root, depth + 1) : "any"
    return items.includes("|") ? `(${items})[]` : `${items}[]`
  }
  if (type !== "object" || !isShape(shape["properties"]) || depth >= maxDepth) return String(type)
  const required: unknown = shape["required"]
  const fields = Object.entries(shape["properties"]).map(([name, field]) => {
    const mark = Array.isArray(required) && required.includes(name) ? "" : "?"
    return `${name}${mark}: ${isShape(field) ? formatShape(field, root, depth + 1) : "any"}`
  })
  return `{${fields.join(", ")}}`
}

const formatShape = (unresolved: Shape, root: Shape, depth: number): string => {
  const shape = resolveReference(unresolved, root)
  if ("const" in shape) return JSON.stringify(shape["const"])
  if (Array.isArray(shape["enum"])) return shape["enum"].map((one: unknown) => JSON.stringify(one)).join("|")
  const alternatives = [...filterShapes(shape["anyOf"]), ...filterShapes(shape["oneOf"])]
  const types = [shape["type"]].flat().filter((type) => type !== undefined && type !== "null")
  const options = alternatives.length > 0 && depth < maxDepth
    ? alternatives.filter(({ type }) => type !== "null").map((alternative) => formatShape(alternative, root, depth + 1))
    : types.map((type) => formatType(shape, type, root, depth))
  return options.length === 0 ? "any" : [...new Set(options)].join("|")
}

/** Describes a JSON Schema as a short signature, such as `{coin: string, side: "long"|"short", stop?: number}`. */
export const formatSignature = (schema: Shape): string => formatShape(schema, schema, 0)

/**
 * Returns the tool with which a model proposes calls of `writeTools`. The model may not call `writeTools` without a
 * user's request. The description of an argument contains the signatures, because providers limit the length of a
 * tool's description.
 */
export const makeProposeWriteTool = (writeTools: ReadonlyArray<CallableEntry>): CallableEntry => ({
  name: proposeWriteName,
  area: "journal",
  summary:
    "Proposes a call that would change something, and writes nothing. The answer ends with it as it would be made, and " +
    `a yes of the user permits just that. At most ${maxProposals} an answer.`,
  credits: 0,
  parameters: {
    type: "object",
    properties: {
      tool: { type: "string", enum: writeTools.map(({ name }) => name) },
      arguments: {
        type: "object",
        description: `As the tool takes them:\n${
          writeTools.map(({ name, parameters }) => `${name} ${formatSignature(parameters)}`).join("\n")
        }`
      }
    },
    required: ["tool", "arguments"],
    additionalProperties: false
  }
})
