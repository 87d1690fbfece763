import type { Tool } from "@modelcontextprotocol/server"
import { formatCredits } from "./messages.ts"
import type { Catalogue, CatalogueTool, JsonSchema } from "./service.ts"
import { shortenSchema } from "./shortenSchema.ts"

export const analystToolName = "ask_analyst"
export const acceptToolName = "accept_proposal"

const answerOperation = "agent.answer"

const toTitle = (name: string): string => {
  const words = name.replaceAll("_", " ")
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/**
 * Returns the price of a call of the tool, and the scopes that allow the call. Any one of the scopes is enough for a
 * call.
 */
export const describeTerms = ({ credits, scope = "", scopes_any = [scope] }: CatalogueTool): string =>
  [formatCredits(credits), scopes_any.join(" or ")].filter((part) => part !== "").join(", ")

/** Matches the names of tools that only add records and never change or remove existing records. */
const addingToolPattern = /^(add|create)_/

/** Returns the annotations that a host may show before a call; a tool writes if its scope begins with `write:`. */
const toHints = ({ name, scope }: CatalogueTool): Tool["annotations"] =>
  scope?.startsWith("write:") === true
    ? { readOnlyHint: false, destructiveHint: !addingToolPattern.test(name) }
    : { readOnlyHint: true }

/**
 * Returns the output schema of a tool. Unless `isWhole` is true, returns only the type `object`, because the complete
 * schema is long.
 */
const toOutputSchema = (result: JsonSchema | undefined, isWhole: boolean): Tool["outputSchema"] =>
  // Every result schema of the service describes an object.
  isWhole && result !== undefined ? { ...result, type: "object" } : { type: "object" }

export interface ListingOptions {
  /**
   * If true, the tool list contains complete result schemas. If false, the list states only that each result is an
   * object.
   */
  readonly wholeOutputs: boolean
}

const toTool = (tool: CatalogueTool, { wholeOutputs }: ListingOptions): Tool => ({
  name: tool.name,
  title: toTitle(tool.name),
  description: `${tool.summary} ${describeTerms(tool)}.`,
  // Every argument schema of the service describes an object.
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
    suggestions: { type: "array", items: { type: "string" } },
    disclaimer: { type: "string" },
    proposals: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "string" },
          tool: { type: "string" },
          arguments: { type: "object" },
          summary: { type: "string" },
          state: { type: "string" }
        },
        required: ["id", "tool", "summary", "state"]
      }
    }
  },
  required: ["answer", "conversation_id", "outcome", "suggestions"]
}

/** Returns the analyst as an entry of the catalogue, or undefined if the key may not use the analyst. */
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

/** Returns the entry of the tool that accepts proposals, or undefined if the key may not write. */
const findAcceptEntry = ({ operations, tools }: Catalogue): CatalogueTool | undefined => {
  const scope = "write:personal"
  const mayWrite = tools.some((tool) => tool.scope === scope)
  return !mayWrite || !operations.some(({ name }) => name === answerOperation) ? undefined : {
    name: acceptToolName,
    area: "agent",
    summary:
      `Carries out a change that ${analystToolName} proposed. Call it only after the user has seen the change and ` +
      "agreed. Costs the price of the proposed tool.",
    credits: 1,
    scope,
    parameters: {
      type: "object",
      properties: { id: { type: "string", description: "Id of the proposal, such as p_12_1.1" } },
      required: ["id"]
    },
    result: {
      properties: {
        id: { type: "string" },
        tool: { type: "string" },
        summary: { type: "string" },
        state: { type: "string" },
        envelope: {},
        error: {}
      },
      required: ["id", "state"]
    }
  }
}

export const listEntries = (catalogue: Catalogue): ReadonlyArray<CatalogueTool> => [
  ...catalogue.tools,
  ...[findAnalystEntry(catalogue), findAcceptEntry(catalogue)].filter((entry) => entry !== undefined)
]

/** Returns the tools for the MCP request `tools/list`, in the catalogue's order. */
export const listTools = (catalogue: Catalogue, listing: ListingOptions): Array<Tool> =>
  listEntries(catalogue).map((entry) => {
    const tool = toTool(entry, listing)
    // A question stores messages and proposals, but changes no records.
    return entry.name === analystToolName
      ? { ...tool, annotations: { readOnlyHint: false, destructiveHint: false } }
      : tool
  })
