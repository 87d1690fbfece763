import type { Tool } from "@modelcontextprotocol/server"
import type { Catalogue, CatalogueTool, JsonSchema } from "./service.ts"
import { slimSchema } from "./slimSchema.ts"
import { creditsOf } from "./words.ts"

/** The analyst among the tools. */
export const askAnalyst = "ask_analyst"

/** The analyst among the catalogue's operations. */
const answering = "agent.answer"

/** `get_price` as a title: Get price. */
const titleOf = (name: string): string => {
  const words = name.replaceAll("_", " ")
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** What a call costs and which scopes open it; any one of several does. */
export const termsOf = ({ credits, scope = "", scopes_any = [scope] }: CatalogueTool): string =>
  [creditsOf(credits), scopes_any.join(" or ")].filter((part) => part !== "").join(", ")

/** Names of tools that write and only ever add: whatever else writes may change or remove what was there. */
const adds = /^(add|create)_/

/** What a host may tell its user before a call. A tool that writes is one whose scope says so. */
const hintsOf = ({ name, scope }: CatalogueTool): Tool["annotations"] =>
  scope?.startsWith("write:") === true
    ? { readOnlyHint: false, destructiveHint: !adds.test(name) }
    : { readOnlyHint: true }

/**
 * A result's schema takes five times the words of everything else together, and no model needs it to call. A result is
 * an object; what is in it `whole` tells, and the resource of the tool.
 */
const outputOf = (result: JsonSchema | undefined, whole: boolean): Tool["outputSchema"] =>
  // The service's own schemas are of objects.
  whole && result !== undefined ? { ...result, type: "object" } : { type: "object" }

/** How tools are listed. */
export interface Listing {
  /** Lists schemas of results as they are; otherwise only that results are objects. */
  readonly wholeOutputs: boolean
}

const toolOf = (tool: CatalogueTool, { wholeOutputs }: Listing): Tool => ({
  name: tool.name,
  title: titleOf(tool.name),
  description: `${tool.summary} ${termsOf(tool)}.`,
  // As above, for arguments.
  inputSchema: { ...slimSchema(tool.parameters), type: "object" },
  outputSchema: outputOf(tool.result, wholeOutputs),
  annotations: hintsOf(tool)
})

const analystResult: JsonSchema = {
  properties: {
    answer: { type: "string" },
    conversation_id: { type: "integer" },
    outcome: { type: "string", enum: ["finished", "cancelled", "failed"] },
    credits_used: { type: "integer" },
    credits_left: { type: "integer" },
    suggestions: { type: "array", items: { type: "string" } }
  },
  required: ["answer", "conversation_id", "outcome", "suggestions"]
}

/** The analyst as an entry of the catalogue; undefined where the key may not ask it. */
export const analystIn = ({ operations }: Catalogue): CatalogueTool | undefined => {
  const operation = operations.find(({ name }) => name === answering)
  return operation === undefined ? undefined : {
    name: askAnalyst,
    area: "agent",
    summary: "Answers a question in words, from these tools: for whatever takes several. Takes up to minutes.",
    credits: operation.credits,
    scope: operation.scope,
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", minLength: 1, maxLength: 32_000 },
        conversation_id: { type: "integer", description: "Of an earlier answer, to go on from it" },
        coin: { type: "string", description: "Ticker that it is about" },
        lang: { type: "string", enum: ["en", "ko", "ru"], description: "Default: the question's" },
        mode: { type: "string", enum: ["analyst", "mentor"], description: "mentor explains the reasoning" }
      },
      required: ["question"]
    },
    result: analystResult
  }
}

/** Everything that may be called, the analyst too. */
export const entriesOf = (catalogue: Catalogue): ReadonlyArray<CatalogueTool> => {
  const analyst = analystIn(catalogue)
  return analyst === undefined ? catalogue.tools : [...catalogue.tools, analyst]
}

/** The tools as a client lists them, in the catalogue's order. */
export const toolsOf = (catalogue: Catalogue, listing: Listing): Array<Tool> =>
  entriesOf(catalogue).map((entry) => {
    const tool = toolOf(entry, listing)
    // It may write what its question asks for, where the key may.
    return entry.name === askAnalyst ? { ...tool, annotations: { readOnlyHint: false, destructiveHint: true } } : tool
  })
