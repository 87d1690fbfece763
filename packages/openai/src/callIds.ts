import type { ModelTurn } from "@tapeline/core/agent"

/** Makes an id of nine letters and digits, because one provider accepts no other form. */
const providersId = (n: number): string => `call${n.toString(36).padStart(5, "0")}`

/**
 * The ids of a request's calls for the provider, by turn. Our own ids repeat between the answers of a conversation, but
 * a provider requires unique ids in a request. The nth call of the same turns always gets the same id, so that the
 * provider's prompt cache stays valid.
 */
export interface CallIds {
  /** For a turn with calls: an id for each call. */
  readonly asked: ReadonlyMap<ModelTurn, ReadonlyArray<string>>
  /** For a result: the id of its call. A result without a call has no id. */
  readonly answered: ReadonlyMap<ModelTurn, string>
}

export const callIdsOf = (turns: ReadonlyArray<ModelTurn>): CallIds => {
  const asked = new Map<ModelTurn, ReadonlyArray<string>>()
  const answered = new Map<ModelTurn, string>()
  let open = new Map<string, string>()
  let n = 0
  for (const turn of turns) {
    if (turn._tag === "Assistant") {
      const ids = turn.calls.map(() => providersId(++n))
      asked.set(turn, ids)
      open = new Map(turn.calls.map(({ callId }, i) => [callId, ids[i]!]))
    } else if (turn._tag === "Result") {
      const id = open.get(turn.callId)
      if (id !== undefined) answered.set(turn, id)
      open.delete(turn.callId)
    }
  }
  return { asked, answered }
}

/** Converts a name that the model wrote to one that providers accept. */
export const soundName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64) || "unknown"

/**
 * Converts arguments to a form that providers accept. Some providers parse them, and reject a request with invalid
 * JSON.
 */
export const soundArguments = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? sendable(value) : "{}"
  } catch {
    return "{}"
  }
}

/** Writes JSON without unpaired surrogates. */
const sendable = (value: object): string =>
  JSON.stringify(value, (_, one: unknown) => typeof one === "string" ? one.toWellFormed() : one)
