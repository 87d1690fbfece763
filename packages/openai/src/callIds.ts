import type { ModelTurn } from "@tapeline/core/agent"

/** Of nine letters and digits, since one provider takes no other form. */
const providersId = (n: number): string => `call${n.toString(36).padStart(5, "0")}`

/**
 * Ids of a request's calls for its provider, by the place of each turn. Ours repeat from one answer of a conversation
 * to the next, while a provider wants each but once in a request; the nth call of the same turns gets the same id each
 * time, so that a provider's cache of what it has read before holds.
 */
export interface CallIds {
  /** Of a turn that asks: an id for each of its calls. */
  readonly asked: ReadonlyMap<ModelTurn, ReadonlyArray<string>>
  /** Of a result: the id of the call that it answers. A result that answers none has no id. */
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

/** A name as providers take it back, whatever the model had written. */
export const soundName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64) || "unknown"

/** Arguments as providers take them back: those who read them refuse a whole request for one that is no JSON. */
export const soundArguments = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? sendable(value) : "{}"
  } catch {
    return "{}"
  }
}

/** JSON without an escaped half of a character. */
const sendable = (value: object): string =>
  JSON.stringify(value, (_, one: unknown) => typeof one === "string" ? one.toWellFormed() : one)
