import type { ModelRequest } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import type { Findings } from "./Findings.ts"
import { ask, type Planned, type Section } from "./intent.ts"
import { text } from "./writing/text.ts"

/** The tool that proposes a write that the user's message does not explicitly request. */
const proposing = "propose_write"

/** The error code for a write that the user's message does not request. */
const notAsked = "not_asked_for"

/** Returns the names of the tools that may be proposed. */
const proposable = ({ tools }: ModelRequest): ReadonlyArray<unknown> => {
  const properties: unknown = tools.find(({ name }) => name === proposing)?.parameters["properties"]
  // The parameters are a JSON Schema that lists the proposable tools in `tool`.
  const named = (properties as { readonly tool?: { readonly enum?: unknown } } | undefined)?.tool?.enum
  return Array.isArray(named) ? named : []
}

export const mayWrite = (request: ModelRequest, name: string): boolean =>
  request.tools.some((tool) => tool.name === name) || proposable(request).includes(name)

export const propose = ({ arguments: args, name }: Planned): Planned => ask(proposing, { tool: name, arguments: args })

const proposed = ({ arguments: args, name }: Planned): Planned | null => {
  const { arguments: own, tool } = args
  const isCall = name === proposing && typeof tool === "string" && typeof own === "object" && own !== null &&
    !Array.isArray(own)
  // The arguments of a proposal are a JSON object.
  return isCall ? ask(tool, own as Planned["arguments"]) : null
}

/** Returns the write that a call makes or proposes, or null for a call that only reads. */
export const asWrite = (call: Planned): Planned | null =>
  proposed(call) ?? (/^(?:get|search|run|screen|compare|make)_/.test(call.name) ? null : call)

/**
 * Replaces unavailable writes with proposals, and unavailable proposals with direct calls, which the answer then
 * reports as missing.
 */
export const asPossible = (request: ModelRequest, calls: ReadonlyArray<Planned>): ReadonlyArray<Planned> => {
  const given = new Set(request.tools.map(({ name }) => name))
  const may = new Set(proposable(request))
  return calls.map((call) => {
    const own = proposed(call)
    if (own !== null) return may.has(own.name) ? call : own
    return !given.has(call.name) && may.has(call.name) ? propose(call) : call
  })
}

/** Returns proposals for the writes that the service rejected because the message does not request them. */
export const refusedWrites = (request: ModelRequest, found: Findings): ReadonlyArray<Planned> => {
  const may = new Set(proposable(request))
  return found.all.flatMap(({ arguments: args, data, name, ok }) =>
    !ok && args !== null && may.has(name) && data.str("error.code") === notAsked ? [propose(ask(name, args))] : []
  )
}

const said = text(
  "I have changed nothing: your words do not state all of it. What I would write stands at the end of this answer; say “yes” and I do just that.",
  "아무것도 기록하지 않았습니다. 말씀만으로는 내용이 다 정해지지 않습니다. 기록할 내용은 이 답변 끝에 있으며, ‘네’라고 하시면 그대로 하겠습니다.",
  "Я ничего не изменил: в ваших словах сказано не всё. Что я записал бы, стоит в конце ответа; скажите «да», и я сделаю ровно это."
)

/** Returns the section that mentions the open proposals, which the service shows at the end of the answer. */
export const saysProposed = (lang: Language, found: Findings): ReadonlyArray<Section> =>
  found.came(proposing)?.ok === true ? [{ verdict: said[lang], evidence: [] }] : []
