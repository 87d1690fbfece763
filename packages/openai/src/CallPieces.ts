import type { ModelPart } from "@tapeline/core/agent"
import { sound } from "./text.ts"

/** A piece of a call, as a server sent it: anything may be missing. */
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

/** A name that is sent again with each piece, that grows, or that comes in pieces. */
const grown = (name: string, more: string, untouched: boolean): string =>
  more.startsWith(name) ? more : untouched && !name.endsWith(more) ? name + more : name

/**
 * Puts calls together. Servers agree on little: some send a call in pieces under an index, some whole, some without an
 * index or an id, some give the same index to all, some repeat the name with each piece.
 */
export class CallPieces {
  private readonly calls: Array<Growing> = []
  /** UTF-16 units of what has come. */
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

  /** The call that a piece belongs to; undefined when it begins one. */
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
    // A whole call after a whole one, under an index that says nothing and without an id that would.
    if (last.arguments !== "" && isJson(last.arguments) && more.trimStart().startsWith("{")) return undefined
    return last
  }

  /** The calls, in the order in which they began. Of an answer that was cut, only those that are whole. */
  parts(cut: boolean): ReadonlyArray<ModelPart> {
    return this.calls.filter((call) => call.name !== "" && (!cut || isJson(call.arguments))).map((call) => ({
      _tag: "Call",
      name: sound(call.name),
      // What takes no arguments is often asked for with none.
      arguments: call.arguments.trim() === "" ? "{}" : sound(call.arguments)
    }))
  }
}
