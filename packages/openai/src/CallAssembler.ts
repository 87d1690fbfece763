import type { ModelPart } from "@tapeline/core/agent"
import { toStorableText } from "./text.ts"

/** A piece of a tool call from one event of a server's stream. Each field of the piece may be missing. */
export interface CallPiece {
  readonly index: unknown
  readonly id: unknown
  readonly name: unknown
  readonly arguments: unknown
  /** Data of the provider that must be sent back with the call. */
  readonly extra?: unknown
}

export interface FinishedCall {
  readonly part: ModelPart
  /** The provider's id of the call. */
  readonly id: string | undefined
  readonly extra: unknown
}

interface PartialCall {
  readonly key: number | undefined
  extra: unknown
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

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

const toArgumentsText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : nonEmptyText(value) ?? ""

/**
 * Adds a piece to the name of a call. Depending on the server, a piece repeats the whole name, extends the name, or
 * contains the name's next part.
 */
const joinName = (name: string, piece: string, hasNoArguments: boolean): string =>
  piece.startsWith(name) ? piece : hasNoArguments && !name.endsWith(piece) ? name + piece : name

export const toCallPart = (name: string, args: string): ModelPart => ({
  _tag: "Call",
  name: toStorableText(name),
  // Models often write an empty text for the arguments of a call without arguments.
  arguments: args.trim() === "" ? "{}" : toStorableText(args)
})

/** Assembles tool calls from pieces. A piece may lack an index or an id, and all calls may have the same index. */
export class CallAssembler {
  private readonly calls: Array<PartialCall> = []
  units = 0

  add({ arguments: args, extra, id: pieceId, index, name: pieceName }: CallPiece): void {
    const key = typeof index === "number" ? index : undefined
    const id = nonEmptyText(pieceId)
    const name = nonEmptyText(pieceName)
    const argumentsPiece = toArgumentsText(args)
    this.units += argumentsPiece.length + (name?.length ?? 0) + (JSON.stringify(extra)?.length ?? 0)
    const call = this.find(key, id, name, argumentsPiece)
    if (call === undefined) {
      this.calls.push({ key, extra, id, name: name ?? "", arguments: argumentsPiece })
      return
    }
    call.id ??= id
    call.extra ??= extra
    if (name !== undefined) call.name = joinName(call.name, name, call.arguments === "")
    call.arguments += argumentsPiece
  }

  /** Returns the call to which a piece belongs, or undefined if the piece begins a new call. */
  private find(
    key: number | undefined,
    id: string | undefined,
    name: string | undefined,
    more: string
  ): PartialCall | undefined {
    const candidates = key === undefined ? this.calls : this.calls.filter((call) => call.key === key)
    const last = candidates.at(-1)
    if (last === undefined) return undefined
    const callWithId = id === undefined ? undefined : candidates.find((call) => call.id === id)
    if (callWithId !== undefined) return callWithId
    if (id !== undefined && last.id !== undefined) return undefined
    if (name === undefined) return last
    if (key === undefined && !name.startsWith(last.name)) return undefined
    // If the arguments of the last call are complete and the piece begins another JSON object, the piece begins a new
    // call.
    if (last.arguments !== "" && isJson(last.arguments) && more.trimStart().startsWith("{")) return undefined
    return last
  }

  /**
   * Returns the calls in the order in which the calls began. If the answer was truncated, omits calls whose arguments
   * are incomplete.
   */
  finish(isTruncated: boolean): ReadonlyArray<FinishedCall> {
    return this.calls.filter((call) => call.name !== "" && (!isTruncated || isJson(call.arguments))).map((call) => ({
      part: toCallPart(call.name, call.arguments),
      id: call.id,
      extra: call.extra
    }))
  }
}
