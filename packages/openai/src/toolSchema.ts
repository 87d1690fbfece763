import type { CatalogueCall } from "@tapeline/core"
import type { JsonSchema } from "effect"

const isSchema = (u: unknown): u is JsonSchema.JsonSchema => typeof u === "object" && u !== null && !Array.isArray(u)

/** A recursive definition is expanded to this depth. Deeper levels have no schema. */
const deepest = 6

const inlined = (value: unknown, definitions: JsonSchema.JsonSchema, depth: number): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => inlined(one, definitions, depth))
  if (!isSchema(value)) return value
  const reference = value["$ref"]
  if (typeof reference === "string") {
    const { $ref: _, ...rest } = value
    const target = definitions[reference.replace("#/$defs/", "")]
    if (!isSchema(target) || depth >= deepest) return rest
    return inlined({ ...target, ...rest }, definitions, depth + 1)
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === "enum" || key === "const" || key === "default" ? one : inlined(one, definitions, depth)
    ])
  )
}

/**
 * Returns the parameters of a call in a form that all servers accept: an object at the top, and no references, which
 * some servers do not follow. Does not use `strict`, which would require all arguments to be present. The code that
 * runs the call validates the arguments.
 */
export const functionParameters = ({ parameters }: CatalogueCall): Record<string, unknown> => {
  const { $defs, $schema: _, ...rest } = parameters
  const plain = inlined(rest, isSchema($defs) ? $defs : {}, 0)
  // A schema stays a schema.
  return { type: "object", properties: {}, ...(plain as Record<string, unknown>) }
}
