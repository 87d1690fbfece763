import { toStorableText } from "./text.ts"
import { toFields } from "./usage.ts"

/** Encodes the data that a provider requires in the next request of an answer. */
export const encodeProviderState = (api: "chat" | "responses", model: string, fields: object): string =>
  JSON.stringify({ api, model, ...fields })

/**
 * Decodes the state of an earlier step. The result has no fields if another API or another model wrote the state, for
 * example before the configuration was changed.
 */
export const decodeProviderState = (
  state: string | undefined,
  api: "chat" | "responses",
  model: string
): Readonly<Record<string, unknown>> => {
  if (state === undefined) return {}
  try {
    const fields = toFields(
      JSON.parse(state, (_, value: unknown) => typeof value === "string" ? toStorableText(value) : value)
    )
    return fields["api"] === api && fields["model"] === model ? fields : {}
  } catch {
    return {}
  }
}

export const toList = (u: unknown): ReadonlyArray<unknown> => Array.isArray(u) ? u : []
