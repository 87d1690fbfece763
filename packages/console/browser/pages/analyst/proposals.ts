import type { Message, Proposal } from "@tapeline/client"

/**
 * Returns the id of the last message if it has open proposals. A question then names this message, so that the service
 * rejects the question if another page has continued the conversation.
 */
export const openProposalMessage = (last: Message | undefined): number | undefined =>
  last?.proposals.some(({ state }) => state === "open") === true ? last.id : undefined

/** An argument of a proposal in a form. */
export interface ArgumentField {
  readonly name: string
  readonly text: string
  /** Whether `text` is JSON; false for a plain text. */
  readonly isJson: boolean
}

/** Returns the arguments of a proposal as fields of a form. */
export const toFields = (args: Proposal["arguments"]): ReadonlyArray<ArgumentField> =>
  typeof args !== "object" || args === null || Array.isArray(args)
    ? []
    : Object.entries(args).map(([name, value]) =>
      typeof value === "string"
        ? { name, text: value, isJson: false }
        : { name, text: JSON.stringify(value), isJson: true }
    )

/** Returns the arguments in the fields of a form, or the name of the first field that is not valid JSON. */
export const readFields = (
  fields: ReadonlyArray<ArgumentField>
): { readonly args: Readonly<Record<string, unknown>> } | { readonly invalid: string } => {
  const args: Record<string, unknown> = {}
  for (const { isJson, name, text } of fields) {
    try {
      args[name] = isJson ? JSON.parse(text) : text
    } catch {
      return { invalid: name }
    }
  }
  return { args }
}
