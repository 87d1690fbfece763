import { type JsonSchema, Predicate } from "effect"

type Shape = JsonSchema.JsonSchema

const isShape = (value: unknown): value is Shape => Predicate.isReadonlyObject(value) && !Array.isArray(value)

const shapesIn = (value: unknown): ReadonlyArray<Shape> => Array.isArray(value) ? value.filter(isShape) : []

/** Resolves a reference within a schema. Returns the shape itself if it has no reference, or one without a target. */
const followed = (shape: Shape, root: Shape): Shape => {
  const name = typeof shape["$ref"] === "string" ? shape["$ref"].split("/").at(-1) : undefined
  const definitions = root["$defs"]
  const target = name !== undefined && isShape(definitions) ? definitions[name] : undefined
  return isShape(target) ? target : shape
}

/** The maximum depth. Deeper shapes are reduced to their type. */
const deepest = 4

const typeText = (shape: Shape, type: unknown, root: Shape, depth: number): string => {
  if (type === "array") {
    const items = isShape(shape["items"]) ? text(shape["items"], root, depth + 1) : "any"
    return items.includes("|") ? `(${items})[]` : `${items}[]`
  }
  if (type !== "object" || !isShape(shape["properties"]) || depth >= deepest) return String(type)
  const required: unknown = shape["required"]
  const fields = Object.entries(shape["properties"]).map(([name, field]) => {
    const mark = Array.isArray(required) && required.includes(name) ? "" : "?"
    return `${name}${mark}: ${isShape(field) ? text(field, root, depth + 1) : "any"}`
  })
  return `{${fields.join(", ")}}`
}

const text = (given: Shape, root: Shape, depth: number): string => {
  const shape = followed(given, root)
  if ("const" in shape) return JSON.stringify(shape["const"])
  if (Array.isArray(shape["enum"])) return shape["enum"].map((one: unknown) => JSON.stringify(one)).join("|")
  const either = [...shapesIn(shape["anyOf"]), ...shapesIn(shape["oneOf"])]
  const types = [shape["type"]].flat().filter((type) => type !== undefined && type !== "null")
  const options = either.length > 0 && depth < deepest
    ? either.filter(({ type }) => type !== "null").map((one) => text(one, root, depth + 1))
    : types.map((type) => typeText(shape, type, root, depth))
  return options.length === 0 ? "any" : [...new Set(options)].join("|")
}

/** Describes a JSON Schema as a short signature, such as `{coin: string, side: "long"|"short", stop?: number}`. */
export const signature = (schema: Shape): string => text(schema, schema, 0)
