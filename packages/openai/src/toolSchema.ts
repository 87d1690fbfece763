import type { CatalogueCall } from "@tapeline/core"
import type { JsonSchema } from "effect"

const isSchema = (u: unknown): u is JsonSchema.JsonSchema => typeof u === "object" && u !== null && !Array.isArray(u)

/** A definition that holds itself is told so far, and then left open. */
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
 * A call's parameters as servers of all kinds take them: an object at the top, and no reference, which some do not
 * follow. They are not asked to hold the model to it (`strict`): that would need every argument to be given. Whoever
 * makes the call judges the arguments.
 */
export const functionParameters = ({ parameters }: CatalogueCall): Record<string, unknown> => {
  const { $defs, $schema: _, ...rest } = parameters
  const plain = inlined(rest, isSchema($defs) ? $defs : {}, 0)
  // A schema stays one.
  return { type: "object", properties: {}, ...(plain as Record<string, unknown>) }
}
