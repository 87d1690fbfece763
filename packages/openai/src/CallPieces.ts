import type { ModelPart } from "@tapeline/core/agent"
import { sound } from "./text.ts"

/** A piece of a call, as a server sent it. Each field may be missing. */
export interface CallPiece {
  readonly index: unknown
  readonly id: unknown
  readonly name: unknown
  readonly arguments: unknown
}

interface Growing {
  readonly key: number | undefined
  id: string | undefined
  name: string
  arguments: string
}

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const text = (value: unknown): string | undefined => typeof value === "string" && value !== "" ? value : undefined

const argumentsOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : text(value) ?? ""

/** Adds to a name that is repeated with each piece, that grows, or that arrives in pieces. */
const grown = (name: string, more: string, untouched: boolean): string =>
  more.startsWith(name) ? more : untouched && !name.endsWith(more) ? name + more : name

/**
 * Assembles calls from pieces. Servers differ: some send a call in pieces under an index, some send it whole, and some
 * without an index or an id. Some use the same index for all calls, and some repeat the name with each piece.
 */
export class CallPieces {
  private readonly calls: Array<Growing> = []
  /** UTF-16 units that have arrived. */
  units = 0

  add({ arguments: args, id: anId, index, name: aName }: CallPiece): void {
    const key = typeof index === "number" ? index : undefined
    const id = text(anId)
    const name = text(aName)
    const more = argumentsOf(args)
    this.units += more.length + (name?.length ?? 0)
    const call = this.find(key, id, name, more)
    if (call === undefined) {
      this.calls.push({ key, id, name: name ?? "", arguments: more })
      return
    }
    call.id ??= id
    if (name !== undefined) call.name = grown(call.name, name, call.arguments === "")
    call.arguments += more
  }

  /** Returns the call to which a piece belongs; undefined if the piece begins a new call. */
  private find(
    key: number | undefined,
    id: string | undefined,
    name: string | undefined,
    more: string
  ): Growing | undefined {
    const under = key === undefined ? this.calls : this.calls.filter((call) => call.key === key)
    const last = under.at(-1)
    if (last === undefined) return undefined
    const known = id === undefined ? undefined : under.find((call) => call.id === id)
    if (known !== undefined) return known
    if (id !== undefined && last.id !== undefined) return undefined
    if (name === undefined) return last
    if (key === undefined && !name.startsWith(last.name)) return undefined
    // A complete call follows a complete one, and neither an index nor an id distinguishes them.
    if (last.arguments !== "" && isJson(last.arguments) && more.trimStart().startsWith("{")) return undefined
    return last
  }

  /** Returns the calls in the order in which they began. If the answer was cut, returns only complete calls. */
  parts(cut: boolean): ReadonlyArray<ModelPart> {
    return this.calls.filter((call) => call.name !== "" && (!cut || isJson(call.arguments))).map((call) => ({
      _tag: "Call",
      name: sound(call.name),
      // Models often request a call without arguments by an empty text.
      arguments: call.arguments.trim() === "" ? "{}" : sound(call.arguments)
    }))
  }
}
