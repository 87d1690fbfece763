import type { Tool } from "@modelcontextprotocol/server"
import type { Catalogue, CatalogueTool, JsonSchema } from "./service.ts"
import { slimSchema } from "./slimSchema.ts"
import { creditsOf } from "./words.ts"

/** The name of the analyst as a tool. */
export const askAnalyst = "ask_analyst"

/** The name of the analyst among the catalogue's operations. */
const answering = "agent.answer"

/** Formats a tool's name as a title: `get_price` as "Get price". */
const titleOf = (name: string): string => {
  const words = name.replaceAll("_", " ")
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Describes the price of a call and its scopes, any one of which is sufficient. */
export const termsOf = ({ credits, scope = "", scopes_any = [scope] }: CatalogueTool): string =>
  [creditsOf(credits), scopes_any.join(" or ")].filter((part) => part !== "").join(", ")

/** Matches tools that only add records. Other writing tools may change or remove existing records. */
const adds = /^(add|create)_/

/** Returns hints that a host may show before a call. A tool writes if its scope begins with `write:`. */
const hintsOf = ({ name, scope }: CatalogueTool): Tool["annotations"] =>
  scope?.startsWith("write:") === true
    ? { readOnlyHint: false, destructiveHint: !adds.test(name) }
    : { readOnlyHint: true }

/**
 * Returns the schema of a result. Complete schemas of results are five times as long as everything else, and a model
 * does not need them for a call. By default only the type is listed; `whole` and the tool's resource give the complete
 * schema.
 */
const outputOf = (result: JsonSchema | undefined, whole: boolean): Tool["outputSchema"] =>
  // All result schemas of the service are of objects.
  whole && result !== undefined ? { ...result, type: "object" } : { type: "object" }

/** The options of the list of tools. */
export interface Listing {
  /** Lists the complete schemas of results; otherwise only that results are objects. */
  readonly wholeOutputs: boolean
}

const toolOf = (tool: CatalogueTool, { wholeOutputs }: Listing): Tool => ({
  name: tool.name,
  title: titleOf(tool.name),
  description: `${tool.summary} ${termsOf(tool)}.`,
  // All argument schemas are of objects, too.
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

/** Returns the analyst as an entry of the catalogue; undefined if the key may not use it. */
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

/** Returns all entries of the catalogue, including the analyst. */
export const entriesOf = (catalogue: Catalogue): ReadonlyArray<CatalogueTool> => {
  const analyst = analystIn(catalogue)
  return analyst === undefined ? catalogue.tools : [...catalogue.tools, analyst]
}

/** Returns the tools as a client lists them, in the catalogue's order. */
export const toolsOf = (catalogue: Catalogue, listing: Listing): Array<Tool> =>
  entriesOf(catalogue).map((entry) => {
    const tool = toolOf(entry, listing)
    // The analyst may write if its question requests it and the key allows it.
    return entry.name === askAnalyst ? { ...tool, annotations: { readOnlyHint: false, destructiveHint: true } } : tool
  })
