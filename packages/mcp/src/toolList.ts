import type { Tool } from "@modelcontextprotocol/server"
import { formatCredits } from "./messages.ts"
import type { Catalogue, CatalogueTool, JsonSchema } from "./service.ts"
import { shortenSchema } from "./shortenSchema.ts"

/** The name of the analyst as a tool. */
export const analystToolName = "ask_analyst"

/** The name of the analyst among the catalogue's operations. */
const answerOperation = "agent.answer"

/** Formats a tool's name as a title: `get_price` as "Get price". */
const toTitle = (name: string): string => {
  const words = name.replaceAll("_", " ")
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Describes the price of a call and its scopes, any one of which is sufficient. */
export const describeTerms = ({ credits, scope = "", scopes_any = [scope] }: CatalogueTool): string =>
  [formatCredits(credits), scopes_any.join(" or ")].filter((part) => part !== "").join(", ")

/** Matches tools that only add records. Other writing tools may change or remove existing records. */
const addingToolPattern = /^(add|create)_/

/** Returns hints that a host may show before a call. A tool writes if its scope begins with `write:`. */
const toHints = ({ name, scope }: CatalogueTool): Tool["annotations"] =>
  scope?.startsWith("write:") === true
    ? { readOnlyHint: false, destructiveHint: !addingToolPattern.test(name) }
    : { readOnlyHint: true }

/**
 * Returns the schema of a result. Complete schemas of results are five times as long as everything else, and a model
 * does not need them for a call. By default only the type is listed; `isWhole` and the tool's resource give the
 * complete schema.
 */
const toOutputSchema = (result: JsonSchema | undefined, isWhole: boolean): Tool["outputSchema"] =>
  // All result schemas of the service are of objects.
  isWhole && result !== undefined ? { ...result, type: "object" } : { type: "object" }

/** The options of the list of tools. */
export interface ListingOptions {
  /** Lists the complete schemas of results; otherwise only that results are objects. */
  readonly wholeOutputs: boolean
}

const toTool = (tool: CatalogueTool, { wholeOutputs }: ListingOptions): Tool => ({
  name: tool.name,
  title: toTitle(tool.name),
  description: `${tool.summary} ${describeTerms(tool)}.`,
  // All argument schemas are of objects, too.
  inputSchema: { ...shortenSchema(tool.parameters), type: "object" },
  outputSchema: toOutputSchema(tool.result, wholeOutputs),
  annotations: toHints(tool)
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
export const findAnalystEntry = ({ operations }: Catalogue): CatalogueTool | undefined => {
  const operation = operations.find(({ name }) => name === answerOperation)
  return operation === undefined ? undefined : {
    name: analystToolName,
    area: "agent",
    summary: "Answers a question in words with several of these tools. Takes up to a few minutes.",
    credits: operation.credits,
    scope: operation.scope,
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", minLength: 1, maxLength: 32_000 },
        conversation_id: { type: "integer", description: "Id from an earlier answer, to continue its conversation" },
        coin: { type: "string", description: "Ticker of the coin in question" },
        lang: { type: "string", enum: ["en", "ko", "ru"], description: "Default: the question's language" },
        mode: { type: "string", enum: ["analyst", "mentor"], description: "mentor explains the reasoning" }
      },
      required: ["question"]
    },
    result: analystResult
  }
}

/** Returns all entries of the catalogue, including the analyst. */
export const listEntries = (catalogue: Catalogue): ReadonlyArray<CatalogueTool> => {
  const analyst = findAnalystEntry(catalogue)
  return analyst === undefined ? catalogue.tools : [...catalogue.tools, analyst]
}

/** Returns the tools as a client lists them, in the catalogue's order. */
export const listTools = (catalogue: Catalogue, listing: ListingOptions): Array<Tool> =>
  listEntries(catalogue).map((entry) => {
    const tool = toTool(entry, listing)
    // The analyst may write if its question requests it and the key allows it.
    return entry.name === analystToolName
      ? { ...tool, annotations: { readOnlyHint: false, destructiveHint: true } }
      : tool
  })
